"""Scripts without processes: for tests of whatever runs plans, Aeon's own and yours.

skills = catalog(
    skill("dice", script("roll")), skill("story", script("narrate"), retry_policy=ScriptRetryPolicy(3, backoff_ms=1))
)
runner = ScriptedRunner({"dice/roll": patches({"dice": {"total": 8}}), "story/narrate": fails(2, says(done()))})
plan = plan_of(node("d", "dice/roll"), node("s", "story/narrate", {"facts": "{tool.d.dice.total}"}))
result = PlanExecutor(skills, runner, prepare=prepare_invocation).execute(plan)
assert runner.calls[-1].input == {"facts": 8}

Nothing here sleeps or is random but by a seed: `ShuffledLoop` runs nodes one after another in any order their
dependencies allow, `overruns` lets a fake clock jump, `waits_for_cancel` waits for just that.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar, cast

from aeon.base.clock import Clock
from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.skills.invocation import Cancellation, EventSink, Invocation, InvocationResult, ScriptExitReason, StartSlot
from aeon.skills.models import DEFAULT_TIMEOUT, ScriptProtocol, ScriptRetryPolicy, Skill, SkillCatalog, SkillScript
from aeon.skills.plan_json import PlanJson, ToolInvocation
from aeon.skills.poll_loop import Pollable, PollTask, ReadyResult, poll_until_done

T = TypeVar("T")

_PATIENCE = 30.0
"""Seconds that a script of `waits_for_cancel` waits before it lets the test fail."""


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """One invocation of a scripted script. `attempt` counts, from 1, those of this script with this input."""

    name: str
    invocation: Invocation
    input: JsonObject
    attempt: int
    cancellation: Cancellation | None


Behaviour: TypeAlias = Callable[[ScriptCall], InvocationResult | Sequence[JsonObject] | Pollable[InvocationResult]]
"""What a script does: its whole outcome, the events of one that exits with 0, or an outcome that will come."""


class ScriptedRunner:
    """A `ScriptRunner` that does what it is told. `behaviours` are by `<skill>/<script>`; `calls` are kept in order.

    Threads may share it. A script that nobody wrote cannot be started, as a deleted one could not.
    """

    def __init__(self, behaviours: Mapping[str, Behaviour]) -> None:
        self.calls: list[ScriptCall] = []
        self._behaviours = dict(behaviours)
        self._attempts: Counter[str] = Counter()
        self._lock = threading.Lock()

    prefetch = 0

    def start(
        self,
        invocation: Invocation,
        cancellation: Cancellation | None = None,
        on_event: EventSink | None = None,
        turn: StartSlot | None = None,
    ) -> Pollable[InvocationResult]:
        """What the script's behaviour makes of the call; `on_event` hears its events first. It never has to wait."""
        if turn is not None:
            turn.on_start()
        call = self._call(invocation, cancellation)
        behaviour = self._behaviours.get(call.name)
        if behaviour is None:
            return ReadyResult(InvocationResult(ScriptExitReason.NOT_STARTED, problem=f"{call.name} does not exist"))
        did = behaviour(call)
        if not isinstance(did, InvocationResult | Sequence):
            return did
        outcome = did if isinstance(did, InvocationResult) else InvocationResult(ScriptExitReason.EXITED, 0, tuple(did))
        if on_event is not None:
            for event in outcome.events:
                on_event(event)
        return ReadyResult(outcome)

    def _call(self, invocation: Invocation, cancellation: Cancellation | None) -> ScriptCall:
        name, given = _addressed(invocation)
        key = f"{name} {canonical_json(given)}"
        with self._lock:
            self._attempts[key] += 1
            call = ScriptCall(name, invocation, given, self._attempts[key], cancellation)
            self.calls.append(call)
        return call


def _addressed(invocation: Invocation) -> tuple[str, JsonObject]:
    """The script and the input that an invocation is for: its envelope says so, else its command is all there is."""
    try:
        envelope = parse_strict(invocation.stdin.decode())
        return f"{envelope['tool']}/{envelope['operation']}", cast(JsonObject, envelope["input"])
    except (ValueError, TypeError, KeyError):
        return invocation.command[0], {}


class ShuffledLoop(Generic[T]):
    """A `TaskLoop` that runs steps whole, one after another; which of those that wait is next is drawn by `seed`.

    So a plan's nodes end in any order that its dependencies allow, the same one whenever the seed is.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  # a seed, not a secret
        self._waiting: list[PollTask[T]] = []

    def start(self, steps: PollTask[T]) -> None:
        self._waiting.append(steps)

    def next_result(self) -> T:
        steps = self._waiting.pop(self._random.randrange(len(self._waiting)))
        result: object = None
        while True:
            try:
                result = poll_until_done(steps.send(result))
            except StopIteration as end:
                return end.value

    def close(self) -> None:
        self._waiting.clear()


def log(message: str, level: str = "info") -> JsonObject:
    return {"version": "0", "type": "log", "level": level, "message": message}


def state_patch(patch: JsonObject) -> JsonObject:
    return {"version": "0", "type": "state_patch", "patch": patch}


def asset(asset_id: str, path: str, kind: str = "file", media_type: str = "text/plain") -> JsonObject:
    return {
        "version": "0",
        "type": "asset",
        "assetId": asset_id,
        "kind": kind,
        "mediaType": media_type,
        "path": path,
    }


def error(code: str, message: str) -> JsonObject:
    return {"version": "0", "type": "error", "errorCode": code, "errorMessage": message}


def done(*, ok: bool = True, summary: str | None = None) -> JsonObject:
    return {"version": "0", "type": "done", "ok": ok, **({} if summary is None else {"summary": summary})}


def says(*events: JsonObject, exit_code: int = 0, stderr: str = "", milliseconds: int = 1) -> Behaviour:
    """Write these events and exit."""
    return lambda _call: InvocationResult(
        ScriptExitReason.EXITED, exit_code, events, stderr=stderr, milliseconds=milliseconds
    )


def patches(*changes: JsonObject) -> Behaviour:
    """Patch the state and end well."""
    return says(*(state_patch(change) for change in changes), done())


def echoes(key: str = "seen") -> Behaviour:
    """Patch the state with the input and end well."""
    return lambda call: [state_patch({key: call.input}), done()]


def prints(stdout: bytes, exit_code: int = 0) -> Behaviour:
    """Write this as a plain script does."""
    return lambda _call: InvocationResult(ScriptExitReason.EXITED, exit_code, stdout=stdout)


def fails(times: int, then: Behaviour, exit_code: int = 1) -> Behaviour:
    """Exit with `exit_code` so many times for each input, then do as `then` does."""
    return lambda call: (
        then(call)
        if call.attempt > times
        else InvocationResult(ScriptExitReason.EXITED, exit_code, stderr=f"attempt {call.attempt}")
    )


def overruns(clock: Clock) -> Behaviour:
    """Hang until the time is over, which a fake clock makes at once."""

    def overrun(call: ScriptCall) -> InvocationResult:
        clock.sleep(call.invocation.timeout)
        return InvocationResult(ScriptExitReason.TIMED_OUT, -15, milliseconds=int(call.invocation.timeout * 1000))

    return overrun


def takes(seconds: float, clock: Clock, then: Behaviour) -> Behaviour:
    """Do as `then` does after so many seconds of the clock, or overrun where the time is less than that."""

    def take(call: ScriptCall) -> InvocationResult | Sequence[JsonObject] | Pollable[InvocationResult]:
        if seconds >= call.invocation.timeout:
            return overruns(clock)(call)
        clock.sleep(seconds)
        return then(call)

    return take


class GatedResult:
    """An outcome that comes when a gate is opened by its `cancel`; a `Pollable`. A test that forgets to fails."""

    def __init__(self, gate: Cancellation, open_: Callable[[], InvocationResult]) -> None:
        self.deadline = time.monotonic() + _PATIENCE
        self._gate = gate
        self._open = open_

    def fileno(self) -> int:
        return self._gate.fileno()

    def poll(self) -> InvocationResult | None:
        if self._gate.is_cancelled:
            return self._open()
        assert time.monotonic() < self.deadline, "nobody opened the gate"
        return None


def waits_for_cancel(started: threading.Event | None = None) -> Behaviour:
    """Set `started`, then wait until the run is cancelled. For one script of a plan at a time."""

    def wait(call: ScriptCall) -> Pollable[InvocationResult]:
        if started is not None:
            started.set()
        assert call.cancellation is not None, "nothing could ever end this script"
        return GatedResult(call.cancellation, lambda: InvocationResult(ScriptExitReason.CANCELLED, -15))

    return wait


def script(  # a script's fields
    name: str,
    *,
    protocol: ScriptProtocol = "ndjson",
    input_schema: JsonObject | None = None,
    output_schema: JsonObject | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> SkillScript:
    """A script that is nowhere on disk. `skill` puts its own name in front of the paths."""
    path = Path("/nowhere") / name
    return SkillScript(
        name,
        path,
        name,
        is_executable=True,
        protocol=protocol,
        input_schema=input_schema,
        output_schema=output_schema,
        timeout=timeout,
    )


def skill(name: str, *scripts: SkillScript, retry_policy: ScriptRetryPolicy | None = None, **fields: Json) -> Skill:
    """A skill that is nowhere on disk; its scripts are named `<skill>/<script>` in plans. It retries nothing."""
    folder = Path("/nowhere") / name
    named = tuple(replace(found, path=folder / found.name, tool_path=f"{name}/{found.name}") for found in scripts)
    policy = retry_policy or ScriptRetryPolicy(max_retries=0)
    return Skill(name, f"The skill {name}.", folder, folder, folder, scripts=named, retry_policy=policy, **fields)


def catalog(*skills: Skill) -> SkillCatalog:
    return SkillCatalog(skills)


def prepare_invocation(found: Skill, chosen: SkillScript, given: JsonObject, request_id: str) -> Invocation:
    """An invocation as the executor wants it prepared, for a `ScriptedRunner`."""
    envelope = {"requestId": request_id, "tool": found.name, "operation": chosen.name, "input": given}
    return Invocation(
        command=(chosen.tool_path,),
        stdin=canonical_json(envelope).encode() + b"\n",
        cwd=found.data_home,
        env={},
        is_ndjson=chosen.protocol == "ndjson",
        timeout=chosen.timeout,
    )


def node(tool_id: str, tool_path: str, given: JsonObject | None = None, *after: str, **fields: Json) -> ToolInvocation:
    """A node with its input, the nodes it waits for, and further fields under their published names."""
    return ToolInvocation.model_validate(
        {"toolId": tool_id, "toolPath": tool_path, "input": given or {}, "dependencies": list(after), **fields}
    )


def plan_of(*tools: ToolInvocation, request_id: str = "plan-1", **fields: Json) -> PlanJson:
    """A plan of nodes, and further fields under their published names."""
    return PlanJson.model_validate({"requestId": request_id, "tools": list(tools), **fields})


def acyclic_dependencies(seed: int, most: int = 9) -> list[list[int]]:
    """The dependencies of up to `most` nodes, drawn by `seed`; the order behind them is not that of the positions."""
    chance = random.Random(seed)  # noqa: S311  # a seed, not a secret
    size = chance.randrange(most + 1)
    order = chance.sample(range(size), size)
    found: list[list[int]] = [[] for _ in range(size)]
    for place, member in enumerate(order):
        found[member] = chance.sample(order[:place], chance.randrange(min(3, place) + 1))
    return found

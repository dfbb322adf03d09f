"""Scripts without processes, for tests of code that runs plans of skills.

skills = catalog(
    skill("dice", script("roll")),
    skill("story", script("narrate"), retry_policy=ScriptRetryPolicy(3, backoff_ms=1)),
)
runner = ScriptedRunner({"dice/roll": patches({"dice": {"total": 8}}), "story/narrate": fails(2, says(done()))})
plan = plan_of(node("d", "dice/roll"), node("s", "story/narrate", {"facts": "{tool.d.dice.total}"}))
result = PlanExecutor(skills, runner, prepare=prepare_invocation).execute(plan)
assert runner.calls[-1].input == {"facts": 8}

Nothing here sleeps, and randomness is seeded: `ShuffledLoop` runs nodes one after another in any order that their
dependencies allow, `overruns` advances a fake clock, `waits_for_cancel` waits for a cancel.
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
from aeon.skills.invocation import Cancellation, EventSink, Invocation, InvocationResult, OutputBudget, ScriptExitReason
from aeon.skills.models import DEFAULT_TIMEOUT, ScriptProtocol, ScriptRetryPolicy, Skill, SkillCatalog, SkillScript
from aeon.skills.plan_json import PlanJson, ToolInvocation
from aeon.skills.poll_loop import Pollable, PollTask, ReadyResult, poll_until_done

T = TypeVar("T")

_WAIT_SECONDS = 30.0
"""Seconds that a script of `waits_for_cancel` waits before it fails the test."""


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """One invocation of a scripted script. `attempt` counts its invocations with this input, from 1."""

    name: str
    invocation: Invocation
    input: JsonObject
    attempt: int
    cancellation: Cancellation | None


Behaviour: TypeAlias = Callable[[ScriptCall], InvocationResult | Sequence[JsonObject] | Pollable[InvocationResult]]
"""A script's behaviour: its whole result, the events of a script that exits with 0, or a pending result."""


class ScriptedRunner:
    """A `ScriptRunner` with scripted `behaviours`, by `<skill>/<script>`. `calls` lists the calls in order.

    Thread-safe. A script without a behaviour cannot be started, like a deleted one.
    """

    def __init__(self, behaviours: Mapping[str, Behaviour]) -> None:
        self.calls: list[ScriptCall] = []
        self._behaviours = dict(behaviours)
        self._attempts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def start(
        self,
        invocation: Invocation,
        cancellation: Cancellation | None = None,
        on_event: EventSink | None = None,
        budget: OutputBudget | None = None,  # noqa: ARG002  # the port's signature; everything is kept
    ) -> Pollable[InvocationResult]:
        """Applies the script's behaviour to the call; `on_event` receives its events first."""
        call = self._call(invocation, cancellation)
        behaviour = self._behaviours.get(call.name)
        if behaviour is None:
            return ReadyResult(InvocationResult(ScriptExitReason.NOT_STARTED, problem=f"{call.name} does not exist"))
        result = behaviour(call)
        if not isinstance(result, InvocationResult | Sequence):
            return result
        if not isinstance(result, InvocationResult):
            result = InvocationResult(ScriptExitReason.EXITED, 0, tuple(result))
        if on_event is not None:
            for event in result.events:
                on_event(event)
        return ReadyResult(result)

    def _call(self, invocation: Invocation, cancellation: Cancellation | None) -> ScriptCall:
        name, script_input = _script_and_input(invocation)
        key = f"{name} {canonical_json(script_input)}"
        with self._lock:
            self._attempts[key] += 1
            call = ScriptCall(name, invocation, script_input, self._attempts[key], cancellation)
            self.calls.append(call)
        return call


def _script_and_input(invocation: Invocation) -> tuple[str, JsonObject]:
    """The script and the input of an invocation, from its envelope; without one, only the command."""
    try:
        envelope = parse_strict(invocation.stdin.decode())
        return f"{envelope['tool']}/{envelope['operation']}", cast(JsonObject, envelope["input"])
    except (ValueError, TypeError, KeyError):
        return invocation.command[0], {}


class ShuffledLoop(Generic[T]):
    """A `TaskLoop` that runs whole tasks one after another; `seed` determines the next of the waiting ones.

    A plan's nodes then end in any order that its dependencies allow, reproducibly for the same seed.
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
    """Writes these events and exits."""
    return lambda _call: InvocationResult(
        ScriptExitReason.EXITED, exit_code, events, stderr=stderr, milliseconds=milliseconds
    )


def patches(*changes: JsonObject) -> Behaviour:
    """Patches the state and succeeds."""
    return says(*(state_patch(change) for change in changes), done())


def echoes(key: str = "seen") -> Behaviour:
    """Patches the state with the input and succeeds."""
    return lambda call: [state_patch({key: call.input}), done()]


def prints(stdout: bytes, exit_code: int = 0) -> Behaviour:
    """Writes this output, like a plain script."""
    return lambda _call: InvocationResult(ScriptExitReason.EXITED, exit_code, stdout=stdout)


def fails(times: int, then: Behaviour, exit_code: int = 1) -> Behaviour:
    """Exits with `exit_code` the first `times` times for each input, then behaves like `then`."""
    return lambda call: (
        then(call)
        if call.attempt > times
        else InvocationResult(ScriptExitReason.EXITED, exit_code, stderr=f"attempt {call.attempt}")
    )


def overruns(clock: Clock) -> Behaviour:
    """Hangs until the timeout, which a fake clock reaches at once."""

    def overrun(call: ScriptCall) -> InvocationResult:
        clock.sleep(call.invocation.timeout)
        return InvocationResult(ScriptExitReason.TIMED_OUT, -15, milliseconds=int(call.invocation.timeout * 1000))

    return overrun


def takes(seconds: float, clock: Clock, then: Behaviour) -> Behaviour:
    """Behaves like `then` after `seconds` of the clock, or times out if the timeout is not longer."""

    def take(call: ScriptCall) -> InvocationResult | Sequence[JsonObject] | Pollable[InvocationResult]:
        if seconds >= call.invocation.timeout:
            return overruns(clock)(call)
        clock.sleep(seconds)
        return then(call)

    return take


class GatedResult:
    """A `Pollable` result that is ready when its gate is cancelled. Fails the test if that never happens."""

    def __init__(self, gate: Cancellation, open_: Callable[[], InvocationResult]) -> None:
        self.deadline = time.monotonic() + _WAIT_SECONDS
        self._gate = gate
        self._open = open_

    def fileno(self) -> int:
        return self._gate.fileno()

    def poll(self) -> InvocationResult | None:
        if self._gate.is_cancelled:
            return self._open()
        assert time.monotonic() < self.deadline, "the gate was never cancelled"
        return None


def waits_for_cancel(started: threading.Event | None = None) -> Behaviour:
    """Sets `started`, then waits until the run is cancelled. For one script of a plan at a time."""

    def wait(call: ScriptCall) -> Pollable[InvocationResult]:
        if started is not None:
            started.set()
        assert call.cancellation is not None, "nothing can end this script without a cancellation"
        return GatedResult(call.cancellation, lambda: InvocationResult(ScriptExitReason.CANCELLED, -15))

    return wait


def script(
    name: str,
    *,
    protocol: ScriptProtocol = "ndjson",
    input_schema: JsonObject | None = None,
    output_schema: JsonObject | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> SkillScript:
    """A script that does not exist on disk. `skill` prefixes the paths with its own name."""
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
    """A skill that does not exist on disk; its scripts are named `<skill>/<script>` in plans. By default no retries."""
    folder = Path("/nowhere") / name
    named = tuple(replace(each, path=folder / each.name, tool_path=f"{name}/{each.name}") for each in scripts)
    policy = retry_policy or ScriptRetryPolicy(max_retries=0)
    return Skill(name, f"The skill {name}.", folder, folder, folder, scripts=named, retry_policy=policy, **fields)


def catalog(*skills: Skill) -> SkillCatalog:
    return SkillCatalog(skills)


def prepare_invocation(found: Skill, chosen: SkillScript, script_input: JsonObject, request_id: str) -> Invocation:
    """Prepares an invocation for a `ScriptedRunner`, in the executor's format."""
    envelope = {"requestId": request_id, "tool": found.name, "operation": chosen.name, "input": script_input}
    return Invocation(
        command=(chosen.tool_path,),
        stdin=canonical_json(envelope).encode() + b"\n",
        cwd=found.data_home,
        env={},
        is_ndjson=chosen.protocol == "ndjson",
        timeout=chosen.timeout,
    )


def node(
    tool_id: str, tool_path: str, script_input: JsonObject | None = None, *after: str, **fields: Json
) -> ToolInvocation:
    """A node with its input, its dependencies, and further fields by their published names."""
    return ToolInvocation.model_validate(
        {"toolId": tool_id, "toolPath": tool_path, "input": script_input or {}, "dependencies": list(after), **fields}
    )


def plan_of(*tools: ToolInvocation, request_id: str = "plan-1", **fields: Json) -> PlanJson:
    """A plan of nodes, with further fields by their published names."""
    return PlanJson.model_validate({"requestId": request_id, "tools": list(tools), **fields})


def acyclic_dependencies(seed: int, most: int = 9) -> list[list[int]]:
    """Random dependencies of up to `most` nodes, by `seed`; their topological order differs from the positions."""
    chance = random.Random(seed)  # noqa: S311  # a seed, not a secret
    size = chance.randrange(most + 1)
    order = chance.sample(range(size), size)
    dependencies: list[list[int]] = [[] for _ in range(size)]
    for place, member in enumerate(order):
        dependencies[member] = chance.sample(order[:place], chance.randrange(min(3, place) + 1))
    return dependencies

"""One node from its input to its result: bound, prepared, tried, tried again within the deadline (skills 4-6)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple, TypeAlias

from aeon.base.clock import Clock
from aeon.base.errors import ConfigError, InputError, MissingExtraError, SkillError
from aeon.base.json import Json, JsonObject
from aeon.base.masking import Mask
from aeon.observability.events import NodeRetried, NodeSpoke, NodeStarted, Observer
from aeon.skills.executor.crew import Steps
from aeon.skills.executor.masking import masked_outcome
from aeon.skills.executor.node_input import bound_input
from aeon.skills.executor.verdict import Failure, verdict
from aeon.skills.executor.whole_paths import with_whole_paths
from aeon.skills.failures import RETRIED, FailureClass
from aeon.skills.invocation import Allowance, Cancellation, Ending, Invocation, Lane, Outcome, ScriptRunner, Turn
from aeon.skills.launch.grants import NotGrantedError
from aeon.skills.models import RetryPolicy, Skill, SkillScript
from aeon.skills.pending import Pending
from aeon.skills.plan_json import ExecutionState, FailedAttempt, ToolInvocation, ToolResult

Prepare: TypeAlias = Callable[[Skill, SkillScript, JsonObject, str], Invocation]
"""Makes the invocation of a script with an input, for a plan's request id.

May raise ConfigError, InputError or SkillError, which then is how the node failed.
"""

Secrets: TypeAlias = Callable[[Skill], Sequence[str]]
"""The values that must appear in nothing a skill's scripts said. May raise as `Prepare` does."""

Wait: TypeAlias = Callable[[float, Cancellation], Pending[bool]]
"""A wait for so many seconds, less when cancelled; its result is whether it was."""


@dataclass(frozen=True, slots=True)
class Means:
    """What every node of a plan is run with."""

    runner: ScriptRunner
    prepare: Prepare
    secrets: Secrets
    clock: Clock
    wait: Wait


@dataclass(frozen=True, slots=True)
class NodeJob:
    """A node to run. `outputs` and `absent` are those of the nodes it depends on; `deadline` is the clock's.

    `refers`: whether its input has references to them.
    """

    tool: ToolInvocation
    skill: Skill
    script: SkillScript
    refers: bool
    outputs: Mapping[str, Json]
    absent: Collection[str]
    request_id: str
    deadline: float
    cancellation: Cancellation
    lane: Lane
    allowance: Allowance

    @property
    def policy(self) -> RetryPolicy:
        """The node's own, else the skill's, which is the default where it has none."""
        own = self.tool.retry_policy
        return RetryPolicy(own.max_retries, own.backoff_ms) if own else self.skill.retry_policy


def run_node(means: Means, job: NodeJob, say: Observer) -> Steps[ToolResult | None]:
    """Run a node to its end, in steps. Tells `say` of each attempt, of what the script says, and of each retry.

    Its result is None when the run was stopped before the node's turn came. Raises nothing for a fault of the plan or
    the script; SandboxError and defects come through.
    """
    return _Node(means, job, say).run()


class _Attempt(NamedTuple):
    """One attempt that is over: what came of it, and the masked outcome where there was a process."""

    came_to: JsonObject | Failure
    outcome: Outcome | None = None

    @property
    def events(self) -> list[JsonObject]:
        return [*self.outcome.events] if self.outcome else []

    @property
    def dropped(self) -> int:
        return self.outcome.dropped if self.outcome else 0

    @property
    def milliseconds(self) -> int:
        return self.outcome.milliseconds if self.outcome else 0


class _Node:
    """One node under way. `_failed` are the attempts that another followed, or was to follow."""

    def __init__(self, means: Means, job: NodeJob, say: Observer) -> None:
        self._means = means
        self._job = job
        self._say = say
        self._mask = _NO_SECRETS
        self._failed: list[FailedAttempt] = []
        self._started = 0

    def run(self) -> Steps[ToolResult | None]:
        prepared = self._prepared()
        if isinstance(prepared, Failure):
            self._say_started(1)
            return self._ended(_Attempt(self._masked(prepared)), 0)
        for number in count(1):
            attempt = yield from self._attempt(prepared, number)
            if attempt is None:
                return None if number == 1 else self._ended(_Attempt(self._stopped()), number - 1)
            wait = self._wait_after(attempt.came_to, number)
            if wait is None or not isinstance(attempt.came_to, Failure):
                return self._ended(attempt, number - 1)
            self._note(attempt, attempt.came_to, number, wait)
            if (yield self._means.wait(wait, self._job.cancellation)):
                return self._ended(_Attempt(self._stopped()), number - 1)
        raise AssertionError  # pragma: no cover  # the numbers never end

    def _prepared(self) -> Invocation | Failure:
        job = self._job
        try:
            if secrets := self._means.secrets(job.skill):
                self._mask = Mask(secrets)
            bound = bound_input(job.tool.input, job.outputs, job.absent, job.script, refers=job.refers)
            if isinstance(bound, Failure):
                return bound
            return self._means.prepare(job.skill, job.script, bound, job.request_id)
        except ConfigError as error:
            return Failure(FailureClass.CONFIGURATION, str(error))
        except NotGrantedError as error:
            return Failure(FailureClass.NOT_GRANTED, error.message)
        except InputError as error:
            return Failure(FailureClass.INVALID_INPUT, str(error))
        except (SkillError, MissingExtraError, OSError) as error:
            return Failure(FailureClass.CANNOT_START, f"The script could not be started: {error}")

    def _attempt(self, invocation: Invocation, number: int) -> Steps[_Attempt | None]:
        """One attempt; None when the run was stopped before its turn came."""
        left = self._job.deadline - self._means.clock.monotonic()
        if left <= 0:
            self._say_started(number)
            return _Attempt(_LATE)
        timeout = min(invocation.timeout, left)
        limited = invocation if timeout == invocation.timeout else replace(invocation, timeout=timeout)
        turn = Turn(self._job.lane, lambda: self._say_started(number), left, self._job.allowance)
        outcome: Outcome = yield self._means.runner.start(limited, self._job.cancellation, self._say_event, turn)
        if self._started < number:
            if outcome.ending in _STOPPED:
                return None
            self._say_started(number)
        outcome = masked_outcome(self._mask, with_whole_paths(outcome, invocation.cwd))
        came_to = verdict(outcome, self._job.script, timeout)
        if not isinstance(came_to, Failure):
            is_masked = self._job.script.protocol == "ndjson"
            return _Attempt(came_to if is_masked else self._mask.value(came_to), outcome)
        if came_to.kind is FailureClass.TIMEOUT and (timeout < invocation.timeout or self._is_late()):
            came_to = _LATE
        if self._job.script.protocol != "ndjson":
            self._job.allowance.give_back(outcome.charged)  # stdout of what failed is not kept
        return _Attempt(self._masked(came_to), outcome)

    def _is_late(self) -> bool:
        return self._means.clock.monotonic() >= self._job.deadline

    def _stopped(self) -> Failure:
        """Why there is no next attempt after all."""
        return _CANCELLED if self._job.cancellation.is_cancelled else _LATE

    def _wait_after(self, came_to: JsonObject | Failure, number: int) -> float | None:
        """Seconds until the next attempt, or None when there is none: a wait that does not fit is not begun."""
        if not isinstance(came_to, Failure) or came_to.kind not in RETRIED:
            return None
        policy = self._job.policy
        if number > policy.max_retries or self._job.cancellation.is_cancelled:
            return None
        seconds = policy.backoff_ms * 2 ** (number - 1) / 1000
        return seconds if self._means.clock.monotonic() + seconds < self._job.deadline else None

    def _note(self, attempt: _Attempt, failure: Failure, number: int, wait: float) -> None:
        """Keep a failed attempt for the reader; its events only where there is room for what may be dropped."""
        error = failure.as_error()
        kept = FailedAttempt(
            attempt=number,
            error=error,
            events=attempt.events,
            dropped_events=attempt.dropped,
            execution_time_ms=attempt.milliseconds,
        )
        if kept.events and self._job.allowance.is_scarce:
            self._job.allowance.give_back(attempt.outcome.charged if attempt.outcome else 0)
            kept = kept.model_copy(update={"events": [], "dropped_events": attempt.dropped + len(kept.events)})
        self._failed.append(kept)
        self._say(NodeRetried(self._job.tool.tool_id, number, error.as_dict(), int(wait * 1000)))

    def _ended(self, attempt: _Attempt, retries: int) -> ToolResult:
        failure = attempt.came_to if isinstance(attempt.came_to, Failure) else None
        outcome = attempt.outcome
        return ToolResult(
            tool_id=self._job.tool.tool_id,
            tool_path=self._job.tool.tool_path,
            ok=failure is None,
            state=_state(failure),
            output=None if isinstance(attempt.came_to, Failure) else attempt.came_to,
            events=attempt.events,
            execution_time_ms=attempt.milliseconds + sum(failed.execution_time_ms for failed in self._failed),
            retry_count=retries,
            error=failure.as_error() if failure else None,
            sandbox=outcome.sandbox if outcome and outcome.ending is not Ending.NOT_STARTED else None,
            attempts=self._failed,
            diagnostics=self._diagnostics(outcome.stderr) if outcome else "",
            dropped_events=attempt.dropped,
        )

    def _diagnostics(self, text: str) -> str:
        """The diagnostics where there is room for them, else their end."""
        if len(text) <= _LEAST_KEPT or self._job.allowance.take(len(text), is_dispensable=True) is not None:
            return text
        return f"({len(text) - _LEAST_KEPT:,} characters were not kept) {text[-_LEAST_KEPT:]}"

    def _masked(self, failure: Failure) -> Failure:
        return failure._replace(message=self._mask.text(failure.message))

    def _say_started(self, number: int) -> None:
        """Say that an attempt begins, once, however often it has to be begun."""
        if self._started < number:
            self._started = number
            self._say(NodeStarted(self._job.tool.tool_id, self._job.tool.tool_path, number))

    def _say_event(self, event: JsonObject) -> None:
        self._say(NodeSpoke(self._job.tool.tool_id, self._mask.value(event)))


_NO_SECRETS = Mask()
_LEAST_KEPT = 500
"""Characters of diagnostics that are kept of every node."""
_STOPPED = (Ending.CANCELLED, Ending.TIMED_OUT)
_CANCELLED = Failure(FailureClass.CANCELLED, "The run was cancelled before the next attempt.")
_LATE = Failure(FailureClass.PLAN_TIMEOUT, "The plan's time was over before the script had ended.")


def _state(failure: Failure | None) -> ExecutionState:
    if failure is None:
        return ExecutionState.COMPLETED
    late = (FailureClass.TIMEOUT, FailureClass.PLAN_TIMEOUT)
    return ExecutionState.TIMEOUT if failure.kind in late else ExecutionState.FAILED

"""One node from its input to its result: bound, prepared, tried, tried again within the deadline (skills 4-6)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple, TypeAlias

from aeon.base.clock import Clock
from aeon.base.errors import ConfigError, InputError, MissingExtraError, SkillError
from aeon.base.json import Json, JsonObject
from aeon.base.masking import Mask
from aeon.observability.events import NodeEventEmitted, NodeRetried, NodeStarted, Observer
from aeon.skills.executor.node_input import bind_input
from aeon.skills.executor.node_verdict import NodeFailure, judge_result, mask_result, with_absolute_paths
from aeon.skills.failures import RETRYABLE, FailureClass
from aeon.skills.invocation import (
    Cancellation,
    ConcurrencyGroup,
    Invocation,
    InvocationResult,
    OutputBudget,
    ScriptExitReason,
    ScriptRunner,
    StartSlot,
)
from aeon.skills.launch.grants import NotGrantedError
from aeon.skills.models import ScriptRetryPolicy, Skill, SkillScript
from aeon.skills.plan_json import ExecutionState, FailedAttempt, ToolInvocation, ToolResult
from aeon.skills.poll_loop import Pollable, PollTask

InvocationFactory: TypeAlias = Callable[[Skill, SkillScript, JsonObject, str], Invocation]
"""Makes the invocation of a script with an input, for a plan's request id.

May raise ConfigError, InputError or SkillError, which then is how the node failed.
"""

SkillSecretLookup: TypeAlias = Callable[[Skill], Sequence[str]]
"""The values that must appear in nothing a skill's scripts said. May raise as `InvocationFactory` does."""

SleepFactory: TypeAlias = Callable[[float, Cancellation], Pollable[bool]]
"""A wait for so many seconds, less when cancelled; its result is whether it was."""


@dataclass(frozen=True, slots=True)
class NodeServices:
    """What every node of a plan is run with."""

    runner: ScriptRunner
    prepare: InvocationFactory
    secrets: SkillSecretLookup
    clock: Clock
    sleep: SleepFactory


@dataclass(frozen=True, slots=True)
class NodeTask:
    """A node to run. `outputs` and `absent` are those of the nodes it depends on; `deadline` is the clock's.

    `refers`: whether its input has references to them.
    """

    tool: ToolInvocation
    skill: Skill
    script: SkillScript
    has_references: bool
    outputs: Mapping[str, Json]
    absent: Collection[str]
    request_id: str
    deadline: float
    cancellation: Cancellation
    group: ConcurrencyGroup
    budget: OutputBudget

    @property
    def policy(self) -> ScriptRetryPolicy:
        """The node's own, else the skill's, which is the default where it has none."""
        own = self.tool.retry_policy
        return ScriptRetryPolicy(own.max_retries, own.backoff_ms) if own else self.skill.retry_policy


def run_node(means: NodeServices, job: NodeTask, say: Observer) -> PollTask[ToolResult | None]:
    """Run a node to its end, in steps. Tells `say` of each attempt, of what the script says, and of each retry.

    Its result is None when the run was stopped before the node's turn came. Raises nothing for a fault of the plan or
    the script; SandboxError and defects come through.
    """
    return _NodeRun(means, job, say).run()


class _AttemptResult(NamedTuple):
    """One attempt that is over: what came of it, and the masked outcome where there was a process."""

    verdict: JsonObject | NodeFailure
    invocation_result: InvocationResult | None = None

    @property
    def events(self) -> list[JsonObject]:
        return [*self.invocation_result.events] if self.invocation_result else []

    @property
    def dropped_events(self) -> int:
        return self.invocation_result.dropped_events if self.invocation_result else 0

    @property
    def milliseconds(self) -> int:
        return self.invocation_result.milliseconds if self.invocation_result else 0


class _NodeRun:
    """One node under way. `_failed` are the attempts that another followed, or was to follow."""

    def __init__(self, means: NodeServices, job: NodeTask, say: Observer) -> None:
        self._services = means
        self._task = job
        self._emit = say
        self._mask = _NO_SECRETS
        self._failed: list[FailedAttempt] = []
        self._started = 0

    def run(self) -> PollTask[ToolResult | None]:
        prepared = self._prepare()
        if isinstance(prepared, NodeFailure):
            self._emit_started(1)
            return self._build_result(_AttemptResult(self._mask_failure(prepared)), 0)
        for number in count(1):
            attempt = yield from self._attempt(prepared, number)
            if attempt is None:
                return None if number == 1 else self._build_result(_AttemptResult(self._stop_failure()), number - 1)
            wait = self._retry_delay(attempt.verdict, number)
            if wait is None or not isinstance(attempt.verdict, NodeFailure):
                return self._build_result(attempt, number - 1)
            self._record_failure(attempt, attempt.verdict, number, wait)
            if (yield self._services.sleep(wait, self._task.cancellation)):
                return self._build_result(_AttemptResult(self._stop_failure()), number - 1)
        raise AssertionError  # pragma: no cover  # the numbers never end

    def _prepare(self) -> Invocation | NodeFailure:
        job = self._task
        try:
            if secrets := self._services.secrets(job.skill):
                self._mask = Mask(secrets)
            bound = bind_input(job.tool.input, job.outputs, job.absent, job.script, refers=job.has_references)
            if isinstance(bound, NodeFailure):
                return bound
            return self._services.prepare(job.skill, job.script, bound, job.request_id)
        except ConfigError as error:
            return NodeFailure(FailureClass.CONFIGURATION, str(error))
        except NotGrantedError as error:
            return NodeFailure(FailureClass.NOT_GRANTED, error.message)
        except InputError as error:
            return NodeFailure(FailureClass.INVALID_INPUT, str(error))
        except (SkillError, MissingExtraError, OSError) as error:
            return NodeFailure(FailureClass.CANNOT_START, f"The script could not be started: {error}")

    def _attempt(self, invocation: Invocation, number: int) -> PollTask[_AttemptResult | None]:
        """One attempt; None when the run was stopped before its turn came."""
        left = self._task.deadline - self._services.clock.monotonic()
        if left <= 0:
            self._emit_started(number)
            return _AttemptResult(_PLAN_TIMED_OUT)
        timeout = min(invocation.timeout, left)
        limited = invocation if timeout == invocation.timeout else replace(invocation, timeout=timeout)
        turn = StartSlot(self._task.group, lambda: self._emit_started(number), left, self._task.budget)
        outcome: InvocationResult = yield self._services.runner.start(
            limited, self._task.cancellation, self._emit_event, turn
        )
        if self._started < number:
            if outcome.exit_reason in _STOP_REASONS:
                return None
            self._emit_started(number)
        outcome = mask_result(self._mask, with_absolute_paths(outcome, invocation.cwd))
        came_to = judge_result(outcome, self._task.script, timeout)
        if not isinstance(came_to, NodeFailure):
            is_masked = self._task.script.protocol == "ndjson"
            return _AttemptResult(came_to if is_masked else self._mask.value(came_to), outcome)
        if came_to.kind is FailureClass.TIMEOUT and (timeout < invocation.timeout or self._is_late()):
            came_to = _PLAN_TIMED_OUT
        if self._task.script.protocol != "ndjson":
            self._task.budget.release(outcome.budget_cost)  # stdout of what failed is not kept
        return _AttemptResult(self._mask_failure(came_to), outcome)

    def _is_late(self) -> bool:
        return self._services.clock.monotonic() >= self._task.deadline

    def _stop_failure(self) -> NodeFailure:
        """Why there is no next attempt after all."""
        return _CANCELLED if self._task.cancellation.is_cancelled else _PLAN_TIMED_OUT

    def _retry_delay(self, came_to: JsonObject | NodeFailure, number: int) -> float | None:
        """Seconds until the next attempt, or None when there is none: a wait that does not fit is not begun."""
        if not isinstance(came_to, NodeFailure) or came_to.kind not in RETRYABLE:
            return None
        policy = self._task.policy
        if number > policy.max_retries or self._task.cancellation.is_cancelled:
            return None
        seconds = policy.backoff_ms * 2 ** (number - 1) / 1000
        return seconds if self._services.clock.monotonic() + seconds < self._task.deadline else None

    def _record_failure(self, attempt: _AttemptResult, failure: NodeFailure, number: int, wait: float) -> None:
        """Keep a failed attempt for the reader; its events only where there is room for what may be dropped."""
        error = failure.as_error()
        kept = FailedAttempt(
            attempt=number,
            error=error,
            events=attempt.events,
            dropped_events=attempt.dropped_events,
            execution_time_ms=attempt.milliseconds,
        )
        if kept.events and self._task.budget.is_scarce:
            self._task.budget.release(attempt.invocation_result.budget_cost if attempt.invocation_result else 0)
            kept = kept.model_copy(update={"events": [], "dropped_events": attempt.dropped_events + len(kept.events)})
        self._failed.append(kept)
        self._emit(NodeRetried(self._task.tool.tool_id, number, error.as_dict(), int(wait * 1000)))

    def _build_result(self, attempt: _AttemptResult, retries: int) -> ToolResult:
        failure = attempt.verdict if isinstance(attempt.verdict, NodeFailure) else None
        outcome = attempt.invocation_result
        return ToolResult(
            tool_id=self._task.tool.tool_id,
            tool_path=self._task.tool.tool_path,
            ok=failure is None,
            state=_state(failure),
            output=None if isinstance(attempt.verdict, NodeFailure) else attempt.verdict,
            events=attempt.events,
            execution_time_ms=attempt.milliseconds + sum(failed.execution_time_ms for failed in self._failed),
            retry_count=retries,
            error=failure.as_error() if failure else None,
            sandbox=outcome.sandbox if outcome and outcome.exit_reason is not ScriptExitReason.NOT_STARTED else None,
            attempts=self._failed,
            diagnostics=self._diagnostics(outcome.stderr) if outcome else "",
            dropped_events=attempt.dropped_events,
        )

    def _diagnostics(self, text: str) -> str:
        """The diagnostics where there is room for them, else their end."""
        if len(text) <= _MIN_DIAGNOSTICS or self._task.budget.reserve(len(text), is_dispensable=True) is not None:
            return text
        return f"({len(text) - _MIN_DIAGNOSTICS:,} characters were not kept) {text[-_MIN_DIAGNOSTICS:]}"

    def _mask_failure(self, failure: NodeFailure) -> NodeFailure:
        return failure._replace(message=self._mask.text(failure.message))

    def _emit_started(self, number: int) -> None:
        """Say that an attempt begins, once, however often it has to be begun."""
        if self._started < number:
            self._started = number
            self._emit(NodeStarted(self._task.tool.tool_id, self._task.tool.tool_path, number))

    def _emit_event(self, event: JsonObject) -> None:
        self._emit(NodeEventEmitted(self._task.tool.tool_id, self._mask.value(event)))


_NO_SECRETS = Mask()
_MIN_DIAGNOSTICS = 500
"""Characters of diagnostics that are kept of every node."""
_STOP_REASONS = (ScriptExitReason.CANCELLED, ScriptExitReason.TIMED_OUT)
_CANCELLED = NodeFailure(FailureClass.CANCELLED, "The run was cancelled before the next attempt.")
_PLAN_TIMED_OUT = NodeFailure(FailureClass.PLAN_TIMEOUT, "The plan's time was over before the script had ended.")


def _state(failure: NodeFailure | None) -> ExecutionState:
    if failure is None:
        return ExecutionState.COMPLETED
    late = (FailureClass.TIMEOUT, FailureClass.PLAN_TIMEOUT)
    return ExecutionState.TIMEOUT if failure.kind in late else ExecutionState.FAILED

"""Runs one node: binds its input, prepares and attempts its script (skills 4-6)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple, TypeAlias

from aeon.base.clock import Clock
from aeon.base.errors import AeonError, ConfigError, InputError, MissingExtraError, SkillError
from aeon.base.json import Json, JsonObject
from aeon.base.masking import Mask
from aeon.observability.events import Observer
from aeon.observability.skill_events import NodeEventEmitted, NodeRetried, NodeStarted
from aeon.skills.executor.node_input import bind_input
from aeon.skills.executor.node_verdict import NodeFailure, judge_result, mask_result, with_absolute_paths
from aeon.skills.failures import RETRYABLE, FailureClass
from aeon.skills.invocation import (
    Cancellation,
    Invocation,
    InvocationResult,
    OutputBudget,
    ScriptExitReason,
    ScriptRunner,
)
from aeon.skills.launch.grants import NotGrantedError
from aeon.skills.models import ScriptRetryPolicy, Skill, SkillScript
from aeon.skills.plan_json import ExecutionState, FailedAttempt, ToolInvocation, ToolResult
from aeon.skills.poll_loop import Pollable, PollTask

InvocationFactory: TypeAlias = Callable[[Skill, SkillScript, JsonObject, str], Invocation]
"""Returns the invocation of a script with an input, for a plan's request id.

May raise ConfigError, InputError or SkillError, which becomes the node's failure.
"""

SkillSecretLookup: TypeAlias = Callable[[Skill], Sequence[str]]
"""Returns the values to mask in the output of a skill's scripts. May raise as `InvocationFactory` does."""

SleepFactory: TypeAlias = Callable[[float, Cancellation], Pollable[bool]]
"""Returns a cancellable sleep for a number of seconds; its result is whether it was cancelled."""


@dataclass(frozen=True, slots=True)
class NodeServices:
    """The services shared by all nodes of a plan."""

    runner: ScriptRunner
    prepare: InvocationFactory
    secrets: SkillSecretLookup
    clock: Clock
    sleep: SleepFactory


@dataclass(frozen=True, slots=True)
class NodeTask:
    """A node to run.

    `outputs` and `absent` are those of its dependencies; `deadline` is the clock's monotonic time. `has_references`:
    whether its input refers to its dependencies.
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
    budget: OutputBudget

    @property
    def policy(self) -> ScriptRetryPolicy | None:
        """The node's own retry policy, else the one that the skill declares."""
        own = self.tool.retry_policy
        return ScriptRetryPolicy(own.max_retries, own.backoff_ms) if own else self.skill.retry_policy


def run_node(services: NodeServices, task: NodeTask, emit: Observer) -> PollTask[ToolResult | None]:
    """Runs a node to its end as a task.

    Emits each attempt, each event of the script, and each retry. The result is None if the run was stopped before the
    node started. Faults of the plan or the script do not raise; SandboxError and defects do.
    """
    return _NodeRun(services, task, emit).run()


class _AttemptResult(NamedTuple):
    """A finished attempt: its verdict, and the masked result if a process was started."""

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
    """One running node.

    `_failed` are the failed attempts before a retry, even if the retry never started.
    """

    def __init__(self, services: NodeServices, task: NodeTask, emit: Observer) -> None:
        self._services = services
        self._task = task
        self._emit = emit
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
            delay = self._retry_delay(attempt, prepared, number)
            if delay is None or not isinstance(attempt.verdict, NodeFailure):
                return self._build_result(attempt, number - 1)
            self._record_failure(attempt, attempt.verdict, number, delay)
            if (yield self._services.sleep(delay, self._task.cancellation)):
                return self._build_result(_AttemptResult(self._stop_failure()), number - 1)
        raise AssertionError  # pragma: no cover  # `count` is infinite

    def _prepare(self) -> Invocation | NodeFailure:
        task = self._task
        try:
            if secrets := self._services.secrets(task.skill):
                self._mask = Mask(secrets)
            bound = bind_input(task.tool.input, task.outputs, task.absent, task.script, refers=task.has_references)
            if isinstance(bound, NodeFailure):
                return bound
            return self._services.prepare(task.skill, task.script, bound, task.request_id)
        except (SkillError, InputError, MissingExtraError) as error:
            return _preparation_failure(error)
        except OSError as error:
            return NodeFailure(FailureClass.CANNOT_START, f"The script could not be started: {error}")

    def _attempt(self, invocation: Invocation, number: int) -> PollTask[_AttemptResult | None]:
        """Runs one attempt. Returns None if the run was stopped before the attempt started."""
        seconds_left = self._task.deadline - self._services.clock.monotonic()
        if seconds_left <= 0:
            self._emit_started(number)
            return _AttemptResult(_PLAN_TIMED_OUT)
        timeout = min(invocation.timeout, seconds_left)
        limited_invocation = invocation if timeout == invocation.timeout else replace(invocation, timeout=timeout)
        if self._task.cancellation.is_cancelled:
            return None
        self._emit_started(number)
        result: InvocationResult = yield self._services.runner.start(
            limited_invocation, self._task.cancellation, self._emit_event, self._task.budget
        )
        result = mask_result(self._mask, with_absolute_paths(result, invocation.cwd))
        verdict = judge_result(result, self._task.script, limited_invocation)
        if not isinstance(verdict, NodeFailure):
            is_masked = self._task.script.protocol == "ndjson"
            return _AttemptResult(verdict if is_masked else self._mask.value(verdict), result)
        if verdict.kind is FailureClass.TIMEOUT and (timeout < invocation.timeout or self._is_late()):
            verdict = _PLAN_TIMED_OUT
        if self._task.script.protocol != "ndjson":
            self._task.budget.release(result.budget_cost)  # stdout of a failed attempt is not kept
        return _AttemptResult(self._mask_failure(verdict), result)

    def _is_late(self) -> bool:
        return self._services.clock.monotonic() >= self._task.deadline

    def _stop_failure(self) -> NodeFailure:
        """Returns why the next attempt does not start."""
        return _CANCELLED if self._task.cancellation.is_cancelled else _PLAN_TIMED_OUT

    def _retry_delay(self, attempt: _AttemptResult, invocation: Invocation, number: int) -> float | None:
        """Returns the seconds until the next attempt, or None for no further attempt.

        The delay must end before the deadline.
        """
        if not isinstance(attempt.verdict, NodeFailure) or attempt.verdict.kind not in RETRYABLE:
            return None
        policy = self._task.policy or _default_policy(attempt, invocation)
        if number > policy.max_retries or self._task.cancellation.is_cancelled:
            return None
        seconds = policy.backoff_ms * 2 ** (number - 1) / 1000
        return seconds if self._services.clock.monotonic() + seconds < self._task.deadline else None

    def _record_failure(self, attempt: _AttemptResult, failure: NodeFailure, number: int, delay: float) -> None:
        """Keeps a failed attempt for the reader, with its events only if the budget is not scarce."""
        error = failure.as_error()
        failed_attempt = FailedAttempt(
            attempt=number,
            error=error,
            events=attempt.events,
            dropped_events=attempt.dropped_events,
            execution_time_ms=attempt.milliseconds,
        )
        if failed_attempt.events and self._task.budget.is_scarce:
            self._task.budget.release(attempt.invocation_result.budget_cost if attempt.invocation_result else 0)
            failed_attempt = failed_attempt.model_copy(
                update={"events": [], "dropped_events": attempt.dropped_events + len(failed_attempt.events)}
            )
        self._failed.append(failed_attempt)
        self._emit(NodeRetried(self._task.tool.tool_id, number, error.as_dict(), int(delay * 1000)))

    def _build_result(self, attempt: _AttemptResult, retries: int) -> ToolResult:
        failure = attempt.verdict if isinstance(attempt.verdict, NodeFailure) else None
        result = attempt.invocation_result
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
            sandbox=result.sandbox if result and result.exit_reason is not ScriptExitReason.NOT_STARTED else None,
            attempts=self._failed,
            diagnostics=self._diagnostics(result.stderr) if result else "",
            dropped_events=attempt.dropped_events,
        )

    def _diagnostics(self, text: str) -> str:
        """Returns the diagnostics if the budget allows, else only their end."""
        if len(text) <= _MIN_DIAGNOSTICS or self._task.budget.reserve(len(text), is_dispensable=True) is not None:
            return text
        return f"({len(text) - _MIN_DIAGNOSTICS:,} characters were not kept) {text[-_MIN_DIAGNOSTICS:]}"

    def _mask_failure(self, failure: NodeFailure) -> NodeFailure:
        return failure._replace(message=self._mask.text(failure.message))

    def _emit_started(self, number: int) -> None:
        """Emits the start of an attempt, once per number."""
        if self._started < number:
            self._started = number
            self._emit(NodeStarted(self._task.tool.tool_id, self._task.tool.tool_path, number))

    def _emit_event(self, event: JsonObject) -> None:
        self._emit(NodeEventEmitted(self._task.tool.tool_id, self._mask.value(event)))


_NO_SECRETS = Mask()
_WITHOUT_EFFECTS = ScriptRetryPolicy()
_ONCE = ScriptRetryPolicy(max_retries=0)
_MIN_DIAGNOSTICS = 500
"""Characters of diagnostics that are always kept for each node."""
_CANCELLED = NodeFailure(FailureClass.CANCELLED, "The run was cancelled before the next attempt.")
_PLAN_TIMED_OUT = NodeFailure(FailureClass.PLAN_TIMEOUT, "The plan timed out before the script ended.")


def _preparation_failure(error: AeonError) -> NodeFailure:
    match error:
        case ConfigError():
            kind, start = FailureClass.CONFIGURATION, ""
        case NotGrantedError():
            kind, start = FailureClass.NOT_GRANTED, ""
        case InputError():
            kind, start = FailureClass.INVALID_INPUT, ""
        case _:
            kind, start = FailureClass.CANNOT_START, "The script could not be started: "
    return NodeFailure(kind, f"{start}{error.message}", next_step=error.next)


def _default_policy(attempt: _AttemptResult, invocation: Invocation) -> ScriptRetryPolicy:
    """Returns the policy of a script that declares none: effects are not repeated (decision 99)."""
    is_isolated = attempt.invocation_result is None or attempt.invocation_result.sandbox != "plain"
    return _WITHOUT_EFFECTS if is_isolated and not invocation.has_lasting_effects else _ONCE


def _state(failure: NodeFailure | None) -> ExecutionState:
    if failure is None:
        return ExecutionState.COMPLETED
    timeout_classes = (FailureClass.TIMEOUT, FailureClass.PLAN_TIMEOUT)
    return ExecutionState.TIMEOUT if failure.kind in timeout_classes else ExecutionState.FAILED

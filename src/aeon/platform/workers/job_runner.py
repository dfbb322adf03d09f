"""Executes one job: checks access again (platform 4), and calls its tool."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.platform.catalog.operations import TokenUsage
from aeon.platform.catalog.tool_calls import CachedCallPort, DefectError, OperationError, ToolCallPort, ToolCallResult
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.runs.lease import ConfirmOwnership, HaltError, always_owned
from aeon.platform.runs.machine.events import AttemptFailure, StepCompleted, StepFailed
from aeon.platform.runs.model import Job, JobResult
from aeon.platform.store import StoreUnavailableError

MAX_OUTPUT_CHARS = 16 * 1024 * 1024
"""Maximum number of characters of a step's result as JSON."""

_MAX_MESSAGE_CHARS = 2000

JobRunner = Callable[[Job, ConfirmOwnership], JobResult]
"""Executes a job. The second argument confirms ownership right before the call has an effect."""

CachedResultLookup = Callable[[Job], JobResult | None]
"""Returns the cached result of a job, or None."""


def make_cached_result_lookup(caller: CachedCallPort) -> CachedResultLookup:
    """Return a lookup of earlier equal calls of pure tools.

    The lookup raises nothing: if the cache fails, the job is executed.
    """

    def find(job: Job) -> JobResult | None:
        with suppress(AeonError):
            result = caller.find_cached(job.user, job.tool, job.inputs)
            return None if result is None else _completed(job, result)
        return None

    return find


def _allow_further_requests(_tool: str, _seconds: float) -> None:
    """Lets each further request of a call start at once."""


def make_job_runner(
    caller: ToolCallPort, await_turn: Callable[[str, float], None] = _allow_further_requests
) -> JobRunner:
    """Return a function that executes jobs by calling their tools.

    It raises only HaltError: another process owns the job then. `await_turn` waits until the limits of a tool's service
    allow one more request of a call that makes several, at most the given seconds.
    """

    def run(job: Job, confirm: ConfirmOwnership = always_owned) -> JobResult:
        if job.tokens == 0 and job.worker == "llm_call":
            return _failed(
                job, AttemptFailure(code="tokens", message="no tokens are left for it", may_have_happened=False)
            )
        try:
            turn = partial(await_turn, job.tool)
            call_key = job.call_key or job.id.rpartition(":")[0]  # jobs of earlier versions have none
            result = caller.call(
                job.user, job.tool, job.inputs, job.id, call_key=call_key, confirm=confirm, await_turn=turn
            )
            return _completed(job, result)
        except HaltError:
            raise
        except AeonError as error:
            return failed_job_result(job, error)
        except DefectError as error:
            return _failed(job, AttemptFailure(code="defect", message=str(error)[:_MAX_MESSAGE_CHARS]))
        except Exception as error:  # noqa: BLE001  # a defect of the tool caller fails this job only
            message = f"{type(error).__name__}: {error}"
            return _failed(job, AttemptFailure(code="defect", message=message[:_MAX_MESSAGE_CHARS]))

    return run


def is_not_started(result: JobResult) -> bool:
    """Return whether the tool was not called because the store was unavailable.

    That does not count as an attempt.
    """
    event = result.event
    if not isinstance(event, StepFailed):
        return False
    return event.error.code == StoreUnavailableError.__name__ and not event.error.may_have_happened


def _completed(job: Job, result: ToolCallResult) -> JobResult:
    problem = _output_problem(result.output)
    if problem:
        return _failed(job, AttemptFailure(code="output", message=problem), result.usage)
    event = StepCompleted(step=job.step, attempt=job.attempt, output=result.output, tokens=_tokens(result.usage))
    about: JsonObject = {"cached": True} if result.cached else {"milliseconds": result.milliseconds}
    if result.warnings:
        about["warnings"] = list[Json](result.warnings)
    if result.usage is not None:
        about["usage"] = result.usage.as_dict()
    return JobResult(event=event, about=about)


def failed_job_result(job: Job, error: AeonError) -> JobResult:
    """Return the result of a failed job, with the pause that the peer requested, if any."""
    if not isinstance(error, OperationError):
        return _failed(job, _failure(job, error))
    result = _failed(job, _failure(job, error), error.usage)
    about: JsonObject = {} if error.retry_after is None else {"retryAfter": error.retry_after}
    return result.model_copy(update={"about": {**result.about, **about}})


def _failed(job: Job, error: AttemptFailure, usage: TokenUsage | None = None) -> JobResult:
    event = StepFailed(step=job.step, attempt=job.attempt, error=error, tokens=_tokens(usage))
    return JobResult(event=event, about={} if usage is None else {"usage": usage.as_dict()})


def _failure(job: Job, error: AeonError) -> AttemptFailure:
    """Return the cause, what to do next, and whether a retry may succeed (platform 10)."""
    failure = AttemptFailure.from_error(error).model_copy(update={"message": error.message[:_MAX_MESSAGE_CHARS]})
    if isinstance(error, NotFoundError):
        message = f"the tool {job.name!r} of {job.owner or 'somebody'} is deleted, or no longer shared with {job.user}"
        advice = "Ask its owner to share it again, or let the process call another tool."
        return failure.model_copy(update={"code": "access", "message": message, "next_step": advice})
    if isinstance(error, OperationError):
        flags = {"transient": error.is_transient, "may_have_happened": not error.is_unauthorized}
        return failure.model_copy(update=flags | {"refused": error.is_refused})
    if isinstance(error, StoreUnavailableError):
        return failure.model_copy(update={"transient": True, "may_have_happened": error.may_have_happened})
    if isinstance(error, RuleError):
        flags = {"transient": error.rule == "healthy", "may_have_happened": error.rule == "output_valid"}
        return failure.model_copy(update=flags | {"code": error.rule})
    return failure


def _output_problem(output: Json) -> str:
    size = len(canonical_json(output))
    return f"its output of {size:,} characters is larger than {MAX_OUTPUT_CHARS:,}" if size > MAX_OUTPUT_CHARS else ""


def _tokens(usage: TokenUsage | None) -> int:
    return 0 if usage is None else usage.prompt_tokens + usage.completion_tokens

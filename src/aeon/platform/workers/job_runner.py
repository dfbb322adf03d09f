"""Carries one job out: the call of its tool, checked again before (platform 4), and in whatever it ends as an event."""

from collections.abc import Callable
from contextlib import suppress

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
"""Characters of a step's result as JSON."""

_MOST_SAID = 2000

JobRunner = Callable[[Job, ConfirmOwnership], JobResult]
"""Confirmed by the second right before it has an effect."""

CachedResultLookup = Callable[[Job], JobResult | None]
"""What a job came to before, so that nothing needs to be called; None for all others."""


def make_cached_result_lookup(caller: CachedCallPort) -> CachedResultLookup:
    """What knows jobs of pure tools by equal calls of before.

    It raises nothing: what cannot be known, carrying it out will tell.
    """

    def known(job: Job) -> JobResult | None:
        with suppress(AeonError):
            called = caller.find_cached(job.user, job.tool, job.inputs)
            return None if called is None else _completed(job, called)
        return None

    return known


def make_job_runner(caller: ToolCallPort) -> JobRunner:
    """What carries jobs out by calling their tools. It raises what tells that a job is another process's now, alone."""

    def carry_out(job: Job, confirm: ConfirmOwnership = always_owned) -> JobResult:
        if job.tokens == 0 and job.worker == "llm_call":
            return _failed(
                job, AttemptFailure(code="tokens", message="no tokens are left for it", may_have_happened=False)
            )
        try:
            return _completed(job, caller.call(job.user, job.tool, job.inputs, job.id, confirm=confirm))
        except HaltError:
            raise
        except AeonError as error:
            return failed_job_result(job, error)
        except DefectError as error:
            return _failed(job, AttemptFailure(code="defect", message=str(error)[:_MOST_SAID]))
        except Exception as error:  # noqa: BLE001  # whatever calls tools has a mistake: that is this job's failure
            said = f"{type(error).__name__}: {error}"
            return _failed(job, AttemptFailure(code="defect", message=said[:_MOST_SAID]))

    return carry_out


def is_not_started(done: JobResult) -> bool:
    """Whether nothing was called, because the store did not say whether it may be: that is no attempt at the job."""
    event = done.event
    if not isinstance(event, StepFailed):
        return False
    return event.error.code == StoreUnavailableError.__name__ and not event.error.may_have_happened


def _completed(job: Job, called: ToolCallResult) -> JobResult:
    problem = _unfit(called.output)
    if problem:
        return _failed(job, AttemptFailure(code="output", message=problem), called.usage)
    event = StepCompleted(step=job.step, attempt=job.attempt, output=called.output, tokens=_tokens(called.usage))
    about: JsonObject = {"cached": True} if called.cached else {"milliseconds": called.milliseconds}
    if called.warnings:
        about["warnings"] = list[Json](called.warnings)
    if called.usage is not None:
        about["usage"] = called.usage.as_dict()
    return JobResult(event=event, about=about)


def failed_job_result(job: Job, error: AeonError) -> JobResult:
    """What a job came to that failed. How long the peer wants to be left alone is noted, too, where it said so."""
    if not isinstance(error, OperationError):
        return _failed(job, _failure(job, error))
    done = _failed(job, _failure(job, error), error.usage)
    about: JsonObject = {} if error.retry_after is None else {"retryAfter": error.retry_after}
    return done.model_copy(update={"about": {**done.about, **about}})


def _failed(job: Job, error: AttemptFailure, usage: TokenUsage | None = None) -> JobResult:
    event = StepFailed(step=job.step, attempt=job.attempt, error=error, tokens=_tokens(usage))
    return JobResult(event=event, about={} if usage is None else {"usage": usage.as_dict()})


def _failure(job: Job, error: AeonError) -> AttemptFailure:
    """Why, what to do, and whether the same again may succeed later (platform 10)."""
    told = AttemptFailure.from_error(error).model_copy(update={"message": error.message[:_MOST_SAID]})
    if isinstance(error, NotFoundError):
        said = f"the tool {job.name!r} of {job.owner or 'somebody'} is gone, or not shared with {job.user} any more"
        advice = "Ask its owner to share it again, or have the process call another tool."
        return told.model_copy(update={"code": "access", "message": said, "next_step": advice})
    if isinstance(error, OperationError):
        happened = {"transient": error.is_transient, "may_have_happened": not error.is_unauthorized}
        return told.model_copy(update=happened)
    if isinstance(error, StoreUnavailableError):
        return told.model_copy(update={"transient": True, "may_have_happened": error.may_have_happened})
    if isinstance(error, RuleError):
        passes = {"transient": error.rule == "healthy", "may_have_happened": error.rule == "output_valid"}
        return told.model_copy(update=passes | {"code": error.rule})
    return told


def _unfit(output: Json) -> str:
    size = len(canonical_json(output))
    return f"its output of {size:,} characters is larger than {MAX_OUTPUT_CHARS:,}" if size > MAX_OUTPUT_CHARS else ""


def _tokens(usage: TokenUsage | None) -> int:
    return 0 if usage is None else usage.prompt_tokens + usage.completion_tokens

"""Builds OpenTelemetry spans from a run's entries alone. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias

from aeon.base.clock import instant_to_micros
from aeon.base.json import Json, canonical_json
from aeon.platform.runs import span_names as names
from aeon.platform.runs.admission import PlannedRun
from aeon.platform.runs.machine.events import CancelRequested, DeadlinePassed, RunCompleted
from aeon.platform.runs.machine.plan import StepCall
from aeon.platform.runs.machine.retry_policy import delay_of
from aeon.platform.runs.model import Run, RunEntry, RunSummary
from aeon.platform.runs.trace import AttemptTrace, trace_attempts

SpanAttributes: TypeAlias = dict[str, str | int | bool]

MAX_CONTENT_CHARS = 16_384
"""Maximum characters of one input or output."""

_MAX_NAME_CHARS = 100
_MAX_INT = 2**63 - 1

_MODEL_CALLS = "llm_call"


class TraceContext(NamedTuple):
    """The ids of a trace and a span: numbers of 128 and 64 bits, never 0."""

    trace: int
    span: int


class SpanEvent(NamedTuple):
    """An event at an instant, in nanoseconds since 1970."""

    name: str
    at: int
    attributes: SpanAttributes


class Span(NamedTuple):
    """A span from `begin` to `end`, in nanoseconds since 1970. `error` is a code, or None."""

    context: TraceContext
    parent: TraceContext | None
    name: str
    kind: Literal["internal", "client"]
    begin: int
    end: int
    error: str | None
    attributes: SpanAttributes
    events: Sequence[SpanEvent] = ()
    links: Sequence[TraceContext] = ()


def run_span_context(root: str, run: str) -> TraceContext:
    """Return the context of a run's own span; `root` is the id of its root run."""
    return TraceContext(_hash_id(f"trace {root}", 16), _hash_id(f"run {run}", 8))


def build_spans(
    planned: PlannedRun, entries: Iterable[RunEntry], before: RunSummary | None, *, with_contents: bool, sent: int = 0
) -> list[Span]:
    """Return the spans of an ended run: its own first, then one for each of its attempts.

    The span of a child run is a child of the attempt that called it, which links to it. `before` is the run that this
    one retries; its span is linked. Inputs, outputs and reasons are included only with contents. Attempts that ended
    within the first `sent` entries are left out: their spans were sent while the run was open.
    """
    entry_list = list(entries)
    attempts = [each for each in trace_attempts(planned.plan, entry_list) if not was_inherited(planned.run, each)]
    builder = _SpanBuilder(planned, entry_list, with_contents=with_contents)
    started = [each for each in attempts if each.attempt > 0 and not 0 < each.ended_by <= sent]
    return [builder.root(attempts, before), *map(builder.attempt, started)]


def build_attempt_spans(
    planned: PlannedRun, attempts: Iterable[AttemptTrace], entries: Sequence[RunEntry], *, with_contents: bool
) -> list[Span]:
    """Return the spans of attempts of an open run that have ended, the last of them by these entries."""
    builder = _SpanBuilder(planned, entries, with_contents=with_contents)
    return [builder.attempt(each) for each in attempts if each.attempt > 0 and not was_inherited(planned.run, each)]


def was_inherited(run: Run, attempt: AttemptTrace) -> bool:
    """Return whether a retry, or what it calls, inherited this attempt from the run before it."""
    return run.retry_of is not None and attempt.started_at == run.accepted_at


class _SpanBuilder:
    def __init__(self, found: PlannedRun, entries: Sequence[RunEntry], *, with_contents: bool) -> None:
        self._run, self._plan = found
        self._entries = entries
        self._with_contents = with_contents
        self._context = run_span_context(self._run.root_id, self._run.id)
        times = [_nanos(entry.at) for entry in entries]
        self._begin = min([_nanos(self._run.accepted_at), *times])
        self._end = max([_nanos(self._run.ended_at or self._run.accepted_at), *times])

    def root(self, made: Sequence[AttemptTrace], before: RunSummary | None) -> Span:
        run = self._run
        error = None
        if run.phase == "failed":
            error = str(run.failure["code"]) if run.failure else "unknown"
        events = sorted([*self._step_events(made), *self._run_events()], key=lambda event: event.at)
        caller = None if run.parent_id is None else self._attempt_context(run.id)
        return Span(
            self._context,
            caller,
            f"{names.RUN_WORKFLOW} {run.process_name}",
            "internal",
            self._begin,
            self._end,
            error,
            self._run_attributes(error),
            events,
            [] if before is None else [run_span_context(before.root_id, before.id)],
        )

    def attempt(self, attempt: AttemptTrace) -> Span:
        call = self._plan.call_of(attempt.step)
        ended = self._end if attempt.ended_at is None else self._clamp(attempt.ended_at)
        waited = round(delay_of(self._plan, self._plan.positions[attempt.step], attempt.attempt) * 1_000_000_000)
        operation, target = self._operation(attempt, call)
        error = _error_of(attempt)
        return Span(
            self._attempt_context(attempt.job),
            self._context,
            f"{operation} {target}".strip(),
            "client" if operation == names.ASK_MODEL else "internal",
            min(self._clamp(attempt.started_at) + waited, ended),
            ended,
            error,
            {names.OPERATION: operation, **self._attempt_attributes(attempt, call, error)},
            links=[run_span_context(self._run.root_id, attempt.job)] if self._plan.starts_run(attempt.step) else (),
        )

    def _operation(self, attempt: AttemptTrace, call: StepCall) -> tuple[str, str]:
        """Return what was done, and to what, both of low cardinality."""
        if self._plan.is_manual(self._plan.positions[attempt.step]):
            return names.ASK_PERSON, attempt.step
        if self._plan.starts_run(attempt.step):
            return names.CALL_PROCESS, call.name
        if call.worker == _MODEL_CALLS:
            return names.ASK_MODEL, _model(attempt)
        return names.RUN_TOOL, call.name

    def _run_attributes(self, error: str | None) -> SpanAttributes:
        run = self._run
        attributes: SpanAttributes = {
            names.OPERATION: names.RUN_WORKFLOW,
            names.WORKFLOW: run.process_name,
            names.RUN: run.id,
            names.RUN_PHASE: run.phase,
            names.RUN_TRIGGER: run.trigger,
            names.RUN_TOKENS: run.tokens,
            names.PROCESS: run.process_id,
            names.DIGEST: run.digest,
        }
        if error is not None:
            attributes[names.ERROR] = error
        if self._with_contents:
            attributes[names.RUN_INPUTS] = _content(run.inputs)
            last = self._entries[-1].event if self._entries else None
            if isinstance(last, RunCompleted):
                attributes[names.RUN_OUTPUT] = _content(last.output)
            if run.failure:
                attributes[names.REASON] = _cut(str(run.failure["message"]))
        return attributes

    def _attempt_attributes(self, attempt: AttemptTrace, call: StepCall, error: str | None) -> SpanAttributes:
        is_manual = self._plan.is_manual(self._plan.positions[attempt.step])
        attributes: SpanAttributes = {
            names.STEP: attempt.step,
            names.STEP_KIND: "person" if is_manual else call.kind,
            names.ATTEMPT: attempt.attempt,
            names.OUTCOME: attempt.outcome,
            names.CALL_ID: attempt.job,
        }
        if call.kind == "tool":
            attributes |= {names.TOOL: call.name, names.TOOL_ID: call.id, names.SERVICE_TYPE: call.worker}
        if (worker := attempt.about.get("worker")) is not None:
            attributes[names.WORKER] = str(worker)
        if attempt.about.get("cached"):
            attributes[names.CACHED] = True
        if error is not None:
            attributes[names.ERROR] = error
        return attributes | _tokens(attempt) | (_contents(attempt) if self._with_contents else {})

    def _step_events(self, made: Iterable[AttemptTrace]) -> Iterator[SpanEvent]:
        for attempt in made:
            attributes: SpanAttributes = {names.STEP: attempt.step}
            if attempt.attempt > 1:
                yield self._event(names.RETRIED, attempt.started_at, attributes | {names.ATTEMPT: attempt.attempt})
            if attempt.attempt > 0:
                continue
            if self._with_contents and attempt.error:
                attributes[names.REASON] = _cut(str(attempt.error["message"]))
            if attempt.outcome == "skipped":
                yield self._event(names.SKIPPED, attempt.started_at, attributes)
            else:
                code = str((attempt.error or {}).get("code", "unknown"))
                yield self._event(names.REFUSED, attempt.started_at, attributes | {names.ERROR: code})

    def _run_events(self) -> Iterator[SpanEvent]:
        for entry in self._entries:
            if isinstance(entry.event, CancelRequested):
                yield self._event(names.CANCEL_REQUESTED, entry.at, {})
            elif isinstance(entry.event, DeadlinePassed):
                yield self._event(names.DEADLINE_PASSED, entry.at, {})

    def _event(self, name: str, at: str, attributes: SpanAttributes) -> SpanEvent:
        return SpanEvent(name, self._clamp(at), attributes)

    def _attempt_context(self, job: str) -> TraceContext:
        """Return the context of an attempt. A child run has the id of the job that calls it."""
        return TraceContext(self._context.trace, _hash_id(f"attempt {job}", 8))

    def _clamp(self, at: str) -> int:
        """Return an instant, clamped to the run's own time, in case the clock was set back."""
        return min(max(_nanos(at), self._begin), self._end)


def _hash_id(text: str, size: int) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:size]) or 1


def _nanos(at: str) -> int:
    return instant_to_micros(at) * 1000


def _error_of(attempt: AttemptTrace) -> str | None:
    if attempt.outcome == "timed out":
        return "timed_out"
    return str(attempt.error["code"]) if attempt.error else None


def _usage(attempt: AttemptTrace) -> dict[str, Json]:
    return attempt.about.get("usage") or {}


def _tokens(attempt: AttemptTrace) -> SpanAttributes:
    attributes: SpanAttributes = {names.TOKENS: attempt.tokens} if attempt.tokens else {}
    usage = _usage(attempt)
    for name, ours in ((names.INPUT_TOKENS, "promptTokens"), (names.OUTPUT_TOKENS, "completionTokens")):
        if isinstance(count := usage.get(ours), int):
            attributes[name] = min(count, _MAX_INT)
    if model := _model(attempt):
        attributes[names.MODEL] = model
    return attributes


def _model(attempt: AttemptTrace) -> str:
    """Return the model's name as its server reports it, cut to the length of a name."""
    return _sendable(str(_usage(attempt).get("model") or "")[:_MAX_NAME_CHARS])


def _contents(attempt: AttemptTrace) -> SpanAttributes:
    found: SpanAttributes = {names.ARGUMENTS: _content(attempt.inputs)}
    if attempt.outcome in ("completed", "answered"):
        found[names.RESULT] = _content(attempt.output)
    if attempt.error:
        found[names.REASON] = _cut(str(attempt.error["message"]))
    return found


def _content(value: Json) -> str:
    return _cut(canonical_json(value))


def _cut(text: str) -> str:
    return _sendable(text if len(text) <= MAX_CONTENT_CHARS else text[:MAX_CONTENT_CHARS] + "...")


def _sendable(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode: one such text would block all spans."""
    return text.encode("utf-8", "replace").decode()

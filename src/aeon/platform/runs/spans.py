"""A run as OpenTelemetry spans, worked out from its entries alone: the same entries give the same spans. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias

from aeon.base.json import Json, canonical_json
from aeon.platform.runs import span_names as names
from aeon.platform.runs.admission import PlannedRun
from aeon.platform.runs.machine.events import CancelRequested, DeadlinePassed, RunCompleted
from aeon.platform.runs.machine.plan import StepCall
from aeon.platform.runs.machine.retry_policy import retry_delay
from aeon.platform.runs.model import Run, RunEntry, RunSummary
from aeon.platform.runs.repository import instant_to_micros
from aeon.platform.runs.trace import AttemptTrace, trace_attempts

SpanAttributes: TypeAlias = dict[str, str | int | bool]

MAX_CONTENT_CHARS = 16_384
"""Characters of one input or output."""

_LONGEST_NAME = 100
_LARGEST = 2**63 - 1

_MODEL_CALLS = "llm_call"


class TraceContext(NamedTuple):
    """Which span of which trace: numbers of 64 and 128 bits, never 0."""

    trace: int
    span: int


class SpanEvent(NamedTuple):
    """Something at an instant, in nanoseconds since 1970."""

    name: str
    at: int
    attributes: SpanAttributes


class Span(NamedTuple):
    """From `begin` to `end`, in nanoseconds since 1970. `error` is the code of what went wrong, None for nothing."""

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
    """Where a run's own span stands; `root` is the run that called it in the end, or itself."""
    return TraceContext(_number(f"trace {root}", 16), _number(f"run {run}", 8))


def build_spans(
    found: PlannedRun, entries: Iterable[RunEntry], before: RunSummary | None, *, with_contents: bool
) -> list[Span]:
    """The spans of an ended run, its own first, then one for each attempt that was made in it.

    A run that was called stands below the attempt that called it. `before` is the run that this one goes on after,
    which it links to. Inputs, outputs and reasons are in it only with contents.
    """
    kept = list(entries)
    made = [each for each in trace_attempts(found.plan, kept) if not was_inherited(found.run, each)]
    drawing = _Drawing(found, kept, with_contents=with_contents)
    tried = [attempt for attempt in made if attempt.attempt > 0]
    return [drawing.root(made, before), *map(drawing.attempt, tried)]


def was_inherited(run: Run, attempt: AttemptTrace) -> bool:
    """Whether a run that goes on after another one has this from that one, and did not make it."""
    return run.trigger == "retry" and attempt.started_at == run.accepted_at


class _Drawing:
    def __init__(self, found: PlannedRun, entries: list[RunEntry], *, with_contents: bool) -> None:
        self._run, self._plan = found
        self._entries = entries
        self._with_contents = with_contents
        self._place = run_span_context(self._run.root_id, self._run.id)
        times = [_nanos(entry.at) for entry in entries]
        self._begin = min([_nanos(self._run.accepted_at), *times])
        self._end = max([_nanos(self._run.ended_at or self._run.accepted_at), *times])

    def root(self, made: Sequence[AttemptTrace], before: RunSummary | None) -> Span:
        run = self._run
        error = None
        if run.phase == "failed":
            error = str(run.failure["code"]) if run.failure else "unknown"
        events = sorted([*self._events_of_steps(made), *self._events_of_run()], key=lambda event: event.at)
        caller = None if run.parent_id is None else self._place_of_attempt(run.id)
        return Span(
            self._place,
            caller,
            f"{names.RUN_WORKFLOW} {run.process_name}",
            "internal",
            self._begin,
            self._end,
            error,
            self._of_run(error),
            events,
            [] if before is None else [run_span_context(before.root_id, before.id)],
        )

    def attempt(self, attempt: AttemptTrace) -> Span:
        call = self._plan.calls[attempt.step]
        ended = self._end if attempt.ended_at is None else self._within(attempt.ended_at)
        waited = round(retry_delay(attempt.attempt) * 1_000_000_000)
        operation, target = self._operation(attempt, call)
        error = _error_of(attempt)
        return Span(
            self._place_of_attempt(attempt.job),
            self._place,
            f"{operation} {target}".strip(),
            "client" if operation == names.ASK_MODEL else "internal",
            min(self._within(attempt.started_at) + waited, ended),
            ended,
            error,
            {names.OPERATION: operation, **self._of_attempt(attempt, call, error)},
        )

    def _operation(self, attempt: AttemptTrace, call: StepCall) -> tuple[str, str]:
        """What was done, and to what, both of few different words."""
        if self._plan.is_manual(self._plan.positions[attempt.step]):
            return names.ASK_PERSON, attempt.step
        if call.kind == "process":
            return names.CALL_PROCESS, call.name
        if call.worker == _MODEL_CALLS:
            return names.ASK_MODEL, _model(attempt)
        return names.RUN_TOOL, call.name

    def _of_run(self, error: str | None) -> SpanAttributes:
        run = self._run
        found: SpanAttributes = {
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
            found[names.ERROR] = error
        if self._with_contents:
            found[names.RUN_INPUTS] = _content(run.inputs)
            last = self._entries[-1].event if self._entries else None
            if isinstance(last, RunCompleted):
                found[names.RUN_OUTPUT] = _content(last.output)
            if run.failure:
                found[names.REASON] = _cut(str(run.failure["message"]))
        return found

    def _of_attempt(self, attempt: AttemptTrace, call: StepCall, error: str | None) -> SpanAttributes:
        is_manual = self._plan.is_manual(self._plan.positions[attempt.step])
        found: SpanAttributes = {
            names.STEP: attempt.step,
            names.STEP_KIND: "person" if is_manual else call.kind,
            names.ATTEMPT: attempt.attempt,
            names.OUTCOME: attempt.outcome,
            names.CALL_ID: attempt.job,
        }
        if call.kind == "tool":
            found |= {names.TOOL: call.name, names.TOOL_ID: call.id, names.SERVICE_TYPE: call.worker}
        if (worker := attempt.about.get("worker")) is not None:
            found[names.WORKER] = str(worker)
        if attempt.about.get("cached"):
            found[names.CACHED] = True
        if error is not None:
            found[names.ERROR] = error
        return found | _tokens(attempt) | (_contents(attempt) if self._with_contents else {})

    def _events_of_steps(self, made: Iterable[AttemptTrace]) -> Iterator[SpanEvent]:
        for attempt in made:
            told: SpanAttributes = {names.STEP: attempt.step}
            if attempt.attempt > 1:
                yield self._event(names.RETRIED, attempt.started_at, told | {names.ATTEMPT: attempt.attempt})
            if attempt.attempt > 0:
                continue
            if self._with_contents and attempt.error:
                told[names.REASON] = _cut(str(attempt.error["message"]))
            if attempt.outcome == "skipped":
                yield self._event(names.SKIPPED, attempt.started_at, told)
            else:
                code = str((attempt.error or {}).get("code", "unknown"))
                yield self._event(names.REFUSED, attempt.started_at, told | {names.ERROR: code})

    def _events_of_run(self) -> Iterator[SpanEvent]:
        for entry in self._entries:
            if isinstance(entry.event, CancelRequested):
                yield self._event(names.CANCEL_REQUESTED, entry.at, {})
            elif isinstance(entry.event, DeadlinePassed):
                yield self._event(names.DEADLINE_PASSED, entry.at, {})

    def _event(self, name: str, at: str, attributes: SpanAttributes) -> SpanEvent:
        return SpanEvent(name, self._within(at), attributes)

    def _place_of_attempt(self, job: str) -> TraceContext:
        """A run that is called has the id of the job that calls it."""
        return TraceContext(self._place.trace, _number(f"attempt {job}", 8))

    def _within(self, at: str) -> int:
        """An instant of the run: a clock that was set back takes nothing out of it."""
        return min(max(_nanos(at), self._begin), self._end)


def _number(text: str, size: int) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:size]) or 1


def _nanos(at: str) -> int:
    return instant_to_micros(at) * 1000


def _error_of(attempt: AttemptTrace) -> str | None:
    if attempt.outcome == "timed out":
        return "timed_out"
    return str(attempt.error["code"]) if attempt.error else None


def _used(attempt: AttemptTrace) -> dict[str, Json]:
    return attempt.about.get("usage") or {}


def _tokens(attempt: AttemptTrace) -> SpanAttributes:
    found: SpanAttributes = {names.TOKENS: attempt.tokens} if attempt.tokens else {}
    used = _used(attempt)
    for name, ours in ((names.INPUT_TOKENS, "promptTokens"), (names.OUTPUT_TOKENS, "completionTokens")):
        if isinstance(count := used.get(ours), int):
            found[name] = min(count, _LARGEST)
    if model := _model(attempt):
        found[names.MODEL] = model
    return found


def _model(attempt: AttemptTrace) -> str:
    """What the model calls itself is its server's to say: no more of it than a name takes."""
    return _sendable(str(_used(attempt).get("model") or "")[:_LONGEST_NAME])


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
    """Half a pair of surrogates is in JSON, and in no UTF-8: one such text would hold up all spans."""
    return text.encode("utf-8", "replace").decode()

"""Records the metrics of runs that have ended: of each run and of every call that it made (platform 18).

Each run is recorded once, in one unit of work. Where spans are wanted, the same one marks the run to be sent.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from aeon.base.json import Json, JsonObject
from aeon.platform.metrics import queries as metrics
from aeon.platform.metrics.model import NewMetricValue
from aeon.platform.metrics.rules import USER_DIMENSION
from aeon.platform.metrics.tool_calls import CallMeasurement, call_values
from aeon.platform.metrics.values import MetricValueRepository, find_existing_subjects
from aeon.platform.runs import queries
from aeon.platform.runs.admission import PlannedRun
from aeon.platform.runs.claim_check import LostResultError
from aeon.platform.runs.model import Run
from aeon.platform.runs.repository import SqlRunRepository
from aeon.platform.runs.span_export import SpanExportQueue
from aeon.platform.runs.spans import was_inherited
from aeon.platform.runs.trace import AttemptTrace, trace_attempts
from aeon.platform.store import GuardError, Store, UnitOfWork, guard

_AT_ONCE = 100


class RunMetricsRecorder:
    """Records what ended runs came to. Several processes may do so: each run is recorded by one of them."""

    def __init__(
        self,
        store: Store,
        book: SqlRunRepository,
        values: MetricValueRepository,
        sending: SpanExportQueue | None = None,
    ) -> None:
        """`sending` sends the spans of what is recorded here, where they are wanted."""
        self._store = store
        self._book = book
        self._values = values
        self._sending = sending

    def record_pending(self, limit: int = _AT_ONCE) -> int:
        """Record runs that have ended and are not recorded yet, so many at most; how many they were. Raises StoreError.

        A run is marked as recorded in the same unit of work: after a crash the next call records the rest. Then the
        spans of recorded runs are sent, as far as they are taken.
        """
        ended = self._book.list_unmeasured(limit)
        for run in ended:
            with suppress(GuardError):  # somebody else was quicker
                self._record(run)
        if self._sending is not None:
            self._sending.export_pending()
        return len(ended)

    def _record(self, run: str) -> None:
        _, rows = self._values.build_rows(self._values_of(run))
        noted: JsonObject = {"run": run, "is_unsent": self._sending is not None}

        def work(unit: UnitOfWork) -> None:
            guard(holds=unit.write(queries.MEASURE, noted) == 1)
            unit.write_each(metrics.ADD_VALUE, _of_existing(unit, rows))

        self._store.update(work)

    def _values_of(self, run: str) -> list[NewMetricValue]:
        """None where what the run came to is gone: nobody will ever know."""
        try:
            found = self._book.get_any(run)
            made = trace_attempts(found.plan, self._book.entries(run))
        except LostResultError:
            return []
        return [*run_values(found.run), *call_values(self._calls(found, made), found.run.owner_id)]

    def _calls(self, found: PlannedRun, made: Iterable[AttemptTrace]) -> list[CallMeasurement]:
        tools: list[Json] = sorted({call.id for call in found.plan.calls.values() if call.kind == "tool"})
        rows = self._store.read(queries.SERVICES_OF_TOOLS, {"tools": tools}) if tools else []
        return tool_calls_of(found, made, {row["id"]: row["service_id"] for row in rows})


def _of_existing(unit: UnitOfWork, rows: Sequence[JsonObject]) -> list[JsonObject]:
    """The values whose metric and whose entity were not deleted in the meantime."""
    there = find_existing_subjects(unit, {(row["metric_id"], row["entity_id"]) for row in rows})
    return [row for row in rows if (row["metric_id"], row["entity_id"]) in there]


def run_values(run: Run) -> list[NewMetricValue]:
    """The values of the run itself. Pure."""
    whose = {USER_DIMENSION: run.owner_id}
    found = [NewMetricValue("process.runs", run.process_id, 1, {**whose, "phase": run.phase})]
    if run.phase == "failed":
        code = str(run.failure["code"]) if run.failure else "unknown"
        found.append(NewMetricValue("process.failures", run.process_id, 1, {**whose, "code": code}))
    if run.ended_at is not None:
        spent = datetime.fromisoformat(run.ended_at) - datetime.fromisoformat(run.accepted_at)
        milliseconds = max(0.0, spent.total_seconds() * 1000)
        found.append(NewMetricValue("process.duration_ms", run.process_id, milliseconds, whose))
    if run.tokens:
        found.append(NewMetricValue("process.tokens", run.process_id, run.tokens, whose))
    return found


def tool_calls_of(
    found: PlannedRun, made: Iterable[AttemptTrace], services: Mapping[str, str]
) -> list[CallMeasurement]:
    """The calls that a run made. What a run that goes on after another one was given by that one, it did not make."""
    run, plan = found
    calls: list[CallMeasurement] = []
    for attempt in made:
        call = plan.calls[attempt.step]
        is_call = call.kind == "tool" and attempt.attempt > 0 and attempt.outcome != "running"
        if is_call and not was_inherited(run, attempt) and not plan.is_manual(plan.positions[attempt.step]):
            calls.append(_call(attempt, call.id, services.get(call.id)))
    return calls


def _call(attempt: AttemptTrace, tool: str, service: str | None) -> CallMeasurement:
    usage: JsonObject = attempt.about.get("usage") or {}
    code = "timed_out" if attempt.outcome == "timed out" else attempt.error["code"] if attempt.error else None
    return CallMeasurement(
        tool,
        service,
        code,
        attempt.about.get("milliseconds"),
        usage.get("promptTokens", 0),
        usage.get("completionTokens", 0),
    )

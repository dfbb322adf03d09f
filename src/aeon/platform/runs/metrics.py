"""Records the metrics of ended runs: of each run and of every call that it made (platform 18).

Each run is recorded once, in one unit of work. If spans are exported, the same unit marks the run for export.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from aeon.base.json import Json, JsonObject
from aeon.platform.metrics import queries as metrics
from aeon.platform.metrics.model import NewMetricValue
from aeon.platform.metrics.rules import USER_DIMENSION
from aeon.platform.metrics.tool_calls import CallMeasurement, call_values
from aeon.platform.metrics.values import MetricValueRepository, find_existing_subjects
from aeon.platform.runs import queries
from aeon.platform.runs.admission import PlannedRun
from aeon.platform.runs.claim_check import LostResultError
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.model import Run
from aeon.platform.runs.repository import SqlRunRepository
from aeon.platform.runs.span_export import SpanExportQueue
from aeon.platform.runs.spans import was_inherited
from aeon.platform.runs.trace import AttemptTrace, trace_attempts
from aeon.platform.store import GuardError, Store, UnitOfWork, guard

_BATCH_SIZE = 100


class MeasuredRun(NamedTuple):
    """A run that has ended, and the calls that it made itself."""

    run: Run
    plan: RunPlan
    calls: list[CallMeasurement]


RunObserver: TypeAlias = Callable[[MeasuredRun], None]


class RunMetricsRecorder:
    """Records metrics of ended runs. Several processes may do so; one of them records a run."""

    def __init__(
        self,
        store: Store,
        runs: SqlRunRepository,
        values: MetricValueRepository,
        export_queue: SpanExportQueue | None = None,
    ) -> None:
        """`export_queue` exports the spans of recorded runs, if spans are exported."""
        self._store = store
        self._runs = runs
        self._values = values
        self._export_queue = export_queue
        self.observers: list[RunObserver] = []
        """Called with each run that is recorded here, and its calls."""

    def record_pending(self, limit: int = _BATCH_SIZE) -> int:
        """Record at most `limit` runs that ended; return their number. Raises StoreError.

        A run is marked as recorded in the same unit of work: after a crash the next call records the rest. Then the
        spans of recorded runs are exported.
        """
        ended = self._runs.list_unmeasured(limit)
        for run in ended:
            with suppress(GuardError):  # another process recorded it first
                self._record(run)
        if self._export_queue is not None:
            self._export_queue.export_pending()
        return len(ended)

    def _record(self, run: str) -> None:
        measured = self._measure(run)
        _, rows = self._values.build_rows([] if measured is None else _values_of(measured))
        marking: JsonObject = {"run": run, "is_unsent": self._export_queue is not None}

        def work(unit: UnitOfWork) -> None:
            guard(holds=unit.write(queries.MEASURE, marking) == 1)
            unit.write_each(metrics.ADD_VALUE, _existing_values(unit, rows))

        self._store.update(work)
        if measured is not None:
            for observe in self.observers:
                observe(measured)

    def _measure(self, run: str) -> MeasuredRun | None:
        """Return what a run did; None if its entries are lost."""
        try:
            planned = self._runs.get_any(run)
            attempts = trace_attempts(planned.plan, self._runs.entries(run))
        except LostResultError:
            return None
        return MeasuredRun(planned.run, planned.plan, self._calls(planned, attempts))

    def _calls(self, planned: PlannedRun, attempts: Iterable[AttemptTrace]) -> list[CallMeasurement]:
        tools: list[Json] = sorted({call.id for call in planned.plan.calls.values() if call.kind == "tool"})
        rows = self._store.read(queries.SERVICES_OF_TOOLS, {"tools": tools}) if tools else []
        return tool_calls_of(planned, attempts, {row["id"]: row["service_id"] for row in rows})


def _values_of(measured: MeasuredRun) -> list[NewMetricValue]:
    """Return the values of a run and of its calls; a loop is not a run of its Process."""
    runs = [] if measured.plan.loop is not None else run_values(measured.run)
    return [*runs, *call_values(measured.calls, measured.run.owner_id)]


def _existing_values(unit: UnitOfWork, rows: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the values whose metric and entity were not deleted in the meantime."""
    existing = find_existing_subjects(unit, {(row["metric_id"], row["entity_id"]) for row in rows})
    return [row for row in rows if (row["metric_id"], row["entity_id"]) in existing]


def run_values(run: Run) -> list[NewMetricValue]:
    """Return the values of the run itself. Pure."""
    dimensions = {USER_DIMENSION: run.owner_id}
    values = [NewMetricValue("process.runs", run.process_id, 1, {**dimensions, "phase": run.phase})]
    if run.phase == "failed":
        code = str(run.failure["code"]) if run.failure else "unknown"
        values.append(NewMetricValue("process.failures", run.process_id, 1, {**dimensions, "code": code}))
    if run.seconds is not None:
        values.append(NewMetricValue("process.duration_ms", run.process_id, run.seconds * 1000, dimensions))
    if run.tokens:
        values.append(NewMetricValue("process.tokens", run.process_id, run.tokens, dimensions))
    return values


def tool_calls_of(
    planned: PlannedRun, attempts: Iterable[AttemptTrace], services: Mapping[str, str]
) -> list[CallMeasurement]:
    """Return the calls that a run made, without those that a retry inherited."""
    run, plan = planned
    calls: list[CallMeasurement] = []
    for attempt in attempts:
        call = plan.call_of(attempt.step)
        is_job = call.kind == "tool" and not plan.starts_run(attempt.step)
        is_call = is_job and attempt.attempt > 0 and attempt.outcome != "running"
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

"""Records the metrics of runs that have ended: of each run and of every call that it made (platform 18).

Each run is recorded once, in one unit of work. Where spans are wanted, the same one marks the run to be sent.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from aeon.base.json import Json, JsonObject
from aeon.platform.metrics import queries as metrics
from aeon.platform.metrics.calls import Call, values_of
from aeon.platform.metrics.model import NewValue
from aeon.platform.metrics.rules import USER
from aeon.platform.metrics.values import Values, existing
from aeon.platform.processes.runs import queries
from aeon.platform.processes.runs.accepting import Found
from aeon.platform.processes.runs.book import RunBook
from aeon.platform.processes.runs.claims import LostResultError
from aeon.platform.processes.runs.model import Run
from aeon.platform.processes.runs.sending import Sending
from aeon.platform.processes.runs.spans import was_given
from aeon.platform.processes.runs.trace import Attempt, attempts
from aeon.platform.store import GuardError, Store, Unit, guard

_AT_ONCE = 100


class Measuring:
    """Records what ended runs came to. Several processes may do so: each run is recorded by one of them."""

    def __init__(self, store: Store, book: RunBook, values: Values, sending: Sending | None = None) -> None:
        """`sending` sends the spans of what is recorded here, where they are wanted."""
        self._store = store
        self._book = book
        self._values = values
        self._sending = sending

    def catch_up(self, limit: int = _AT_ONCE) -> int:
        """Record runs that have ended and are not recorded yet, so many at most; how many they were. Raises StoreError.

        A run is marked as recorded in the same unit of work: after a crash the next call records the rest. Then the
        spans of recorded runs are sent, as far as they are taken.
        """
        ended = self._book.unmeasured(limit)
        for run in ended:
            with suppress(GuardError):  # somebody else was quicker
                self._record(run)
        if self._sending is not None:
            self._sending.catch_up()
        return len(ended)

    def _record(self, run: str) -> None:
        _, rows = self._values.rows(self._values_of(run))
        noted: JsonObject = {"run": run, "is_unsent": self._sending is not None}

        def work(unit: Unit) -> None:
            guard(holds=unit.write(queries.MEASURE, noted) == 1)
            unit.write_each(metrics.ADD_VALUE, _of_existing(unit, rows))

        self._store.update(work)

    def _values_of(self, run: str) -> list[NewValue]:
        """None where what the run came to is gone: nobody will ever know."""
        try:
            found = self._book.found(run)
            made = attempts(found.plan, self._book.entries(run))
        except LostResultError:
            return []
        return [*of_run(found.run), *values_of(self._calls(found, made), found.run.owner_id)]

    def _calls(self, found: Found, made: Iterable[Attempt]) -> list[Call]:
        tools: list[Json] = sorted({call.id for call in found.plan.calls.values() if call.kind == "tool"})
        rows = self._store.read(queries.SERVICES_OF_TOOLS, {"tools": tools}) if tools else []
        return calls_of(found, made, {row["id"]: row["service_id"] for row in rows})


def _of_existing(unit: Unit, rows: Sequence[JsonObject]) -> list[JsonObject]:
    """The values whose metric and whose entity were not deleted in the meantime."""
    there = existing(unit, {(row["metric_id"], row["entity_id"]) for row in rows})
    return [row for row in rows if (row["metric_id"], row["entity_id"]) in there]


def of_run(run: Run) -> list[NewValue]:
    """The values of the run itself. Pure."""
    whose = {USER: run.owner_id}
    found = [NewValue("process.runs", run.process_id, 1, {**whose, "phase": run.phase})]
    if run.phase == "failed":
        code = str(run.failure["code"]) if run.failure else "unknown"
        found.append(NewValue("process.failures", run.process_id, 1, {**whose, "code": code}))
    if run.ended_at is not None:
        spent = datetime.fromisoformat(run.ended_at) - datetime.fromisoformat(run.accepted_at)
        milliseconds = max(0.0, spent.total_seconds() * 1000)
        found.append(NewValue("process.duration_ms", run.process_id, milliseconds, whose))
    if run.tokens:
        found.append(NewValue("process.tokens", run.process_id, run.tokens, whose))
    return found


def calls_of(found: Found, made: Iterable[Attempt], services: Mapping[str, str]) -> list[Call]:
    """The calls that a run made. What a run that goes on after another one was given by that one, it did not make."""
    run, plan = found
    calls: list[Call] = []
    for attempt in made:
        call = plan.calls[attempt.step]
        is_call = call.kind == "tool" and attempt.attempt > 0 and attempt.outcome != "running"
        if is_call and not was_given(run, attempt) and not plan.is_manual(plan.positions[attempt.step]):
            calls.append(_call(attempt, call.id, services.get(call.id)))
    return calls


def _call(attempt: Attempt, tool: str, service: str | None) -> Call:
    usage: JsonObject = attempt.about.get("usage") or {}
    code = "timed_out" if attempt.outcome == "timed out" else attempt.error["code"] if attempt.error else None
    return Call(
        tool,
        service,
        code,
        attempt.about.get("milliseconds"),
        usage.get("promptTokens", 0),
        usage.get("completionTokens", 0),
    )

"""Starts the Processes that remind people of open questions (platform 41). Safe for several processes, at any crash."""

from datetime import datetime
from typing import Final, NamedTuple
from uuid import NAMESPACE_OID, uuid5

from aeon.base.json import JsonObject
from aeon.platform.errors import PlatformError
from aeon.platform.runs import queries
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.model import DETACHED, Run
from aeon.platform.runs.service import Runs
from aeon.platform.store import Row, Store

_BATCH_SIZE: Final = 100
_MICROS: Final = 1_000_000


class ReminderResult(NamedTuple):
    """The run that reminds of a question of the run `asking`, or why there is none."""

    asking: str
    step: str
    run: Run | None
    refusal: PlatformError | None = None


class ReminderStarter:
    """Starts due reminders as runs for any worker, each under an id of its own."""

    def __init__(self, store: Store, runs: Runs) -> None:
        self._store = store
        self._runs = runs

    def start_due(self, now: str) -> list[ReminderResult]:
        """Start due reminders; return those that this process settled. Raises StoreError.

        A run is accepted under the reminder's own id before the reminder is settled: after a crash between the two, the
        same run is accepted again, which changes nothing. One that cannot start is not tried again.
        """
        micros = round(datetime.fromisoformat(now).timestamp() * _MICROS)
        rows = self._store.read(queries.DUE_REMINDERS, {"now": micros, "limit": _BATCH_SIZE})
        results: list[ReminderResult] = []
        for row in rows:
            result = self._start(row)
            if self._settle(row, micros, result):
                results.append(result)
        return results

    def _start(self, row: Row) -> ReminderResult:
        asking = self._runs.repository.get_any(row["run_id"])
        id_ = str(uuid5(NAMESPACE_OID, f"{row['id']} {row['remind_micros']}"))
        try:
            inputs: JsonObject = {"assignee": row["assignee"], "run": row["run_id"], "step": row["step"]}
            new = NewRun({**inputs, "question": self._question(row)}, "schedule", id_, executor=DETACHED)
            run = self._runs.accept_reminder(asking.run, row["remind_process"], new)
        except PlatformError as error:
            return ReminderResult(row["run_id"], row["step"], None, error)
        return ReminderResult(row["run_id"], row["step"], run)

    def _question(self, row: Row) -> JsonObject:
        pending = self._runs.list_questions(row["owner_id"], row["run_id"])
        return {name: value for each in pending if each.job == row["id"] for name, value in each.inputs.items()}

    def _settle(self, row: Row, now: int, result: ReminderResult) -> bool:
        """Set when the next reminder is due; return whether this process did it."""
        every = None if result.run is None else row["remind_every"]
        params: JsonObject = {
            "id": row["id"],
            "before": row["remind_micros"],
            "next": None if every is None else now + every * _MICROS,
        }
        return self._store.update(lambda unit: unit.write(queries.SETTLE_REMINDER, params)) == 1

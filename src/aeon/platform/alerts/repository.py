"""Stores alerts, and lets one process at a time settle what an evaluation found."""

from datetime import UTC, datetime, timedelta
from typing import Final

from aeon.base.json import JsonObject
from aeon.platform.alerts import queries
from aeon.platform.alerts.checks import check_alert
from aeon.platform.alerts.model import MAX_INTERVAL, Alert, AlertChange, NewAlert
from aeon.platform.alerts.readings import MetricReader
from aeon.platform.alerts.transitions import Transition
from aeon.platform.catalog.repository import EntityQueries, EntityRepository, apply_change, audit_change
from aeon.platform.catalog.service import Catalog
from aeon.platform.errors import RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.metrics.service import Metrics
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.processes.started_versions import digest_to_trust, require_current_digest, use_actions
from aeon.platform.store import Store, write_one

_QUERIES: Final = EntityQueries(
    queries.ALERT,
    queries.ALERT_NAMED,
    queries.OWN_ALERTS,
    None,
    queries.VISIBLE_ALERTS,
    queries.USERS_OF_ALERT,
)

MAX_ALERTS: Final = 100
"""Alerts of one user."""

_BATCH_SIZE: Final = 100
"""Alerts in one batch; those that have been due for the longest come first."""

_CONDITION: Final = frozenset({"windowSeconds", "comparison", "threshold", "holdSeconds", "enabled"})
"""A change of one of these begins anew: nothing has crossed."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class AlertRepository(EntityRepository[Alert]):
    """The alerts of all users, visible to their owners only. Thread- and process-safe."""

    list_step = "catalog.list_alerts"

    def __init__(self, store: Store, catalog: Catalog, processes: ProcessRepository, metrics: Metrics) -> None:
        super().__init__(store, catalog.ledger, Alert.from_row, _QUERIES)
        self._store = store
        self._ledger = catalog.ledger
        self._new_id = catalog.new_id
        self._processes = processes
        self.reader = MetricReader(store, metrics)
        """Reads what alerts watch."""

    def add(self, new: NewAlert, request: MutationRequest) -> Alert:
        """Save an alert that starts a Process that the caller may see.

        Raises NotFoundError for the Process, the metric and the entity, RuleError with every problem of the inputs, for
        a metric without numbers and for one alert too many, and ConflictError if the Process changed meanwhile.
        """
        mutation = request.mutation("alert.create", parameters=new.as_dict())
        if (earlier := self._ledger.earlier_answer(mutation)) is not None:
            return Alert.model_validate(earlier)
        process = self._processes.get(request.user, new.process)
        if new.entity is not None and self.reader.find(new.metric, new.scope, new.aggregation).is_computed:
            self._processes.get(request.user, new.entity)
        alert = self._built(new, request.user, digest_to_trust(process, request.user))
        check_alert(alert, process.definition)
        self.reader.read(alert, alert.created_at)
        self.require_room(request.user)
        work = write_one(
            queries.CREATE_ALERT, {**alert.as_row(), "due_micros": _due_now(alert), "process_version": process.version}
        )
        return self.create(work, alert, mutation, use_actions(process, alert))

    def check_new(self, new: NewAlert, definition: ProcessDefinition, user: str, *, reads: bool) -> None:
        """Raise RuleError with every problem of an alert to create; it is also read once if `reads`.

        Raises NotFoundError for the metric and the entity.
        """
        alert = self._built(new, user, None)
        check_alert(alert, definition)
        if reads:
            self.reader.read(alert, alert.created_at)

    def change(self, id_: str, change: AlertChange, request: MutationRequest) -> Alert:
        """Change the caller's alert. A new condition, or enabling, begins anew: what has fired can fire again.

        Raises NotFoundError, ConflictError, RuleError with every problem of the inputs, and for a `trustedDigest` that
        is not the current one of another user's Process.
        """
        before = self.get_own(request.user, id_)
        fields = change.requested_fields()
        after = apply_change(before, fields, self._ledger.now())
        if fields.keys() & {"inputs", "trustedDigest"}:
            process = self._processes.get(request.user, before.process)
            check_alert(after, process.definition)
            if "trustedDigest" in fields:
                require_current_digest(process, request.user, after.trusted_digest)
        if any(after.as_dict()[name] != before.as_dict()[name] for name in _CONDITION):
            reset = {"state": "ok", "state_since": after.updated_at, "started_at": None, "is_starting": False}
            after = after.model_copy(update={**reset, "problem": None})
        row = {**after.as_row(), "before": before.version, "due_micros": _due_now(after)}
        mutation = request.mutation("alert.change", id_, fields)
        return self.replace(
            write_one(queries.CHANGE_ALERT, row), after, mutation, audit_change(before, after, request.user)
        )

    def remove(self, id_: str, request: MutationRequest) -> None:
        """Delete the caller's alert; the runs that it started continue."""
        self.delete(queries.DELETE_ALERT, request.mutation("alert.delete", id_))

    def list_due(self, now: str) -> list[Alert]:
        """Return alerts that are to be evaluated now, those that wait for the longest first.

        Alerts whose next evaluation is too far ahead, since the clock was set back, are among them.
        """
        moment = datetime.fromisoformat(now)
        due = self._store.read(queries.DUE, {"now": _micros(moment), "limit": _BATCH_SIZE})
        ahead = _micros(moment + timedelta(seconds=MAX_INTERVAL))
        rows = [*due, *self._store.read(queries.AHEAD, {"ahead": ahead, "limit": _BATCH_SIZE})]
        return [Alert.from_row(row) for row in rows]

    def list_starting(self) -> list[Alert]:
        """Return alerts that fired and whose run is to be started: after a crash, by the next caller."""
        return [Alert.from_row(row) for row in self._store.read(queries.STARTING, {"limit": _BATCH_SIZE})]

    def settle(self, alert: Alert, found: Transition, value: float | None, problem: str | None, now: str) -> bool:
        """Write down what an evaluation found, and that a run is to be started; return whether this call did it.

        Returns False if another process was first, or if the alert was changed or deleted meanwhile.
        """
        is_same_crossing = found.state == alert.state == "firing"
        params: JsonObject = {
            "id": alert.id,
            "version": alert.version,
            "evaluated_before": alert.evaluated_at or "",
            "state": found.state,
            "state_since": found.since,
            "last_value": value,
            "at": now,
            "problem": problem,
            "starts": alert.starts + found.starts_run,
            "is_starting": found.starts_run,
            "started_at": alert.started_at if is_same_crossing else None,
            "due": _micros(datetime.fromisoformat(now) + timedelta(seconds=alert.interval_seconds)),
        }
        return self._store.update(lambda unit: unit.write(queries.EVALUATED, params)) == 1

    def mark_started(self, alert: Alert, refusal: str | None, now: str) -> bool:
        """Write down that the alert's run was accepted, or why not; return whether this call did it."""
        params: JsonObject = {
            "id": alert.id,
            "starts": alert.starts,
            "at": None if refusal else now,
            "run": None if refusal else alert.next_run,
            "problem": refusal,
        }
        return self._store.update(lambda unit: unit.write(queries.STARTED, params)) == 1

    def _built(self, new: NewAlert, user: str, trusted_digest: str | None) -> Alert:
        watched = self.reader.find(new.metric, new.scope, new.aggregation)
        at = self._ledger.now()
        given: JsonObject = {
            "id": self._new_id(),
            "ownerId": user,
            "scope": watched.scope,
            "trustedDigest": trusted_digest,
            "stateSince": at,
            "createdAt": at,
            "updatedAt": at,
        }
        return Alert.model_validate(new.as_dict() | given)

    def require_room(self, user: str, more: int = 1) -> None:
        """Raise RuleError unless the user may have that number of further alerts."""
        (row,) = self._store.read(queries.NUMBER_OF_ALERTS, {"user": user})
        if row["number"] + more > MAX_ALERTS:
            raise RuleError(
                f"A user has at most {MAX_ALERTS} alerts; more would not be evaluated in time.",
                rule="alert_limit",
                next_step="Delete one that you do not need.",
            )


def _due_now(alert: Alert) -> int | None:
    return _micros(datetime.fromisoformat(alert.updated_at)) if alert.enabled else None


def _micros(instant: datetime) -> int:
    return (instant - _EPOCH) // timedelta(microseconds=1)

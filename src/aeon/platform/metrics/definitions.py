"""The repository of metric definitions, which only administrators may change."""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import cast

from aeon.base.json import Json, JsonObject
from aeon.base.next_steps import NextStep
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.errors import ConflictError, NotFoundError, PlatformError, ReferencedError, RuleError
from aeon.platform.ledger import AuditAction, Ledger, Mutation, MutationRequest
from aeon.platform.metrics import queries
from aeon.platform.metrics.model import MetricChange, MetricDefinition, MetricScope, NewMetric, prometheus_name
from aeon.platform.metrics.rules import check_admin, check_aggregation
from aeon.platform.store import DuplicateError, GuardError, Store, UnitOfWork, write_one

RETENTION_DAYS = 90


@cache
def builtin_metrics() -> tuple[NewMetric, ...]:
    """Returns the built-in metrics, each of which uses its name as its id."""
    from aeon.plan.yaml import load_yaml  # slow to load

    listed = load_yaml(files("aeon.platform.metrics").joinpath("builtin.yaml").read_text("utf-8"))
    return tuple(NewMetric.parsed({"retentionDays": RETENTION_DAYS, **each}) for each in cast(list[Json], listed))


def is_builtin(id_: str) -> bool:
    """Returns whether the id belongs to a built-in metric."""
    return any(metric.name == id_ for metric in builtin_metrics())


_ALWAYS_CHANGED = ("version", "updatedAt")


class MetricDefinitionRepository:
    """The metrics of one record.

    No user owns them: in the audit log they belong to the user `aeon`.
    """

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        self._store = store
        self._ledger = ledger
        self._new_id = new_id

    def list_all(self) -> list[MetricDefinition]:
        """Returns all metrics, by scope and name."""
        return [MetricDefinition.from_row(row) for row in self._store.read(queries.METRICS)]

    def get(self, id_: str) -> MetricDefinition:
        """Returns the metric with that id. Raises NotFoundError."""
        rows = self._store.read(queries.METRIC, {"id": id_})
        if not rows:
            raise NotFoundError(f"There is no metric with the id {id_!r}.", next_step=NextStep("metrics.list"))
        return MetricDefinition.from_row(rows[0])

    def find(self, name: str, scope: MetricScope | None = None) -> MetricDefinition:
        """Returns the metric with that name or id.

        Raises NotFoundError, and RuleError if only the scope can decide.
        """
        metrics = [metric for metric in self.list_all() if metric.name == name and scope in (None, metric.scope)]
        if len(metrics) > 1:
            raise RuleError(
                f"There is a metric {name!r} of a {', of a '.join(metric.scope for metric in metrics)}.",
                rule="scope_said",
                field="$.scope",
                next_step="Give the scope as well.",
            )
        return metrics[0] if metrics else self.get(name)

    def add(
        self, new: NewMetric, request: MutationRequest, *, is_admin: bool, id_: str | None = None
    ) -> MetricDefinition:
        """Defines a metric; only built-in metrics pass `id_`. Raises ForbiddenError, RuleError."""
        check_admin(is_admin=is_admin)
        check_aggregation(new.aggregation, new.data_type)
        mutation = request.mutation("metric.create", parameters={**new.as_dict(), "id": id_})
        if (earlier := self._ledger.earlier_answer(mutation)) is not None:
            return MetricDefinition.model_validate(earlier)
        at = self._ledger.now()
        metric = MetricDefinition.model_validate(
            new.as_dict() | {"id": id_ or self._new_id(), "createdAt": at, "updatedAt": at}
        )
        work = write_one(queries.CREATE_METRIC, _row(metric))
        return self._commit(work, metric, mutation, _audit_action("create", metric, request))

    def change(self, id_: str, change: MetricChange, request: MutationRequest, *, is_admin: bool) -> MetricDefinition:
        """Changes a metric; its scope and data type never change.

        Raises NotFoundError, ForbiddenError, RuleError, ConflictError.
        """
        check_admin(is_admin=is_admin)
        mutation = request.mutation("metric.change", id_, change.requested_fields())
        if (earlier := self._ledger.earlier_answer(mutation)) is not None:
            return MetricDefinition.model_validate(earlier)
        before = self.get(id_)
        changes = change.requested_fields() | {"version": before.version + 1, "updatedAt": self._ledger.now()}
        after = MetricDefinition.model_validate({**before.as_dict(), **changes})
        check_aggregation(after.aggregation, after.data_type)
        work = write_one(queries.CHANGE_METRIC, {**_row(after), "before": before.version})
        try:
            return self._commit(
                self._expecting(work, mutation), after, mutation, _change_action(before, after, request)
            )
        except GuardError:
            raise ConflictError(f"The metric {self.get(id_).name!r} was changed in the meantime.") from None

    def remove(self, id_: str, request: MutationRequest, *, is_admin: bool, cascade: bool = False) -> None:
        """Deletes a metric, with all its values if `cascade` is set.

        Raises NotFoundError, ForbiddenError, RuleError for a built-in metric, and ReferencedError if it has values and
        `cascade` is not set.
        """
        check_admin(is_admin=is_admin)
        mutation = request.mutation("metric.delete", id_, cascade)
        if self._ledger.earlier_answer(mutation) is not None:
            return
        metric = self.get(id_)
        if is_builtin(id_):
            raise RuleError(
                f"The metric {metric.name!r} is built in: Aeon records it.",
                rule="builtin_stays",
                next_step="Give it fewer retentionDays if it needs too much space.",
            )
        work = _delete_with_values(id_) if cascade else write_one(queries.DELETE_METRIC, {"id": id_})
        try:
            self._commit(self._expecting(work, mutation), metric, mutation, _audit_action("delete", metric, request))
        except GuardError:
            raise self._has_values_error(id_) from None

    def _has_values_error(self, id_: str) -> PlatformError:
        name = self.get(id_).name
        return ReferencedError(
            f"The metric {name!r} still has values.",
            by=["its values"],
            next_step="Delete it with its values (cascade), or keep it.",
        )

    def _expecting(self, work: Callable[[UnitOfWork], None], mutation: Mutation) -> Callable[[UnitOfWork], None]:
        def version(unit: UnitOfWork) -> int | None:
            rows = unit.read(queries.METRIC, {"id": mutation.target})
            return rows[0]["version"] if rows else None

        return mutation.expecting(version, work)

    def _commit(
        self, work: Callable[[UnitOfWork], None], metric: MetricDefinition, mutation: Mutation, action: AuditAction
    ) -> MetricDefinition:
        try:
            committed = self._ledger.commit(work, mutation, [action], metric.as_dict())
            return MetricDefinition.model_validate(committed)
        except DuplicateError:
            raise RuleError(
                f"A metric {metric.name!r} of a {metric.scope} already exists, or one whose name differs only in dots "
                "and underscores.",
                rule="name_unique",
                field="$.name",
                next_step="Choose another name, or change the existing one.",
            ) from None


def _row(metric: MetricDefinition) -> JsonObject:
    return {**metric.as_row(), "exposed_as": prometheus_name(metric.scope, metric.name)}


def _delete_with_values(id_: str) -> Callable[[UnitOfWork], None]:
    def work(unit: UnitOfWork) -> None:
        unit.read(queries.LOCK_METRIC, {"id": id_})
        unit.write(queries.DELETE_VALUES, {"id": id_})
        write_one(queries.DELETE_METRIC, {"id": id_})(unit)

    return work


def _audit_action(verb: str, metric: MetricDefinition, request: MutationRequest, **details: Json) -> AuditAction:
    all_details: JsonObject = {"name": metric.name, "scope": metric.scope, **details}
    return AuditAction(f"metric.{verb}", metric.id, request.user, DEFAULTS_OWNER, all_details)


def _change_action(before: MetricDefinition, after: MetricDefinition, request: MutationRequest) -> AuditAction:
    old, new = before.as_dict(), after.as_dict()
    fields: list[Json] = [name for name in new if new[name] != old[name] and name not in _ALWAYS_CHANGED]
    return _audit_action("change", after, request, fields=fields)

"""The definitions of metrics: the same for everybody to see, an administrator's to change."""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import cast

from aeon.base.json import Json, JsonObject
from aeon.plan.yaml import load_yaml
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
    """Each to be defined under its name as id, unless it is there."""
    listed = load_yaml(files("aeon.platform.metrics").joinpath("builtin.yaml").read_text("utf-8"))
    return tuple(NewMetric.parsed({"retentionDays": RETENTION_DAYS, **each}) for each in cast(list[Json], listed))


def is_builtin(id_: str) -> bool:
    """Whether it is the id of one of them."""
    return any(metric.name == id_ for metric in builtin_metrics())


_OF_EVERY_CHANGE = ("version", "updatedAt")


class MetricDefinitionRepository:
    """The metrics of one record. No user owns them: in the audit trail they belong to the user `aeon`."""

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        self._store = store
        self._ledger = ledger
        self._new_id = new_id

    def list_all(self) -> list[MetricDefinition]:
        """Every metric, by scope and name."""
        return [MetricDefinition.from_row(row) for row in self._store.read(queries.METRICS)]

    def get(self, id_: str) -> MetricDefinition:
        """The metric with that id. Raises NotFoundError."""
        found = self._store.read(queries.METRIC, {"id": id_})
        if not found:
            raise NotFoundError(f"There is no metric with the id {id_!r}.", next_step="See `aeon metrics`.")
        return MetricDefinition.from_row(found[0])

    def find(self, name: str, scope: MetricScope | None = None) -> MetricDefinition:
        """The metric of that name, or with that id. Raises NotFoundError, RuleError where the scope must be said."""
        found = [metric for metric in self.list_all() if metric.name == name and scope in (None, metric.scope)]
        if len(found) > 1:
            raise RuleError(
                f"There is a metric {name!r} of a {', of a '.join(metric.scope for metric in found)}.",
                rule="scope_said",
                field="$.scope",
                next_step="Say which with its scope.",
            )
        return found[0] if found else self.get(name)

    def add(
        self, new: NewMetric, request: MutationRequest, *, is_admin: bool, id_: str | None = None
    ) -> MetricDefinition:
        """Define a metric; `id_` is for what Aeon ships. Raises ForbiddenError, RuleError."""
        check_admin(is_admin=is_admin)
        check_aggregation(new.aggregation, new.data_type)
        asked = request.mutation("metric.create", parameters={**new.as_dict(), "id": id_})
        if (earlier := self._ledger.earlier_answer(asked)) is not None:
            return MetricDefinition.model_validate(earlier)
        at = self._ledger.now()
        metric = MetricDefinition.model_validate(
            new.as_dict() | {"id": id_ or self._new_id(), "createdAt": at, "updatedAt": at}
        )
        work = write_one(queries.CREATE_METRIC, _row(metric))
        return self._committed(work, metric, asked, _deed("create", metric, request))

    def change(self, id_: str, change: MetricChange, request: MutationRequest, *, is_admin: bool) -> MetricDefinition:
        """Change a metric; its scope and the type of its values never do.

        Raises NotFoundError, ForbiddenError, RuleError, ConflictError.
        """
        check_admin(is_admin=is_admin)
        asked = request.mutation("metric.change", id_, change.requested_fields())
        if (earlier := self._ledger.earlier_answer(asked)) is not None:
            return MetricDefinition.model_validate(earlier)
        before = self.get(id_)
        said = change.requested_fields() | {"version": before.version + 1, "updatedAt": self._ledger.now()}
        after = MetricDefinition.model_validate({**before.as_dict(), **said})
        check_aggregation(after.aggregation, after.data_type)
        work = write_one(queries.CHANGE_METRIC, {**_row(after), "before": before.version})
        try:
            return self._committed(self._expecting(work, asked), after, asked, _changed(before, after, request))
        except GuardError:
            raise ConflictError(f"The metric {self.get(id_).name!r} was changed in the meantime.") from None

    def remove(self, id_: str, request: MutationRequest, *, is_admin: bool, cascade: bool = False) -> None:
        """Delete a metric, with all its values where `cascade` says so.

        Raises NotFoundError, ForbiddenError, RuleError for one that Aeon records itself, ReferencedError while it has
        values and none are to go with it.
        """
        check_admin(is_admin=is_admin)
        asked = request.mutation("metric.delete", id_, cascade)
        if self._ledger.earlier_answer(asked) is not None:
            return
        metric = self.get(id_)
        if is_builtin(id_):
            raise RuleError(
                f"The metric {metric.name!r} is Aeon's own, which records it.",
                rule="builtin_stays",
                next_step="Give it fewer retentionDays, if it takes too much room.",
            )
        work = _deletes_with_values(id_) if cascade else write_one(queries.DELETE_METRIC, {"id": id_})
        try:
            self._committed(self._expecting(work, asked), metric, asked, _deed("delete", metric, request))
        except GuardError:
            raise self._why_not_removed(id_) from None

    def _why_not_removed(self, id_: str) -> PlatformError:
        name = self.get(id_).name
        return ReferencedError(
            f"The metric {name!r} has values, which would go with it.",
            by=["its values"],
            next_step="Delete it with its values (cascade), or leave it.",
        )

    def _expecting(self, work: Callable[[UnitOfWork], None], mutation: Mutation) -> Callable[[UnitOfWork], None]:
        def version(unit: UnitOfWork) -> int | None:
            rows = unit.read(queries.METRIC, {"id": mutation.target})
            return rows[0]["version"] if rows else None

        return mutation.expecting(version, work)

    def _committed(
        self, work: Callable[[UnitOfWork], None], metric: MetricDefinition, mutation: Mutation, deed: AuditAction
    ) -> MetricDefinition:
        try:
            made = self._ledger.commit(work, mutation, [deed], metric.as_dict())
            return MetricDefinition.model_validate(made)
        except DuplicateError:
            raise RuleError(
                f"There is a metric {metric.name!r} of a {metric.scope} already, or one whose name differs from it in "
                "nothing but points and underscores.",
                rule="name_unique",
                field="$.name",
                next_step="Choose another name, or change the one that is there.",
            ) from None


def _row(metric: MetricDefinition) -> JsonObject:
    return {**metric.as_row(), "exposed_as": prometheus_name(metric.scope, metric.name)}


def _deletes_with_values(id_: str) -> Callable[[UnitOfWork], None]:
    def work(unit: UnitOfWork) -> None:
        unit.read(queries.LOCK_METRIC, {"id": id_})
        unit.write(queries.DELETE_VALUES, {"id": id_})
        write_one(queries.DELETE_METRIC, {"id": id_})(unit)

    return work


def _deed(verb: str, metric: MetricDefinition, request: MutationRequest, **details: Json) -> AuditAction:
    said: JsonObject = {"name": metric.name, "scope": metric.scope, **details}
    return AuditAction(f"metric.{verb}", metric.id, request.user, DEFAULTS_OWNER, said)


def _changed(before: MetricDefinition, after: MetricDefinition, request: MutationRequest) -> AuditAction:
    old, new = before.as_dict(), after.as_dict()
    fields: list[Json] = [name for name in new if new[name] != old[name] and name not in _OF_EVERY_CHANGE]
    return _deed("change", after, request, fields=fields)

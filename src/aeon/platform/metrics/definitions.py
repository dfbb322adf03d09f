"""The definitions of metrics: the same for everybody to see, an administrator's to change."""

from collections.abc import Callable

from aeon.base.json import Json, JsonObject
from aeon.platform.audit import Deed
from aeon.platform.catalog.shelf import DEFAULTS_OWNER
from aeon.platform.errors import ConflictError, NotFoundError, PlatformError, ReferencedError, RuleError
from aeon.platform.graph import DuplicateError, GraphStore, GuardError, Row
from aeon.platform.ledger import Ledger, Request
from aeon.platform.metrics import queries
from aeon.platform.metrics.builtin import is_builtin
from aeon.platform.metrics.model import MetricChange, MetricDefinition, NewMetric, Scope
from aeon.platform.metrics.names import name_key
from aeon.platform.metrics.rules import check_admin, check_aggregation

_OF_EVERY_CHANGE = ("version", "updatedAt")


class Definitions:
    """The metrics of one graph. They are nobody's own: in the audit trail they belong to the user `aeon`."""

    def __init__(self, store: GraphStore, ledger: Ledger, new_id: Callable[[], str]) -> None:
        self._store = store
        self._ledger = ledger
        self._new_id = new_id

    def all(self) -> list[MetricDefinition]:
        """Every metric, by scope and name."""
        found = [_read(row) for row in self._store.read(queries.METRICS)]
        return sorted(found, key=lambda metric: (metric.scope, metric.name))

    def get(self, id_: str) -> MetricDefinition:
        """The metric with that id. Raises NotFoundError."""
        found = self._store.read(queries.METRIC, {"id": id_})
        if not found:
            raise NotFoundError(f"There is no metric with the id {id_!r}.", next_step="See `aeon metrics`.")
        return _read(found[0])

    def find(self, name: str, scope: Scope | None = None) -> MetricDefinition:
        """The metric of that name, or with that id. Raises NotFoundError, RuleError where the scope must be said."""
        found = [metric for metric in self.all() if metric.name == name and scope in (None, metric.scope)]
        if len(found) > 1:
            raise RuleError(
                f"There is a metric {name!r} of a {', of a '.join(metric.scope for metric in found)}.",
                rule="scope_said",
                field="$.scope",
                next_step="Say which with its scope.",
            )
        return found[0] if found else self.get(name)

    def add(self, new: NewMetric, request: Request, *, is_admin: bool, id_: str | None = None) -> MetricDefinition:
        """Define a metric; `id_` is for what Aeon ships. Raises ForbiddenError, RuleError."""
        check_admin(is_admin=is_admin)
        check_aggregation(new.aggregation, new.data_type)
        if (earlier := self._ledger.answer(request)) is not None:
            return MetricDefinition.model_validate(earlier)
        at = self._ledger.now()
        metric = MetricDefinition.model_validate(
            new.as_dict() | {"id": id_ or self._new_id(), "createdAt": at, "updatedAt": at}
        )
        params: JsonObject = {"properties": _properties(metric)}
        return self._committed(queries.CREATE_METRIC, metric, request, params, _deed("create", metric, request))

    def change(self, id_: str, change: MetricChange, request: Request, *, is_admin: bool) -> MetricDefinition:
        """Change a metric; its scope and the type of its values never do.

        Raises NotFoundError, ForbiddenError, RuleError, ConflictError.
        """
        check_admin(is_admin=is_admin)
        if (earlier := self._ledger.answer(request)) is not None:
            return MetricDefinition.model_validate(earlier)
        before = self.get(id_)
        said = change.asked() | {"version": before.version + 1, "updatedAt": self._ledger.now()}
        after = MetricDefinition.model_validate({**before.as_dict(), **said})
        check_aggregation(after.aggregation, after.data_type)
        params: JsonObject = {"version": before.version, "properties": _properties(after)}
        try:
            return self._committed(queries.CHANGE_METRIC, after, request, params, _changed(before, after, request))
        except GuardError:
            raise ConflictError(f"The metric {self.get(id_).name!r} was changed in the meantime.") from None

    def remove(self, id_: str, request: Request, *, is_admin: bool, cascade: bool = False) -> None:
        """Delete a metric, with all its values where `cascade` says so.

        Raises NotFoundError, ForbiddenError, RuleError for one that Aeon records itself, ReferencedError while it has
        values and none are to go with it.
        """
        check_admin(is_admin=is_admin)
        if self._ledger.answer(request) is not None:
            return
        metric = self.get(id_)
        if is_builtin(id_):
            raise RuleError(
                f"The metric {metric.name!r} is Aeon's own, which records it.",
                rule="builtin_stays",
                next_step="Give it fewer retentionDays, if it takes too much room.",
            )
        deed = _deed("delete", metric, request)
        try:
            self._committed(queries.DELETE_METRIC, metric, request, {"cascade": cascade}, deed)
        except GuardError:
            raise self._why_not_removed(id_) from None

    def _why_not_removed(self, id_: str) -> PlatformError:
        name = self.get(id_).name
        return ReferencedError(
            f"The metric {name!r} has values, which would go with it.",
            by=["its values"],
            next_step="Delete it with its values (cascade), or leave it.",
        )

    def _committed(
        self, query: str, metric: MetricDefinition, request: Request, params: JsonObject, deed: Deed
    ) -> MetricDefinition:
        try:
            made = self._ledger.commit(query, {"id": metric.id, **params}, request, [deed], metric.as_dict())
            return MetricDefinition.model_validate(made)
        except DuplicateError:
            raise RuleError(
                f"There is a metric {metric.name!r} of a {metric.scope} already, or one whose name differs from it in "
                "nothing but points and underscores.",
                rule="name_unique",
                field="$.name",
                next_step="Choose another name, or change the one that is there.",
            ) from None


def _read(row: Row) -> MetricDefinition:
    return MetricDefinition.from_node(row["metric"])


def _properties(metric: MetricDefinition) -> JsonObject:
    return {**metric.as_properties(), "nameKey": name_key(metric.scope, metric.name)}


def _deed(verb: str, metric: MetricDefinition, request: Request, **details: Json) -> Deed:
    said: JsonObject = {"name": metric.name, "scope": metric.scope, **details}
    return Deed(f"metric.{verb}", metric.id, request.user, DEFAULTS_OWNER, said)


def _changed(before: MetricDefinition, after: MetricDefinition, request: Request) -> Deed:
    old, new = before.as_dict(), after.as_dict()
    fields: list[Json] = [name for name in new if new[name] != old[name] and name not in _OF_EVERY_CHANGE]
    return _deed("change", after, request, fields=fields)

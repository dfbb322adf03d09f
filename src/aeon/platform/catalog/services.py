"""The repository of services: create, with or without a template, change, share and delete."""

from collections.abc import Callable

from aeon.base.json import JsonObject, parse_strict
from aeon.base.json_schema import compile_schema
from aeon.platform.catalog import queries
from aeon.platform.catalog.model import NewService, Service, ServiceChange, ServiceTemplate, health_of_new
from aeon.platform.catalog.repository import (
    EntityQueries,
    EntityRepository,
    EntityUse,
    apply_change,
    audit_change,
    parse_use,
    update_row,
)
from aeon.platform.catalog.rules import check_connection_schema, check_service
from aeon.platform.catalog.templates import refuse_archived
from aeon.platform.ledger import AuditAction, Ledger, MutationRequest
from aeon.platform.store import Row, Store, UnitOfWork, write_one

QUERIES = EntityQueries(
    queries.SERVICE,
    queries.SERVICE_NAMED,
    queries.OWN_SERVICES,
    queries.SHARED_SERVICES,
    queries.VISIBLE_SERVICES,
    queries.USERS_OF_SERVICE,
)


_MAX_TOOLS = 1000
"""The maximum number of a service's tools that are checked when its connection schema changes."""


class ServiceRepository(EntityRepository[Service]):
    """The services of all users, as far as the caller may see them."""

    kind = "service"
    list_step = "catalog.list_services"

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        super().__init__(store, ledger, Service.from_row, QUERIES)
        self._ledger = ledger
        self._new_id = new_id

    def add(self, new: NewService, request: MutationRequest, template: ServiceTemplate | None = None) -> Service:
        """Creates a service for the caller; a template is recorded only as its origin.

        Raises RuleError (platform 1), also for a name that the caller already uses.
        """
        check_service(new)
        refuse_archived(template)
        at = self._ledger.now()
        service = Service.model_validate(
            new.as_dict()
            | {"id": self._new_id(), "ownerId": request.user, "createdAt": at, "updatedAt": at}
            | health_of_new(new.connection_schema)
            | {"serviceTemplateId": template.id if template else None}
        )
        mutation = request.mutation(
            "service.create", parameters={**new.as_dict(), "template": template and template.id}
        )
        return self.create(write_one(queries.CREATE_SERVICE, service.as_row()), service, mutation)

    def change(self, id_: str, change: ServiceChange, request: MutationRequest) -> Service:
        """Changes the caller's service. Its type, protocol and need of a secret never change.

        Tools that are incompatible with its new connection schema are down at once, and their owners' audit logs say
        since when.
        Raises NotFoundError, ForbiddenError, RuleError, ConflictError.
        """
        before = self.get_own(request.user, id_)
        changes = change.requested_fields()
        if change.connection_schema is not None:
            check_connection_schema(change.connection_schema, before.protocol)
            changes["schemaVersion"] = before.schema_version + 1
        if change.enabled is False:
            changes |= {"status": "down", "errorMessage": "It is disabled."}
        elif change.enabled and not before.enabled:
            changes |= {"status": "degraded", "errorMessage": "It was not checked since it was enabled."}
        after = apply_change(before, changes, self._ledger.now())
        incompatible = (
            []
            if change.connection_schema is None
            else self._incompatible_rows(request.user, id_, after.connection_schema)
        )
        actions = [*audit_change(before, after, request.user), *_audit_incompatible(after, incompatible)]
        write_service = write_one(queries.CHANGE_SERVICE, update_row(before, after))

        def work(unit: UnitOfWork) -> None:
            write_service(unit)
            for row in incompatible:
                note: JsonObject = {"id": row["id"], "why": _incompatibility(after), "at": after.updated_at}
                unit.write(queries.NOTE_INCOMPATIBLE_TOOL, note)

        return self.replace(work, after, request.mutation("service.change", id_, change.requested_fields()), actions)

    def find_incompatible_tools(self, user: str, id_: str, schema: JsonObject) -> list[EntityUse]:
        """Returns all users' enabled tools on the user's own service that would not fit that schema."""
        self.get_own(user, id_)
        return [parse_use(row, is_owner=True) for row in self._incompatible_rows(user, id_, schema)]

    def _incompatible_rows(self, user: str, id_: str, schema: JsonObject) -> list[Row]:
        check = compile_schema(schema, asserts_formats=True)
        params: JsonObject = {"user": user, "id": id_, "limit": _MAX_TOOLS}
        rows = self._store.read(queries.CONNECTIONS_OF_SERVICE, params)
        return [row for row in rows if not check.is_valid(parse_strict(row["connection_params"]))]

    def remove(self, id_: str, request: MutationRequest) -> None:
        """Deletes the caller's service. Raises ReferencedError while a tool uses it."""
        self.delete(queries.DELETE_SERVICE, request.mutation("service.delete", id_))


def _incompatibility(service: Service) -> str:
    return f"Its connectionParams do not fit what the service {service.name!r} asks for since it was changed."


def _audit_incompatible(service: Service, incompatible: list[Row]) -> list[AuditAction]:
    """Returns the effect on other users' tools, for both audit logs, without their names (platform 2, 19)."""
    details: JsonObject = {"service": service.name}
    others = [row for row in incompatible if row["owner_id"] != service.owner_id]
    return [AuditAction("tool.outgrow", row["id"], service.owner_id, row["owner_id"], details) for row in others]

"""Blueprints of services and tools: their structure never changes, and what was made from them needs them no more."""

from collections.abc import Callable

from aeon.base.json import JsonObject
from aeon.platform.catalog import queries
from aeon.platform.catalog.model import (
    EntityKind,
    NewServiceTemplate,
    NewToolTemplate,
    ServiceTemplate,
    TemplateChange,
    ToolTemplate,
)
from aeon.platform.catalog.repository import EntityQueries, EntityRepository, apply_change, audit_change, update_row
from aeon.platform.catalog.rules import check_service, check_tool
from aeon.platform.errors import RuleError
from aeon.platform.ledger import Ledger, MutationRequest
from aeon.platform.records import Record
from aeon.platform.store import Store, write_one

SERVICE_QUERIES = EntityQueries(
    queries.SERVICE_TEMPLATE,
    queries.SERVICE_TEMPLATE_NAMED,
    queries.OWN_SERVICE_TEMPLATES,
    queries.SHARED_SERVICE_TEMPLATES,
    queries.MADE_FROM_SERVICE_TEMPLATE,
)
TOOL_QUERIES = EntityQueries(
    queries.TOOL_TEMPLATE,
    queries.TOOL_TEMPLATE_NAMED,
    queries.OWN_TOOL_TEMPLATES,
    queries.SHARED_TOOL_TEMPLATES,
    queries.MADE_FROM_TOOL_TEMPLATE,
)


_STRUCTURE = {
    "serviceTemplate": ("type", "protocol", "connectionSchema", "requiresSecret", "limits"),
    "toolTemplate": ("operation", "inputSchema", "outputSchema"),
}
"""What is copied of a template, and is the copy's own from then on."""

_MAY_DIFFER = frozenset({"limits"})
"""What may be said of the copy itself, and then counts: the same kind of service takes here more, there less."""


def structure_of(kind: EntityKind, template: Record, own: JsonObject) -> JsonObject:
    """What a template, or one that is to be made, gives to what is made from it; `own` is the rest of that."""
    fields = template.as_dict()
    return {name: fields[name] for name in _STRUCTURE[kind] if not (name in _MAY_DIFFER and name in own)}


def refuse_archived(template: ServiceTemplate | ToolTemplate | None) -> None:
    """Raises RuleError for a template that was put away: nothing new is made from it."""
    if template is not None and template.archived:
        raise RuleError(
            f"The template {template.name!r} is archived.",
            rule="archived",
            field="$.template",
            next_step=f"Use another one, or have it restored: `aeon catalog restore {template.kind} {template.name}`.",
        )


class ServiceTemplateRepository(EntityRepository[ServiceTemplate]):
    """The blueprints of services, each as its caller may see them."""

    kind = "serviceTemplate"

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        super().__init__(store, ledger, ServiceTemplate.from_row, SERVICE_QUERIES)
        self._ledger = ledger
        self._new_id = new_id

    def add(self, new: NewServiceTemplate, request: MutationRequest) -> ServiceTemplate:
        """Create a blueprint for the caller. Raises RuleError (platform 1)."""
        check_service(new)
        at = self._ledger.now()
        template = ServiceTemplate.model_validate(new.as_dict() | _identity(self._new_id(), request.user, at))
        work = write_one(queries.CREATE_SERVICE_TEMPLATE, template.as_row())
        return self.create(work, template, request.mutation("serviceTemplate.create", parameters=new.as_dict()))

    def change(self, id_: str, change: TemplateChange, request: MutationRequest) -> ServiceTemplate:
        """Rename, describe, share, archive or restore the caller's blueprint."""
        before = self.get_own(request.user, id_)
        after = apply_change(before, change.requested_fields(), self._ledger.now())
        deeds = audit_change(before, after, request.user)
        work = write_one(queries.CHANGE_SERVICE_TEMPLATE, update_row(before, after))
        return self.replace(
            work, after, request.mutation("serviceTemplate.change", id_, change.requested_fields()), deeds
        )

    def remove(self, id_: str, request: MutationRequest) -> None:
        """Delete the caller's blueprint, whatever was made from it."""
        self.delete(queries.DELETE_SERVICE_TEMPLATE, request.mutation("serviceTemplate.delete", id_))


class ToolTemplateRepository(EntityRepository[ToolTemplate]):
    """The blueprints of tools, each as its caller may see them."""

    kind = "toolTemplate"

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        super().__init__(store, ledger, ToolTemplate.from_row, TOOL_QUERIES)
        self._ledger = ledger
        self._new_id = new_id

    def add(self, new: NewToolTemplate, request: MutationRequest) -> ToolTemplate:
        """Create a blueprint for the caller. Raises RuleError for schemas and variables that do not fit."""
        check_tool(new)
        at = self._ledger.now()
        template = ToolTemplate.model_validate(new.as_dict() | _identity(self._new_id(), request.user, at))
        work = write_one(queries.CREATE_TOOL_TEMPLATE, template.as_row())
        return self.create(work, template, request.mutation("toolTemplate.create", parameters=new.as_dict()))

    def change(self, id_: str, change: TemplateChange, request: MutationRequest) -> ToolTemplate:
        """Rename, describe, share, archive or restore the caller's blueprint."""
        before = self.get_own(request.user, id_)
        after = apply_change(before, change.requested_fields(), self._ledger.now())
        deeds = audit_change(before, after, request.user)
        work = write_one(queries.CHANGE_TOOL_TEMPLATE, update_row(before, after))
        return self.replace(work, after, request.mutation("toolTemplate.change", id_, change.requested_fields()), deeds)

    def remove(self, id_: str, request: MutationRequest) -> None:
        """Delete the caller's blueprint, whatever was made from it."""
        self.delete(queries.DELETE_TOOL_TEMPLATE, request.mutation("toolTemplate.delete", id_))


def _identity(id_: str, owner: str, at: str) -> JsonObject:
    return {"id": id_, "ownerId": owner, "createdAt": at, "updatedAt": at}

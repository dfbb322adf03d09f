"""Templates of services and tools.

Their structure never changes, and what was created from them is independent.
"""

from collections.abc import Callable

from aeon.base.json import JsonObject
from aeon.base.next_steps import NextStep
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
    queries.VISIBLE_SERVICE_TEMPLATES,
    queries.MADE_FROM_SERVICE_TEMPLATE,
)
TOOL_QUERIES = EntityQueries(
    queries.TOOL_TEMPLATE,
    queries.TOOL_TEMPLATE_NAMED,
    queries.OWN_TOOL_TEMPLATES,
    queries.SHARED_TOOL_TEMPLATES,
    queries.VISIBLE_TOOL_TEMPLATES,
    queries.MADE_FROM_TOOL_TEMPLATE,
)


_STRUCTURE = {
    "serviceTemplate": ("type", "protocol", "connectionSchema", "requiresSecret", "limits"),
    "toolTemplate": ("operation", "inputSchema", "outputSchema"),
}
"""The fields that are copied from a template; afterwards they belong to the copy."""

_OVERRIDABLE = frozenset({"limits"})
"""Fields that a copy may override: one kind of service may have different limits in different places."""


def structure_of(kind: EntityKind, template: Record, own: JsonObject) -> JsonObject:
    """Returns the fields that a template gives to a copy.

    `own` contains the copy's other fields. The template may be stored or new.
    """
    fields = template.as_dict()
    return {name: fields[name] for name in _STRUCTURE[kind] if not (name in _OVERRIDABLE and name in own)}


def refuse_archived(template: ServiceTemplate | ToolTemplate | None) -> None:
    """Raises RuleError for an archived template: nothing new is created from it."""
    if template is not None and template.archived:
        raise RuleError(
            f"The template {template.name!r} is archived.",
            rule="archived",
            field="$.template",
            next_step=NextStep("templates.restore_service", name=template.name)
            if template.kind == "serviceTemplate"
            else NextStep("templates.restore_tool", name=template.name),
        )


class ServiceTemplateRepository(EntityRepository[ServiceTemplate]):
    """The templates of services, as far as the caller may see them."""

    kind = "serviceTemplate"

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        super().__init__(store, ledger, ServiceTemplate.from_row, SERVICE_QUERIES)
        self._ledger = ledger
        self._new_id = new_id

    def add(self, new: NewServiceTemplate, request: MutationRequest) -> ServiceTemplate:
        """Creates a template for the caller. Raises RuleError (platform 1)."""
        check_service(new)
        at = self._ledger.now()
        template = ServiceTemplate.model_validate(new.as_dict() | _identity(self._new_id(), request.user, at))
        work = write_one(queries.CREATE_SERVICE_TEMPLATE, template.as_row())
        return self.create(work, template, request.mutation("serviceTemplate.create", parameters=new.as_dict()))

    def change(self, id_: str, change: TemplateChange, request: MutationRequest) -> ServiceTemplate:
        """Renames, describes, shares, archives or restores the caller's template."""
        before = self.get_own(request.user, id_)
        after = apply_change(before, change.requested_fields(), self._ledger.now())
        actions = audit_change(before, after, request.user)
        work = write_one(queries.CHANGE_SERVICE_TEMPLATE, update_row(before, after))
        mutation = request.mutation("serviceTemplate.change", id_, change.requested_fields())
        return self.replace(work, after, mutation, actions)

    def remove(self, id_: str, request: MutationRequest) -> None:
        """Deletes the caller's template, even if something was created from it."""
        self.delete(queries.DELETE_SERVICE_TEMPLATE, request.mutation("serviceTemplate.delete", id_))


class ToolTemplateRepository(EntityRepository[ToolTemplate]):
    """The templates of tools, as far as the caller may see them."""

    kind = "toolTemplate"

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        super().__init__(store, ledger, ToolTemplate.from_row, TOOL_QUERIES)
        self._ledger = ledger
        self._new_id = new_id

    def add(self, new: NewToolTemplate, request: MutationRequest) -> ToolTemplate:
        """Creates a template for the caller.

        Raises RuleError for schemas and variables that do not fit.
        """
        check_tool(new)
        at = self._ledger.now()
        template = ToolTemplate.model_validate(new.as_dict() | _identity(self._new_id(), request.user, at))
        work = write_one(queries.CREATE_TOOL_TEMPLATE, template.as_row())
        return self.create(work, template, request.mutation("toolTemplate.create", parameters=new.as_dict()))

    def change(self, id_: str, change: TemplateChange, request: MutationRequest) -> ToolTemplate:
        """Renames, describes, shares, archives or restores the caller's template."""
        before = self.get_own(request.user, id_)
        after = apply_change(before, change.requested_fields(), self._ledger.now())
        actions = audit_change(before, after, request.user)
        work = write_one(queries.CHANGE_TOOL_TEMPLATE, update_row(before, after))
        mutation = request.mutation("toolTemplate.change", id_, change.requested_fields())
        return self.replace(work, after, mutation, actions)

    def remove(self, id_: str, request: MutationRequest) -> None:
        """Deletes the caller's template, even if something was created from it."""
        self.delete(queries.DELETE_TOOL_TEMPLATE, request.mutation("toolTemplate.delete", id_))


def _identity(id_: str, owner: str, at: str) -> JsonObject:
    return {"id": id_, "ownerId": owner, "createdAt": at, "updatedAt": at}

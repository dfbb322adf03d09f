"""Services: created, from a template or not, changed, shared, deleted."""

from collections.abc import Callable

from aeon.base.json import JsonObject, parse_strict
from aeon.base.json_schema import schema_check
from aeon.platform.audit import Deed
from aeon.platform.catalog import queries
from aeon.platform.catalog.model import UNCHECKED, NewService, Service, ServiceChange, ServiceTemplate
from aeon.platform.catalog.rules import check_connection_schema, check_service
from aeon.platform.catalog.shelf import KindQueries, Shelf, Use, use_of
from aeon.platform.catalog.stored import change_deeds, changed, changed_row
from aeon.platform.catalog.templates import refuse_archived
from aeon.platform.ledger import Ledger, Request
from aeon.platform.store import Row, Store, Unit, writes_one

QUERIES = KindQueries(
    queries.SERVICE,
    queries.SERVICE_NAMED,
    queries.OWN_SERVICES,
    queries.SHARED_SERVICES,
    queries.USERS_OF_SERVICE,
)


_MOST_TOOLS = 1000
"""Of those on a service, how many are looked at when what it asks for changes."""


class Services(Shelf[Service]):
    """The services of all users, each as its caller may see them."""

    kind = "service"

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        super().__init__(store, ledger, Service.from_row, QUERIES)
        self._ledger = ledger
        self._new_id = new_id

    def add(self, new: NewService, request: Request, template: ServiceTemplate | None = None) -> Service:
        """Create a service for the caller; the template it was made from stays as provenance only.

        Raises RuleError (platform 1), also for a name that the caller has given to another.
        """
        check_service(new)
        refuse_archived(template)
        at = self._ledger.now()
        service = Service.model_validate(
            new.as_dict()
            | {"id": self._new_id(), "ownerId": request.user, "createdAt": at, "updatedAt": at}
            | {"errorMessage": UNCHECKED}
            | {"serviceTemplateId": template.id if template else None}
        )
        asked = request.to("service.create", parameters={**new.as_dict(), "template": template and template.id})
        return self.create(writes_one(queries.CREATE_SERVICE, service.as_row()), service, asked)

    def change(self, id_: str, change: ServiceChange, request: Request) -> Service:
        """Change the caller's service. Its type, protocol and need of a secret never do.

        Tools that do not fit what it asks for from now on are down at once, and their owners' trails say since when.
        Raises NotFoundError, ForbiddenError, RuleError, ConflictError.
        """
        before = self.own(request.user, id_)
        asked = change.asked()
        if change.connection_schema is not None:
            check_connection_schema(change.connection_schema, before.protocol)
            asked["schemaVersion"] = before.schema_version + 1
        if change.enabled is False:
            asked |= {"status": "down", "errorMessage": "It is disabled."}
        elif change.enabled and not before.enabled:
            asked |= {"status": "degraded", "errorMessage": "It was not checked since it was enabled."}
        after = changed(before, asked, self._ledger.now())
        outgrown = (
            [] if change.connection_schema is None else self._outgrown(request.user, id_, after.connection_schema)
        )
        deeds = [*change_deeds(before, after, request.user), *_outgrowing(after, outgrown)]
        writes_service = writes_one(queries.CHANGE_SERVICE, changed_row(before, after))

        def work(unit: Unit) -> None:
            writes_service(unit)
            for row in outgrown:
                unit.write(queries.NOTE_OUTGROWN, {"id": row["id"], "why": _misfit(after), "at": after.updated_at})

        return self.replace(work, after, request.to("service.change", id_, change.asked()), deeds)

    def outgrown(self, user: str, id_: str, schema: JsonObject) -> list[Use]:
        """The enabled tools on the user's own service whose connection would not fit that schema, whoever owns them."""
        self.own(user, id_)
        return [use_of(row, is_owner=True) for row in self._outgrown(user, id_, schema)]

    def _outgrown(self, user: str, id_: str, schema: JsonObject) -> list[Row]:
        check = schema_check(schema, asserts_formats=True)
        given: JsonObject = {"user": user, "id": id_, "limit": _MOST_TOOLS}
        rows = self._store.read(queries.CONNECTIONS_OF_SERVICE, given)
        return [row for row in rows if not check.is_valid(parse_strict(row["connection_params"]))]

    def remove(self, id_: str, request: Request) -> None:
        """Delete the caller's service. Raises ReferencedError while a tool uses it."""
        self.delete(queries.DELETE_SERVICE, request.to("service.delete", id_))


def _misfit(service: Service) -> str:
    return f"Its connectionParams do not fit what the service {service.name!r} asks for since it was changed."


def _outgrowing(service: Service, outgrown: list[Row]) -> list[Deed]:
    """What a change does to others' tools, for both trails; their names are their owners' (platform 2, 19)."""
    details: JsonObject = {"service": service.name}
    others = [row for row in outgrown if row["owner_id"] != service.owner_id]
    return [Deed("tool.outgrow", row["id"], service.owner_id, row["owner_id"], details) for row in others]

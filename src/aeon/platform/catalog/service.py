"""The catalog of one record: all kinds of things that users define and share."""

from collections.abc import Callable
from uuid import uuid4

from aeon.base.clock import Clock, SystemClock
from aeon.base.json import JsonObject
from aeon.platform.catalog.model import NewService, NewTool, Service, Tool
from aeon.platform.catalog.secrets import SecretRepository
from aeon.platform.catalog.services import ServiceRepository
from aeon.platform.catalog.templates import ServiceTemplateRepository, ToolTemplateRepository, structure_of
from aeon.platform.catalog.tools import ToolRepository
from aeon.platform.ledger import Ledger, MutationRequest
from aeon.platform.store import Store
from aeon.platform.vault import Vault


def _new_id() -> str:
    return str(uuid4())


class Catalog:
    """Services, secrets, tools and templates of all users in one record. Threads may share it."""

    def __init__(
        self,
        store: Store,
        vault: Vault,
        *,
        clock: Clock | None = None,
        new_id: Callable[[], str] = _new_id,
    ) -> None:
        self.new_id = new_id
        self._vault = vault
        self._clock = clock or SystemClock()
        self.ledger = Ledger(store, self._clock)
        self.services = ServiceRepository(store, self.ledger, new_id)
        self.secrets = SecretRepository(store, self.ledger, vault, new_id)
        self.tools = ToolRepository(store, self.ledger, self.services, self.secrets, new_id)
        self.service_templates = ServiceTemplateRepository(store, self.ledger, new_id)
        self.tool_templates = ToolTemplateRepository(store, self.ledger, new_id)

    def on(self, store: Store) -> "Catalog":
        """The same catalog on another view of its record: within a unit of work, see `UnitStore`."""
        return Catalog(store, self._vault, clock=self._clock, new_id=self.new_id)

    def add_user(self, user: str) -> bool:
        """Adds a user, who can then own things, if they do not exist; returns whether they are new."""
        return self.ledger.ensure_user(user)

    def service_from(self, template_id: str, own: JsonObject, request: MutationRequest) -> Service:
        """Creates a service with a copy of a template's structure and the `own` fields."""
        template = self.service_templates.get(request.user, template_id)
        new = NewService.parsed({**own, **structure_of(template.kind, template, own)})
        return self.services.add(new, request, template)

    def tool_from(self, template_id: str, own: JsonObject, request: MutationRequest) -> Tool:
        """Creates a tool with a copy of a template's operation and schemas and the `own` fields."""
        template = self.tool_templates.get(request.user, template_id)
        new = NewTool.parsed({**own, **structure_of(template.kind, template, own)})
        return self.tools.add(new, request, template)

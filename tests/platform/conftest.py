"""A catalog on real stores, FalkorDB without persistence and Neo4j, and users of each test's own."""

from itertools import count

import pytest

from aeon.adapters.graph import memory, open_neo4j
from aeon.platform.catalog.catalog import Catalog
from aeon.platform.catalog.model import NewSecret, NewService, NewServiceTemplate, NewTool, NewToolTemplate
from aeon.platform.ledger import Request
from aeon.testing.clock import FakeClock
from aeon.testing.vault import InMemoryVault

_NUMBERS = count()

ENDPOINT = {"type": "object", "required": ["endpoint"], "properties": {"endpoint": {"type": "string"}}}
SERVICE = {"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": ENDPOINT}
TOOL = {
    "name": "get",
    "connectionParams": {"endpoint": "http://127.0.0.1"},
    "operation": {"type": "rest_request", "path": "/{id}"},
    "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
}


@pytest.fixture(
    scope="session",
    params=["memory", pytest.param("neo4j", marks=[pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(600)])],
)
def store(request):
    graph = memory() if request.param == "memory" else emptied(request.getfixturevalue("neo4j_server"))
    yield graph
    graph.close()


def emptied(server):
    server.empty()
    return open_neo4j(server.address, lambda: server.password)


class World:
    """A catalog with short ways to make things in it. Names of users are this world's own."""

    def __init__(self, store):
        self.clock = FakeClock()
        self.vault = InMemoryVault(self.clock)
        self.catalog = Catalog(store, self.vault, clock=self.clock)
        self.store = store
        self._number = next(_NUMBERS)

    def user(self, name):
        user = f"{name}-{self._number}"
        self.catalog.add_user(user)
        return user

    def service(self, user, **fields):
        return self.catalog.services.add(NewService.parsed({**SERVICE, **fields}), Request(user))

    def secret(self, user, name="key", value="s3cret", **fields):
        new = NewSecret.parsed({"name": name, "type": "api_key", "value": {"key": value}, **fields})
        return self.catalog.secrets.add(new, Request(user))

    def tool(self, user, service, **fields):
        return self.catalog.tools.add(NewTool.parsed({**TOOL, "serviceId": service.id, **fields}), Request(user))

    def service_template(self, user, **fields):
        new = NewServiceTemplate.parsed({**SERVICE, "name": "blueprint", **fields})
        return self.catalog.service_templates.add(new, Request(user))

    def tool_template(self, user, **fields):
        structure = {"operation": TOOL["operation"], "inputSchema": TOOL["inputSchema"]}
        new = NewToolTemplate.parsed({"name": "blueprint", **structure, **fields})
        return self.catalog.tool_templates.add(new, Request(user))


@pytest.fixture
def world(store):
    return World(store)

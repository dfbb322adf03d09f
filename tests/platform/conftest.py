"""A catalog on real stores, FalkorDB without persistence and Neo4j, and users of each test's own."""

import re
from itertools import count

import pytest

from aeon.adapters.graph import memory, open_neo4j
from aeon.adapters.graph.neo4j.store import Neo4jGraph
from aeon.platform import queries as common
from aeon.platform.catalog import queries as catalog
from aeon.platform.catalog.catalog import Catalog
from aeon.platform.catalog.model import NewSecret, NewService, NewServiceTemplate, NewTool, NewToolTemplate
from aeon.platform.ledger import Request
from aeon.platform.metrics import queries as metrics
from aeon.platform.processes import queries as processes
from aeon.platform.processes.runs import queries as runs
from aeon.platform.processes.schedules import queries as schedules
from aeon.platform.workers.cache import queries as cache
from aeon.platform.workers.limits import queries as limits
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


_EACH = 200
"""Things of each kind while plans are looked at: Neo4j looks through an index that its statistics call next to empty."""

_ADD = "UNWIND range(1, $each) AS n CREATE (x:{label}) SET {values}, x.isStuffing = true"
_REMOVE = "MATCH (x:{label}) WHERE x.isStuffing = true DELETE x"
_OF_AN_INDEX = re.compile("(Node|Edge) By Index Scan")
"""How FalkorDB calls a search in an index."""


class Plans:
    """How a store would go about queries, with enough in it that it matters."""

    def __init__(self, store):
        self._store = store

    def is_by_index(self, query, params):
        """Whether no part of it looks through all things of a kind; its plan."""
        plan = self._store.explain(query, params)
        return "Scan" not in _OF_AN_INDEX.sub("", plan), plan


@pytest.fixture(scope="module")
def plans(store, request):
    """Plans of the store that the tests share, which has what it had before when the module has ended."""
    kinds = {}
    for room in (common, catalog, metrics, processes, runs, schedules, cache, limits):
        store.ensure(room.SCHEMA)
        for label, name in (*room.SCHEMA.unique, *room.SCHEMA.indexed):
            kinds.setdefault(label, set()).add(name)
    for label, names in kinds.items():
        values = ", ".join(f'x.{name} = "stuffing " + n' for name in sorted(names))
        store.write(_ADD.format(label=label, values=values), {"each": _EACH})
    if isinstance(store, Neo4jGraph):
        _count_again(request.getfixturevalue("neo4j_server"))
    yield Plans(store)
    for label in kinds:
        store.write(_REMOVE.format(label=label), {})


def _count_again(server):
    """Have Neo4j plan by what is there now."""
    with server.driver() as driver:
        driver.execute_query("CALL db.prepareForReplanning(120)", database_="neo4j")

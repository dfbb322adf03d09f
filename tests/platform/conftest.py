"""A catalog on real stores, SQLite and PostgreSQL, and users of each test's own."""

import re
from itertools import count

import pytest

from aeon.platform.catalog.model import NewSecret, NewService, NewServiceTemplate, NewTool, NewToolTemplate
from aeon.platform.catalog.service import Catalog
from aeon.platform.ledger import MutationRequest
from aeon.testing.clock import FakeClock
from aeon.testing.records import new_record
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
    params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.server, pytest.mark.slow])],
)
def new_store(request, tmp_path_factory):
    """Makes records of one kind, each empty, and closes them in the end."""
    made = []

    def new():
        made.append(
            new_record(tmp_path_factory.mktemp("record"))
            if request.param == "sqlite"
            else request.getfixturevalue("postgres_record")()
        )
        return made[-1]

    yield new
    for record in made:
        record.close()


@pytest.fixture(scope="session")
def store(new_store):
    """The record that most tests share."""
    return new_store()


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
        return self.catalog.services.add(NewService.parsed({**SERVICE, **fields}), MutationRequest(user))

    def secret(self, user, name="key", value="s3cret", **fields):
        new = NewSecret.parsed({"name": name, "type": "api_key", "value": {"key": value}, **fields})
        return self.catalog.secrets.add(new, MutationRequest(user))

    def tool(self, user, service, **fields):
        return self.catalog.tools.add(
            NewTool.parsed({**TOOL, "serviceId": service.id, **fields}), MutationRequest(user)
        )

    def service_template(self, user, **fields):
        new = NewServiceTemplate.parsed({**SERVICE, "name": "blueprint", **fields})
        return self.catalog.service_templates.add(new, MutationRequest(user))

    def tool_template(self, user, **fields):
        structure = {"operation": TOOL["operation"], "inputSchema": TOOL["inputSchema"]}
        new = NewToolTemplate.parsed({"name": "blueprint", **structure, **fields})
        return self.catalog.tool_templates.add(new, MutationRequest(user))


@pytest.fixture
def world(store):
    return World(store)


_SMALL = {
    *("executors", "workers", "metric_definitions", "consumers", "meta", "users", "search_newest", "CONSTANT"),
    "pieces",
}
"""What may be gone through: it does not grow with what users make. Pieces go when their answer ends."""

_SCAN = re.compile(r"SCAN (\w+)\b(?! VIRTUAL TABLE)(?: USING (?:COVERING )?INDEX (\w+))?")
"""The only virtual table is json_each, which is a parameter or one row's column."""

_DERIVED = re.compile(r"(?:MATERIALIZE|CO-ROUTINE) (\w+)")
"""What a query finds first, by the name that it gives it."""

_SEQ_SCAN = re.compile(r"Seq Scan on (\w+)")


class Plans:
    """How a store would go about queries."""

    def __init__(self, store):
        self._store = store
        self._partial = set()
        if store.dialect == "sqlite":
            partial = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %'"
            self._partial = {row["name"] for row in store.read(partial)}

    def is_by_index(self, query, params):
        """Whether no part of it goes through all rows of a table that grows; its plan."""
        plan = self._explained(query, params)
        if self._store.dialect == "sqlite":
            small = _SMALL | set(_DERIVED.findall(plan))
            found = [table for table, index in _SCAN.findall(plan) if table not in small and index not in self._partial]
        else:
            found = [table for table in _SEQ_SCAN.findall(plan) if table not in _SMALL]
        return not found, plan

    def _explained(self, query, params):
        if self._store.dialect == "sqlite":
            return self._store.explain(query, params)
        by_index = "SET LOCAL enable_seqscan = off"  # the tests' tables are too small for an index to pay
        text = getattr(query, "postgresql", query)

        def work(unit):
            unit.write(by_index)
            return "\n".join(str(row["QUERY PLAN"]) for row in unit.read(f"EXPLAIN {text}", params))

        return self._store.update(work)


@pytest.fixture(scope="module")
def plans(store):
    """Plans of the store that the tests share."""
    return Plans(store)

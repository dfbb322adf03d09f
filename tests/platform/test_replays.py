"""What every mutation wrote is read back from the engine's journal as it was, property by property."""

import os
import signal
from contextlib import suppress

import pytest

from aeon.adapters.graph import open_embedded
from aeon.platform.catalog.health import HealthChecks
from aeon.platform.catalog.model import SecretChange, ServiceChange, TemplateChange, ToolChange
from aeon.platform.catalog.usage import Usage
from aeon.platform.graph import GraphError
from aeon.platform.ledger import Request
from aeon.platform.processes.model import NewProcess, ProcessChange
from aeon.platform.processes.processes import Processes
from aeon.testing.graph.world import content_of

from .conftest import World
from .test_kills import engine_of

pytestmark = [pytest.mark.slow, pytest.mark.server]


class Twice:
    """A store that carries out each write and then once more: what may not happen twice is taken back every time.

    FalkorDB 4.22 wrote a wrong journal after a query that was taken back, where a later one set properties of a new
    node and of an old one in one SET.
    """

    def __init__(self, store):
        self._store = store

    def write(self, *arguments, **named):
        rows = self._store.write(*arguments, **named)
        with suppress(GraphError):
            self._store.write(*arguments, **named)
        return rows

    def __getattr__(self, name):
        return getattr(self._store, name)


class Never:
    def problem(self, _protocol, _connection, *, allow_private):
        return "it cannot be reached"


def processes(world, owner, guest):
    """Each kind of mutation of processes: of steps that call tools, other processes and their own."""
    kept = Processes(world.store, world.catalog)
    tool = world.tool(owner, world.service(owner, name="for steps"), name="called")

    def said(name, *calls, **fields):
        steps = [{"id": f"s{n}", "output": {"variable": f"v{n}"}, **call} for n, call in enumerate(calls)]
        return {"name": name, "steps": steps, **fields}

    again = {"process": "loop", "execution": {"condition": "true", "timeout": 9}, "dependsOn": ["s0"]}
    inputs = {"id": "1"}
    loop = NewProcess.parsed(said("loop", {"tool": tool.id, "inputs": inputs}, again, shared=True))
    inner = kept.add(loop, Request(owner, "process", {"b": 1}), "loop")
    outer = kept.add(NewProcess.parsed(said("outer", {"process": inner.id}, tokenBudget=9)), Request(guest))
    gone = kept.add(NewProcess.parsed(said("gone", {"process": inner.id})), Request(guest))
    changed = said("renamed", {"process": inner.id}, {"process": inner.id, "dependsOn": ["s0"]}, tokenBudget=None)
    kept.change(outer.id, ProcessChange.parsed(changed), Request(guest, "change", {"c": 1}))
    kept.change(inner.id, ProcessChange.parsed({"description": "x", "enabled": False}), Request(owner))
    kept.remove(gone.id, Request(guest))


def everything(world):
    """Each kind of mutation that the catalog and the processes know, some with a key, some of another's things."""
    owner, guest = world.user("owner"), world.user("guest")
    catalog = world.catalog
    secret, own = world.secret(owner), world.secret(guest, name="own")
    service = world.service(owner, requiresSecret=True, shared=True)
    tool = world.tool(owner, service, secretId=secret.id, shared=True)
    other = world.tool(guest, service, name="other", secretId=own.id)
    template, blueprint = world.service_template(owner, shared=True), world.tool_template(owner)
    made = catalog.service_from(template.id, {"name": "made"}, Request(guest, "key", {"a": 1}))
    catalog.tools.bind(tool.id, own.id, Request(guest))
    catalog.services.change(service.id, ServiceChange.parsed({"name": "renamed"}), Request(owner, "other", {}))
    catalog.secrets.change(secret.id, SecretChange.parsed({"name": "secret"}), Request(owner))
    catalog.secrets.rotate(secret.id, {"key": "another"}, Request(owner))
    second = world.secret(guest, name="second")
    catalog.tools.change(other.id, ToolChange.parsed({"secretId": second.id, "description": "x"}), Request(guest))
    catalog.tools.change(tool.id, ToolChange.parsed({"enabled": False}), Request(owner))
    catalog.tool_templates.change(blueprint.id, TemplateChange.parsed({"archived": True}), Request(owner))
    catalog.tools.note_tokens(guest, other.id, Usage(3, 4, "m"))
    checks = HealthChecks(world.store, catalog.tools, catalog.services, {"rest_api": Never()}, world.clock)
    list(checks.run(guest, only_due=False))
    processes(world, owner, guest)
    catalog.tools.unbind(tool.id, Request(guest))
    catalog.services.remove(made.id, Request(guest))
    catalog.tools.remove(tool.id, Request(owner))
    catalog.secrets.remove(own.id, Request(guest))
    catalog.service_templates.remove(template.id, Request(owner))
    return owner, guest


@pytest.mark.parametrize("is_twice", [False, True], ids=["once", "among writes that are taken back"])
def test_all_that_was_written_is_there_after_the_engine_was_killed(tmp_path, is_twice):
    """Platform 19: neither a node nor a property of one is lost, and no trail is broken."""
    store = open_embedded(tmp_path / "graph")
    world = World(Twice(store) if is_twice else store)
    users = everything(world)
    before = content_of(store.export())
    os.kill(engine_of(tmp_path / "graph"), signal.SIGKILL)
    assert content_of(store.export()) == before
    assert [world.catalog.ledger.verify(user) for user in users] == [None, None]
    store.close()

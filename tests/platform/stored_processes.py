"""Short ways to Processes in a world's record."""

from aeon.platform.catalog.model import ToolChange
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import NewProcess, ProcessChange
from aeon.platform.processes.repository import ProcessRepository

ANYTHING = {"type": "object"}


def step(id_, *, after=(), **fields):
    """A step of a definition that calls what `tool` or `process` says; its variable is called as the step."""
    return {"id": id_, "output": {"variable": id_}, "dependsOn": list(after), **fields}


class Storing:
    """The Processes of a world, and a user's tools that take anything."""

    def __init__(self, world):
        self.world = world
        self.processes = ProcessRepository(world.store, world.catalog)

    def tool(self, user, name="get", **fields):
        services = self.world.catalog.services
        service = services.find_own(user, "api") or self.world.service(user)
        operation = {"type": "rest_request"}
        return self.world.tool(user, service, name=name, **{"inputSchema": ANYTHING, "operation": operation, **fields})

    def new(self, *steps, name="work", **fields):
        return NewProcess.parsed({"name": name, "steps": list(steps), **fields})

    def add(self, user, *steps, request=None, **fields):
        return self.processes.add(self.new(*steps, **fields), request or MutationRequest(user))

    def change(self, user, process, request=None, **fields):
        return self.processes.change(process.id, ProcessChange.parsed(fields), request or MutationRequest(user))

    def remove(self, user, process):
        self.processes.remove(process.id, MutationRequest(user))

    def calling(self, user, target, name="work", **fields):
        """A Process of one step that calls a tool or a Process."""
        return self.add(user, step("only", **{target.kind: target.id}), name=name, **fields)

    def unshare_tool(self, user, tool):
        self.world.catalog.tools.change(tool.id, ToolChange(shared=False), MutationRequest(user))

    def count(self, table):
        return self.read(f"SELECT count(*) AS n FROM {table}")[0]["n"]  # the test's own tables

    def read(self, query, **params):
        return self.world.store.read(query, params)

"""Whatever a mutation wrote is read back as it was by another process, property by property."""

from aeon.platform.catalog.health import HealthChecks
from aeon.platform.catalog.model import SecretChange, ServiceChange, TemplateChange, ToolChange
from aeon.platform.catalog.operations import TokenUsage
from aeon.platform.exports.transfer import export
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import NewProcess, ProcessChange
from aeon.platform.processes.repository import ProcessRepository
from aeon.testing.records import new_record

from .conftest import World


class Never:
    def problem(self, _protocol, _connection, *, allow_private):
        return "it cannot be reached"


def processes(world, owner, guest):
    """Each kind of mutation of processes: of steps that call tools, other processes and their own."""
    kept = ProcessRepository(world.store, world.catalog)
    tool = world.tool(owner, world.service(owner, name="for steps"), name="called")

    def said(name, *calls, **fields):
        steps = [{"id": f"s{n}", "output": {"variable": f"v{n}"}, **call} for n, call in enumerate(calls)]
        return {"name": name, "steps": steps, **fields}

    again = {"process": "loop", "execution": {"condition": "true", "timeout": 9}, "dependsOn": ["s0"]}
    inputs = {"id": "1"}
    loop = NewProcess.parsed(said("loop", {"tool": tool.id, "inputs": inputs}, again, shared=True))
    inner = kept.add(loop, MutationRequest(owner, "process"), "loop")
    outer = kept.add(NewProcess.parsed(said("outer", {"process": inner.id}, tokenBudget=9)), MutationRequest(guest))
    gone = kept.add(NewProcess.parsed(said("gone", {"process": inner.id})), MutationRequest(guest))
    changed = said("renamed", {"process": inner.id}, {"process": inner.id, "dependsOn": ["s0"]}, tokenBudget=None)
    kept.change(outer.id, ProcessChange.parsed(changed), MutationRequest(guest, "change"))
    kept.change(inner.id, ProcessChange.parsed({"description": "x", "enabled": False}), MutationRequest(owner))
    kept.remove(gone.id, MutationRequest(guest))


def everything(world):
    """Each kind of mutation that the catalog and the processes know, some with a key, some of another's things."""
    owner, guest = world.user("owner"), world.user("guest")
    catalog = world.catalog
    secret, own = world.secret(owner), world.secret(guest, name="own")
    service = world.service(owner, requiresSecret=True, shared=True)
    tool = world.tool(owner, service, secretId=secret.id, shared=True)
    other = world.tool(guest, service, name="other", secretId=own.id)
    template, blueprint = world.service_template(owner, shared=True), world.tool_template(owner)
    made = catalog.service_from(template.id, {"name": "made"}, MutationRequest(guest, "key"))
    catalog.tools.bind(tool.id, own.id, MutationRequest(guest))
    catalog.services.change(service.id, ServiceChange.parsed({"name": "renamed"}), MutationRequest(owner, "other"))
    catalog.secrets.change(secret.id, SecretChange.parsed({"name": "secret"}), MutationRequest(owner))
    catalog.secrets.rotate(secret.id, {"key": "another"}, MutationRequest(owner))
    second = world.secret(guest, name="second")
    catalog.tools.change(
        other.id, ToolChange.parsed({"secretId": second.id, "description": "x"}), MutationRequest(guest)
    )
    catalog.tools.change(tool.id, ToolChange.parsed({"enabled": False}), MutationRequest(owner))
    catalog.tool_templates.change(blueprint.id, TemplateChange.parsed({"archived": True}), MutationRequest(owner))
    catalog.tools.record_tokens(guest, other.id, TokenUsage(3, 4, "m"))
    checks = HealthChecks(world.store, catalog.tools, catalog.services, {"rest_api": Never()}, world.clock)
    list(checks.run(guest, only_due=False))
    processes(world, owner, guest)
    catalog.tools.unbind(tool.id, MutationRequest(guest))
    catalog.services.remove(made.id, MutationRequest(guest))
    catalog.tools.remove(tool.id, MutationRequest(owner))
    catalog.secrets.remove(own.id, MutationRequest(guest))
    catalog.service_templates.remove(template.id, MutationRequest(owner))
    return owner, guest


def test_all_that_was_written_is_there_when_the_record_is_opened_again(tmp_path):
    """Platform 19: no thing and no property of one is lost, and no trail is broken."""
    store = new_record(tmp_path)
    world = World(store)
    users = everything(world)
    before = list(export(store))
    store.close()
    again = new_record(tmp_path)
    assert list(export(again)) == before
    world = World(again)
    assert [world.catalog.ledger.verify_audit_log(user) for user in users] == [None, None]
    again.close()

"""Who may do what with whose things (platform 2, 3): the whole matrix."""

from contextlib import contextmanager

import pytest

from aeon.platform.catalog.model import SecretChange, ServiceChange, TemplateChange, ToolChange
from aeon.platform.errors import ForbiddenError, NotFoundError, PlatformError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import NewProcess, ProcessChange
from aeon.platform.processes.repository import ProcessRepository

KINDS = ("service", "secret", "tool", "service_template", "tool_template", "process")
CHANGES = {
    "service": ServiceChange,
    "secret": SecretChange,
    "tool": ToolChange,
    "service_template": TemplateChange,
    "tool_template": TemplateChange,
    "process": ProcessChange,
}


def calling(world, user, name, *, shared=False, **step):
    """A process of one step."""
    steps = [{"id": "only", "output": {"variable": "x"}, **step}]
    return shelf(world, "process").add(NewProcess(name=name, steps=steps, shared=shared), MutationRequest(user))


def made(world, kind, owner, *, shared):
    if kind == "tool":
        return world.tool(owner, world.service(owner), shared=shared)
    if kind == "process":
        tool = world.tool(owner, world.service(owner))
        return calling(world, owner, "work", tool=tool.id, inputs={"id": "1"}, shared=shared)
    return getattr(world, kind)(owner, shared=shared)


def shelf(world, kind):
    if kind == "process":
        return ProcessRepository(world.store, world.catalog)
    return getattr(world.catalog, f"{kind}s")


def view(world, kind, user, thing):
    shelf(world, kind).get(user, thing.id)


def change(world, kind, user, thing):
    shelf(world, kind).change(thing.id, CHANGES[kind](name="renamed"), MutationRequest(user))


def share(world, kind, user, thing):
    shelf(world, kind).change(thing.id, CHANGES[kind](shared=not thing.shared), MutationRequest(user))


def delete(world, kind, user, thing):
    shelf(world, kind).remove(thing.id, MutationRequest(user))


@contextmanager
def told_as_not_found():
    """What a step calls and its owner does not see is a problem of the definition, told as if it were not there."""
    try:
        yield
    except RuleError as error:
        if error.rule != "target_exists":
            raise
        raise NotFoundError(error.message) from None


def use(world, kind, user, thing):
    """Run a tool, reveal a secret, make something of a template, put a tool on a service, call a process."""
    match kind:
        case "tool":
            world.catalog.tools.resolve(user, thing.id)
        case "secret":
            world.catalog.secrets.reveal(user, thing.id)
        case "service":
            world.tool(user, thing, name="on it")
        case "process":
            with told_as_not_found():
                calling(world, user, "caller", process=thing.id)
        case "service_template":
            world.catalog.service_from(thing.id, {"name": "made"}, MutationRequest(user))
        case _:
            own = {"name": "made", "serviceId": world.service(user, name="for it").id}
            own |= {"connectionParams": {"endpoint": "http://x"}}
            world.catalog.tool_from(thing.id, own, MutationRequest(user))


def reference(world, kind, user, thing):
    """Put it into something of one's own."""
    if kind == "secret":
        world.tool(user, world.service(user, name="mine"), name="with it", secretId=thing.id)
    else:
        use(world, kind, user, thing)


DEEDS = {"view": view, "use": use, "change": change, "share": share, "delete": delete, "reference": reference}

PRIVATE = dict.fromkeys(DEEDS, NotFoundError)
SHARED = {
    "view": None,
    "use": None,
    "reference": None,
    "change": ForbiddenError,
    "share": ForbiddenError,
    "delete": ForbiddenError,
}
EXPECTED = {
    "owner": dict.fromkeys(DEEDS),
    "another, shared": SHARED,
    "another, not shared": PRIVATE,
}


@pytest.mark.parametrize("deed", DEEDS)
@pytest.mark.parametrize("who", EXPECTED)
@pytest.mark.parametrize("kind", KINDS)
def test_the_matrix(world, kind, who, deed):
    """Platform 2: not visible is 404, visible and not his is 403; platform 3: a secret is its owner's, shared or not."""
    owner, other = world.user("owner"), world.user("other")
    thing = made(world, kind, owner, shared=who == "another, shared")
    expected = PRIVATE[deed] if kind == "secret" and who != "owner" else EXPECTED[who][deed]
    caller = owner if who == "owner" else other
    if expected is None:
        DEEDS[deed](world, kind, caller, thing)
    else:
        with pytest.raises(expected):
            DEEDS[deed](world, kind, caller, thing)


def test_the_errors_have_their_status():
    """Platform 2."""
    statuses = {error: error.status for error in (NotFoundError, ForbiddenError, RuleError, PlatformError)}
    assert list(statuses.values()) == [404, 403, 422, 500]


@pytest.mark.parametrize("kind", KINDS)
def test_lists_show_own_things_and_what_is_shared(world, kind):
    owner, other = world.user("owner"), world.user("other")
    private = made(world, kind, owner, shared=False)
    assert [each.id for each in shelf(world, kind).list_own(owner)] == [private.id]
    assert shelf(world, kind).list_own(other) == []
    assert private.id not in [each.id for each in shelf(world, kind).list_shared(other, limit=1000)]
    share(world, kind, owner, private)
    is_listed = private.id in [each.id for each in shelf(world, kind).list_shared(other, limit=1000)]
    assert is_listed is (kind != "secret")


def test_which_secret_a_shared_tool_has_is_its_owner_s_alone(world):
    """Platform 3."""
    owner, other = world.user("owner"), world.user("other")
    secret = world.secret(owner)
    tool = world.tool(owner, world.service(owner), secretId=secret.id, secretScope="read", shared=True)
    seen = world.catalog.tools.get(other, tool.id)
    assert (seen.secret_id, seen.secret_scope, seen.needs_secret) == (None, None, True)
    listed = next(each for each in world.catalog.tools.list_shared(other, limit=1000) if each.id == tool.id)
    assert (listed.secret_id, listed.secret_scope) == (None, None)
    assert world.catalog.tools.get(owner, tool.id).secret_id == secret.id


def test_who_uses_a_thing_is_told_to_its_owner_and_to_nobody_else(world):
    """Platform 2: `aeon tool uses` named users who share nothing to everybody."""
    owner, user, stranger = world.user("owner"), world.user("user"), world.user("stranger")
    service = world.service(owner, shared=True)
    world.tool(user, service)
    shown = world.tool(user, service, name="shown", shared=True)
    told = {who: [tuple(use) for use in world.catalog.services.list_uses(who, service.id)] for who in (owner, stranger)}
    assert told[owner] == [("tool", user, None, None), ("tool", user, shown.id, "shown")]
    assert told[stranger] == [("tool", None, None, None), ("tool", user, shown.id, "shown")]

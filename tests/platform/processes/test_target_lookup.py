"""What steps call as the user who saves them sees it (platform 2, 3, 4), read in few queries."""

from itertools import product

import pytest
from tests.platform.stored_processes import Storing, step

from aeon.platform.catalog.model import ServiceChange, ToolChange
from aeon.platform.errors import PlatformError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.checks.targets import Callee
from aeon.platform.processes.target_lookup import CatalogTargetLookup

REACHED = [
    dict(zip(("is_own", "is_shared", "service", "needs", "is_bound", "enabled"), case, strict=True))
    for case in product(
        [True, False],
        [True, False],
        ["own", "shared", "taken back", "disabled"],
        ["none", "tool", "service"],
        [True, False],
        [True, False],
    )
]


class Counting:
    """A store that counts what it is asked to read."""

    def __init__(self, store):
        self._store = store
        self.reads = 0

    def read(self, *arguments, **named):
        self.reads += 1
        return self._store.read(*arguments, **named)

    def __getattr__(self, name):
        return getattr(self._store, name)


@pytest.fixture
def storing(world):
    return Storing(world)


def tool_of(world, owner, provider, case):
    """A tool as the case has it; what can only be done before something else is taken back is done in order."""
    host = owner if case["service"] == "own" else provider
    service = world.service(host, shared=True, requiresSecret=case["needs"] == "service")
    secret = None if case["needs"] == "none" else world.secret(owner).id
    tool = world.tool(owner, service, secretId=secret, shared=True)
    return tool, service, host


@pytest.mark.parametrize("case", REACHED, ids=lambda case: "-".join(map(str, case.values())))
def test_what_is_enabled_and_has_access_is_exactly_what_tools_would_let_run(world, case):
    """Platform 3, 4: the law between a definition's check and the call before every step."""
    owner, caller, provider = world.user("owner"), world.user("caller"), world.user("provider")
    tools = world.catalog.tools
    tool, service, host = tool_of(world, owner, provider, case)
    user = owner if case["is_own"] else caller
    if case["is_bound"] and not case["is_own"]:
        tools.bind(tool.id, world.secret(caller).id, MutationRequest(caller))
    tools.change(tool.id, ToolChange(shared=case["is_shared"], enabled=case["enabled"]), MutationRequest(owner))
    if case["service"] in ("taken back", "disabled"):
        change = ServiceChange(shared=False) if case["service"] == "taken back" else ServiceChange(enabled=False)
        world.catalog.services.change(service.id, change, MutationRequest(host))
    try:
        tools.resolve(user, tool.id)
        is_usable = True
    except PlatformError:
        is_usable = False
    target = CatalogTargetLookup(world.store, user).tool(tool.id)
    assert (target is not None) == (case["is_own"] or case["is_shared"])
    assert is_usable == bool(target and target.enabled and target.has_access)


def test_a_target_says_what_the_check_asks(storing, world):
    user = world.user("u")
    schemas = {"inputSchema": {"type": "object", "properties": {"a": {}}}, "outputSchema": {"type": "string"}}
    tool = storing.tool(user, operation={"type": "rest_request", "path": "/{a}"}, **schemas)
    inner = storing.calling(user, tool, "inner", initialContext=["x", "y"])
    steps = [
        step("a", process=inner.id, inputs={"x": 1, "y": 2}, execution={"condition": "true"}),
        step("b", tool=tool.id),
    ]
    outer = storing.add(user, *steps, name="outer", enabled=False)
    targets = CatalogTargetLookup(world.store, user)
    found = targets.tool(tool.id)
    assert (found.name, found.service_type, found.enabled, found.has_access) == ("get", "rest_api", True, True)
    assert {"inputSchema": found.input_schema, "outputSchema": found.output_schema} == schemas
    assert targets.process(outer.id) == ("outer", (), outer.digest, (Callee(inner.id, is_conditional=True),), False, ())
    assert targets.process(inner.id) == ("inner", ("x", "y"), inner.digest, (), True, ("x", "y"))
    assert (targets.tool("nothing"), targets.process("nothing")) == (None, None)


def test_a_call_is_conditional_when_every_step_that_makes_it_is(storing, world):
    """Platform 7: one call that is always made is always made."""
    user = world.user("u")
    inner = storing.calling(user, storing.tool(user), "inner")
    sometimes = step("a", process=inner.id, execution={"condition": "x == 1"})
    outer = storing.add(user, sometimes, step("b", process=inner.id), name="outer", initialContext=["x"])
    assert CatalogTargetLookup(world.store, user).process(outer.id).callees == (Callee(inner.id, is_conditional=False),)


def test_what_is_another_s_and_not_shared_is_not_there(storing, world):
    """Platform 2."""
    owner, user = world.user("owner"), world.user("u")
    tool = storing.tool(owner)
    inner = storing.calling(owner, tool, "inner")
    targets = CatalogTargetLookup(world.store, user)
    assert (targets.tool(tool.id), targets.process(inner.id)) == (None, None)
    assert targets.checked == {}


def test_fifty_tools_are_one_query_and_processes_one_for_each_level(storing, world):
    user = world.user("u")
    tools = [storing.tool(user, f"t{n}") for n in range(50)]
    bottom = [storing.calling(user, tools[0], f"bottom {n}") for n in range(3)]
    middle = [storing.calling(user, each, f"middle {n}") for n, each in enumerate(bottom)]
    called = [{"tool": each.id} for each in tools] + [{"process": each.id} for each in middle]
    new = storing.new(*(step(f"s{n}", **target) for n, target in enumerate(called)))
    store = Counting(world.store)
    targets = CatalogTargetLookup(store, user)
    targets.prefetch(new.definition)
    assert all(targets.tool(each.id) for each in tools)
    assert store.reads == 1
    assert all(targets.process(each.id) for each in middle)
    assert all(targets.process(each.id) for each in bottom)
    assert store.reads == 3
    assert len(targets.checked) == 56

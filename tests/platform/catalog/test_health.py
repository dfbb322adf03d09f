"""Health: the schedule, the states, how they propagate (platform 5)."""

from datetime import datetime, timedelta

import pytest
from tests.platform.conftest import World

from aeon.platform.catalog.health import (
    CHECK_INTERVAL,
    MAX_CHECK_INTERVAL,
    MIN_CHECK_INTERVAL,
    HealthChecks,
    is_due,
    judge,
    next_check_delay,
)
from aeon.platform.catalog.model import ServiceChange, ToolChange
from aeon.platform.ledger import MutationRequest
from aeon.testing.clock import FakeClock


class Saying:
    """A probe that says what it is told, by endpoint."""

    def __init__(self):
        self.problems, self.asked = {}, []

    def problem(self, _protocol, connection, *, allow_private):
        assert not allow_private
        self.asked.append(connection["endpoint"])
        return self.problems.get(connection["endpoint"])


@pytest.fixture
def checks(world):
    probe = Saying()
    catalog = world.catalog
    running = HealthChecks(world.store, catalog.tools, catalog.services, {"rest_api": probe}, world.clock)

    def run(user, *, only_due=False):
        return {each.tool.name: each for each in running.run(user, only_due=only_due)}

    return run, probe


def test_one_failure_degrades_and_the_second_is_down():
    assert [judge("gone", failures).status for failures in (1, 2, 3)] == ["degraded", "down", "down"]
    assert judge(None, 0) == ("healthy", None)


def test_the_schedule_stays_between_half_a_minute_and_five():
    """Platform 5: default 2 min, backing off when it fails."""
    waits = [next_check_delay(failures) for failures in range(10)]
    assert waits[0] == CHECK_INTERVAL == timedelta(minutes=2)
    assert waits[1] == MIN_CHECK_INTERVAL == timedelta(seconds=30)
    assert waits[1:] == sorted(waits[1:])
    assert max(waits) == MAX_CHECK_INTERVAL == timedelta(minutes=5)


def test_a_check_is_due_when_its_time_has_come_or_the_clock_went_back():
    now = datetime.fromisoformat("2026-01-01T12:00:00+00:00")
    at = [(now + timedelta(seconds=seconds)).isoformat() for seconds in (0, 119, 120, -1)]
    assert is_due(None, 0, at[0])
    assert [is_due(at[0], 0, later) for later in at] == [False, False, True, True]


def test_what_is_due_of_all_users_is_checked_and_what_changed_is_told(new_store):
    """Measured E7: a worker does so, again and again."""
    world = World(new_store())  # its own: in the shared record, other tests' tools would be checked, too
    probe, catalog = Saying(), world.catalog
    clock = FakeClock(tick=0.0)
    running = HealthChecks(world.store, catalog.tools, catalog.services, {"rest_api": probe}, clock)
    tools = {}
    for name in ("ann", "bob"):
        user = world.user(name)
        fields = {"name": name, "connectionParams": {"endpoint": user}}
        tools[user] = world.tool(user, world.service(user), **fields)

    def changed():
        return {tool.owner_id: tool.status for tool in running.run_due() if tool.owner_id in tools}

    assert changed() == dict.fromkeys(tools, "healthy")
    assert changed() == {}
    ann = next(iter(tools))
    probe.problems[ann] = "gone"
    clock.sleep(60)
    assert changed() == {}
    clock.sleep(120)
    assert changed() == {ann: "degraded"}
    clock.sleep(31)
    assert changed() == {ann: "down"}
    catalog.tools.change(tools[ann].id, ToolChange(enabled=False), MutationRequest(ann))
    catalog.tools.change(tools[ann].id, ToolChange(enabled=True), MutationRequest(ann))
    probe.problems.clear()
    clock.sleep(61)
    assert changed() == {ann: "healthy"}


def test_states_go_from_tool_to_service_and_back(world, checks):
    run, probe = checks
    user = world.user("u")
    service = world.service(user)
    for name in ("one", "two"):
        world.tool(user, service, name=name, connectionParams={"endpoint": name})
    assert {each.tool.status for each in run(user).values()} == {"healthy"}
    assert world.catalog.services.get(user, service.id).status == "healthy"
    probe.problems["one"] = "it cannot be reached"
    first = run(user)
    assert (first["one"].tool.status, first["two"].tool.status) == ("degraded", "healthy")
    assert first["one"].tool.error_message == "it cannot be reached"
    second = run(user)["one"]
    assert (second.tool.status, world.catalog.services.get(user, service.id).status) == ("down", "healthy")
    assert second.since > first["one"].since
    assert run(user)["one"].since == second.since
    probe.problems["two"] = "gone"
    run(user)
    run(user)
    assert world.catalog.services.get(user, service.id).status == "down"
    probe.problems.clear()
    assert {each.tool.status for each in run(user).values()} == {"healthy"}


def test_a_tool_that_its_service_outgrew_is_down_and_its_owner_is_told(world, checks):
    """Measured P10: the next check says so, without asking the peer; a tool that fits again is healthy again."""
    run, probe = checks
    owner, user = world.user("owner"), world.user("user")
    service = world.service(owner, shared=True)
    tool = world.tool(user, service)
    assert run(user)[tool.name].tool.status == "healthy"
    asks_more = {
        **service.connection_schema,
        "properties": {**service.connection_schema["properties"], "region": {"type": "string"}},
        "required": [*service.connection_schema["required"], "region"],
    }
    world.catalog.services.change(service.id, ServiceChange(connectionSchema=asks_more), MutationRequest(owner))
    asked = len(probe.asked)

    found = run(user)[tool.name].tool

    assert found.status == "down"
    assert '"region" is a required property' in found.error_message
    assert len(probe.asked) == asked
    mended = {**tool.connection_params, "region": "eu"}
    world.catalog.tools.change(tool.id, ToolChange(connectionParams=mended), MutationRequest(user))
    assert run(user)[tool.name].tool.status == "healthy"


def test_only_what_is_due_is_asked(world, checks):
    run, probe = checks
    user = world.user("u")
    world.tool(user, world.service(user))
    run(user)
    run(user, only_due=True)
    assert len(probe.asked) == 1
    world.clock.sleep(120)
    run(user, only_due=True)
    assert len(probe.asked) == 2


def test_what_is_disabled_is_not_asked_and_never_healthy(world, checks):
    run, probe = checks
    user = world.user("u")
    service = world.service(user)
    tool = world.tool(user, service)
    run(user)
    world.catalog.tools.change(tool.id, ToolChange(enabled=False), MutationRequest(user))
    assert run(user)["get"].tool.status == "down"
    world.catalog.tools.change(tool.id, ToolChange(enabled=True), MutationRequest(user))
    world.catalog.services.change(service.id, ServiceChange(enabled=False), MutationRequest(user))
    assert run(user)["get"].tool.status == "down"
    assert len(probe.asked) == 1


def test_a_change_does_not_undo_a_check(world, checks):
    run, probe = checks
    user = world.user("u")
    tool = world.tool(user, world.service(user))
    probe.problems["http://127.0.0.1"] = "gone"
    run(user)
    run(user)
    world.catalog.tools.change(tool.id, ToolChange(description="new"), MutationRequest(user))
    assert world.catalog.tools.get(user, tool.id).status == "down"


def test_a_service_that_is_not_shared_any_more_is_said(world, checks):
    run, _ = checks
    owner, user = world.user("owner"), world.user("u")
    service = world.service(owner, shared=True)
    world.tool(user, service)
    world.catalog.services.change(service.id, ServiceChange(shared=False), MutationRequest(owner))
    assert run(user)["get"].service is None


def test_what_no_store_keeps_of_a_reason_is_replaced(world):
    """A server's own words may hold NUL, or half a surrogate pair."""
    user = world.user("u")
    tool = world.tool(user, world.service(user))

    class Strange:
        def problem(self, _protocol, _connection, *, allow_private):
            return "bad\0 \ud800 answer"

    checks = HealthChecks(
        world.store, world.catalog.tools, world.catalog.services, {"rest_api": Strange()}, world.clock
    )
    list(checks.run(user, only_due=False))
    assert world.catalog.tools.get(user, tool.id).error_message == "bad\ufffd \ufffd answer"


def test_a_tool_that_its_service_outgrew_is_down_at_once_and_its_owner_s_trail_says_so(world):
    """Measured P10: nobody was told before the next check, and the owner of the tool not at all."""
    ann, bob = world.user("ann"), world.user("bob")
    service = world.service(ann, shared=True)
    mine, theirs = world.tool(ann, service), world.tool(bob, service, name="theirs")
    schema = {"type": "object", "required": ["endpoint", "region"]}

    world.catalog.services.change(service.id, ServiceChange(connection_schema=schema), MutationRequest(ann))

    for user, tool in ((ann, mine), (bob, theirs)):
        now = world.catalog.tools.get(user, tool.id)
        assert (now.status, "asks for since it was changed" in now.error_message) == ("down", True)
    noted = [entry for entry in world.catalog.ledger.audit_log(bob) if entry["action"] == "tool.outgrow"]
    assert [(entry["actorId"], entry["subject"]) for entry in noted] == [(ann, theirs.id)]

    params = {"endpoint": "http://127.0.0.1", "region": "eu"}
    mended = world.catalog.tools.change(theirs.id, ToolChange(connection_params=params), MutationRequest(bob))
    assert mended.status == "degraded"
    assert world.catalog.tools.get(bob, theirs.id).status == "degraded"

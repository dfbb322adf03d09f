"""Whole plans of real scripts: what a cancelled or late plan skips, and what is said to begin."""

from tests.skills.sandbox.conftest import DONE, LOG

from aeon.observability.skill_events import NodeEnded, NodeEventEmitted, NodeStarted
from aeon.skills.executor.plan_executor import PlanExecutor
from aeon.skills.invocation import Cancellation
from aeon.skills.models import ScriptRetryPolicy, Skill, SkillCatalog, SkillScript
from aeon.skills.plan_json import ExecutionState, PlanJson


def executor(runner, scripts, body, observer, **options):
    """For plans of nodes of one script, which is given its node's number."""
    path = scripts.write(f"#!/bin/sh\necho \"$1 in\" >> ran\n{body}\necho '{DONE}'\n", "node.sh")
    found = SkillScript("node", path, "s/node", is_executable=True, protocol="ndjson")
    policy = ScriptRetryPolicy()
    skills = SkillCatalog((Skill("s", "s", path.parent, path, path.parent, scripts=(found,), retry_policy=policy),))

    def prepare(_skill, _script, given, _request_id):
        return scripts.invocation(path, given["number"])

    return PlanExecutor(skills, runner, prepare=prepare, observer=observer, **options)


def plan(count, **fields):
    tools = [{"toolId": f"n{at}", "toolPath": "s/node", "input": {"number": at}} for at in range(count)]
    return PlanJson.model_validate({"tools": tools, **fields})


def started(told):
    return [event.tool_id for event in told if isinstance(event, NodeStarted)]


def test_a_cancelled_plan_skips_what_had_not_begun(runner, scripts):
    """Skills 4: what never began is no failure of its script's."""
    told = []
    with Cancellation() as cancellation:

        def observe(event):
            told.append(event)
            if isinstance(event, NodeEventEmitted):
                cancellation.cancel()

        made = executor(runner, scripts, f"echo '{LOG}'; exec sleep 60", observe, parallel=1)
        result = made.execute(plan(5), cancellation=cancellation)
    states = [node.state for node in result.execution_trace]
    assert states == [ExecutionState.FAILED, *[ExecutionState.SKIPPED] * 4]
    assert {node.error.type for node in result.execution_trace} == {"cancelled"}
    assert started(told) == ["n0"]
    assert (scripts.folder / "ran").read_text() == "0 in\n"


def test_a_plan_whose_time_is_over_skips_it_too(runner, scripts):
    told = []
    made = executor(runner, scripts, "exec sleep 60", told.append, parallel=1, plan_timeout=0.3)
    result = made.execute(plan(4))
    states = [node.state for node in result.execution_trace]
    assert states == [ExecutionState.TIMEOUT, *[ExecutionState.SKIPPED] * 3]
    assert {node.error.type for node in result.execution_trace} == {"plan_timeout"}
    assert started(told) == ["n0"]


def test_a_plan_that_is_not_parallel_runs_its_nodes_one_after_another(runner, scripts):
    told = []
    result = executor(runner, scripts, 'echo "$1 out" >> ran', told.append).execute(plan(6, parallel=False))
    assert result.success
    lines = [f"{number} {what}" for number in range(6) for what in ("in", "out")]
    assert (scripts.folder / "ran").read_text().splitlines() == lines
    assert started(told) == [f"n{number}" for number in range(6)]


def test_every_node_is_said_to_begin_once_before_it_ends(runner, scripts):
    """A retried one once for each attempt."""
    told = []
    body = '[ "$1" != 3 ] || [ -e failed ] || { touch failed; exit 1; }'
    result = executor(runner, scripts, body, told.append, parallel=2).execute(plan(9))
    assert result.success
    said = [event for event in told if isinstance(event, NodeStarted | NodeEnded)]
    for number in range(9):
        mine = [type(event) for event in said if event.tool_id == f"n{number}"]
        assert mine == [NodeStarted] * (2 if number == 3 else 1) + [NodeEnded]

"""Processes in the record: saved when they can work, changed whole, deleted when nobody needs them (platform 2 to 8)."""

import json

import pytest
from tests.platform.stored_processes import Storing, step

from aeon.base.json import canonical_json
from aeon.platform.errors import NotFoundError, ReferencedError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import ProcessVersion
from aeon.platform.schedules.model import NewSchedule
from aeon.platform.schedules.repository import ScheduleRepository


@pytest.fixture
def storing(world):
    return Storing(world)


@pytest.fixture
def ann(world):
    return world.user("ann")


@pytest.fixture
def bob(world):
    return world.user("bob")


RESEARCH = {
    "description": "Looks things up.",
    "initialContext": ["topic", "depth"],
    "outputTemplate": "{{topic}}: {{step.b}}",
    "tokenBudget": 900,
    "maxRecursionDepth": 5,
}


def research(storing, user, tool, process, **fields):
    steps = (
        step("a", tool=tool.id, inputs={"q": "{topic}", "n": [1, {"x": None}]}, execution={"mode": "parallel"}),
        step("b", process=process.id, after=["a"], output={"variable": "b", "tokenBudget": 7, "required": False}),
        step(
            "c",
            tool=tool.id,
            after=["b", "a"],
            execution={"condition": "step.b != null", "timeout": 9, "interactionMode": "manual"},
        ),
    )
    return storing.add(user, *steps, name="research", **{**RESEARCH, **fields})


def test_the_audit_log_names_the_sections_that_a_change_adds_and_removes(storing, ann, world):
    tool = storing.tool(ann)
    made = storing.add(ann, step("a", tool=tool.id, inputs={"q": "x"}))
    sections = {name: [step(name, tool=tool.id, inputs={"q": "x"})] for name in ("onFailure", "finally")}
    added = storing.change(ann, made, inputs={"who": {"type": "string"}}, **sections)
    storing.change(ann, added, inputs={}, onFailure=[], **{"finally": []})
    entries = [each for each in world.catalog.ledger.audit_log(ann) if each["action"] == "process.change"]
    assert [set(json.loads(each["details"])["fields"]) >= {"inputs", "onFailure", "finally"} for each in entries] == [
        True,
        True,
    ]


def test_what_was_saved_is_given_back_and_found(storing, ann):
    tool = storing.tool(ann)
    inner = storing.calling(ann, tool, "inner")
    made = research(storing, ann, tool, inner)
    processes = storing.processes
    assert processes.get(ann, made.id) == processes.find(ann, "research") == processes.get_own(ann, made.id) == made
    assert processes.list_own(ann) == [inner, made]
    assert (made.version, made.created_at, made.digest) == (1, made.updated_at, made.definition.digest)
    assert made.token_budget == 900
    with pytest.raises(RuleError, match="You already have a process named 'research'"):
        research(storing, ann, tool, inner)


def test_the_record_holds_what_the_specification_says(storing, ann):
    """Process and ProcessStep with their state, and what they are connected to."""
    tool = storing.tool(ann)
    inner = storing.calling(ann, tool, "inner")
    made = research(storing, ann, tool, inner)
    (row,) = storing.read(
        "SELECT id, owner_id, name, description, initial_context, output_template, token_budget, max_recursion_depth,"
        " enabled, digest, shared, version, created_at, updated_at FROM processes WHERE id = :id",
        id=made.id,
    )
    assert row == {
        "id": made.id,
        "owner_id": ann,
        "name": "research",
        "description": RESEARCH["description"],
        "initial_context": canonical_json(RESEARCH["initialContext"]),
        "output_template": RESEARCH["outputTemplate"],
        "token_budget": RESEARCH["tokenBudget"],
        "max_recursion_depth": RESEARCH["maxRecursionDepth"],
        "enabled": 1,
        "digest": made.digest,
        "shared": 0,
        "version": 1,
        "created_at": made.created_at,
        "updated_at": made.created_at,
    }
    steps = storing.read(
        "SELECT id, position, tool_id, called_process_id, inputs, output_variable, output_token_budget,"
        " output_required, mode, condition, timeout, interaction_mode FROM process_steps WHERE process_id = :id"
        " ORDER BY position",
        id=made.id,
    )
    calls_tool = {"tool_id": tool.id, "called_process_id": None}
    nothing = {"output_token_budget": None, "condition": None}
    auto = {"mode": "sequential", "timeout": 60, "interaction_mode": "auto", "output_required": 1, **nothing}
    inputs = canonical_json({"q": "{topic}", "n": [1, {"x": None}]})
    assert steps == [
        {**auto, **calls_tool, "position": 0, "id": "a", "output_variable": "a", "inputs": inputs, "mode": "parallel"},
        {
            **auto,
            "position": 1,
            "id": "b",
            "tool_id": None,
            "called_process_id": inner.id,
            "output_variable": "b",
            "inputs": "{}",
            "output_token_budget": 7,
            "output_required": 0,
        },
        {
            **auto,
            **calls_tool,
            "position": 2,
            "id": "c",
            "output_variable": "c",
            "inputs": "{}",
            "condition": "step.b != null",
            "timeout": 9,
            "interaction_mode": "manual",
        },
    ]
    assert dependencies(storing, made) == [("b", 0, "a"), ("c", 0, "b"), ("c", 1, "a")]


def dependencies(storing, process):
    """The (step, rank, needed step) of a process by their names; joined here, so that no plan of a server decides how long it takes."""
    of_process = "WHERE process_id = :id"
    steps = storing.read(f"SELECT position, id FROM process_steps {of_process}", id=process.id)
    rows = storing.read(f"SELECT step, rank, needs FROM step_dependencies {of_process}", id=process.id)
    names = {row["position"]: row["id"] for row in steps}
    return sorted((names[row["step"]], row["rank"], names[row["needs"]]) for row in rows)


def steps_of_all(storing, *processes):
    rows = storing.read(
        "SELECT count(*) AS n FROM process_steps WHERE process_id IN (SELECT value FROM json_each(:ids))",
        ids=[each.id for each in processes],
    )
    return rows[0]["n"]


WRONG = {
    "Must contain at least one ProcessStep": ([], "schema"),
    "Step dependencies within a Process cannot form cycles": (
        [step("a", tool="$", after=["b"]), step("b", tool="$", after=["a"])],
        "dependencies_acyclic",
    ),
    "DEPENDS_ON edges cannot reference the step itself": ([step("a", tool="$", after=["a"])], "dependency_not_itself"),
    "parallel steps cannot depend on each other": (
        [
            step("a", tool="$", execution={"mode": "parallel"}),
            step("b", tool="$", after=["a"], execution={"mode": "parallel"}),
        ],
        "parallel_independent",
    ),
    "DEPENDS_ON cannot target a step that is not mentioned prior": (
        [step("a", tool="$", after=["b"]), step("b", tool="$")],
        "dependency_backwards",
    ),
    "id unique per Process": ([step("a", tool="$"), step("a", tool="$", output={"variable": "x"})], "step_id_unique"),
    "Exactly one of CALLS_TOOL or CALLS_PROCESS: not none": ([step("a")], "one_target"),
    "Exactly one of CALLS_TOOL or CALLS_PROCESS: not two": ([step("a", tool="$", process="$")], "one_target"),
    "the target exists": ([step("a", tool="nothing")], "target_exists"),
    "CALLS_TOOL target must be enabled": ([step("a", tool="disabled")], "target_enabled"),
    "inputs must satisfy the inputSchema": ([step("a", tool="strict", inputs={"n": "x"})], "inputs_match_tool"),
    "CALLS_PROCESS target must be enabled": (
        [step("a", process="disabled process", inputs={"x": 1})],
        "target_enabled",
    ),
    "inputs must satisfy the initialContext": ([step("a", process="process")], "inputs_match_process"),
    "within recursion limits": ([step("a", process="deep")], "recursion_depth"),
    "a timeout of 1 to 300 seconds": ([step("a", tool="$", execution={"timeout": 301})], "timeout_of_call"),
    "token budgets add up to no more": (
        [step("a", tool="$", output={"variable": "a", "tokenBudget": 101})],
        "token_budgets_fit",
    ),
    "a condition is CEL over what can be read": (
        [step("a", tool="$", execution={"condition": "nothing > 1"})],
        "condition_valid",
    ),
    "only variables in the chain": (
        [step("a", tool="$"), step("b", tool="$", inputs={"x": "{step.a}"})],
        "reference_in_chain",
    ),
}


def targets_for_wrong(storing, user):
    tool = storing.tool(user)
    strict = {"type": "object", "properties": {"n": {"type": "integer"}}}
    sends_n = {"type": "rest_request", "path": "/{n}"}
    deep = storing.calling(user, tool, "one")
    return {
        "$": tool.id,
        "disabled": storing.tool(user, "disabled", enabled=False).id,
        "strict": storing.tool(user, "strict", inputSchema=strict, operation=sends_n).id,
        "process": storing.calling(user, tool, "process", initialContext=["x"]).id,
        "disabled process": storing.calling(user, tool, "off", initialContext=["x"], enabled=False).id,
        "deep": storing.calling(user, deep, "two").id,
    }


@pytest.mark.parametrize("invariant", WRONG)
def test_each_invariant_of_process_and_step_is_kept(storing, ann, invariant):
    """The specification's invariants, platform 6 and 7: refused by the rule's name, and nothing is written."""
    steps, rule = WRONG[invariant]
    ids = targets_for_wrong(storing, ann)
    meant = [
        {name: ids.get(value, value) if name in ("tool", "process") else value for name, value in each.items()}
        for each in steps
    ]
    before = storing.count("process_steps"), storing.count("definitions")
    with pytest.raises(RuleError) as raised:
        storing.add(ann, *meant, tokenBudget=100, maxRecursionDepth=1)
    rules = [each["rule"] for each in raised.value.details.get("problems", [])]
    assert rule in (raised.value.rule, *rules)
    assert storing.processes.find_own(ann, "work") is None
    assert (storing.count("process_steps"), storing.count("definitions")) == before


def test_every_problem_is_told_at_once_each_with_its_path(storing, ann):
    """Platform 6, 7: also when it is changed, and then all stays."""
    tool = storing.tool(ann)
    made = storing.calling(ann, tool)
    steps = [step("a", tool="x"), step("b", tool=tool.id, after=["c"], inputs={"q": "{step.zzz}"}), step("c")]
    with pytest.raises(RuleError) as raised:
        storing.change(ann, made, steps=steps, outputTemplate="{{nobody}}")
    assert [each["path"] for each in raised.value.details["problems"]] == [
        "$.steps[1].dependsOn[0]",
        "$.steps[0].tool",
        "$.steps[1].inputs.q",
        "$.steps[2]",
        "$.outputTemplate",
    ]
    assert (raised.value.rule, raised.value.field) == ("dependency_backwards", "$.steps[1].dependsOn[0]")
    assert storing.processes.get(ann, made.id) == made


def test_a_change_replaces_all_steps_and_keeps_what_was_said_before(storing, ann):
    tool = storing.tool(ann)
    first = storing.add(ann, step("a", tool=tool.id), step("b", tool=tool.id, after=["a"]))
    total = storing.count("process_steps")
    second = storing.change(ann, first, steps=[step("z", tool=tool.id)], tokenBudget=50)
    assert storing.processes.get(ann, first.id) == second
    assert (second.version, second.token_budget, [each.id for each in second.steps]) == (2, 50, ["z"])
    assert storing.count("process_steps") == total - 1
    assert dependencies(storing, first) == []
    third = storing.change(ann, second, steps=[each.as_dict() for each in first.steps], tokenBudget=None)
    assert third.digest == first.digest
    assert storing.processes.list_versions(ann, first.id) == [
        ProcessVersion(first.digest, 1, first.created_at),
        ProcessVersion(second.digest, 2, second.updated_at),
        ProcessVersion(third.digest, 3, third.updated_at),
    ]
    assert dependencies(storing, third) == [("b", 0, "a")]
    storing.remove(ann, third)
    assert storing.processes.get_definition(second.digest).steps == second.steps


def test_what_does_not_change_what_a_run_does_makes_no_version(storing, ann):
    """A name, a description, enabled and shared are the Process's, not its definition's."""
    made = storing.calling(ann, storing.tool(ann))
    changed = storing.change(ann, made, name="other", description="d", enabled=False, shared=True)
    assert (changed.version, changed.digest) == (2, made.digest)
    assert storing.processes.get(ann, made.id) == changed
    assert len(storing.processes.list_versions(ann, made.id)) == 1


def test_a_definition_tells_nobody_what_another_calls_his(storing, ann, bob):
    """Two Processes that say the same share one Definition, and none of the names."""
    tool = storing.tool(ann, shared=True)
    mine = storing.calling(ann, tool, "my secret plan", description="mine")
    theirs = storing.calling(bob, tool, "harmless")
    assert mine.digest == theirs.digest
    (row,) = storing.read("SELECT * FROM definitions WHERE digest = :digest", digest=mine.digest)
    assert row.keys() == {"digest", "text", "created_at"}
    assert "plan" not in row["text"]
    found = storing.processes.get_definition(mine.digest)
    assert (found.name, found.digest) == (mine.digest[:12], mine.digest)
    assert found.model_copy(update={"name": "harmless"}) == theirs.definition
    with pytest.raises(NotFoundError, match="no definition 'abc'"):
        storing.processes.get_definition("abc")


def test_of_another_s_process_only_the_version_of_now_is_told(storing, ann, bob):
    """Platform 2: what it said before it was shared stays its owner's."""
    tool = storing.tool(ann)
    made = storing.calling(ann, tool)
    now = storing.change(ann, made, outputTemplate="x", shared=True)
    assert [each.digest for each in storing.processes.list_versions(ann, made.id)] == [made.digest, now.digest]
    assert [each.digest for each in storing.processes.list_versions(bob, made.id)] == [now.digest]
    storing.change(ann, now, shared=False)
    with pytest.raises(NotFoundError):
        storing.processes.list_versions(bob, made.id)


def test_what_works_no_more_can_be_renamed_disabled_and_deleted_but_not_enabled(storing, ann, bob):
    """Platform 4: unsharing goes ahead, and whoever called the tool can put his Process away."""
    tool = storing.tool(ann, shared=True)
    made = storing.calling(bob, tool)
    storing.unshare_tool(ann, tool)
    off = storing.change(bob, storing.change(bob, made, name="old"), enabled=False)
    for change in ({"enabled": True}, {"outputTemplate": "x"}, {"maxRecursionDepth": 4}):
        with pytest.raises(RuleError, match="or you cannot see it"):
            storing.change(bob, off, **change)
    storing.remove(bob, off)
    assert storing.processes.list_own(bob) == []


def test_a_tool_that_a_step_calls_is_not_deleted(storing, ann, bob):
    """Tool: delete allowed only when no ProcessSteps reference it; who calls it is told as far as one may see."""
    tool = storing.tool(ann, shared=True)
    mine, theirs = storing.calling(ann, tool, "mine"), storing.calling(bob, tool, "theirs")
    tools = storing.world.catalog.tools
    assert [tuple(use) for use in tools.list_uses(ann, tool.id)] == [
        ("process", ann, mine.id, "mine"),
        ("process", bob, None, None),
    ]
    with pytest.raises(ReferencedError) as raised:
        tools.remove(tool.id, MutationRequest(ann))
    assert raised.value.by == ["mine", f"a process of {bob}"]
    storing.remove(ann, mine)
    storing.remove(bob, theirs)
    tools.remove(tool.id, MutationRequest(ann))


def test_what_uses_a_tool_is_named_once_bindings_too(storing, ann, bob):
    tool = storing.tool(ann, shared=True, secretId=storing.world.secret(ann).id)
    storing.world.catalog.tools.bind(tool.id, storing.world.secret(bob).id, MutationRequest(bob))
    made = storing.add(bob, step("a", tool=tool.id), step("b", tool=tool.id), shared=True)
    uses = storing.world.catalog.tools.list_uses(bob, tool.id)
    assert [(use.kind, use.name) for use in uses] == [("binding", f"a secret of {bob}"), ("process", "work")]
    assert [(use.kind, use.id, use.name) for use in storing.world.catalog.tools.list_uses(ann, tool.id)] == [
        ("binding", None, None),
        ("process", made.id, "work"),
    ]


def test_a_process_that_is_called_or_scheduled_is_not_deleted(storing, ann, bob):
    """Delete: allowed only when no schedule starts it, and no step of another Process calls it."""
    inner = storing.calling(ann, storing.tool(ann), "inner", shared=True)
    caller = storing.calling(bob, inner, "caller")
    assert [tuple(use) for use in storing.processes.list_uses(ann, inner.id)] == [("process", bob, None, None)]
    with pytest.raises(ReferencedError, match=f"is still used by a process of {bob}"):
        storing.remove(ann, inner)
    storing.remove(bob, caller)
    schedules = ScheduleRepository(storing.world.store, storing.world.catalog, storing.processes)
    daily = NewSchedule.parsed({"name": "daily", "process": inner.id, "cron": "0 9 * * *"})
    schedule = schedules.add(daily, MutationRequest(ann))
    with pytest.raises(ReferencedError) as raised:
        storing.remove(ann, inner)
    assert raised.value.by == ["daily"]
    schedules.remove(schedule.id, MutationRequest(ann))
    steps = steps_of_all(storing, inner)
    total = storing.count("process_steps")
    storing.remove(ann, inner)
    assert (steps, storing.count("process_steps")) == (1, total - 1)


def test_a_process_that_calls_itself_is_saved_and_deleted(storing, ann):
    """Platform 7: with a condition that can end it; that it calls itself keeps nobody from deleting it."""
    tool = storing.tool(ann)
    again = step("again", process="loop", after=["a"], execution={"condition": "step.a == true"})
    made = storing.processes.add(storing.new(step("a", tool=tool.id), again), MutationRequest(ann), "loop")
    assert made.id == "loop"
    rows = storing.read("SELECT id FROM process_steps WHERE called_process_id = 'loop'")
    assert rows == [{"id": "again"}]
    assert storing.processes.list_uses(ann, "loop") == []
    storing.change(ann, made, outputTemplate="x")
    always = [step("a", tool=tool.id), step("again", process="loop")]
    with pytest.raises(RuleError, match="always calls itself again: work -> work"):
        storing.change(ann, made, steps=always)
    storing.remove(ann, made)
    assert storing.processes.find_own(ann, "work") is None


def test_a_circle_through_another_needs_a_condition(storing, ann):
    """Platform 7: looked at when the last call is saved, whoever closes it."""
    tool = storing.tool(ann)
    one = storing.calling(ann, tool, "one")
    two = storing.calling(ann, one, "two")
    with pytest.raises(RuleError, match="one -> two -> one"):
        storing.change(ann, one, steps=[step("s", process=two.id)])
    conditional = step("s", process=two.id, execution={"condition": "topic == 'x'"})
    storing.change(ann, one, initialContext=["topic"], steps=[conditional])


def test_unsharing_hurts_whoever_calls_it(storing, ann, bob):
    """Platform 4: whose things depend on it is told, and it goes ahead."""
    inner = storing.calling(ann, storing.tool(ann), "inner", shared=True)
    storing.calling(bob, inner, "theirs")
    assert [use.owner_id for use in storing.processes.list_uses(ann, inner.id)] == [bob]
    storing.change(ann, inner, shared=False)
    with pytest.raises(NotFoundError):
        storing.processes.get(bob, inner.id)


@pytest.mark.slow
def test_ten_thousand_steps_are_stored_and_given_back(storing, ann):
    tool = storing.tool(ann)
    steps = [step(f"s{n}", tool=tool.id, after=[f"s{n - 1}"] if n else []) for n in range(10_000)]
    made = storing.add(ann, *steps)
    assert storing.processes.get(ann, made.id) == made
    assert steps_of_all(storing, made) == 10_000
    assert len(dependencies(storing, made)) == 9_999
    storing.change(ann, made, steps=steps[:9_000])
    assert steps_of_all(storing, made) == 9_000
    storing.remove(ann, made)

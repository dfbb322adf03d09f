"""Everything wrong with a plan before it runs (skills 7)."""

from collections import Counter

import pytest

from aeon.skills.failures import FailureClass
from aeon.skills.models import ErrorState
from aeon.skills.plan.check import check_plan
from aeon.skills.plan_json import ExecutionState, ToolResult
from aeon.testing.scripts import catalog, node, plan_of, script, skill

ROLL_INPUT = {
    "type": "object",
    "properties": {"notation": {"type": "string", "maxLength": 5}, "times": {"type": "integer"}},
    "required": ["notation"],
    "additionalProperties": False,
}
ROLL_OUTPUT = {"type": "object", "properties": {"total": {"type": "integer"}}, "additionalProperties": False}

SKILLS = catalog(
    skill("dice", script("roll", input_schema=ROLL_INPUT, output_schema=ROLL_OUTPUT)),
    skill("story", script("tell")),
    skill("off", script("go"), enabled=False),
    skill("poor", script("go"), error_state=ErrorState.DEGRADED),
    skill("broken", script("go", input_schema={"type": "nonsense"})),
)


def wrong(*tools, finished=None, **fields):
    """The faults of a plan: path, class and message of each."""
    found = check_plan(plan_of(*tools, **fields), SKILLS, finished=finished or {})
    return [(fault.path, fault.failure) for fault in found]


def messages(*tools, **fields):
    return [fault.message for fault in check_plan(plan_of(*tools, **fields), SKILLS)]


def test_a_sound_plan_has_no_faults():
    assert not wrong(
        node("r", "dice/roll", {"notation": "2d6"}),
        node("s", "skills/story/tell", {"facts": "{tool.r.total} and {tool.r.summary} and {tool.r}"}, "r"),
        node("t", "/nowhere/story/tell", {}, "r", "s"),
    )


def test_everything_is_reported_at_once_each_as_what_it_is():
    """Skills 7: unknown dependency, duplicate id, unknown script, rejected input, cycle, references: all together."""
    assert wrong(
        node("a", "dice/roll", {"notation": 3, "sides": 6}, "nobody"),
        node("a", "story/tell"),
        node("b", "dice/role"),
        node("c", "off/go", {"x": "{tool.zz.y}", "y": "{tool.a.totl}"}),
        node("d", "story/tell", {}, "e"),
        node("e", "story/tell", {"from": "{tool.d.text}"}),
    ) == [
        ("$.tools[0].dependencies[0]", FailureClass.UNKNOWN_DEPENDENCY),
        ("$.tools[0].input.notation", FailureClass.INVALID_INPUT),
        ("$.tools[0].input", FailureClass.INVALID_INPUT),
        ("$.tools[1].toolId", FailureClass.DUPLICATE_ID),
        ("$.tools[2].toolPath", FailureClass.UNKNOWN_SCRIPT),
        ("$.tools[3].input.x", FailureClass.UNKNOWN_REFERENCE),
        ("$.tools[3].input.y", FailureClass.UNKNOWN_REFERENCE),
        ("$.tools[3].toolPath", FailureClass.DISABLED_SKILL),
        ("$.tools[4].dependencies[0]", FailureClass.CIRCULAR_DEPENDENCY),
        ("$.tools[5].input.from", FailureClass.CIRCULAR_DEPENDENCY),
    ]


@pytest.mark.parametrize(
    "path",
    [
        "/bin/sh",
        "dice/../dice/roll",
        "dice/roll\x00",
        " dice/roll",
        "dice/roll ",
        "DICE/roll",
        "dice//roll",
        "./dice/roll",
        "skills/skills/dice/roll",
        "roll",
        "dice",
        "../../etc/passwd",
        "x" * 4096,
    ],
)
def test_a_path_that_is_no_discovered_script_is_refused(path):
    """Skills 7: nothing else is ever executed."""
    assert wrong(node("a", path)) == [("$.tools[0].toolPath", FailureClass.UNKNOWN_SCRIPT)]


def test_what_to_do_next_is_said():
    assert messages(node("a", "dice/rol")) == ["'dice/rol' is not a script of any skill; did you mean 'dice/roll'?"]
    assert messages(node("a", "zzzz")) == [
        "'zzzz' is not a script of any skill; there are dice/roll, story/tell, broken/go"
    ]
    assert messages(node("a", "story/tell", {}, "b")) == ["'b' is not a node of this plan; the nodes are a"]
    assert messages(node("r", "dice/roll", {"notation": "1d6"}), node("s", "story/tell", {"x": "{tool.r.totl}"})) == [
        "{tool.r.totl}: the output of 'r': has no 'totl'; it has total"
    ]


def test_a_cycle_is_reported_with_its_path_through_references_too():
    """Skills 7: cycles with their path; a reference implies the dependency (skills 5)."""
    said = messages(
        node("a", "story/tell", {"x": "{tool.c.y}"}), node("b", "story/tell", {}, "a"), node("c", "story/tell", {}, "b")
    )
    assert said == ["depends on itself: a -> c -> b -> a"] * 3


def test_a_node_that_refers_to_itself_is_a_cycle_of_one():
    assert wrong(node("a", "story/tell", {"x": "{tool.a.y}"})) == [
        ("$.tools[0].input.x", FailureClass.CIRCULAR_DEPENDENCY)
    ]
    assert messages(node("a", "story/tell", {}, "a")) == ["depends on itself: a -> a"]


def test_a_long_cycle_is_told_in_short():
    size = 1000
    said = messages(*(node(f"n{n}", "story/tell", {}, f"n{(n + 1) % size}") for n in range(size)))
    assert len(said) == size
    assert "n0 -> n1 -> n2" in said[0]
    assert "(981 more) -> n0" in said[0]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"toolPath": "off/go"}, "the skill 'off' is disabled"),
        ({"toolPath": "poor/go"}, "the skill 'poor' is degraded; the notes about the skills say why"),
        ({"toolPath": "story/tell"}, "the skill 'story' is in this plan's disabledSkills"),
    ],
)
def test_a_disabled_skill_is_refused_with_the_reason(fields, said):
    assert messages(node("a", fields["toolPath"]), disabledSkills=["story"]) == [said]


def test_a_skill_that_failed_only_now_and_then_may_be_planned():
    skills = catalog(skill("story", script("tell"), error_state=ErrorState.TEMPORARY_FAILURE))
    assert not check_plan(plan_of(node("a", "story/tell")), skills)


def test_input_at_a_reference_is_left_to_the_moment_it_runs():
    """Skills 7: input that the schema rejects; what a reference will bring is not known yet."""
    first = node("r", "dice/roll", {"notation": "2d6"})
    assert not wrong(first, node("x", "dice/roll", {"notation": "{tool.r.total}", "times": "{tool.r.total}"}))
    assert wrong(first, node("x", "dice/roll", {"times": "{tool.r.total}", "sides": 1})) == [
        ("$.tools[1].input", FailureClass.INVALID_INPUT),
        ("$.tools[1].input", FailureClass.INVALID_INPUT),
    ]


def test_a_schema_that_is_none_is_the_skill_s_fault():
    assert wrong(node("a", "broken/go")) == [("$.tools[0].toolPath", FailureClass.CONFIGURATION)]


def test_ids_with_dots_are_told_apart():
    """The longest id that fits is meant, as in core 3."""
    tools = [
        node("a", "story/tell", {"x": "{tool.a.b.c}"}),
        node("a.b", "story/tell"),
    ]
    assert not wrong(*tools)
    assert wrong(*tools[:1]) == [("$.tools[0].input.x", FailureClass.CIRCULAR_DEPENDENCY)]


def finished(tool_id, output, *, ok=True):
    state = ExecutionState.COMPLETED if ok else ExecutionState.FAILED
    return ToolResult(tool_id=tool_id, tool_path="off/go", ok=ok, state=state, output=output)


def test_a_finished_node_s_script_is_not_looked_at_but_its_output_is():
    """Skills 4: a replan keeps the results of nodes that finished, also those of skills disabled since."""
    kept = node("k", "off/go", {"whatever": 1})
    done = {"k": finished("k", {"total": 3})}
    assert not wrong(kept, node("n", "story/tell", {"x": "{tool.k.total}"}), finished=done)
    assert wrong(kept, node("n", "story/tell", {"x": "{tool.k.sum}"}), finished=done) == [
        ("$.tools[1].input.x", FailureClass.UNKNOWN_REFERENCE)
    ]
    failed = {"k": finished("k", None, ok=False)}
    assert not wrong(kept, node("n", "story/tell", {"x": "{tool.k.sum}"}), finished=failed)


def test_a_plan_without_nodes_is_sound():
    assert not wrong()


def rotten(size):
    return plan_of(*(node(f"n{n}", f"no/{n}", {"x": f"{{tool.n{(n + 1) % size}}}"}) for n in range(size)))


def test_ten_thousand_nodes_that_are_all_wrong_on_one_cycle():
    size = 10_000
    assert Counter(fault.failure for fault in check_plan(rotten(size), SKILLS)) == {
        FailureClass.UNKNOWN_SCRIPT: size,
        FailureClass.CIRCULAR_DEPENDENCY: size,
    }


@pytest.mark.slow
@pytest.mark.parametrize("is_sound", [True, False])
@pytest.mark.timeout(60)
def test_a_hundred_thousand_nodes_are_checked_in_seconds_sound_or_not(is_sound):
    """Skills 7: linear in nodes and edges. One to two seconds on a free core; the bar leaves room for a busy one."""
    size = 100_000
    given = {"notation": "d6"}
    sound = (node(f"n{n}", "dice/roll", given, *([f"n{n // 2}"] if n else ())) for n in range(size))
    plan = plan_of(*sound) if is_sound else rotten(size)
    assert bool(check_plan(plan, SKILLS)) is not is_sound


def test_a_fault_reads_as_a_line():
    fault = check_plan(plan_of(node("a", "x")), catalog())[0]
    assert str(fault) == "$.tools[0].toolPath: 'x' is not a script of any skill; there are none"


def test_a_script_that_is_missing_from_a_broken_skill_names_the_skill():
    """Skills 13: what is wrong is the skill, not how the plan spells it."""
    for path in ("poor/gone", "skills/poor/gone"):
        assert messages(node("a", path)) == [
            f"{path!r} is not a script of any skill; the skill 'poor' is degraded; the notes about the skills say why"
        ]

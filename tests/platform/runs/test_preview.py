"""What a run would call is told without running: in order, with what is known and where the rest comes from."""

from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.runs.preview import preview_run


def definition(*steps, **fields):
    full = [{"tool": "t", "output": {"variable": f"v_{each['id']}"}, **each} for each in steps]
    return ProcessDefinition.parsed({"name": "any", "steps": full, **fields})


def step(id_, **fields):
    return {"id": id_, **fields}


def test_inputs_are_bound_as_far_as_they_are_known():
    shown = definition(
        step("a", inputs={"x": "{q}", "y": ["{= n + 1}", "{q} and {n}"]}),
        step("b", inputs={"x": "{step.v_a.rows}", "y": "{q}", "z": "{= size(step.v_a)}"}, dependsOn=["a"]),
        initialContext=["q", "n"],
    )
    first, second = preview_run(shown, {"q": {"k": 1}, "n": 2})
    assert (first.inputs, first.unknown) == ({"x": {"k": 1}, "y": [3, '{"k":1} and 2']}, [])
    assert second.inputs == {"x": "{step.v_a.rows}", "y": {"k": 1}, "z": "{= size(step.v_a)}"}
    assert second.unknown == ["step.v_a of a"]


def test_conditions_are_evaluated_where_they_can_be():
    shown = definition(
        step("a", execution={"condition": "n > 5"}, compensate={"tool": "t"}),
        step("b", execution={"condition": "step.v_a == null"}),
        step("c", execution={"condition": "step.v_b == 1"}),
        initialContext=["n"],
    )
    previews = preview_run(shown, {"n": 2})
    assert [(each.step.id, each.condition) for each in previews] == [
        ("a", "does not hold"),
        ("b", "holds"),
        ("c", "is decided later"),
    ]


def test_a_loop_says_how_many_items_it_has_if_that_is_known():
    loop = {"items": "{rows}", "as": "row"}
    shown = definition(
        step("a", forEach=loop, inputs={"x": "{row.id}", "q": "{rows}"}),
        step("b", forEach={"items": "{step.v_a}"}, dependsOn=["a"]),
        step("c", forEach={"items": [1, 2]}),
        initialContext=["rows"],
    )
    first, second, third = preview_run(shown, {"rows": [1, 2, 3]})
    assert (first.items, second.items, third.items) == (3, None, 2)
    assert (first.inputs, first.unknown) == ({"x": "{row.id}", "q": [1, 2, 3]}, ["row"])
    assert preview_run(shown, {"rows": "text"})[0].problem.startswith("The loop needs a list")


def test_sections_follow_and_what_cannot_be_bound_is_said():
    closing = {"id": "tell", "tool": "t", "inputs": {"x": "{failure.code}"}, "output": {"variable": "told"}}
    shown = definition(
        step("a", inputs={"x": "{q.missing}"}, compensate={"tool": "t", "inputs": {"x": "{result}"}}),
        step("b", execution={"mode": "parallel"}),
        step("c", execution={"mode": "parallel"}),
        initialContext=["q"],
        onFailure=[closing],
    )
    previews = preview_run(shown, {"q": {}})
    assert [(each.section, each.stage, each.step.id) for each in previews] == [
        ("main", 1, "a"),
        ("main", 2, "b"),
        ("main", 2, "c"),
        ("compensation", 1, "undo_a"),
        ("on_failure", 1, "tell"),
    ]
    assert "q has no 'missing'" in previews[0].problem
    assert [each.unknown for each in previews[3:]] == [["result"], ["failure"]]

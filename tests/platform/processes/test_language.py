"""What a definition may say beyond calls (platform 41): what is refused when it is saved, and with which words."""

import re

import pytest

from aeon.platform.catalog.model import NewTool
from aeon.platform.errors import RuleError
from aeon.platform.processes.checks.targets import ProcessTarget
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.processes.step_control import MAX_ITEMS
from aeon.platform.processes.typed_inputs import input_problems
from aeon.platform.processes.wait_times import WaitTime, parse_wait_time

from .test_checks import Known, checked, found, only, search, step


def loop(items="{topic}", **fields):
    return {"items": items, "as": "row", **fields}


UNDO = {"tool": "answer", "inputs": {"what": "{result.rows.0.name}", "of": "{step.a_.count}", "lang": "{lang}"}}

GOOD = [
    search("a", query="{topic}", compensate=UNDO),
    search(
        "b", "a", forEach=loop("{step.a_.rows}", concurrency=8, failures="lost"), query="{row.name} {step.a_.count}"
    ),
    step("w", "b", wait="PT5M"),
    step("ask", "b", interactionMode="manual", timeout=86_400, inputs={"lost": "{step.lost}"}),
    step("last", "b", "w", inputs={"n": "{= step.a_.count * 2}", "text": "{= size(step.b_)} of {= lang + '!'}"}),
]


def test_a_definition_with_all_of_it_has_no_problems():
    problems = checked(
        *GOOD,
        inputs={"limit": {"type": "integer", "default": 3}},
        onFailure=[step("tell", inputs={"why": "{failure.message}", "limit": "{limit}"})],
        **{"finally": [step("clean", inputs={"x": "{= failure == null}"}, condition="step.b_ != null")]},
        outputTemplate="{{json step.b_}} {{#each step.lost}}{{index}}{{/each}} {{limit}} {{step.clean_}}",
    )
    assert problems == []


PROBLEMS = {
    "a loop over a number": (
        [search("a"), search("b", "a", forEach=loop("{step.a_.count}"))],
        "$.steps[1].forEach.items",
        "types_fit",
        "{step.a_.count}: this is integer, where a list is needed",
    ),
    "a loop over a text": (
        [search("a", forEach=loop("topic"))],
        "$.steps[0].forEach.items",
        "types_fit",
        "'topic' is not a list: write a reference such as {rows}, an expression, or a list",
    ),
    "a loop over an expression of no list": (
        [search("a", forEach=loop("{= size(topic)}"))],
        "$.steps[0].forEach.items",
        "types_fit",
        "'{= size(topic)}' is not a list",
    ),
    "a loop over nothing": (
        [search("a", forEach=loop("{topics}"))],
        "$.steps[0].forEach.items",
        "reference_exists",
        "{topics}: there is no input 'topics'",
    ),
    "a loop over its own items": (
        [search("a", forEach=loop("{row}"))],
        "$.steps[0].forEach.items",
        "reference_exists",
        "{row}: there is no input 'row'",
    ),
    "too many items": (
        [search("a", forEach=loop([1] * (MAX_ITEMS + 1)))],
        "$.steps[0].forEach.items",
        "item_count",
        "the list has 10,001 items, and at most 10,000 are allowed",
    ),
    "an item that hides an input": (
        [search("a", forEach=loop(**{"as": "lang"}))],
        "$.steps[0].forEach.as",
        "item_name",
        "'lang' has a meaning already",
    ),
    "failures with the name of a result": (
        [search("a", forEach=loop(failures="a_"))],
        "$.steps[0].forEach.failures",
        "variable_unique",
        "another step has the output 'a_'",
    ),
    "an item outside of its loop": (
        [search("a", forEach=loop()), search("b", "a", query="{row}")],
        "$.steps[1].inputs.query",
        "reference_exists",
        "{row}: there is no input 'row'",
    ),
    "an expression that is none": (
        [search("a", query="{= topic + }")],
        "$.steps[0].inputs.query",
        "expression_valid",
        "The expression is not valid",
    ),
    "an expression of another type": (
        [search("a", inputs={"limit": "{= topic == 'x'}"})],
        "$.steps[0].inputs.limit",
        "types_fit",
        "{= topic == 'x'}: this is boolean, where integer or null is needed"[:40],
    ),
    "an expression that reads nothing known": (
        [search("a", query="{= zip + 'x'}")],
        "$.steps[0].inputs.query",
        "expression_valid",
        "there is no zip here",
    ),
    "an expression that reads another branch": (
        [search("a"), search("b", query="{= string(step.a_.count)}")],
        "$.steps[1].inputs.query",
        "reference_in_chain",
        "step 'b' does not depend on 'a'",
    ),
    "arithmetic without a sign": (
        [search("a", query="{topic - 1} and more")],
        "$.steps[0].inputs.query",
        "expression_marked",
        "{topic - 1} is passed on as text, because it is not a reference; write {= topic - 1}",
    ),
    "a reference with blanks": (
        [search("a", query="{ topic }")],
        "$.steps[0].inputs.query",
        "expression_marked",
        "{ topic } is passed on as text, because it is not a reference; write {topic}",
    ),
    "an index": (
        [search("a"), search("b", "a", query="{step.a_.rows[0].name}")],
        "$.steps[1].inputs.query",
        "reference_leads_somewhere",
        "the result of step 'a' never has that",
    ),
    "an index of an input": (
        [search("a", query="{topic[0]}")],
        "$.steps[0].inputs.query",
        "expression_marked",
        "write {= topic[0]}",
    ),
    "two braces": (
        [search("a", query="about {{topic}}")],
        "$.steps[0].inputs.query",
        "expression_marked",
        "{{topic}} is not a reference in inputs; write {topic}",
    ),
    "a wait and a call": (
        [step("a", wait=3, tool="answer")],
        "$.steps[0]",
        "one_target",
        "step 'a' waits and calls a tool; it does one of them",
    ),
    "a wait with inputs": ([step("a", wait=3, inputs={"x": 1})], "$.steps[0].inputs", "wait_alone", "takes no inputs"),
    "a wait for no time": (
        [step("a", wait="soon")],
        "$.steps[0].wait",
        "wait_time",
        "this is not a time. Give seconds",
    ),
    "a wait for two years": ([step("a", wait="P800D")], "$.steps[0].wait", "wait_time", "a year at most"),
    "a wait for nothing known": ([step("a", wait="{zip}")], "$.steps[0].wait", "reference_exists", "there is no input"),
    "a retry of a question": (
        [step("a", interactionMode="manual", retry={"attempts": 2})],
        "$.steps[0].retry",
        "retry_of_call",
        "only a call is retried",
    ),
    "rules for a question that nobody is asked": (
        [step("a", question={"assignee": "ann"})],
        "$.steps[0].question",
        "question_is_manual",
        "set execution.interactionMode to manual",
    ),
    "an answer that never counts": (
        [step("a", interactionMode="manual", question={"answer": "yes"})],
        "$.steps[0].question.answer",
        "answer_counts",
        "set onTimeout to answer",
    ),
    "no answer that could count": (
        [step("a", interactionMode="manual", question={"onTimeout": "answer"})],
        "$.steps[0].question.answer",
        "answer_given",
        "needs an answer that is not null",
    ),
    "an assignee from nowhere": (
        [step("a", interactionMode="manual", question={"assignee": "{boss}"})],
        "$.steps[0].question.assignee",
        "reference_exists",
        "there is no input 'boss'",
    ),
    "a compensation without a target": (
        [search("a", compensate={"inputs": {}})],
        "$.steps[0].compensate",
        "one_target",
        "step 'undo_a' calls neither a tool nor a process",
    ),
    "a compensation with a wrong input": (
        [search("a", compensate={"tool": "search", "inputs": {"query": "{row}"}})],
        "$.steps[0].compensate.inputs.query",
        "reference_exists",
        "{row}: there is no input 'row'",
    ),
    "a compensation with a name that is taken": (
        [search("a", compensate=UNDO | {"inputs": {}}), step("undo_a", "a")],
        "$.steps[0].compensate.id",
        "step_id_unique",
        "another step has the id 'undo_a'",
    ),
    "a compensation with too long a name": (
        [step("a" * 60, compensate={"tool": "answer"})],
        "$.steps[0].compensate",
        "compensation_name",
        "shorten the step's id",
    ),
}


@pytest.mark.parametrize(("steps", "path", "rule", "words"), PROBLEMS.values(), ids=PROBLEMS)
def test_what_cannot_run_is_refused_when_it_is_saved(steps, path, rule, words):
    """Platform 41: with its path, and what to write instead."""
    problems = [problem for problem in checked(*steps) if problem.path == path and problem.rule == rule]
    assert problems, checked(*steps)
    assert words in problems[0].message


@pytest.mark.parametrize(
    "text",
    [
        *('{"topic": 1}', "{'a': topic}", "function() { return topic; }", "{topic:>10}", "{...}", "{a - b}"),
        *('{console.log("x")}', "{topics.x }", "{topics.map(t => t)}", "{topics.0 .x}", "{= '{topics.x}'}"),
    ],
)
def test_braces_of_json_and_code_are_left_alone(text):
    """Platform 41: only what is valid CEL over known names looks like an expression."""
    assert checked(step("a", inputs={"prompt": text})) == []


@pytest.mark.parametrize("text", ["{topics.x}", "about {topics.x-y.0} and more"])
def test_a_mistyped_name_before_a_dot_is_refused(text):
    """Platform 41: else the run sends the braces to the service, as a text like any other."""
    (name,) = re.findall(r"{.*}", text)
    assert only(step("a", inputs={"prompt": text})) == (
        f"{name}: there is no input 'topics'; there are lang, topic; write {{= '{name}'}} if it is text"
    )


def test_a_mistyped_name_before_a_dot_is_refused_wherever_a_step_reads():
    """Platform 41: in what undoes a step, in whom it asks, in what it waits for, and in what it repeats."""
    undo = {"tool": "answer", "inputs": {"id": "{item.body.id}"}}
    asked = {"assignee": "{aprover.name}", "escalate": [{"assignee": "{boss.name}", "timeout": 60}]}
    steps = [
        search("a", forEach=loop("{topic}"), compensate=undo),
        step("b", interactionMode="manual", question=asked),
        step("c", wait="{day.end}"),
        step("d", forEach=loop("{orders.lines}")),
    ]
    assert found(*steps) == [
        ("$.steps[1].question.assignee", "reference_exists"),
        ("$.steps[1].question.escalate[0].assignee", "reference_exists"),
        ("$.steps[2].wait", "reference_exists"),
        ("$.steps[3].forEach.items", "reference_exists"),
        ("$.steps[0].compensate.inputs.id", "reference_exists"),
    ]


def test_sections_read_what_is_certain_and_test_the_rest():
    """Platform 41: a failed run may have no result of a step, so its parts are read only under a condition."""
    broken = {"onFailure": [step("tell", inputs={"n": "{step.a_.count}"})]}
    assert found(search("a"), **broken) == [("$.onFailure[0].inputs.n", "null_fits")]
    tested = {"onFailure": [step("tell", inputs={"n": "{step.a_.count}"}, condition="step.a_ != null")]}
    assert found(search("a"), **tested) == []
    undone = search("b", "a", compensate={"tool": "answer", "inputs": {"n": "{step.a_.count}", "r": "{result.count}"}})
    assert found(search("a"), undone) == []


def test_a_failure_is_read_only_after_it():
    """Platform 41."""
    assert "there is no input 'failure'" in only(search("a", query="{failure}"))
    assert found(search("a"), **{"finally": [step("b", compensate={"tool": "answer"})]}) == [
        ("$.finally[0].compensate", "compensation_of_main")
    ]


def test_names_that_mean_something_else_are_refused():
    """Platform 41."""
    handlers = [step("tell")]
    assert found(search("a"), initialContext=["failure"], onFailure=handlers) == [("$.initialContext", "name_reserved")]
    assert found(search("a", compensate=UNDO), inputs={"result": {}}, initialContext=["lang"]) == [
        ("$.inputs", "name_reserved")
    ]


def test_typed_inputs_are_checked():
    """Platform 41: schemas, defaults, and what is read of an input."""
    assert found(
        step("a"), inputs={"lang": {}, "step": {}, "n": {"type": "nothing"}, "m": {"type": "integer", "default": "x"}}
    ) == [
        ("$.inputs.lang", "input_unique"),
        ("$.inputs.step", "input_not_step"),
        ("$.inputs.n", "schema_valid"),
        ("$.inputs.m.default", "default_fits"),
    ]
    typed = {"order": {"type": "object", "properties": {"id": {"type": "string"}}, "additionalProperties": False}}
    assert found(search("a", inputs={"limit": "{order.id}"}), inputs=typed) == [
        ("$.steps[0].inputs.limit", "types_fit")
    ]
    assert found(search("a", query="{order.id}"), inputs=typed) == []


@pytest.mark.parametrize(
    ("schema", "places"),
    [
        ({"enum": ["de", False]}, ["enum[1]"]),
        ({"type": "string", "enum": [True, False]}, ["enum[0]", "enum[1]"]),
        ({"type": "array", "items": {"enum": ["de", False]}}, ["items.enum[1]"]),
        ({"anyOf": [{"enum": ["de", False]}, {"type": "null"}]}, ["anyOf[0].enum[1]"]),
        ({"enum": [True, False]}, []),
        ({"type": ["string", "boolean"], "enum": ["de", False]}, []),
        ({"default": {"enum": ["de", False]}}, []),
    ],
)
def test_a_truth_value_among_texts_needs_quotes(schema, places):
    """YAML reads `enum: [de, no]` as a text and a truth value."""
    problems = checked(step("a"), inputs={"language": schema})
    assert [each.path for each in problems] == [f"$.inputs.language.{place}" for place in places]
    if places:
        assert "put it in quotes" in problems[0].message


@pytest.mark.parametrize(
    ("format_", "good", "bad"),
    [
        ("date", "2026-02-28", "2026-13-45"),
        ("date-time", "2026-02-28T10:00:00Z", "2026-02-28"),
        ("time", "10:00:00Z", "25:00"),
        ("email", "ida@example.com", "ida"),
        ("uri", "https://example.com", "example"),
    ],
)
def test_formats_of_inputs_are_checked(format_, good, bad):
    inputs = {"x": {"type": "string", "format": format_}}
    definition = ProcessDefinition.parsed({"name": "x", "steps": [step("a")], "inputs": inputs})
    assert input_problems(definition, {"x": good}) == []
    (problem,) = input_problems(definition, {"x": bad})
    assert problem.startswith(f'x: "{bad}" is not a "{format_}", such as ')
    assert found(step("a"), inputs={"x": {**inputs["x"], "default": bad}}) == [("$.inputs.x.default", "default_fits")]


def test_a_call_leaves_out_what_has_a_default():
    """Platform 41."""
    target = ProcessTarget("Inner", ("a", "b"), "digest", required=("a",))
    known = Known({"inner": target})
    assert checked(step("c", process="inner", inputs={"a": 1}), targets=known) == []
    assert "needs the input 'a'" in only(step("c", process="inner", inputs={"b": 1}), targets=known)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("n", "n is integer, not true or false; compare it, as in `n == ...`"),
        (" step.a_.count ", "step.a_.count is integer, not true or false; compare it, as in `step.a_.count == ...`"),
        ("n == 1", None),
        ("sure", None),
        ("topic", None),
        ("step.a_.open", None),
        ("failure", "there is no input 'failure'"),
    ],
)
def test_a_condition_that_is_one_value_is_true_or_false(condition, said):
    """Platform 6: an input without a schema may be."""
    typed = {"n": {"type": "integer"}, "sure": {"type": ["boolean", "null"]}}
    problems = checked(search("a"), step("b", "a", condition=condition), inputs=typed)
    assert [each.path for each in problems] == ([] if said is None else ["$.steps[1].execution.condition"])
    assert said is None or said in problems[0].message


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"step": []}, "$.step: there is no field 'step' here; did you mean 'steps'?"),
        ({"input": {}}, "$.input: there is no field 'input' here; did you mean 'inputs'?"),
        ({"steps": [step("a", dependson=[])]}, "there is no field 'dependson' here; did you mean 'dependsOn'?"),
        (
            {"steps": [step("a", compensate={"tol": "x"})]},
            "$.steps[0].compensate.tol: there is no field 'tol' here; did you mean 'tool'?",
        ),
        (
            {"steps": [step("a", question={"escalate": [{"asignee": "x"}]})]},
            "$.steps[0].question.escalate[0].asignee: there is no field 'asignee' here; did you mean 'assignee'?",
        ),
        (
            {"steps": [{**step("a"), "execution": {"zzz": 1}}]},
            "there is no field 'zzz' here; there are mode, condition, timeout, interactionMode",
        ),
    ],
)
def test_an_unknown_field_is_told_the_nearest_one(fields, said):
    """Of the object that has it, however deep."""
    with pytest.raises(RuleError) as caught:
        ProcessDefinition.parsed({"name": "Own", "steps": [step("a")], **fields})
    assert said in caught.value.message


def test_an_unknown_field_of_one_kind_of_operation_is_told_the_fields_of_that_kind():
    operation = {"type": "rest_request", "pth": "/"}
    with pytest.raises(RuleError, match=r"there is no field 'pth' here; did you mean 'path'\?"):
        NewTool.parsed({"name": "a", "serviceId": "x", "operation": operation, "inputSchema": {}})


def test_a_definition_that_uses_nothing_of_it_has_the_digest_that_it_had():
    """Platform 41: runs are pinned to digests of the language before."""
    definition = ProcessDefinition.parsed({"name": "x", "steps": [step("a")]})
    assert definition.as_dict()["steps"][0].keys() == {
        *("id", "tool", "process", "inputs", "dependsOn", "output", "execution")
    }
    assert definition.as_dict().keys() == {
        *("name", "description", "initialContext", "steps", "outputTemplate", "tokenBudget"),
        *("maxRecursionDepth", "enabled"),
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (0, WaitTime(seconds=0)),
        (1.5, WaitTime(seconds=1.5)),
        ("PT30M", WaitTime(seconds=1800)),
        ("P1DT1S", WaitTime(seconds=86_401)),
        ("PT0.5S", WaitTime(seconds=0.5)),
        ("2026-12-24T18:00:00Z", WaitTime(until=1_798_135_200)),
        ("2026-12-24T19:00:00+01:00", WaitTime(until=1_798_135_200)),
        *((given, None) for given in (-1, True, None, [], "", "P", "PT", "P1Y", "1h", "2026-12-24T18:00:00", 4e7)),
        *((given, None) for given in ("P9999999999D", "2026-13-01T00:00:00Z", "PT1H1H")),
    ],
)
def test_times_to_wait(given, expected):
    """Platform 41."""
    assert parse_wait_time(given) == expected


@pytest.mark.parametrize(
    "fields",
    [
        {"forEach": {"items": "{q}", "as": "1"}},
        {"forEach": {"items": "{q}", "concurrency": 0}},
        {"forEach": {"items": "{q}", "concurrency": 101}},
        {"forEach": {}},
        {"retry": {"attempts": 5}},
        {"retry": {"delay": -1}},
        {"retry": {"on": []}},
        {"question": {"escalate": [{"assignee": "ann"}]}},
        {"question": {"onTimeout": "maybe"}},
        {"compensate": {"forEach": {}}},
    ],
)
def test_a_wrong_form_is_refused(fields):
    """Platform 41, within the bounds of platform 10."""
    with pytest.raises(RuleError, match=rf"\$\.steps\[0\]\.{next(iter(fields))}"):
        ProcessDefinition.parsed({"name": "x", "steps": [step("a", **fields)]})

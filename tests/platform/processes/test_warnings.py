"""What is allowed in a Process and probably not meant: misspelt fields, references in templates, unknown codes."""

import pytest
from tests.platform.processes.test_checks import TOOLS, Known, found, search, step

from aeon.platform.processes.checks.definition import check_definition
from aeon.platform.processes.checks.json_types import misspelt_field
from aeon.platform.processes.checks.targets import ToolTarget
from aeon.platform.processes.checks.warnings import find_warnings
from aeon.platform.processes.model import ProcessDefinition

ISSUE = {
    "type": "object",
    "properties": {
        "team": {"type": "string"},
        "labels": {"type": "array", "items": {"properties": {"name": {"type": "string"}}}},
    },
}
SORT = ToolTarget("Sort", "llm_provider", {}, ISSUE)
TARGETS = Known(tools={**TOOLS, "sort": SORT})


def warnings(*steps, **fields):
    """The warnings as pairs of path and message, of a definition that can be saved."""
    definition = ProcessDefinition.parsed({"name": "Own", "initialContext": ["topic"], "steps": list(steps), **fields})
    assert check_definition(definition, TARGETS) == []
    return [(each.path, each.message) for each in find_warnings(definition, TARGETS)]


SORTED = step("a", tool="sort")
TAEM = "the outputSchema of 'Sort' does not declare 'taem'; did you mean 'team'?"


@pytest.mark.parametrize(
    ("reader", "place"),
    [
        ({"inputs": {"x": ["{step.a_.taem}"]}}, "inputs.x[0]"),
        ({"inputs": {"x": "of {= step.a_.taem + '!'}"}}, "inputs.x"),
        ({"condition": "step.a_.taem == 'blue'"}, "execution.condition"),
        ({"forEach": {"items": "{step.a_.taem}", "as": "one"}}, "forEach.items"),
    ],
)
def test_every_place_that_reads_a_field_is_looked_at(reader, place):
    assert warnings(SORTED, step("b", "a", **reader)) == [(f"$.steps[1].{place}", f"step.a_.taem: {TAEM}")]


def test_the_template_and_the_typed_inputs_are_looked_at():
    template = "{{step.a_.team}} {{#if step.a_.taem}}{{step.a_.taem}}{{/if}}"
    assert warnings(SORTED, outputTemplate=template) == [("$.outputTemplate", f"step.a_.taem: {TAEM}")]
    typed = {"order": {"type": "object", "properties": {"customer": {"type": "string"}}}}
    assert warnings(step("a", inputs={"x": "{order.custmer}"}), inputs=typed) == [
        ("$.steps[0].inputs.x", "order.custmer: the input 'order' does not declare 'custmer'; did you mean 'customer'?")
    ]
    assert [path for path, _ in warnings(SORTED, inputs=typed, outputTemplate="order.custmer: {{order.custmer}}")] == [
        "$.outputTemplate"
    ]


def test_the_item_of_a_list_is_looked_at():
    looped = step("a", tool="sort", forEach={"items": [1, 2], "as": "one"})
    assert warnings(looped, step("b", "a", inputs={"x": "{step.a_.0.taem}"})) == [
        ("$.steps[1].inputs.x", f"step.a_.0.taem: {TAEM}")
    ]
    assert [path for path, _ in warnings(SORTED, step("b", "a", inputs={"x": "{step.a_.labels.0.nme}"}))] == [
        "$.steps[1].inputs.x"
    ]


def test_nothing_is_said_of_what_may_be_meant():
    """An open schema allows other fields; nothing describes a person's answer or what an untyped input holds."""
    asked = step("a", tool="sort", interactionMode="manual")
    assert warnings(SORTED, step("b", "a", inputs={"x": "{step.a_.status}"})) == []
    assert warnings(asked, step("b", "a", inputs={"x": "{step.a_.taem}"})) == []
    assert warnings(step("a", inputs={"x": "{topic.taem}"})) == []
    assert warnings(SORTED, outputTemplate="{{step.a_}} {{step.a_.labels.0.name}}") == []


@pytest.mark.parametrize("other", [{"additionalProperties": True}, {"patternProperties": {"t": {}}}, {"$ref": "#/x"}])
def test_a_schema_that_speaks_of_other_fields_is_believed(other):
    assert misspelt_field(ISSUE, ["taem"], ISSUE) == ("taem", "team")
    assert misspelt_field({**ISSUE, **other}, ["taem"], True) is None


def test_a_condition_is_refused_that_reads_what_no_value_has():
    """Platform 6: as in inputs; the schema of `search` excludes other fields."""
    assert found(search("a"), step("b", "a", condition="step.a_.cuont > 1 && topic == 'x'")) == [
        ("$.steps[1].execution.condition", "reference_leads_somewhere")
    ]
    assert found(search("a"), step("b", "a", condition="step.a_.rows.size() > 1 && step.a_.open.x == 1")) == []


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("Result {topic}", "{topic} is printed as it is in a template; write {{topic}} for the value"),
        ("{step.a_.team} of {{topic}}", "write {{step.a_.team}} for the value"),
        ("{= topic + '!'}", "{= topic + '!'} is printed as it is in a template; compute it in a step's inputs"),
    ],
)
def test_a_reference_that_a_template_prints_as_it_is_is_warned_of(template, said):
    ((path, message),) = warnings(SORTED, outputTemplate=template)
    assert path == "$.outputTemplate"
    assert said in message


@pytest.mark.parametrize(
    "template", ["{{topic}}", "{other}", '{"a": 1}', "{{{topic}}}", "a { topic", r"\{{topic}}", "{}"]
)
def test_braces_that_mean_nothing_else_are_no_reference(template):
    assert warnings(SORTED, outputTemplate=template) == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("OperatonError", "did you mean 'OperationError'?"),
        ("timeout", "did you mean 'timed_out'?"),
        ("http", "such codes are cancelled, defect"),
    ],
)
def test_a_code_with_which_nothing_fails_is_warned_of(code, said):
    ((path, message),) = warnings(step("a", tool="sort", retry={"on": ["OperationError", code]}))
    assert path == "$.steps[0].retry.on"
    assert f"no failure has the code {code!r}" in message
    assert said in message


@pytest.mark.parametrize("code", ["timed_out", "OperationError", "LostResultError", "MyOwnError"])
def test_a_code_that_there_is_or_may_be_is_taken(code):
    assert warnings(step("a", tool="sort", retry={"on": [code]})) == []

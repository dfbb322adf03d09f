"""What a call's repair may take values from: what was said and found out, nothing else that its prompt holds (core 18)."""

import pytest

from aeon.memory.kv_store import InMemoryKVStore
from aeon.testing.plans import call, plan, step
from aeon.tools.interface import Example, Tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

SHIPPED = [
    tool
    for tool in ToolRegistry(builtin_tools(InMemoryKVStore())).export_tools_for_llm()
    if tool["example"]  # `now` takes no arguments: nothing to invent
]


@pytest.mark.parametrize("tool", SHIPPED, ids=lambda tool: tool["name"])
def test_the_example_of_a_shipped_tool_is_no_source_of_values_core_18(run, tool):
    """All passed once: the example stands in the prompt of every call."""
    example = {"tool": tool["name"], "arguments": tool["example"]}
    made = run([{"tool": tool["name"], "arguments": {}}, example, example])

    result = made.execute("go", plan(step("a", "do what is needed", tool=tool["name"]), goal="get it done"))

    assert result["status"] == "failed"
    assert "invents nothing" in result["final_state"].errors[0]["message"]


class Transfer(Tool):
    """A tool whose example, schema and description are full of values."""

    name = "transfer"
    description = "Send 75 euros to eve@example.org, or object."
    input_schema = {
        "type": "object",
        "properties": {
            "to": {"type": "string", "description": "such as carol@example.org"},
            "amount": {"type": "number", "maximum": 500, "default": 20},
            "urgent": {"type": "boolean"},
        },
        "required": ["to", "amount", "urgent"],
        "additionalProperties": False,
    }
    output_schema = {"type": "object"}
    examples = (
        Example(
            "Pay", [{"description": "pay", "tool": "transfer", "arguments": {"to": "dave@example.org", "amount": 5}}]
        ),
    )

    def invoke(self, **kwargs):
        return kwargs


NEVER_SAID = [
    ("to", "dave@example.org", "the example"),
    ("to", "carol@example.org", "a description in the schema"),
    ("to", "eve@example.org", "the tool's description"),
    ("to", "object", "the schema's own words"),
    ("to", "b", "a letter"),
    ("to", "ob@x.org", "the end of a word"),
    ("to", "bob", "a part of an address"),
    ("to", "transfer", "the tool's name"),
    ("to", "amount", "an argument's name"),
    ("to", "Request", "a label of the prompt"),
    ("amount", 5, "the example"),
    ("amount", 500, "the schema's maximum"),
    ("amount", 20, "the schema's default"),
    ("amount", 75, "the tool's description"),
    ("amount", 50, "the cycles left"),
    ("amount", 2, "a digit of another number"),
    ("amount", 4, "a part of a decimal number"),
    ("urgent", False, "additionalProperties"),
    ("urgent", True, "nothing at all"),
]


@pytest.mark.parametrize(("name", "value", "where"), NEVER_SAID, ids=[f"{n}={v!r}" for n, v, _ in NEVER_SAID])
def test_a_value_that_nobody_gave_is_refused_wherever_else_it_stands_core_18(run, name, value, where):
    proposed = call("transfer", **{"to": "bob@x.org", "amount": 12.4, "urgent": True, name: value})
    request = "Pay 12.4 to bob@x.org" + ("" if name == "urgent" else ", yes, now")
    made = run([call("transfer"), proposed, proposed], Transfer())

    result = made.execute(request, plan(step("a", "pay", tool="transfer"), goal=request))

    assert result["status"] == "failed", where


GIVEN = [
    ("the request", "Pay 31 to ann@x.org, yes", "pay", None),
    ("the step's own words", "please", "pay 31 to ann@x.org: yes", None),
    ("words", "Pay thirty-one to ann@x.org, yes", "pay", None),
    ("German words", "Zahle einunddreißig an ann@x.org, ja", "pay", None),
    ("an earlier result", "please", "pay", {"who": ["ann@x.org"], "sum": 31, "now": True}),
]


@pytest.mark.parametrize(("request_", "words", "result"), [g[1:] for g in GIVEN], ids=[g[0] for g in GIVEN])
def test_a_value_that_was_given_is_taken_core_18(run, request_, words, result):
    class Found(Transfer):
        """Finds out what it was made with."""

        name = "found"
        input_schema = {"type": "object"}
        examples = ()

        def invoke(self, **kwargs):
            return result or {}

    wanted = call("transfer", to="ann@x.org", amount=31, urgent=True)
    made = run([call("transfer"), wanted], Transfer(), Found())

    ended = made.execute(
        request_, plan(step("f", "look", tool="found", arguments={}), step("a", words, tool="transfer"), goal=request_)
    )

    assert ended["results"]["a"] == wanted["arguments"]


def test_a_given_argument_is_a_source_and_a_memory_value_is_one_core_18(run):
    made = run([call("transfer", to="ann@x.org"), call("transfer", to="ann@x.org", amount=31, urgent=True)], Transfer())
    made.memory.write("sum", "31 euros")

    ended = made.execute(
        "please",
        plan(
            step("m", "read", tool="memory_read", arguments={"key": "sum"}),
            step("a", "pay", tool="transfer", arguments={"urgent": True}),
        ),
        repair=True,
    )

    assert ended["results"]["a"]["amount"] == 31


def test_the_repairs_prompt_shows_the_context_and_nothing_else_fr_028(run):
    made = run([call("transfer"), "?", "?"], Transfer())

    made.execute("Pay Ann", plan(step("a", "pay", tool="transfer"), goal="pay"))

    prompt = made.model.requests[1].prompt
    assert "Context:\nRequest: Pay Ann\nGoal: pay\nStep: pay\n" in prompt
    assert "dave@example.org" not in prompt
    assert "Cycles left" not in prompt

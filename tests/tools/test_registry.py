"""FR-019 to FR-021, core 15: what gets into the registry, and what it tells the model."""

import copy

import pytest

from aeon.base.errors import ToolDefinitionError
from aeon.memory.kv_store import InMemoryKVStore
from aeon.tools.interface import DEFAULT_TIMEOUT, Example, Tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools


class Sample(Tool):
    def __init__(self, **fields):
        self.name = "sample"
        self.description = "A sample."
        self.input_schema = {"type": "object"}
        self.output_schema = {"type": "object"}
        for field, value in fields.items():
            setattr(self, field, value)

    def invoke(self, **kwargs):
        return {}


class Bare(Tool):
    """None of the four fields."""

    def invoke(self, **kwargs):
        return {}


def test_a_schema_that_is_known_to_be_valid_compiles_at_its_first_use():
    registry = ToolRegistry()
    registry.register(Sample(input_schema={"required": ["a"]}), is_checked=True)
    schema = registry.lookup("sample").input
    assert not schema.is_valid({})
    assert schema.is_valid({"a": 1})


def problems_of(tool):
    with pytest.raises(ToolDefinitionError) as raised:
        ToolRegistry().register(tool)
    assert raised.value.advice
    return raised.value.details["problems"]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"name": ""}, "its name must be 1 to 128 characters without spaces, not ''"),
        ({"name": "a b"}, "without spaces, not 'a b'"),
        ({"name": "a\n"}, "its name"),
        ({"name": "\x00"}, "its name"),
        ({"name": "x" * 129}, "its name"),
        ({"name": None}, "its name"),
        ({"name": 5}, "its name"),
        ({"description": ""}, "its description is empty; describe what the tool does"),
        ({"description": " \n"}, "its description is empty"),
        ({"description": None}, "its description is empty"),
        ({"input_schema": {"type": "objekt"}}, "its input_schema is not a valid JSON schema: "),
        ({"output_schema": {"properties": 5}}, "its output_schema is not a valid JSON schema: "),
        ({"input_schema": None}, "its input_schema must be a JSON schema as a dict, not NoneType"),
        ({"output_schema": "object"}, "its output_schema must be a JSON schema as a dict, not str"),
        ({"input_schema": {"$ref": "https://example.org/x"}}, "outside this schema"),
        ({"invoke": None}, "it has no invoke()"),
        ({"timeout": -1}, "its timeout must be a positive number of seconds or None, not -1"),
        ({"timeout": 0}, "its timeout"),
        ({"timeout": "5"}, "its timeout"),
        ({"timeout": float("inf")}, "its timeout"),
        ({"timeout": float("nan")}, "its timeout"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_core_15_each_rule_of_a_definition(fields, problem):
    (found,) = problems_of(Sample(**fields))
    assert problem in found


def test_core_15_all_problems_at_once():
    assert len(problems_of(Bare())) == 4
    found = problems_of(Sample(name="", description="", input_schema=[], output_schema={"type": 5}, timeout=-1))
    assert len(found) == 5


def test_core_15_a_duplicate_name_is_refused_and_the_first_kept():
    first = Sample()
    registry = ToolRegistry([first])
    with pytest.raises(ValueError, match="'sample' is registered already; unregister it or choose another name"):
        registry.register(Sample())
    assert registry.get("sample") is first


def test_what_is_refused_is_not_registered():
    registry = ToolRegistry()
    with pytest.raises(ToolDefinitionError):
        registry.register(Sample(description=""))
    assert registry.list_all() == []


def test_lookup_in_order_of_registration():
    tools = [Sample(name=name) for name in ("b", "a", "c")]
    registry = ToolRegistry(tools)
    assert registry.list_all() == ["b", "a", "c"]
    assert registry.get("a") is tools[1]
    assert registry.lookup("a").tool is tools[1]
    assert registry.get("A") is None
    assert registry.lookup("") is None


def test_unregister():
    registry = ToolRegistry([Sample()])
    registry.unregister("unknown")
    registry.unregister("sample")
    assert registry.list_all() == []
    registry.register(Sample())


def test_the_export_is_complete_and_a_copy():
    example = Example(
        "Do.", [{"description": "x", "tool": "other"}, {"description": "y", "tool": "sample", "arguments": {"x": 1}}]
    )
    sample = Sample(input_schema={"type": "object", "properties": {"x": {}}}, examples=(example,))
    registry = ToolRegistry([sample, Sample(name="plain")])
    exported = registry.export_tools_for_llm()
    assert exported[0] == {
        "name": "sample",
        "description": "A sample.",
        "input_schema": {"type": "object", "properties": {"x": {}}},
        "output_schema": {"type": "object"},
        "example": {"x": 1},
    }
    assert "example" not in exported[1]
    before = copy.deepcopy(exported)
    exported[0]["input_schema"]["properties"].clear()
    sample.input_schema["properties"].clear()
    assert registry.export_tools_for_llm() == before


def test_planning_examples_name_registered_tools_only():
    usable = Example("A", [{"description": "x", "tool": "sample"}, {"description": "y", "agent": "llm"}])
    unusable = Example("B", [{"description": "x", "tool": "sample"}, {"description": "y", "tool": "absent"}])
    assert ToolRegistry([Sample(examples=(usable, unusable))]).offer("A").common_examples == [usable]


def test_what_tools_read_out_of_a_request():
    registry = ToolRegistry([Sample(), *builtin_tools(InMemoryKVStore())])
    assert registry.offer("What is 15 * 23 plus 7?").hints == {"calculator": {"expression": "15 * 23 + 7"}}
    assert registry.offer("Say hello.").hints == {}


class Clockwork(Sample):
    """An uncommon tool, for requests that name it."""

    is_common = False

    def suits(self, request):
        return "clock" in request


def test_an_uncommon_tool_is_offered_after_the_common_ones_and_only_where_it_suits():
    example = Example("A", [{"description": "x", "tool": "clockwork"}])
    registry = ToolRegistry([Clockwork(name="clockwork", examples=(example,)), Sample()])
    offer = registry.offer("wind the clock")
    assert [tool["name"] for tool in offer.tools] == ["sample", "clockwork"]
    assert ([tool["name"] for tool in offer.extra], offer.extra_examples) == (["clockwork"], [example])
    other = registry.offer("say hello")
    assert ([tool["name"] for tool in other.tools], other.extra_examples) == (["sample"], [])
    assert other.common == offer.common, "the instructions that a model has read stay the same"


def test_what_an_uncommon_tool_read_displaces_what_the_common_ones_read():
    class Reading(Clockwork):
        def read_request(self, request):
            return {"x": 1} if "read" in request else None

    registry = ToolRegistry([Reading(name="clockwork"), *builtin_tools(InMemoryKVStore())])
    assert registry.offer("read the clock: 2 + 3").hints == {"clockwork": {"x": 1}}
    assert registry.offer("the clock: 2 + 3").hints == {"calculator": {"expression": "2 + 3"}}


def test_a_tool_that_cannot_say_what_it_suits_is_offered():
    class Broken(Clockwork):
        def suits(self, request):
            raise ValueError("no")

    assert [tool["name"] for tool in ToolRegistry([Broken()]).offer("x").tools] == ["sample"]


def test_the_shipped_tools_can_be_registered():
    registry = ToolRegistry(builtin_tools(InMemoryKVStore()))
    memory = ["memory_write", "memory_read", "memory_search", "memory_recall", "memory_forget"]
    assert registry.list_all() == [
        "calculator",
        "echo",
        *memory,
        "now",
        "date_math",
        "convert_time",
        "convert_units",
        "exact",
        "text_operation",
        "calculate_from_text",
        "quote_lines",
    ]
    assert [tool["name"] for tool in registry.offer("Sing a song.").tools] == ["calculator"]
    assert all("example" in tool for tool in registry.export_tools_for_llm())


def test_a_tools_own_checks_use_its_schemas():
    tool = Sample(
        input_schema={"type": "object", "required": ["x"]}, output_schema={"type": "object", "required": ["y"]}
    )
    assert tool.validate_input(x=1)
    assert not tool.validate_input(y=1)
    assert tool.validate_output({"y": 1})
    assert not tool.validate_output({})
    assert tool.timeout == DEFAULT_TIMEOUT
    assert tool.read_request("anything") is None

"""Tools from installed packages: what is found, and what is reported instead."""

import sys
from importlib.metadata import EntryPoint

import pytest

from aeon.memory.kv_store import InMemoryKVStore
from aeon.tools.entry_points import ENTRY_POINT_GROUP, discover_tools
from aeon.tools.function import tool
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs.calculator import CalculatorTool
from aeon.tools.stubs.echo import EchoTool
from aeon.tools.stubs.memory import MemoryReadTool


@tool
def shout(text: str) -> str:
    """Shout."""
    return text.upper()


class Broken(Tool):
    def __init__(self):
        raise RuntimeError("no licence")

    def invoke(self, **kwargs):
        return {}


OFFERS = {
    "instance": EchoTool(),
    "klass": CalculatorTool,
    "listed": [EchoTool(), CalculatorTool, (shout,)],
    "function": shout,
    "empty": [],
    "number": 5,
    "plain_class": dict,
    "partly": [EchoTool(), "not a tool"],
    "abstract": Tool,
    "needs_more": MemoryReadTool,
    "broken": Broken,
}


@pytest.fixture(autouse=True)
def offers(tmp_path, monkeypatch):
    """A package that offers everything above, and modules that fail when they are imported."""
    package = type(sys)("aeon_test_offers")
    package.__dict__.update(OFFERS)
    monkeypatch.setitem(sys.modules, "aeon_test_offers", package)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "aeon_test_exits.py").write_text("raise SystemExit(3)")
    (tmp_path / "aeon_test_syntax.py").write_text("def")


def found(*values):
    return discover_tools([EntryPoint(f"point{n}", value, ENTRY_POINT_GROUP) for n, value in enumerate(values)])


@pytest.mark.parametrize(
    ("name", "tools"),
    [
        ("instance", ["echo"]),
        ("klass", ["calculator"]),
        ("listed", ["echo", "calculator", "shout"]),
        ("function", ["shout"]),
        ("empty", []),
    ],
)
def test_an_instance_a_class_or_a_list(name, tools):
    result = found(f"aeon_test_offers:{name}")
    assert [one.name for one in result.tools] == tools
    assert result.problems == []
    ToolRegistry(result.tools)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("aeon_test_missing:tool", "ModuleNotFoundError: No module named 'aeon_test_missing'"),
        ("aeon_test_offers:nothing", "AttributeError: "),
        ("aeon_test_syntax:tool", "SyntaxError: "),
        ("aeon_test_exits:tool", "SystemExit: 3"),
        ("aeon_test_offers:number", "TypeError: is a int; it must be a Tool, a Tool class, or a list of them"),
        ("aeon_test_offers:plain_class", "TypeError: is a type; it must be"),
        ("aeon_test_offers:partly", "TypeError: is a str; it must be"),
        ("aeon_test_offers:abstract", "TypeError: Can't instantiate abstract class"),
        ("aeon_test_offers:needs_more", "TypeError: "),
        ("aeon_test_offers:broken", "RuntimeError: no licence"),
    ],
)
def test_a_broken_one_is_reported_and_stops_nothing(value, reason):
    result = found(value, "aeon_test_offers:instance")
    assert [one.name for one in result.tools] == ["echo"]
    assert len(result.problems) == 1
    assert result.problems[0].startswith(f"point0 ({value}): {reason}")


def test_installed_packages_are_asked_when_nothing_is_given():
    assert discover_tools().problems == []


def test_found_tools_can_use_a_memory_of_their_own():
    assert MemoryReadTool(InMemoryKVStore()).name == "memory_read"

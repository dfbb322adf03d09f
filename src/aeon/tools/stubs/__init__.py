"""The built-in tools: echo, calculator, memory."""

from aeon.tools.interface import Tool
from aeon.tools.stubs.calculator import CalculatorTool
from aeon.tools.stubs.echo import EchoTool
from aeon.tools.stubs.memory import KeyValueStore, MemoryReadTool, MemorySearchTool, MemoryWriteTool


def builtin_tools(memory: KeyValueStore) -> list[Tool]:
    """Returns all built-in tools, the memory tools on `memory`."""
    return [CalculatorTool(), EchoTool(), MemoryWriteTool(memory), MemoryReadTool(memory), MemorySearchTool(memory)]

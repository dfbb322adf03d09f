"""The tools that ship: echo, calculator, memory."""

from aeon.tools.interface import Tool
from aeon.tools.stubs.calculator import CalculatorTool
from aeon.tools.stubs.echo import EchoTool
from aeon.tools.stubs.memory import KeyValues, MemoryReadTool, MemorySearchTool, MemoryWriteTool


def shipped_tools(memory: KeyValues) -> list[Tool]:
    """One of each, the memory tools on `memory`."""
    return [CalculatorTool(), EchoTool(), MemoryWriteTool(memory), MemoryReadTool(memory), MemorySearchTool(memory)]

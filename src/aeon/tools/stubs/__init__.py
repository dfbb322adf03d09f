"""The built-in tools: calculator, echo and memory for every request.

Those for dates, units, exact numbers and the letters of texts are offered where they suit.
"""

from aeon.base.clock import Clock
from aeon.tools.interface import Tool
from aeon.tools.quoted_lines import QuoteLinesTool
from aeon.tools.stubs.calculator import CalculatorTool
from aeon.tools.stubs.convert_time import ConvertTimeTool
from aeon.tools.stubs.convert_units import ConvertUnitsTool
from aeon.tools.stubs.dates import DateMathTool, NowTool
from aeon.tools.stubs.echo import EchoTool
from aeon.tools.stubs.exact import ExactTool
from aeon.tools.stubs.memory import (
    MemoryReadTool,
    MemoryRecallTool,
    MemorySearchTool,
    MemoryWriteTool,
)
from aeon.tools.stubs.memory_forget import MemoryForgetTool
from aeon.tools.stubs.stored_values import KeyValueStore
from aeon.tools.stubs.text_operation import TextOperationTool
from aeon.tools.text_calculations import CalculateFromTextTool


def builtin_tools(memory: KeyValueStore, clock: Clock | None = None) -> list[Tool]:
    """Returns all built-in tools, the memory tools on `memory`, the date tools on `clock` (the system's if None)."""
    return [
        CalculatorTool(),
        EchoTool(),
        *memory_tools(memory),
        NowTool(clock),
        DateMathTool(clock),
        ConvertTimeTool(clock),
        ConvertUnitsTool(),
        ExactTool(),
        TextOperationTool(),
        CalculateFromTextTool(),
        QuoteLinesTool(),
    ]


def memory_tools(memory: KeyValueStore) -> list[Tool]:
    """Returns the tools that write, read, search and forget the values of `memory`."""
    tools = (MemoryWriteTool, MemoryReadTool, MemorySearchTool, MemoryRecallTool, MemoryForgetTool)
    return [tool(memory) for tool in tools]

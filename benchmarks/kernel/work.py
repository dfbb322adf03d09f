"""The work that every system does: calculator and echo calls by turns, asked for by a mock model in JSON."""

import json
from typing import Any

from aeon.tools.arithmetic import evaluate_expression

Call = tuple[str, dict[str, Any]]

DONE: list[dict[str, Any]] = []
"""Results of the tool calls that really ran, in order; `take_done` empties it."""


def calculator(expression: str) -> dict[str, Any]:
    return _ran({"result": evaluate_expression(expression)})


def echo(text: str) -> dict[str, Any]:
    return _ran({"text": text})


def _ran(result: dict[str, Any]) -> dict[str, Any]:
    DONE.append(result)
    return result


TOOLS = {"calculator": calculator, "echo": echo}


def calls(steps: int) -> list[Call]:
    """One tool call a step."""
    return [
        ("echo", {"text": f"step {index}"}) if index % 2 else ("calculator", {"expression": f"{index} * 3 + 4"})
        for index in range(steps)
    ]


def replies(steps: int) -> list[str]:
    """What the mock model answers, step by step."""
    return [json.dumps({"tool": tool, "arguments": arguments}) for tool, arguments in calls(steps)]


def check_done(steps: int) -> None:
    """Every tool call ran, once and in order."""
    expected = [{"text": f"step {index}"} if index % 2 else {"result": index * 3 + 4} for index in range(steps)]
    assert expected == DONE, f"{len(DONE)} of {steps} tool calls came out right"
    DONE.clear()

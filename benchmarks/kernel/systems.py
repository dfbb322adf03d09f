"""The floor and Aeon on the shared work. A system is prepared once for a number of steps, then runs many times."""

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import jsonschema_rs
from work import TOOLS, calls, replies

from aeon.kernel.orchestrator import Orchestrator
from aeon.llm.interface import LLMRequest, LLMResponse, RequestAdapter, TextSink
from aeon.observability.log import JsonlLog
from aeon.plan.models import Plan
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs.calculator import CalculatorTool
from aeon.tools.stubs.echo import EchoTool

Run = Callable[[], None]
System = Callable[[int, Path], Run]
"""Prepares so many steps, with a folder for logs; what it returns is one whole run, and that is timed."""

SHIPPED = (CalculatorTool(), EchoTool())


def bare_tools(steps: int, _folder: Path) -> Run:
    """The tools' own work, which stands inside every other figure."""

    def run() -> None:
        for tool, arguments in calls(steps):
            TOOLS[tool](**arguments)

    return run


def floor(steps: int, folder: Path) -> Run:
    """The least that a checked, logged step costs: parse, check, call, check, one line in one write to an open file."""
    encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
    takes = {tool.name: jsonschema_rs.validator_for(tool.input_schema) for tool in SHIPPED}
    gives = {tool.name: jsonschema_rs.validator_for(tool.output_schema) for tool in SHIPPED}
    answers, paths = replies(steps), _new_paths(folder)

    def run() -> None:
        file = os.open(next(paths), os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND)
        for number, answer in enumerate(answers, 1):
            asked = json.loads(answer)
            tool, arguments = asked["tool"], asked["arguments"]
            assert takes[tool].is_valid(arguments)
            record = {"step_number": number, "llm_output": {"text": answer}, "tool": tool, "arguments": arguments}
            record["timestamp"] = datetime.now(UTC).isoformat()
            record["result"] = TOOLS[tool](**arguments)
            assert gives[tool].is_valid(record["result"])
            os.write(file, encode(record).encode() + b"\n")
        os.close(file)

    return run


def aeon(steps: int, folder: Path) -> Run:
    """Aeon, plan given without arguments: the model is asked for each step's call; log on."""
    return _aeon(steps, folder, [{"tool": tool} for tool, _ in calls(steps)])


def aeon_by_hand(steps: int, folder: Path) -> Run:
    """Aeon, plan given with arguments: no model is asked; log on."""
    return _aeon(steps, folder, [{"tool": tool, "arguments": arguments} for tool, arguments in calls(steps)])


def _aeon(steps: int, folder: Path, uses: list[dict[str, Any]]) -> Run:
    listed = [{"step_id": f"s{number}", "description": f"step {number}", **use} for number, use in enumerate(uses, 1)]
    plan = Plan.model_validate({"goal": "the shared work", "steps": listed})
    answers, paths, registry = replies(steps), _new_paths(folder), ToolRegistry([_Calculator(), _Echo()])

    def run() -> None:
        log = JsonlLog(next(paths))
        done = Orchestrator(_Model(answers), None, registry, ttl=steps, log=log).execute("Do the work.", plan)
        log.close()
        assert done["status"] == "completed"
        assert len(done["results"]) == steps
        assert log.entries == steps + 1

    return run


def _new_paths(folder: Path) -> Iterator[Path]:
    return (folder / f"{number}.jsonl" for number in count())


class _Model(RequestAdapter):
    """Answers from a list."""

    def __init__(self, answers: list[str]) -> None:
        self._answers = iter(answers)

    def supports_streaming(self) -> bool:
        return False

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        del request, on_text
        return LLMResponse(next(self._answers), "stop")


class _Calculator(CalculatorTool):
    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        return TOOLS["calculator"](**kwargs)


class _Echo(EchoTool):
    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        return TOOLS["echo"](**kwargs)

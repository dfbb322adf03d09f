"""How the supervisor reads a model's reply: by the deterministic ladder, as an object, as a proposal (core 9)."""

import re
from collections.abc import Sequence
from functools import cache
from typing import cast

from aeon.base.json import Json, JsonObject, parse_strict
from aeon.base.json_schema import CompiledSchema, ValidationProblem, compile_schema
from aeon.base.lazy_pattern import LazyPattern
from aeon.llm.interface import LLMResponse
from aeon.supervisor.repair_tasks import RepairTask
from aeon.tools.worked_dates import DATE_TOOL, read_dated_solution
from aeon.tools.worked_solutions import CALCULATOR, read_solution
from aeon.validation.recovery import RecoveredValue, RecoveryFailure, recover
from aeon.validation.schema import call_problems

_JSON_BEGINS = LazyPattern(r"[{\[]\s*[\"{\[]")
_CLOCK_SUM = LazyPattern(
    r"\d:\d\d(?: ?(?:am|pm|uhr))?\s*[-+\u2212\u2013]|[-+\u2212\u2013]\s*\d{1,2}:\d\d", re.IGNORECASE
)
"""A calculation with a clock time: "8:15 - 35 - 40" is not 15 - 35 - 40."""


@cache
def call_form() -> CompiledSchema:
    """The schema that every tool call has."""
    return CompiledSchema(
        {
            "type": "object",
            "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
            "required": ["tool", "arguments"],
        }
    )


def named_call_problems(call: Json, name: str, check: CompiledSchema) -> list[ValidationProblem]:
    """The problems of `call` as a call of the tool `name`."""
    problems = call_problems(call, check)
    return problems if problems or call["tool"] == name else [ValidationProblem("$.tool", f"this step calls {name!r}")]


def read_reply(reply: LLMResponse, check: CompiledSchema) -> RecoveredValue | RecoveryFailure:
    """Reads a reply with the deterministic ladder (core 9). Only a model that stopped may have forgotten a bracket."""
    return recover(reply.text, check, is_truncated=reply.is_truncated, has_stopped=reply.finish_reason == "stop")


def read_solved_plan(reply: LLMResponse, tools: Sequence[str], request: str) -> JsonObject | None:
    """The plan in a reply that works the request out in lines instead of JSON, if the tools of its steps are there."""
    if reply.is_truncated or CALCULATOR not in tools or _JSON_BEGINS.search(reply.text):
        return None
    dated = read_dated_solution(reply.text, request) if DATE_TOOL in tools else None
    steps = dated or (None if _CLOCK_SUM.search(reply.text) else read_solution(reply.text, request))
    return None if steps is None else {"goal": request, "steps": steps}


def is_json(text: str) -> bool:
    """Whether a text is one JSON value."""
    try:
        parse_strict(text)
    except (ValueError, RecursionError):
        return False
    return True


def readable_object(read: RecoveredValue | RecoveryFailure) -> JsonObject | None:
    """The object in a reply, even if it does not match its schema; None if there is none."""
    return as_object(read.value if isinstance(read, RecoveredValue) else read.parsed_value)


def as_object(value: Json) -> JsonObject | None:
    """The value if it is an object, else None."""
    return cast(JsonObject, value) if isinstance(value, dict) else None


def shown_text(reply: LLMResponse) -> str:
    """The faulty output for a repair's prompt: nothing of a truncated text, so that the model does not complete it."""
    return "(cut off by the token limit; write it again, shorter)" if reply.is_truncated else reply.text


def proposal(reply: LLMResponse, task: RepairTask) -> tuple[JsonObject | None, list[ValidationProblem]]:
    """The model's proposal for a task if it passes the checks, else None and its problems."""
    read = read_reply(reply, compile_schema({"type": "object"}))
    if isinstance(read, RecoveryFailure):
        return None, list(read.problems)
    value = cast(JsonObject, read.value)
    problems = task.check(value)
    return (None, problems) if problems else (value, [])

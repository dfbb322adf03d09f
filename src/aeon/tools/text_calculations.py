"""`CalculateFromTextTool`: computes the calculation that a model took from a text; which requests need that."""

import re
from typing import Any, Final

from aeon.base.errors import ToolError
from aeon.base.json import JsonObject
from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.arithmetic import evaluate_expression
from aeon.tools.attachments import CALCULATE_FROM_TEXT
from aeon.tools.interface import Example, Tool
from aeon.tools.number_styles import groups_with_points, without_grouping_points
from aeon.tools.table_requests import asks_to_write
from aeon.tools.worked_solutions import calculation_at_end

CALCULATION_INSTRUCTIONS: Final = (
    "Which calculation with the numbers of the text answers the question? Write the calculation alone, without words "
    "and without its result. Question: {request}"
)
"""What a model is told that takes a calculation from a text, which is its material."""

_MAX_LINE: Final = 1000

_SEARCHED: Final = 600
"""Characters of a request that are looked at."""

_COMPUTED: Final = (
    r"left|remain\w*|together|altogether|in (?:all|total)|all in all|per|each|saved?|missing"
    r"|too (?:much|high|low|many|few|little)|(?:more|less|fewer|\w+er)\b.*\bthan"
    r"|übrig|bleib\w*|zusammen|insgesamt|pro|je|gespart|fehl\w*"
    r"|zu (?:viel|wenig|hoch|niedrig|teuer)|(?:mehr|weniger|\w+er)\b.*\bals"
)
"""What is asked for beside "how much", if it has to be computed."""

_TOGETHER: Final = "together|altogether|in total|all (?:of )?that|zusammen|insgesamt"
_SPENT: Final = (
    r"pay\w*|paid|costs?|spend\w*|spent|owe|earn\w*|zahl\w*|gezahlt|kost\w*|ausgeb\w*|ausgegeben|schuld\w*|verdien\w*"
)

_PROPORTION: Final = (
    r"\bhow (?:much|many) \w+ (?:do|does|would|will|should) (?:i|we|you|one|it|they) need for\b"
    r"|\bwie ?viele? \w+ brauch\w*\b.*\bfür\b"
)

_ASKS_PROPORTION: Final = LazyPattern(_PROPORTION, re.IGNORECASE)

_ASKS: Final = LazyPattern(
    "|".join(
        (
            rf"\b(?:how (?:much|many)|wie ?viele?)\b.*\b(?:{_COMPUTED})\b",
            r"\bhow much (?:too|more|less|cheaper)\b|\bum wie ?viel\b",
            _PROPORTION,
            r"\b(?:total|sum|average|difference|altogether|add(?:ed)? up)\b|\bmean of\b",
            r"\b(?:zusammen|insgesamt|summe|durchschnitt\w*|mittelwert|differenz)\b",
            rf"\b(?:{_TOGETHER})\b.*\b(?:{_SPENT})\b|\b(?:{_SPENT})\b.*\b(?:{_TOGETHER})\b",
            r"\bgesamt(?:preis|kosten|betrag|summe|gewicht|zahl)\b",
        )
    ),
    re.IGNORECASE,
)

_ASKS_NAME: Final = LazyPattern(r"^\W*(?:who|whose|which|where|wer|wem|wen|welche[rsnm]?|wo)\b", re.IGNORECASE)

_ASKS_TIME: Final = LazyPattern(
    r"\bhow (?:many|much) (?:more )?(?:seconds|minutes|hours|days|weeks|months|years|time)\b|\bhow long\b|\bwhen\b"
    r"|\bwie ?viele? (?:sekunden|minuten|stunden|tage|wochen|monate|jahre|zeit)\b|\bwie lang|\bwann\b",
    re.IGNORECASE,
)
"""Asks for a time: the clock does not count in tens."""


def asks_to_calculate(request: str) -> bool:
    """Whether the answer to a request about a text is a number that has to be computed from others in the text."""
    looked_at = request[:_SEARCHED]
    is_other = _ASKS_TIME.search(looked_at) or _ASKS_NAME.search(looked_at) or asks_to_write(looked_at)
    return _ASKS.search(looked_at) is not None and not is_other


def asks_proportion(request: str) -> bool:
    """Whether a request asks how much is needed for another number of something."""
    return _ASKS_PROPORTION.search(request[:_SEARCHED]) is not None


def calculation_steps(request: str, material: JsonObject) -> list[JsonObject]:
    """The steps that let the model take a calculation from texts, and compute it."""
    instructions = CALCULATION_INSTRUCTIONS.format(request=request)
    taken: JsonObject = {"step_id": "calculation", "description": instructions, "agent": "llm", "arguments": material}
    compute: JsonObject = {"step_id": "answer", "description": "compute it", "tool": CALCULATE_FROM_TEXT}
    style: JsonObject = {"groups_with_points": True} if groups_with_points(request) else {}
    return [taken, {**compute, "arguments": {"calculation": "{step.calculation.text}", **style}}]


class CalculateFromTextTool(Tool):
    """Computes the calculation in a model's words, whatever result the model states."""

    name = CALCULATE_FROM_TEXT
    description = "Compute the calculation that answers a question about a text."
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "type": "object",
        "properties": {
            "calculation": {"type": "string", "minLength": 1},
            "groups_with_points": {"type": "boolean", "description": "whether 1.500 is one and a half thousand"},
        },
        "required": ["calculation"],
        "additionalProperties": False,
    }
    output_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {"result": {"type": "number"}},
        "required": ["result"],
    }
    is_common = False
    is_repeatable = True
    examples = (
        Example(
            "How much of the budget is left?",
            [
                {
                    "description": "compute it",
                    "tool": CALCULATE_FROM_TEXT,
                    "arguments": {"calculation": "1200 - 450"},
                }
            ],
        ),
    )

    def suits(self, request: str) -> bool:  # noqa: ARG002  # only plans that code makes use it
        return False

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError for what has no calculation and is no number."""
        reply = kwargs["calculation"]
        plain = without_grouping_points(reply) if kwargs.get("groups_with_points") else reply
        expression = calculation_in(plain)
        if expression is None:
            raise ToolError(f"The model gave no calculation: {reply[:200]}", next_step="Ask in other words.")
        return {"result": evaluate_expression(expression)}


def calculation_in(reply: str) -> str | None:
    """The calculation before the first "=" of a model's first line, or its only number; None without one."""
    line = next((each for each in reply.splitlines() if each.strip(" `")), "")[:_MAX_LINE]
    return calculation_at_end(line.partition("=")[0])

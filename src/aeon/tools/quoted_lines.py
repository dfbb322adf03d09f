"""`QuoteLinesTool`: answers that are lines of a text as they stand; a model only says which ones."""

import re
from typing import Any, Final

from aeon.base.errors import ToolError
from aeon.base.json import JsonObject
from aeon.base.talk import DECLINE_PREFIX, NOT_IN_TEXT
from aeon.tools.interface import Example, Tool

QUOTE_LINES: Final = "quote_lines"
"""The name of the tool."""

_INSTRUCTIONS: Final = (
    "The text has notes that the user saved, one on each line. You find the note that answers a question, and write "
    "its line exactly as it stands, and nothing else.\nQuestion: {request}"
)
_NOT_STORED: Final = f"{DECLINE_PREFIX} nothing is stored about that."
_MARKS: Final = " \t\"'`*-."


def quote_steps(request: str, material: JsonObject, reference: str) -> list[JsonObject]:
    """The steps that let a model find the lines of a text that answer a request, and quote them as they stand."""
    instructions = _INSTRUCTIONS.format(request=request)
    found: JsonObject = {"step_id": "found", "description": instructions, "agent": "llm", "arguments": material}
    quote: JsonObject = {"step_id": "answer", "description": "quote it", "tool": QUOTE_LINES}
    return [found, {**quote, "arguments": {"text": reference, "words": "{step.found.text}"}}]


class QuoteLinesTool(Tool):
    """Quotes the lines of a text that a model's words name, so that nothing in them is changed or made up."""

    name = QUOTE_LINES
    description = "Quote the lines of a text whose values some words have."
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "type": "object",
        "properties": {"text": {"type": "string"}, "words": {"type": "string"}},
        "required": ["text", "words"],
        "additionalProperties": False,
    }
    output_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    }
    is_common = False
    is_repeatable = True
    examples = (
        Example(
            "Which of my codes is 4711?",
            [
                {
                    "description": "quote the code",
                    "tool": QUOTE_LINES,
                    "arguments": {"text": "locker code: 4711\ndoor code: 2209", "words": "4711"},
                }
            ],
        ),
    )

    def suits(self, request: str) -> bool:  # noqa: ARG002  # only plans that code makes use it
        return False

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """A model's decline stays one. Raises ToolError if its words name no line."""
        words = str(kwargs["words"]).strip()
        if words.startswith(DECLINE_PREFIX):
            return {"text": _NOT_STORED if words == NOT_IN_TEXT else words}
        lines = find_lines(kwargs["text"], words)
        if not lines:
            raise ToolError(
                f"The model's answer is none of the stored values: {words[:200]}", next_step="Ask in other words."
            )
        return {"text": "\n".join(lines)}


def find_lines(text: str, words: str) -> list[str]:
    """The lines that some words are, or whose values they are; else those whose values they contain or are in."""
    lines = [line for line in text.splitlines() if line.strip()]
    said = [_plain(each) for each in words.splitlines() if each.strip()]
    same = [line for line in lines if _plain(line) in said or _plain(_value(line)) in said]
    contained = [line for line in lines if _stands_in(_plain(_value(line)), words.casefold())]
    return same or contained or [line for line in lines if _stands_in(_plain(words), _value(line).casefold())]


def _value(line: str) -> str:
    """What stands behind the name of a line."""
    return line.partition(": ")[2] or line


def _plain(text: str) -> str:
    return text.strip(_MARKS).casefold()


def _stands_in(value: str, words: str) -> bool:
    return value != "" and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", words) is not None

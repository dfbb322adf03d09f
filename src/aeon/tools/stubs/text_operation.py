"""The tool that counts in a text, reverses it and sorts its parts, letter by letter."""

import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, Final

from aeon.base.errors import ToolError
from aeon.base.json import Json, JsonObject
from aeon.tools.interface import Example, Tool
from aeon.tools.text_requests import TEXT_OPERATION, read_text_question, split_items

_VOWELS: Final = frozenset("aeiou")
_MAX_TEXT: Final = 100_000


class TextOperationTool(Tool):
    """A tool for what a language model cannot see: the letters of a text."""

    name = TEXT_OPERATION
    description = (
        "Count the letters, vowels, characters or words of a text, or how often something occurs in it; reverse it, "
        "sort its items, or tell whether it is a palindrome."
    )
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "type": "object",
        "properties": {
            "operation": {
                "enum": [
                    "letters",
                    "vowels",
                    "characters",
                    "words",
                    "occurrences",
                    "reverse",
                    "sort",
                    "sort_descending",
                    "is_palindrome",
                ]
            },
            "text": {"type": "string", "maxLength": _MAX_TEXT},
            "of": {"type": "string", "minLength": 1, "maxLength": 200, "description": "what is counted: occurrences"},
        },
        "required": ["operation", "text"],
        "additionalProperties": False,
    }
    output_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {"result": {"type": ["integer", "string", "boolean"]}},
        "required": ["result"],
    }
    timeout = None  # the length of the text is bounded
    is_common = False
    is_repeatable = True
    examples = (
        Example(
            "How often is the letter e in the word elevator?",
            [
                {
                    "description": "count the letter e",
                    "tool": TEXT_OPERATION,
                    "arguments": {"operation": "occurrences", "text": "elevator", "of": "e"},
                }
            ],
        ),
    )

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Letters are those of Unicode; case and accents decide only where two are compared alone.

        Raises ToolError if it is not said what is counted.
        """
        operation, text, of = kwargs["operation"], unicodedata.normalize("NFC", kwargs["text"]), kwargs.get("of")
        if operation == "occurrences":
            if of is None:
                raise ToolError("text_operation counts occurrences only of what is given as `of`.")
            return {"result": text.casefold().count(unicodedata.normalize("NFC", of).casefold())}
        return {"result": _OPERATIONS[operation](text)}

    def suits(self, request: str) -> bool:
        """Whether code reads the whole request: a model would rather count by itself."""
        return read_text_question(request) is not None

    def reads_whole(self, request: str) -> bool:  # noqa: ARG002  # else it reads no arguments
        return True

    def read_request(self, request: str) -> JsonObject | None:
        """The arguments of a request that is nothing but a question about its text."""
        question = read_text_question(request)
        return question and {name: value for name, value in question._asdict().items() if value is not None}


def _reversed(text: str) -> str:
    """The text from its end, with combining marks behind their letters."""
    clusters: list[str] = []
    for character in text:
        if clusters and unicodedata.combining(character):
            clusters[-1] += character
        else:
            clusters.append(character)
    return "".join(reversed(clusters))


def _sorted(text: str, *, is_down: bool = False) -> str:
    """The items of a list by size if all are numbers, else by their letters, without regard to case and accents."""
    items, separator = split_items(text), "\n" if "\n" in text.strip() else ", "
    try:
        ordered = sorted(items, key=float, reverse=is_down)
    except ValueError:
        ordered = sorted(items, key=lambda item: (_letters_alone(item), item), reverse=is_down)
    return separator.join(ordered)


def _letters_alone(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in plain if not unicodedata.combining(each))


def _is_palindrome(text: str) -> bool:
    letters = [each for each in _letters_alone(text) if each.isalnum()]
    return bool(letters) and letters == letters[::-1]


_OPERATIONS: Final[Mapping[str, Callable[[str], Json]]] = {
    "letters": lambda text: sum(each.isalpha() for each in text),
    "vowels": lambda text: sum(each in _VOWELS for each in _letters_alone(text)),
    "characters": len,
    "words": lambda text: len(text.split()),
    "reverse": _reversed,
    "sort": _sorted,
    "sort_descending": lambda text: _sorted(text, is_down=True),
    "is_palindrome": _is_palindrome,
}

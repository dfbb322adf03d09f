"""The echo tool."""

import re
from typing import Any

from aeon.base.json import JsonObject
from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.interface import Example, Tool

_ASKS = LazyPattern(
    r"^\s*(?:say|sag)\b|\b(?:repeat|echo|say back|word for word|verbatim|exactly|wiederhol\w*|wörtlich)\b",
    re.IGNORECASE,
)


class EchoTool(Tool):
    """A tool that returns its input text."""

    name = "echo"
    description = "Say a given text back exactly as it is."
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "type": "object",
        "properties": {"text": {"type": "string", "maxLength": 2000}},
        "required": ["text"],
        "additionalProperties": False,
    }
    output_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    }
    timeout = None  # nothing to wait for
    is_common = False
    is_repeatable = True
    examples = (
        Example(
            "Repeat exactly: The owl is late.",
            [{"description": "say the text back", "tool": "echo", "arguments": {"text": "The owl is late."}}],
        ),
    )

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        return {"text": kwargs["text"]}

    def suits(self, request: str) -> bool:
        """Whether the request wants a text back as it is."""
        return bool(_ASKS.search(request))

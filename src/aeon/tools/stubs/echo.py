"""The echo tool."""

from typing import Any

from aeon.base.json import JsonObject
from aeon.tools.interface import Example, Tool


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
    examples = (
        Example(
            "Repeat exactly: The owl is late.",
            [{"description": "say the text back", "tool": "echo", "arguments": {"text": "The owl is late."}}],
        ),
    )

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        return {"text": kwargs["text"]}

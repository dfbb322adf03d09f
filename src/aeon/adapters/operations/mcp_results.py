"""Results of MCP tools as outputs: structured content, text, and what is neither."""

from typing import TYPE_CHECKING, Any, Final

from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.operations import TokenUsage
from aeon.platform.catalog.tool_calls import OperationError, OperationResult

if TYPE_CHECKING:
    from mcp.types import CallToolResult

MAX_SHOWN: Final = 1000
"""The most characters of a server's text that an error repeats."""

_MAX_DATA: Final = 500_000
"""The most characters of base64 in an output: the kernel keeps results of at most 1 MiB."""


def operation_result(result: "CallToolResult", usage: TokenUsage | None) -> OperationResult:
    """Return the output with warnings of what it leaves out. Raises OperationError for an error of the tool.

    The output is the structured content if there is some. Otherwise it is `{"content": text}`: text parts by line, each
    other part as its type in brackets, and in full in `parts`.
    """
    text = "\n".join(map(_text_of, result.content))
    if result.is_error:
        raise OperationError(f"the tool answered with an error: {text[:MAX_SHOWN]}", usage=usage)
    others = [_part(part) for part in result.content if not _is_text(part)]
    if result.structured_content is not None:
        warnings = (f"The output leaves out {_listed(others)} beside the structured content.",) if others else ()
        return OperationResult(result.structured_content, usage, warnings)
    omitted = _omit_large_data(others)
    output: JsonObject = {"content": text, "parts": list[Json](others)} if others else {"content": text}
    warnings = (f"The output leaves out the data of {_listed(omitted)}: it is too large.",) if omitted else ()
    return OperationResult(output, usage, warnings)


def _is_text(part: Any) -> bool:
    return isinstance(getattr(part, "text", None), str)


def _text_of(part: Any) -> str:
    """Return a part as text; an embedded text resource counts as text."""
    inner = getattr(part, "resource", part)
    return inner.text if _is_text(inner) else f"[{part.type}]"


def _part(part: Any) -> JsonObject:
    """Return a part with the names of the protocol, such as `uri`, `mimeType` and `data`."""
    return part.model_dump(mode="json", by_alias=True, exclude_none=True)


def _omit_large_data(parts: list[JsonObject]) -> list[JsonObject]:
    """Remove base64 beyond the limit of an output, and return the parts that it was removed from."""
    left, omitted = _MAX_DATA, list[JsonObject]()
    for part in parts:
        holder, name = (part["resource"], "blob") if part["type"] == "resource" else (part, "data")
        size = len(holder.get(name, ""))
        if size > left:
            del holder[name]
            omitted.append(part)
        else:
            left -= size
    return omitted


def _listed(parts: list[JsonObject]) -> str:
    return ", ".join(f"{part['type']} ({_name_of(part)})" for part in parts)


def _name_of(part: JsonObject) -> str:
    about: JsonObject = part.get("resource", part)
    return str(about.get("uri") or about.get("mimeType") or "unnamed")[:MAX_SHOWN]

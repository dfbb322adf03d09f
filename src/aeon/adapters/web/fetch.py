"""The tool `fetch`: the text of a page whose address the user named."""

import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from aeon.base.errors import AeonError, ToolError
from aeon.base.json import JsonObject
from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.attachments import choose_part
from aeon.tools.interface import Example, Tool

if TYPE_CHECKING:
    from aeon.adapters.web.pages import PageReader

_ADDRESS = LazyPattern(r"https?://[^\s<>\"'`]+[\w/]", re.IGNORECASE)
_HOST = LazyPattern(r"(?<![\w@.-])(?:[\w-]+\.)+[a-z]{2,24}(?![\w-])", re.IGNORECASE)


def named_hosts(text: str) -> set[str]:
    """The names of hosts in a text, lower case."""
    return {host.casefold() for host in _HOST.findall(text)}


class FetchTool(Tool):
    """Gets a page. Only hosts that `request` names are asked, never one that a model or another page brought up."""

    name = "fetch"
    description = "Get the text of a web page; its address must be in the request."
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "type": "object",
        "properties": {
            "url": {"type": "string", "maxLength": 2000},
            "part": {"type": "integer", "minimum": 1},
        },
        "required": ["url"],
        "additionalProperties": False,
    }
    offered_schema: JsonObject | None = {  # noqa: RUF012
        "type": "object",
        "properties": {"url": {"type": "string", "maxLength": 2000}},
        "required": ["url"],
        "additionalProperties": False,
    }
    output_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    }
    timeout = 60.0
    is_common = False
    is_repeatable = True
    examples = (
        Example(
            "What does https://example.org/news say about tea?",
            [
                {
                    "description": "get the page",
                    "tool": "fetch",
                    "arguments": {"url": "https://example.org/news"},
                },
                {"description": "say what the text says about tea", "agent": "llm"},
            ],
        ),
    )

    def __init__(self, request: str, hosts: Collection[str] = (), reader: "PageReader | None" = None) -> None:
        """`hosts` may be asked besides those that the request names. Without a reader, public addresses are read."""
        self._hosts = named_hosts(request) | {host.casefold() for host in hosts}
        self._reader = reader

    def suits(self, request: str) -> bool:
        return _ADDRESS.search(request) is not None

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError for a host that the request does not name, and for a page without text."""
        from aeon.adapters.web.pages import PageReader  # brings an HTTP client

        url = str(kwargs["url"])
        self._require_named(url)
        reader = self._reader or PageReader()
        return {"text": choose_part(_from(lambda: reader.read(url)), url, kwargs.get("part"))}

    def _require_named(self, url: str) -> None:
        from aeon.adapters.web.pages import host_of, is_same_site

        host = _from(lambda: host_of(url))
        if not any(is_same_site(host, known) for known in self._hosts):
            raise ToolError(
                f"{host} is not asked: your request does not name it.",
                next_step="Name the address in the request if you want it.",
            )

    def read_request(self, request: str) -> JsonObject | None:
        """The one address in the request."""
        found = list(dict.fromkeys(_ADDRESS.findall(request)))
        return {"url": found[0]} if len(found) == 1 else None


def _from(work: Callable[[], str]) -> str:
    """What `work` returns. Raises ToolError for every error of Aeon."""
    try:
        return work()
    except AeonError as error:
        raise ToolError(error.message, next_step=error.advice) from None

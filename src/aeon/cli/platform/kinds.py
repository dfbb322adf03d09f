"""The kinds of things that people define, by the names that commands give them."""

from typing import Any

from aeon.base.errors import InputError
from aeon.bootstrap.platform import Platform


def repository_of(platform: Platform, kind: str) -> Any:
    """The shelf of one kind. Raises InputError for an unknown one."""
    catalog = platform.catalog
    shelves = {
        "service": catalog.services,
        "secret": catalog.secrets,
        "tool": catalog.tools,
        "serviceTemplate": catalog.service_templates,
        "toolTemplate": catalog.tool_templates,
        "process": platform.processes,
    }
    if kind not in shelves:
        raise InputError(f"There is no kind {kind!r}.", next_step=f"Name one of {', '.join(shelves)}.")
    return shelves[kind]

"""The kinds of things in the catalog, by the names that commands give them."""

from typing import Any

from aeon.base.errors import InputError
from aeon.platform.catalog.catalog import Catalog


def shelf_of(catalog: Catalog, kind: str) -> Any:
    """The shelf of one kind. Raises InputError for an unknown one."""
    shelves = {
        "service": catalog.services,
        "secret": catalog.secrets,
        "tool": catalog.tools,
        "serviceTemplate": catalog.service_templates,
        "toolTemplate": catalog.tool_templates,
    }
    if kind not in shelves:
        raise InputError(f"There is no kind {kind!r}.", next_step=f"Name one of {', '.join(shelves)}.")
    return shelves[kind]

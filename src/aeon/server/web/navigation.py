"""The links that every page has, and which of them leads to where its reader is."""

from collections.abc import Collection
from typing import Final, NamedTuple

from aeon.application.users import Permission


class _Link(NamedTuple):
    """The key of its word, where it leads, the first parts of the addresses that belong to it, and who gets it.

    A rare one stands in the menu at the end.
    """

    word: str
    path: str
    parts: tuple[str, ...]
    needs: Permission | None = None
    is_rare: bool = False


_LINKS: Final = (
    _Link("conversations", "/", ("conversations", "messages", "search")),
    _Link("knowledge", "/knowledge", ("knowledge",)),
    _Link("runs", "/runs", ("runs",)),
    _Link("processes", "/processes", ("processes",)),
    _Link("tools", "/tools", ("tools", "services", "secrets", "apply")),
    _Link("skills", "/skills", ("skills",), "manage_folder"),
    _Link("triggers", "/triggers", ("triggers",), is_rare=True),
    _Link("jobs", "/jobs", ("jobs",), "see_workers", is_rare=True),
    _Link("metrics", "/charts", ("charts",), is_rare=True),
    _Link("audit", "/audit", ("audit",), is_rare=True),
    _Link("access_tokens", "/tokens", ("tokens",), is_rare=True),
    _Link("users", "/users", ("users",), "manage_users", is_rare=True),
    _Link("settings", "/settings", ("settings", "model"), "manage_folder", is_rare=True),
)

PERMISSIONS: Final[frozenset[Permission]] = frozenset(each.needs for each in _LINKS if each.needs is not None)
"""What decides which links a user gets."""


class Place(NamedTuple):
    """A link: the key of its word, its address, whether its reader is there, and whether it stands in the menu."""

    word: str
    path: str
    is_current: bool
    is_rare: bool


def places_at(address: str, allowed: Collection[Permission]) -> list[Place]:
    """The links on the page with that address, for a user who has these permissions."""
    first = address.split("/")[1]
    return [
        Place(each.word, each.path, first in each.parts or address == each.path, each.is_rare)
        for each in _LINKS
        if each.needs is None or each.needs in allowed
    ]

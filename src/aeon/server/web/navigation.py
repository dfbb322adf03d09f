"""The links that every page has, and which of them leads to where its reader is."""

from typing import Final, NamedTuple

_PLACES: Final = (
    ("conversations", "/", ("conversations", "messages", "search")),
    ("knowledge", "/knowledge", ("knowledge",)),
    ("runs", "/runs", ("runs",)),
    ("processes", "/processes", ("processes",)),
    ("triggers", "/triggers", ("triggers",)),
    ("tools", "/tools", ("tools", "services", "secrets", "apply")),
    ("skills", "/skills", ("skills",)),
    ("metrics", "/charts", ("charts",)),
    ("audit", "/audit", ("audit",)),
    ("access_tokens", "/tokens", ("tokens",)),
    ("settings", "/settings", ("settings", "model")),
)
"""The word of a link, where it leads, and the first parts of the addresses that belong to it."""

_OF_FOLDER: Final = frozenset({"skills", "settings"})
"""The words of links to what belongs to the folder."""


class Place(NamedTuple):
    """A link: the key of its word, its address, and whether its reader is there."""

    word: str
    path: str
    is_current: bool


def places_at(address: str, *, manages_folder: bool) -> list[Place]:
    """The links on the page with that address; some are only for those who manage the project's folder."""
    first = address.split("/")[1]
    return [
        Place(word, path, is_current=first in parts or address == path)
        for word, path, parts in _PLACES
        if manages_folder or word not in _OF_FOLDER
    ]

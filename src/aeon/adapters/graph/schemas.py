"""What a schema may name, how a name stands in a query, and two schemas as one."""

import re
from collections.abc import Iterable
from typing import TypeAlias

from aeon.platform.graph import DuplicateError, QueryError, Schema

Pair: TypeAlias = tuple[str, str]
"""A label and a property."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def quoted(name: str) -> str:
    """A label, type or property as an identifier. Raises QueryError for one that no store can spell."""
    if not name or "`" in name or "\0" in name:
        raise QueryError(f"{name[:80]!r} cannot name a label, an edge or a property.", next_step="Choose another name.")
    return f"`{name}`"


def require_names(pairs: Iterable[Pair]) -> None:
    """Raise QueryError unless all names are plain words."""
    wrong = sorted({name for pair in pairs for name in pair if not _NAME.match(name)})
    if wrong:
        raise QueryError(f"The schema names {wrong[0]!r}.", next_step="Use letters, digits and underscores.")


def union(one: Schema, other: Schema) -> Schema:
    """All that either of them asks for."""
    unique = {*one.unique, *other.unique}
    return Schema(tuple(sorted(unique)), tuple(sorted({*one.indexed, *other.indexed} - unique)))


def contradicted(pair: Pair) -> DuplicateError:
    """The error of data that a unique pair forbids."""
    label, name = pair
    return DuplicateError(
        f"Several nodes {label} have the same {name}, which is to be unique.",
        next_step="Correct the data, then open the graph again.",
    )

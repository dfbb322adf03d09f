"""The stamp that a projector leaves in the graph: how far it has brought it, and of which record."""

from typing import Final, NamedTuple, Self, cast
from uuid import uuid4

from aeon.base.json import JsonObject, canonical, parse_strict

NO_STAMP: Final = ""


class Position(NamedTuple):
    """The graph has every event of `record` up to this one, which is known again by its time."""

    record: str
    seq: int
    micros: int

    @property
    def stamp(self) -> str:
        return canonical({"record": self.record, "seq": self.seq, "micros": self.micros})


class Building(NamedTuple):
    """The graph is being built; `page` counts up while its builder lives."""

    builder: str
    page: int = 0

    @classmethod
    def begun(cls) -> Self:
        return cls(uuid4().hex)

    @property
    def stamp(self) -> str:
        return canonical({"builder": self.builder, "page": self.page})

    @property
    def next(self) -> "Building":
        return self._replace(page=self.page + 1)


def position_of(stamp: str) -> Position | None:
    """The position in a stamp; None where the graph is empty, not yet whole, or stamped by another version."""
    said = _read(stamp)
    try:
        return Position(str(said["record"]), int(said["seq"]), int(said["micros"]))
    except (KeyError, TypeError, ValueError):
        return None


def is_building(stamp: str) -> bool:
    """Whether a projector was building the graph when it left the stamp."""
    return "builder" in _read(stamp)


def _read(stamp: str) -> JsonObject:
    try:
        said = parse_strict(stamp)
    except ValueError:
        return {}
    return cast(JsonObject, said) if isinstance(said, dict) else {}

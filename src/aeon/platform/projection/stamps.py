"""The stamp that a projector leaves in the graph: how far it has brought it, and of which record."""

from typing import Final, NamedTuple, Self, cast
from uuid import uuid4

from aeon.base.json import JsonObject, canonical_json, parse_strict

NO_STAMP: Final = ""


class ProjectionPosition(NamedTuple):
    """The graph has every event of `record` up to this one, which is known again by its time."""

    record: str
    seq: int
    micros: int

    @property
    def stamp(self) -> str:
        return canonical_json({"record": self.record, "seq": self.seq, "micros": self.micros})


class BuildProgress(NamedTuple):
    """The graph is being built; `page` counts up while its builder lives."""

    builder: str
    page: int = 0

    @classmethod
    def begun(cls) -> Self:
        return cls(uuid4().hex)

    @property
    def stamp(self) -> str:
        return canonical_json({"builder": self.builder, "page": self.page})

    @property
    def next(self) -> "BuildProgress":
        return self._replace(page=self.page + 1)


def parse_position(stamp: str) -> ProjectionPosition | None:
    """The position in a stamp; None where the graph is empty, not yet whole, or stamped by another version."""
    said = _read(stamp)
    try:
        return ProjectionPosition(str(said["record"]), int(said["seq"]), int(said["micros"]))
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

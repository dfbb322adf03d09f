"""The stamp that a projector stores in the graph: the record and the position."""

from typing import Final, NamedTuple, Self, cast
from uuid import uuid4

from aeon.base.json import JsonObject, canonical_json, parse_strict

NO_STAMP: Final = ""


class ProjectionPosition(NamedTuple):
    """The graph contains every event of `record` up to this one.

    `micros` is the event's time, to recognise the event.
    """

    record: str
    seq: int
    micros: int

    @property
    def stamp(self) -> str:
        return canonical_json({"record": self.record, "seq": self.seq, "micros": self.micros})


class BuildProgress(NamedTuple):
    """The graph is being built; `page` increases while its builder is alive."""

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
    """Returns the position in a stamp.

    Returns None if the graph is empty, incomplete, or stamped by another version.
    """
    fields = _read(stamp)
    try:
        return ProjectionPosition(str(fields["record"]), int(fields["seq"]), int(fields["micros"]))
    except (KeyError, TypeError, ValueError):
        return None


def is_building(stamp: str) -> bool:
    """Returns whether the stamp was written during a build."""
    return "builder" in _read(stamp)


def _read(stamp: str) -> JsonObject:
    try:
        value = parse_strict(stamp)
    except ValueError:
        return {}
    return cast(JsonObject, value) if isinstance(value, dict) else {}

"""Finds the background runs that were given a user's messages: erasing these erases the runs, too (platform 28)."""

from collections.abc import Callable, Sequence
from typing import Final, cast

from aeon.base.json import Json, JsonObject, parse_strict
from aeon.platform.episodes import queries
from aeon.platform.store import Row, UnitOfWork

NAMING: Final = "name_conversation"
"""The shipped Process that makes titles."""

EXTRACTING: Final = "extract_facts"
"""The shipped Process that finds the facts of a message."""

ENRICHING: Final = "enrich"
"""The shipped Process that describes what is mentioned often."""

SOURCES_INPUT: Final = "sources"
"""The input of runs of the background that says what they were given. No step reads it."""


def given_alternatives(alternatives: Sequence[str]) -> JsonObject:
    """Returns the `sources` of a run that is given these messages and answers."""
    return {"alternatives": list[Json](alternatives)}


def runs_given_messages(unit: UnitOfWork, owner: str, alternatives: Sequence[str]) -> set[str]:
    """Returns the runs that were to make titles, facts and descriptions of these messages and answers.

    One that does not say what it was given may have been given any of them.
    """
    taken = {*alternatives}

    def is_about(inputs: JsonObject) -> bool:
        sources = inputs.get(SOURCES_INPUT)
        given = cast(JsonObject, sources).get("alternatives") if isinstance(sources, dict) else None
        return not isinstance(given, list) or any(each in taken for each in cast(list[object], given))

    return runs_about(unit, owner, (NAMING, EXTRACTING, ENRICHING), alternatives, is_about)


def runs_about(
    unit: UnitOfWork,
    owner: str,
    processes: Sequence[str],
    alternatives: Sequence[str],
    is_about: Callable[[JsonObject], bool],
) -> set[str]:
    """Returns the runs of shipped Processes, begun since the oldest of these alternatives, whose inputs are about them.

    One whose inputs are stored elsewhere may be.
    """
    (oldest,) = unit.read(queries.OLDEST, {"ids": list[Json](alternatives)})
    if oldest["at"] is None:
        return set()
    since: JsonObject = {"user": owner, "since": oldest["at"], "processes": list[Json](processes)}
    return {row["id"] for row in unit.read(queries.RUNS_SINCE, since) if _is_given(row, is_about)}


def _is_given(row: Row, is_about: Callable[[JsonObject], bool]) -> bool:
    return row["inputs_reference"] is not None or is_about(parse_strict(row["inputs"]))

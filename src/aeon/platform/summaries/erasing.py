"""Erases the summaries of what is erased (platform 28)."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.episodes.background_runs import runs_about
from aeon.platform.episodes.writing import episode_id
from aeon.platform.store import UnitOfWork
from aeon.platform.summaries import queries

COMPRESS: Final = "compress"
"""The Process whose runs make summaries."""

SPAN_INPUT: Final = "span"
"""The input of these runs that says what the summary covers."""


class ErasedSummaries(NamedTuple):
    """The summaries that were erased, and the runs that had their texts or those of their sources."""

    ids: frozenset[str]
    runs: frozenset[str]


def erase_summaries_of(unit: UnitOfWork, owner: str, alternative_ids: Sequence[str], at: str) -> ErasedSummaries:
    """Erase all contents of the summaries that cover these alternatives, of all levels, and delete the summaries.

    Also returns the runs that were to make summaries of them and did not. Calling it again does nothing.
    """
    found = _summaries_above(unit, [episode_id(each) for each in alternative_ids])
    ids: JsonObject = {"ids": list[Json](sorted(found))}
    made = {row["run_id"] for row in unit.read(queries.ERASED, ids) if row["run_id"] is not None}
    for row in unit.read(queries.CONTENT_EPISODES, ids):
        unit.write(queries.ERASE_EPISODE, {"id": row["episode_id"], "at": at})
    for each in sorted(found):
        unit.write(queries.ERASE, {"id": each, "at": at})
    tried = _runs_about(unit, owner, alternative_ids, found)
    return ErasedSummaries(frozenset(found), frozenset(made | tried))


def _summaries_above(unit: UnitOfWork, episodes: Sequence[str]) -> set[str]:
    """Return the summaries that were made of these episodes, and those that were made of them in turn."""
    found: set[str] = set()
    newest: list[str] = [*episodes]
    while newest:
        rows = unit.read(queries.SUMMARIES_OF_EPISODES, {"ids": list[Json](newest)})
        above = {row["summary_id"] for row in rows} - found
        found |= above
        contents = unit.read(queries.CONTENT_EPISODES, {"ids": list[Json](sorted(above))}) if above else []
        newest = [row["episode_id"] for row in contents]
    return found


def _runs_about(unit: UnitOfWork, owner: str, alternatives: Sequence[str], summaries: Iterable[str]) -> set[str]:
    taken = {*alternatives, *summaries}

    def is_about(inputs: JsonObject) -> bool:
        span: JsonObject = inputs.get(SPAN_INPUT) or {}
        return bool(taken & {*span.get("alternatives", ()), *span.get("summaries", ())})

    return runs_about(unit, owner, (COMPRESS,), alternatives, is_about)

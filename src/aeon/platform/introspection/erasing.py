"""Erases notes together with what they came from (platform 28, 39)."""

from collections.abc import Set as AbstractSet
from typing import Final

from aeon.base.json import JsonObject, parse_strict
from aeon.platform.episodes.background_runs import SOURCES_INPUT
from aeon.platform.introspection import queries
from aeon.platform.introspection.model import NoteSources
from aeon.platform.introspection.repository import archive_note
from aeon.platform.store import Row, UnitOfWork

INTROSPECT: Final = "introspect"
"""The Process whose runs make notes."""


def erase_notes_of(
    unit: UnitOfWork, owner: str, summaries: AbstractSet[str], conversation: str | None, at: str
) -> set[str]:
    """Erase the notes that came from these summaries, or from a conversation that is erased as a whole.

    They leave the carousel. Returns the runs that made or were to make them. Calling it again does nothing.
    """
    if not summaries and conversation is None:
        return set()
    runs: set[str] = set()
    for row in unit.read(queries.EVERY_SOURCE, {"user": owner}):
        if not _is_from(NoteSources.from_json(parse_strict(row["sources"])), summaries, conversation):
            continue
        archive_note(unit, owner, row["id"], at)
        for content in unit.read(queries.EPISODES_OF, {"id": row["id"]}):
            unit.write(queries.ERASE_EPISODE, {"id": content["episode_id"], "at": at})
        if row["run_id"] is not None:
            runs.add(row["run_id"])
            unit.write(queries.UNLINK_RUN, {"id": row["id"]})
    tried = unit.read(queries.INTROSPECTION_RUNS, {"user": owner, "process": INTROSPECT})
    return runs | {row["id"] for row in tried if _is_about(row, summaries, conversation)}


def _is_about(run: Row, summaries: AbstractSet[str], conversation: str | None) -> bool:
    """Whether a run was given something of these; one whose inputs are stored elsewhere may have been."""
    if run["inputs_reference"] is not None:
        return True
    inputs: JsonObject = parse_strict(run["inputs"])
    return _is_from(NoteSources.from_json(inputs.get(SOURCES_INPUT) or {}), summaries, conversation)


def _is_from(sources: NoteSources, summaries: AbstractSet[str], conversation: str | None) -> bool:
    return bool(sources.summaries & summaries) or conversation in sources.conversations

"""Erases episodes with all that was derived from them: mentions, facts, entities, vectors (platform 28)."""

from collections.abc import Sequence

from aeon.base.json import Json, JsonObject
from aeon.platform.episodes import queries
from aeon.platform.episodes.writing import episode_id
from aeon.platform.store import UnitOfWork


def forget_turn_episodes(unit: UnitOfWork, user: str, alternatives: Sequence[str], at: str) -> None:
    """Erase the episodes of alternatives whose content the same transaction erases."""
    forget_episodes(unit, user, [episode_id(each) for each in alternatives], at)
    for each in alternatives:
        remove_vectors(unit, user, each)


def forget_episodes(unit: UnitOfWork, user: str, episodes: Sequence[str], at: str) -> None:
    """Erase episodes and what was derived from them alone; ids and times stay.

    A fact goes with the last episode that states it, an entity that the user did not make with its last mention.
    """
    if not episodes:
        return
    taken: JsonObject = {"episodes": list[Json](episodes), "at": at}
    facts: list[Json] = [row["fact_id"] for row in unit.read(queries.FACTS_OF, taken)]
    entities: list[Json] = [row["entity_id"] for row in unit.read(queries.ENTITIES_OF, taken)]
    unit.write(queries.REMOVE_MENTIONS, taken)
    unit.write(queries.REMOVE_ASSERTIONS, taken)
    unit.write(queries.FORGET_UNSTATED_FACTS, {"facts": facts, "at": at})
    forget_descriptions(unit, user, episodes)
    unit.write(queries.FORGET_UNMENTIONED, {"entities": entities, "at": at})
    unit.write(queries.REMOVE_ACTIVE, {"entities": entities})
    unit.write(queries.UNDO_MERGES, {"entities": entities, "at": at})
    for each in episodes:
        remove_vectors(unit, user, each)
    unit.write(queries.REMOVE_WORD_CASES, {"user": user})
    unit.write(queries.FORGET, taken)


def forget_descriptions(unit: UnitOfWork, user: str, episodes: Sequence[str]) -> None:
    """Erase what a model made of entities from these episodes, such as when a user calls what they state wrong."""
    unit.write(queries.FORGET_DESCRIPTIONS, {"user": user, "episodes": list[Json](episodes)})


def remove_vectors(unit: UnitOfWork, user: str, text: str) -> None:
    """Remove the vectors of a message or a note, which the same transaction erases or embeds again."""
    unit.write(queries.REMOVE_VECTORS, {"user": user, "id": text})

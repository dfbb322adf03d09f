"""Which entities are to be described, from what, and the writing of descriptions (platform 17)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.platform.knowledge import queries
from aeon.platform.knowledge.descriptions import Description, counting_description, descriptions_of, with_description
from aeon.platform.knowledge.entities import NamedEntityRepository
from aeon.platform.knowledge.facts import ON_SCREEN, FactRepository, SaidText, Viewpoint
from aeon.platform.knowledge.model import Entity, name_key
from aeon.platform.knowledge.statements import stating_spans
from aeon.platform.knowledge.visibility import visible_episodes
from aeon.platform.ledger import Ledger
from aeon.platform.queries import LOCKED_HEAD
from aeon.platform.store import Row, Store, UnitOfWork

ENOUGH: Final = 5
"""The messages that mention an entity before it is described, and that do so before it is described again."""

_LOOKED_AT: Final = 200
_NEIGHBOURS: Final = 8
_LEAST: Final = 2
"""Statements without which a description says nothing that they do not."""


class EntityMaterial(NamedTuple):
    """A user's statements about an entity that are on screen now, with their days, oldest first."""

    entity: Entity
    said: Sequence[str]
    neighbours: Sequence[str]
    episodes: Sequence[str]
    alternatives: Sequence[str]


class _Stated(NamedTuple):
    """A message that says something of an entity."""

    row: Row
    statements: Sequence[str]


class DescriptionRepository:
    """Reads and writes the descriptions of the entities of all users. Thread- and process-safe.

    Methods raise StoreError.
    """

    def __init__(
        self, store: Store, ledger: Ledger, entities: NamedEntityRepository, facts: FactRepository, enough: int = ENOUGH
    ) -> None:
        """`enough` messages must mention an entity."""
        self._store = store
        self._ledger = ledger
        self._entities = entities
        self._facts = facts
        self._enough = enough

    def list_due(self, user: str, conversation: str) -> list[EntityMaterial]:
        """Return what is to be described of what a conversation names: the most mentioned first."""
        rows = self._store.read(queries.MENTIONED_IN, {"user": user, "conversation": conversation})
        named = self._entities.list_standing(user, [row["entity_id"] for row in rows])
        due = [found for each in named if (found := self.material(user, each)) is not None and self._is_due(found)]
        return sorted(due, key=lambda each: (-len(each.episodes), each.entity.id))

    def material(self, user: str, entity: Entity) -> EntityMaterial | None:
        """Return what an entity is described from; None if too few statements about it are on screen."""
        family = self._entities.family(user, entity)
        ids = list[Json]([each.id for each in family])
        keys = [each.name_key for each in family if each.name_key]
        found = self._find(user, ids, keys)
        if sum(len(each.statements) for each in found) < _LEAST:
            return None
        episodes = [each.row["episode_id"] for each in found]
        params: JsonObject = {"user": user, "entities": ids, "episodes": list[Json](episodes), "limit": _NEIGHBOURS}
        neighbours = [row["name"] for row in self._store.read(queries.NAMED_WITH, params)]
        alternatives = [each.row["alternative_id"] for each in found if each.row["alternative_id"] is not None]
        lines = [f"{each.row['valid_at'][:10]}: {text}" for each in reversed(found) for text in each.statements]
        return EntityMaterial(entity, lines, neighbours, episodes, alternatives)

    def counting(self, user: str, entity: Entity, place: Viewpoint = ON_SCREEN) -> Description | None:
        """Return the description that counts, as it is seen from a place."""
        return counting_description(entity, self._visible(user, entity, place))

    def add(self, user: str, entity: str, new: Description) -> bool:
        """Write a description; return False if the entity, or a message that it was made from, is gone."""

        def work(unit: UnitOfWork) -> bool:
            unit.read(LOCKED_HEAD, {"user": user})  # an erasure is over, or sees what is written here
            rows = unit.read(queries.ENTITY, {"user": user, "id": entity})
            sources: JsonObject = {"user": user, "ids": list[Json](new.episodes)}
            is_whole = len(unit.read(queries.EPISODES_BY_ID, sources)) == len(new.episodes)
            if not rows or rows[0]["forgotten_at"] is not None or not is_whole:
                return False
            found = Entity.of_row(rows[0])
            if any(each.run_id == new.run_id for each in descriptions_of(found)):
                return True
            kept = canonical_json(with_description(found, new))
            row: JsonObject = {"user": user, "id": entity, "enrichment": kept, "at": new.at, "process": new.process_id}
            return unit.write(queries.ENRICH_ENTITY, row) == 1

        return self._store.update(work)

    def _is_due(self, material: EntityMaterial) -> bool:
        """Whether enough statements about an entity were made since its newest description that counts on screen."""
        described = counting_description(material.entity, {*material.episodes})
        known = 0 if described is None else len(described.episodes)
        return len(material.episodes) - known >= self._enough

    def _find(self, user: str, entities: list[Json], keys: Sequence[str]) -> list[_Stated]:
        """Return the messages on screen that state something of entities with these name keys, newest first."""

        def work(unit: UnitOfWork) -> list[Row]:
            rows = unit.read(queries.SAID_OF, {"user": user, "entities": entities, "limit": _LOOKED_AT})
            visible = visible_episodes(unit, user, rows)
            shown = {row["episode_id"]: row for row in rows if row["episode_id"] in visible}
            return [*shown.values()]

        found = [_Stated(row, _statements(row["content"] or "", keys)) for row in self._store.view(work)]
        candidates = [SaidText(row["episode_id"], text) for row, texts in found for text in texts]
        usable = self._facts.usable(user, candidates)
        kept = [
            _Stated(row, [text for text in texts if SaidText(row["episode_id"], text) in usable])
            for row, texts in found
        ]
        return [each for each in kept if each.statements]

    def _visible(self, user: str, entity: Entity, place: Viewpoint) -> set[str]:
        """Return the episodes that are seen from a place of those that an entity was described from."""
        ids = sorted({each for description in descriptions_of(entity) for each in description.episodes})
        if not ids:
            return set()

        def work(unit: UnitOfWork) -> set[str]:
            rows = unit.read(queries.EPISODES_BY_ID, {"user": user, "ids": list[Json](ids)})
            return {*visible_episodes(unit, user, rows, place.path, place.conversation)}

        return self._store.view(work)


def _statements(text: str, keys: Sequence[str]) -> list[str]:
    """Return the statements of a text that have one of these names."""
    stated = [" ".join(text[start:end].split()) for start, end in stating_spans(text)]
    return [each for each in stated if any(f" {key} " in f" {name_key(each)} " for key in keys)]

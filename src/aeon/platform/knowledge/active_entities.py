"""Which entities are active in a conversation, and what of them enters a prompt (platform 44).

Those that the newest messages and answers on its path mention, and those that the user made or pinned there; without
those that they hid. Only what a user decided is stored.
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from aeon.base.json import Json, JsonObject
from aeon.platform.errors import NotFoundError
from aeon.platform.knowledge import queries
from aeon.platform.knowledge.entities import NamedEntityRepository
from aeon.platform.knowledge.model import Entity
from aeon.platform.ledger import AuditAction, Ledger, MutationRequest
from aeon.platform.store import Row, Store, UnitOfWork, guard

NEWEST: Final = 10
"""The newest messages and answers on a path whose entities are active."""

_OLDEST_RELEVANCE: Final = 0.1

Standing: TypeAlias = Literal["recent", "active", "pinned", "hidden"]
"""`recent` is mentioned on the path; the others a user decided. `active` is what they made in the conversation."""


class Inclusion(NamedTuple):
    """What of an active entity enters prompts: what it is, its facets, and the facts that the user confirmed."""

    summary: bool = True
    facets: bool = False
    relationships: bool = True


class ActiveEntity(NamedTuple):
    """An entity that is active in a conversation; `relevance` is from 0 to 1."""

    entity: Entity
    standing: Standing
    relevance: float
    added_at: str
    includes: Inclusion

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "entityUuid": self.entity.id,
            "name": self.entity.name,
            "category": self.entity.category,
            "relevanceScore": self.relevance,
            "source": self.entity.made_by,
            "state": self.standing,
            "addedAt": self.added_at,
            "includeSummary": self.includes.summary,
            "includeFacets": self.includes.facets,
            "includeRelationships": self.includes.relationships,
        }


class ActiveEntityRepository:
    """Reads which entities are active, and writes what users decide. Thread- and process-safe.

    Methods raise StoreError.
    """

    def __init__(self, store: Store, ledger: Ledger, entities: NamedEntityRepository) -> None:
        self._store = store
        self._ledger = ledger
        self._entities = entities

    def list_on(self, user: str, conversations: Sequence[str], path: Sequence[str]) -> list[ActiveEntity]:
        """Return what is active on a path, the most relevant first, and last what the user hid there.

        `path` are alternatives, oldest first, of which the newest 10 count. `conversations` are those that the path
        leads through, the conversation itself last: what was decided in the one that it was forked from holds, too.
        """
        decided = self._decided(user, conversations)
        recent = self._recent(user, path[-NEWEST:])
        standing = {each.id: each for each in self._entities.list_standing(user, [*decided, *recent])}
        found = [self._active(entity, decided.get(id_), recent.get(id_)) for id_, entity in standing.items()]
        return sorted(found, key=_rank)

    def set(
        self,
        conversation: str,
        entity: str,
        standing: Literal["active", "pinned", "hidden"],
        includes: Inclusion,
        request: MutationRequest,
    ) -> Entity:
        """Say that an entity is active, pinned or hidden in a conversation, and what of it enters prompts.

        Raises NotFoundError for what the user does not have.
        """
        found = self._entities.get(request.user, entity)
        row: JsonObject = {
            "user": request.user,
            "conversation": conversation,
            "entity": found.id,
            "state": standing,
            "summary": int(includes.summary),
            "facets": int(includes.facets),
            "relationships": int(includes.relationships),
            "at": self._ledger.now(),
        }
        parameters: JsonObject = {"conversation": conversation, "state": standing, "includes": list[Json](includes)}
        mutation = request.mutation(f"entity.{standing}", found.id, parameters)
        action = AuditAction(f"entity.{standing}", found.id, request.user, request.user, {"conversation": conversation})
        self._ledger.commit(
            lambda unit: guard(holds=unit.write(queries.SET_ACTIVE, row) == 1), mutation, [action], {"id": found.id}
        )
        return found

    def reset(self, conversation: str, entity: str, request: MutationRequest) -> Entity:
        """Take back what was decided on an entity: it is active as long as it is mentioned.

        Raises NotFoundError for what the user does not have; calling it again does nothing.
        """
        found = self._entities.get(request.user, entity)
        row: JsonObject = {"user": request.user, "conversation": conversation, "entity": found.id}
        mutation = request.mutation("entity.unpin", found.id, {"conversation": conversation})
        action = AuditAction("entity.unpin", found.id, request.user, request.user, {"conversation": conversation})

        def work(unit: UnitOfWork) -> None:
            unit.write(queries.REMOVE_ACTIVE, row)

        self._ledger.commit(work, mutation, [action], {})
        return found

    def _decided(self, user: str, conversations: Sequence[str]) -> dict[str, Row]:
        """Return what the user decided, by entity; the last conversation counts most."""
        params: JsonObject = {"user": user, "conversations": list[Json](conversations)}
        rows = self._store.read(queries.ACTIVE_IN, params) if conversations else []
        rows.sort(key=lambda row: conversations.index(row["conversation_id"]))
        return {self._standing_id(user, row["entity_id"]): row for row in rows}

    def _recent(self, user: str, newest: Sequence[str]) -> dict[str, tuple[float, str]]:
        """Return how relevant the entities are that alternatives mention, and since when."""
        rows = self._store.read(queries.MENTIONED_BY, {"user": user, "alternatives": list[Json](newest)})
        place = {id_: n for n, id_ in enumerate(newest, 1)}
        found: dict[str, tuple[float, str]] = {}
        for row in rows:
            relevance = max(_OLDEST_RELEVANCE, place[row["alternative_id"]] / len(newest))
            id_ = self._standing_id(user, row["entity_id"])
            best, since = found.get(id_, (0.0, row["valid_at"]))
            found[id_] = (max(best, round(relevance, 2)), min(since, row["valid_at"]))
        return found

    def _standing_id(self, user: str, id_: str) -> str:
        """Return the id of what an entity was merged into."""
        try:
            return self._entities.get(user, id_).id
        except NotFoundError:  # forgotten
            return id_

    @staticmethod
    def _active(entity: Entity, decided: Row | None, recent: tuple[float, str] | None) -> ActiveEntity:
        relevance, since = recent or (_OLDEST_RELEVANCE, entity.created_at)
        if decided is None:
            return ActiveEntity(entity, "recent", relevance, since, Inclusion())
        includes = Inclusion(
            bool(decided["include_summary"]), bool(decided["include_facets"]), bool(decided["include_relationships"])
        )
        pinned = decided["state"] == "pinned"
        return ActiveEntity(entity, decided["state"], 1.0 if pinned else relevance, decided["added_at"], includes)


def _rank(active: ActiveEntity) -> tuple[int, float, str]:
    """Pinned ones first, hidden ones last."""
    place = {"pinned": 0, "hidden": 2}.get(active.standing, 1)
    return place, -active.relevance, active.entity.name_key or ""

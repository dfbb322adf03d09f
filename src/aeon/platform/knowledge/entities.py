"""The entities of all users: found, made, changed, merged, forgotten (platform 17 and 37)."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.next_steps import NextStep
from aeon.base.suggestions import closest_name
from aeon.platform.episodes.forgetting import forget_descriptions
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.id_prefixes import id_range, text_range
from aeon.platform.knowledge import queries
from aeon.platform.knowledge.attached_names import ATTACHMENTS
from aeon.platform.knowledge.entity_forms import NamedEntityChange, NewEntity
from aeon.platform.knowledge.model import BY_USER, Entity, Source, name_key
from aeon.platform.knowledge.visibility import visible_episodes
from aeon.platform.ledger import AuditAction, Ledger, Mutation, MutationRequest
from aeon.platform.store import DuplicateError, GuardError, Row, Store, UnitOfWork, guard

_NO_KEY: Final = "\x1f"
"""What no key of a name begins with."""
_MENTIONS: Final = 1000
_MERGE_DEPTH: Final = 20
_ALL: Final = 10_000


class EntityMention(NamedTuple):
    """Where an entity is mentioned, and how it is written there."""

    entity_id: str
    name: str
    extractor: str
    source: Source

    @property
    def is_in_file(self) -> bool:
        """Whether a file that is attached to the message names it, and not the message itself."""
        return self.extractor == ATTACHMENTS


class EntityCount(NamedTuple):
    """An entity, and in how many episodes it is mentioned, on screen or not."""

    entity: Entity
    mentions: int


class NamedEntityRepository:
    """Reads and writes entities. Thread- and process-safe.

    Every method raises StoreError, and NotFoundError for what the user does not have.
    """

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        self._store = store
        self._ledger = ledger
        self._new_id = new_id

    def get(self, user: str, id_: str) -> Entity:
        """Return an entity by its id, or the beginning of one, or its name; a merged one is what it was merged into.

        A forgotten one is not found.
        """
        return self._standing(user, self._known(user, id_))

    def find(self, user: str, name: str) -> Entity:
        """Return the entity itself that has that id, beginning of an id, or name, merged or not.

        Raises NotFoundError, which names similar ones.
        """
        key = name_key(name)
        rows = self._store.read(queries.ENTITY, {"user": user, "id": name})
        rows = rows or (self._store.read(queries.ENTITIES_BY_KEY, {"user": user, "keys": [key]}) if key else [])
        if not rows and key:
            rows = self._matching(user, key)
        if not rows:
            rows = self._rows_by_id_prefix(user, name)
        if not rows:
            self._ledger.require_user(user)
            raise self._unknown_name(user, name)
        if len(rows) > 1:
            named = ", ".join(sorted(str(row["name"]) for row in rows)[:5])
            raise NotFoundError(f"Several are known as {name!r}: {named}.", next_step="Give the whole name.")
        return Entity.of_row(rows[0])

    def list_most_mentioned(self, user: str, limit: int = 50) -> list[EntityCount]:
        """Return the user's entities, those with most mentions first; merged ones count for what they are now."""
        rows = self._store.read(queries.MOST_MENTIONED, {"user": user, "limit": _ALL})
        ids: list[Json] = [row["id"] for row in rows]
        found = {each.id: each for each in self._by_ids(user, ids)}
        counts: dict[str, int] = dict.fromkeys((id_ for id_, each in found.items() if each.kept_id is None), 0)
        for row in rows:
            standing = self._root(found, row["id"])
            counts[standing] = counts.get(standing, 0) + row["number"]
        ranked = sorted(counts, key=lambda id_: (-counts[id_], found[id_].name_key or ""))
        return [EntityCount(found[id_], counts[id_]) for id_ in ranked[:limit]]

    def list_all(self, user: str) -> list[Entity]:
        """Return all entities, merged ones too, but no forgotten ones."""
        return [Entity.of_row(row) for row in self._store.read(queries.ALL_ENTITIES, {"user": user})]

    def list_known(self, user: str, keys: Iterable[str]) -> list[Entity]:
        """Return the user's entities that have these name keys, as they stand after merges, each once."""
        wanted: list[Json] = [*dict.fromkeys(keys)]
        rows = self._store.read(queries.ENTITIES_BY_KEY, {"user": user, "keys": wanted}) if wanted else []
        standing = [self._standing(user, Entity.of_row(row)) for row in rows]
        return [*{each.id: each for each in standing}.values()]

    def list_standing(self, user: str, ids: Iterable[str]) -> list[Entity]:
        """Return the entities with these ids, as they stand after merges, each once; forgotten ones are left out."""
        standing = [self._standing(user, each) for each in self._by_ids(user, [*ids]) if each.forgotten_at is None]
        return [*{each.id: each for each in standing}.values()]

    def list_beginning(self, user: str, words: Iterable[str]) -> list[Entity]:
        """Return the entities whose names are or begin with one of these folded words, as they stand after merges."""
        rows = [
            row
            for word in words
            for row in self._matching(user, word)
            if row["name_key"] == word or str(row["name_key"]).startswith(f"{word} ")
        ]
        standing = [self._standing(user, Entity.of_row(row)) for row in rows]
        return [*{each.id: each for each in standing}.values()]

    def family(self, user: str, entity: Entity) -> list[Entity]:
        """Return an entity and all that were merged into it, directly or not."""
        family, newest = [entity], [entity]
        for _ in range(_MERGE_DEPTH):
            newest = [each for parent in newest for each in self._absorbed(user, parent)]
            family += newest
            if not newest:
                break
        return family

    def mentions(self, user: str, entities: Sequence[Entity]) -> list[EntityMention]:
        """Return where entities are mentioned, newest first, at most 1,000 places."""
        ids: list[Json] = [each.id for each in entities]

        def work(unit: UnitOfWork) -> list[EntityMention]:
            rows = unit.read(queries.MENTIONS_OF, {"user": user, "entities": ids, "limit": _MENTIONS})
            visible = visible_episodes(unit, user, rows)
            return [
                EntityMention(
                    row["entity_id"],
                    row["name"],
                    row["extractor"],
                    Source(
                        row["episode_id"],
                        row["source"],
                        row["alternative_id"],
                        row["group_id"],
                        row["valid_at"],
                        row["episode_id"] in visible,
                    ),
                )
                for row in rows
            ]

        return self._store.view(work)

    def add(self, new: NewEntity, request: MutationRequest) -> Entity:
        """Make an entity; one that was found by that name already becomes the user's own, with its id (platform 37).

        Raises RuleError for a name without letters or digits, and ConflictError if the user has one of that name.
        """
        key = _checked_key(new.name)
        mutation = request.mutation("entity.create", parameters=new.as_dict())
        if (earlier := self._ledger.earlier_answer(mutation)) is not None:
            return self._known(request.user, earlier["id"])
        rows = self._store.read(queries.ENTITIES_BY_KEY, {"user": request.user, "keys": [key]})
        if rows:
            found = Entity.of_row(rows[0])
            if found.category_by == "user" or found.made_by == "user":
                raise ConflictError(f"You have {found.name!r} already.", next_step="Change it, or choose another name.")
            change = NamedEntityChange.parsed(new.as_dict())
            return self._changed(found, change, mutation)
        at, id_ = self._ledger.now(), self._new_id()
        row: JsonObject = {
            "id": id_,
            "owner_id": request.user,
            "name": new.name,
            "name_key": key,
            "made_by": "user",
            "category": new.category,
            "category_by": None if new.category is None else "user",
            "summary": new.summary,
            "facets": canonical_json({**new.facets}),
            "at": at,
        }
        try:
            answer = self._ledger.commit(
                lambda unit: guard(holds=unit.write(queries.ADD_ENTITY, row) == 1),
                mutation,
                [_action("create", id_, request.user)],
                {"id": id_},
            )
        except DuplicateError:
            raise ConflictError(f"You have {new.name!r} already.", next_step="Choose another name.") from None
        return self.find(request.user, answer["id"])

    def change(self, id_: str, change: NamedEntityChange, request: MutationRequest) -> Entity:
        """Change what the user says; their words win over all that is found (platform 17).

        The name that it had still means it, until `unmerge` takes that back. One that the user has named is the user's
        own: it stays when the messages that mention it are erased. Raises as `add` does, and VersionError for another
        version than the request expects.
        """
        before = self._known(request.user, id_)
        wanted: JsonObject = {name: value for name, value in change.as_dict().items() if value is not None}
        mutation = request.mutation("entity.change", before.id, wanted)
        if self._ledger.earlier_answer(mutation) is not None:
            return before
        if not change.model_fields_set:
            request.require_version(before.version)
            return before
        return self._changed(before, change, mutation)

    def merge(self, kept: str, absorbed: str, request: MutationRequest) -> Entity:
        """Say that two entities are one. Both stay, and `unmerge` takes it back (platform 37).

        The user's own of the two is kept. Raises RuleError for an entity and itself, ConflictError if they are one
        already, and VersionError for another version of the first one than the request expects.
        """
        named, other = self._known(request.user, kept), self._known(request.user, absorbed)
        if named.id == other.id:
            raise _same(named)
        mutation = request.mutation("entity.merge", named.id, {"absorbed": other.id})
        if (earlier := self._ledger.earlier_answer(mutation)) is not None:
            return self._known(request.user, earlier["id"])
        first, second = self._standing(request.user, named), self._standing(request.user, other)
        if first.id == second.id:
            raise _one_already(kept, absorbed)
        if second.made_by == "user" and first.made_by != "user":
            first, second = second, first
        row: JsonObject = {
            "id": self._new_id(),
            "user": request.user,
            "kept": first.id,
            "absorbed": second.id,
            "by": "user",
            "at": self._ledger.now(),
        }
        work = self._expecting(mutation, lambda unit: guard(holds=unit.write(queries.ADD_MERGE, row) == 1))
        try:
            self._ledger.commit(
                work,
                mutation,
                [_action("merge", first.id, request.user, absorbed=second.id)],
                {"id": first.id},
            )
        except DuplicateError:
            raise _one_already(kept, absorbed) from None
        return self.find(request.user, first.id)

    def unmerge(self, absorbed: str, request: MutationRequest) -> Entity:
        """Take a merge back; only its mark was ever written. What was described of both together goes.

        Raises ConflictError for what is not merged, and VersionError as `change` does.
        """
        found = self._known(request.user, absorbed)
        mutation = request.mutation("entity.unmerge", found.id)
        if self._ledger.earlier_answer(mutation) is not None:
            return found
        if found.kept_id is None:
            raise _not_merged(found)
        row: JsonObject = {"user": request.user, "absorbed": found.id, "at": self._ledger.now()}

        def work(unit: UnitOfWork) -> None:
            guard(holds=unit.write(queries.UNDO_MERGE, row) == 1)
            forget_descriptions(unit, request.user, _mentioning(unit, request.user, found.id))

        try:
            self._ledger.commit(
                self._expecting(mutation, work),
                mutation,
                [_action("unmerge", found.id, request.user)],
                {"id": found.id},
            )
        except GuardError:
            raise _not_merged(found) from None
        return self.find(request.user, found.id)

    def list_similar(self, user: str, entity: Entity, limit: int = 5) -> list[Entity]:
        """Return entities whose names share a word with this one's: those that a user may want to merge."""
        words = set((entity.name_key or "").split())
        rows = self._store.read(queries.NAME_KEYS, {"user": user}) if words else []
        ids: list[Json] = [
            row["id"] for row in rows if row["id"] != entity.id and words & set(str(row["name_key"]).split())
        ]
        found = [each for each in self._by_ids(user, ids) if each.kept_id is None]
        return sorted(found, key=lambda each: each.name_key or "")[:limit]

    def forget(self, id_: str, request: MutationRequest) -> Entity:
        """Erase an entity with its name, its mentions and what was derived of it; its id stays (platform 28).

        The facts about it are the caller's to erase. Messages that name it stay as they are.
        """
        found = self.find(request.user, id_)
        mutation = request.mutation("entity.forget", found.id)
        if self._ledger.earlier_answer(mutation) is not None:
            return found
        found = self._known(request.user, found.id)
        row: JsonObject = {"user": request.user, "id": found.id, "at": self._ledger.now()}

        def work(unit: UnitOfWork) -> None:
            forget_descriptions(unit, request.user, _mentioning(unit, request.user, found.id))
            unit.write(queries.REMOVE_MENTIONS_OF, row)
            unit.write(queries.REMOVE_ACTIVE_OF, row)
            unit.write(queries.UNDO_MERGES_OF, row)
            guard(holds=unit.write(queries.FORGET_ENTITY, row) == 1)

        self._commit(self._expecting(mutation, work), mutation, "forget", found)
        return self.find(request.user, found.id)

    def _changed(self, before: Entity, change: NamedEntityChange, mutation: Mutation) -> Entity:
        wanted: JsonObject = {name: value for name, value in change.as_dict().items() if value is not None}
        name = str(wanted.get("name", before.name))
        row: JsonObject = {
            "user": mutation.user,
            "id": before.id,
            "before": before.version,
            "name": name,
            "name_key": _checked_key(name),
            "category": wanted.get("category", before.category),
            "category_by": "user" if "category" in wanted else before.category_by,
            "summary": wanted.get("summary", before.summary),
            "facets": canonical_json(_changed_facets(before.facets, wanted.get("facets") or {})),
            "made_by": BY_USER if "name" in wanted else before.made_by,
            "at": self._ledger.now(),
        }

        def work(unit: UnitOfWork) -> None:
            former = self._free_former_name(unit, before, row)
            guard(holds=unit.write(queries.CHANGE_ENTITY, row) == 1)
            self._keep_name(unit, before, former, row)

        try:
            self._commit(self._expecting(mutation, work), mutation, "change", before)
        except DuplicateError:
            raise ConflictError(f"You have {name!r} already.", next_step="Merge the two instead.") from None
        return self.find(mutation.user, before.id)

    def _free_former_name(self, unit: UnitOfWork, entity: Entity, row: JsonObject) -> Row | None:
        """Take a new name from what keeps it as a former name of the same entity, and return that."""
        named: JsonObject = {"user": row["user"], "id": entity.id, "key": row["name_key"]}
        former = next(iter(unit.read(queries.FORMER_NAME, named)), None)
        if former is not None:
            unit.write(queries.RENAME_ENTITY, _renaming(row, former["id"], former["name"], _NO_KEY + former["id"]))
        return former

    def _keep_name(self, unit: UnitOfWork, before: Entity, former: Row | None, row: JsonObject) -> None:
        """Let the name that an entity had mean the same still: what has it is merged into the entity."""
        if former is not None:
            unit.write(queries.RENAME_ENTITY, _renaming(row, former["id"], before.name, before.name_key))
        elif row["name_key"] != before.name_key:
            alias = self._new_id()
            unit.write(queries.ADD_ENTITY, _alias(row, alias, before))
            unit.write(queries.ADD_MERGE, _merge(self._new_id(), row, before.id, alias))

    def _commit(self, work: Callable[[UnitOfWork], None], mutation: Mutation, verb: str, entity: Entity) -> None:
        """Commit a change of an entity. Raises ConflictError if it was changed meanwhile."""
        try:
            self._ledger.commit(work, mutation, [_action(verb, entity.id, mutation.user)], {"id": entity.id})
        except GuardError:
            raise ConflictError(f"{entity.name!r} was changed in the meantime.") from None

    def _expecting(self, mutation: Mutation, work: Callable[[UnitOfWork], None]) -> Callable[[UnitOfWork], None]:
        """Add the check of the version that the request expects."""

        def version(unit: UnitOfWork) -> int | None:
            rows = unit.read(queries.ENTITY, {"user": mutation.user, "id": mutation.target})
            return rows[0]["version"] if rows and rows[0]["forgotten_at"] is None else None

        return mutation.expecting(version, work)

    def _known(self, user: str, id_: str) -> Entity:
        """Return an entity, merged or not. Raises NotFoundError, also for a forgotten one."""
        found = self.find(user, id_)
        if found.forgotten_at is not None:
            raise NotFoundError(f"Nothing is known of {id_!r}.", next_step=NextStep("knowledge.list"))
        return found

    def _unknown_name(self, user: str, name: str) -> NotFoundError:
        known = {each.name_key or "": each.name for each in self.list_all(user)}
        wanted = set(name_key(name).split())
        containing = [key for key in known if wanted and wanted <= set(key.split())]
        near = min(containing, key=len, default=None) or closest_name(name_key(name), known)
        if near is None:
            return NotFoundError(f"Nothing is known of {name!r}.", next_step=NextStep("knowledge.list"))
        return NotFoundError(
            f"Nothing is known of {name!r}. Did you mean {known[near]!r}?", next_step=NextStep("knowledge.list")
        )

    def _matching(self, user: str, key: str) -> list[Row]:
        params: JsonObject = {"user": user, **text_range(key), "limit": 10}
        return self._store.read(queries.ENTITIES_MATCHING, params)

    def _rows_by_id_prefix(self, user: str, prefix: str) -> list[Row]:
        params: JsonObject = {"user": user, **id_range(prefix), "limit": 10}
        return self._store.read(queries.ENTITIES_BY_ID_PREFIX, params)

    def _by_ids(self, user: str, ids: Sequence[Json]) -> list[Entity]:
        rows = self._store.read(queries.ENTITIES_BY_ID, {"user": user, "ids": [*ids]}) if ids else []
        return [Entity.of_row(row) for row in rows]

    def _absorbed(self, user: str, entity: Entity) -> list[Entity]:
        return [Entity.of_row(row) for row in self._store.read(queries.ABSORBED_BY, {"user": user, "id": entity.id})]

    def _standing(self, user: str, entity: Entity) -> Entity:
        """Return what an entity was merged into, however often."""
        for _ in range(_MERGE_DEPTH):
            if entity.kept_id is None:
                break
            entity = self.find(user, entity.kept_id)
        return entity

    def _root(self, found: dict[str, Entity], id_: str) -> str:
        for _ in range(_MERGE_DEPTH):
            kept = found[id_].kept_id
            if kept is None or kept not in found:
                break
            id_ = kept
        return id_


def _mentioning(unit: UnitOfWork, user: str, id_: str) -> list[str]:
    """Return the episodes that mention an entity, at most 1,000."""
    rows = unit.read(queries.MENTIONS_OF, {"user": user, "entities": [id_], "limit": _MENTIONS})
    return [row["episode_id"] for row in rows]


def _renaming(row: JsonObject, id_: str, name: Json, key: Json) -> JsonObject:
    return {"user": row["user"], "id": id_, "name": name, "key": key, "at": row["at"]}


def _alias(row: JsonObject, id_: str, named: Entity) -> JsonObject:
    """Return the row of an entity that only keeps a name."""
    kept: JsonObject = {"id": id_, "owner_id": row["user"], "name": named.name, "name_key": named.name_key}
    return {
        **kept,
        "made_by": BY_USER,
        "category": None,
        "category_by": None,
        "summary": None,
        "facets": "{}",
        "at": row["at"],
    }


def _merge(id_: str, row: JsonObject, kept: str, alias: str) -> JsonObject:
    merge: JsonObject = {"id": id_, "user": row["user"], "kept": kept, "absorbed": alias}
    return {**merge, "by": "rule", "at": row["at"]}


def _changed_facets(before: JsonObject, change: JsonObject) -> JsonObject:
    return {name: values for name, values in {**before, **change}.items() if values}


def _checked_key(name: str) -> str:
    key = name_key(name)
    if not key:
        raise RuleError(
            f"{name!r} has no letters or digits.", rule="entity_name", field="$.name", next_step="Give a name."
        )
    return key


def _same(entity: Entity) -> RuleError:
    return RuleError(
        f"{entity.name!r} cannot be merged with itself.",
        rule="merge",
        field="$.other",
        next_step="Give two names that differ.",
    )


def _one_already(kept: str, absorbed: str) -> ConflictError:
    return ConflictError(f"{kept!r} and {absorbed!r} are one already.", next_step="Name two that are not.")


def _not_merged(found: Entity) -> ConflictError:
    return ConflictError(f"{found.name!r} is not merged into another one.", next_step="Name the one that was absorbed.")


def _action(verb: str, id_: str, user: str, **details: Json) -> AuditAction:
    return AuditAction(f"entity.{verb}", id_, user, user, details)

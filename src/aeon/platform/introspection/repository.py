"""The notes of all users in one record: each user has a carousel of their own (platform 16)."""

from collections.abc import Callable
from typing import Final

from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.introspection import queries
from aeon.platform.introspection.model import MAX_NOTE, MAX_ROTATION, NewNote, Note, NoteSources, free_position
from aeon.platform.ledger import AuditAction, Ledger, MutationRequest
from aeon.platform.queries import LOCKED_HEAD
from aeon.platform.records import replace_unstorable
from aeon.platform.store import Query, Row, Store, UnitOfWork

_GROUP: Final = "system_introspection"
"""The group of the notes' episodes, before the owner (platform 16)."""


class NoteReader:
    """Reads notes. Thread- and process-safe. Every method raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def carousel(self, user: str) -> list[Note]:
        """Return the notes that are in use, by position."""
        return self._all(queries.CAROUSEL, user)

    def history(self, user: str) -> list[Note]:
        """Return all versions of all slots, also archived and erased ones, oldest first."""
        return self._all(queries.ALL_NOTES, user)

    def _all(self, query: Query, user: str) -> list[Note]:
        return [_note(row) for row in self._store.read(query, {"user": user})]


class NoteRepository(NoteReader):
    """Writes, and reads, notes. Thread- and process-safe. Every method raises StoreError."""

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        super().__init__(store)
        self._ledger = ledger
        self._new_id = new_id

    def next_position(self, user: str) -> int:
        """Return the position that the next note of a model replaces: they go round (platform 15)."""
        (row,) = self._store.read(queries.MADE_BY_PROCESS, {"user": user})
        return row["number"] % MAX_ROTATION

    def compressions(self, conversation: str) -> tuple[int, int]:
        """Return how often a conversation was compressed, and how often since its last introspection."""
        rows = self._store.read(queries.COUNTER, {"conversation": conversation})
        return (rows[0]["number"], rows[0]["since_introspection"]) if rows else (0, 0)

    def replace(self, user: str, new: NewNote) -> str | None:
        """Write a note of a model; the one at its position is archived. Returns its id.

        The conversation's counter of compressions begins again. Returns None if a source was erased meanwhile.
        """
        id_, at = self._new_id(), self._ledger.now()

        def work(unit: UnitOfWork) -> str | None:
            unit.read(LOCKED_HEAD, {"user": user})
            summaries: JsonObject = {"user": user, "ids": list[Json](sorted(new.sources.summaries))}
            (intact,) = unit.read(queries.INTACT_SUMMARIES, summaries)
            if intact["number"] != len(new.sources.summaries):
                return None
            for row in unit.read(queries.STANDING, {"user": user, "position": new.position}):
                unit.write(queries.ARCHIVE, {"id": row["id"], "user": user, "at": at})
            made: JsonObject = {"by": "process", "process": new.process_id, "run": new.run_id, "context": new.context}
            self._write(unit, user, id_, at, {**made, "position": new.position}, new.text, new.sources)
            unit.write(queries.RESET_COUNTER, {"conversation": new.conversation})
            return id_

        return self._store.update(work)

    def add(self, text: str, position: int | None, request: MutationRequest) -> Note:
        """Write a note of the user at a free position, the first one by default (platform 45).

        Raises RuleError for a text or a position that is not valid, and ConflictError if the position is taken.
        """
        stored = _checked(text)
        if position is not None and not 0 <= position < MAX_ROTATION:
            raise RuleError(
                f"There is no position {position}.",
                rule="carousel_position",
                field="$.carouselPosition",
                next_step=f"Choose one from 0 to {MAX_ROTATION - 1}.",
            )
        user, id_, at = request.user, self._new_id(), self._ledger.now()

        def work(unit: UnitOfWork) -> None:
            notes = [_note(row) for row in unit.read(queries.CAROUSEL, {"user": user})]
            chosen = free_position(notes) if position is None else position
            if chosen is None or any(each.position == chosen for each in notes):
                where = "All positions are" if chosen is None else f"Position {chosen} is"
                raise ConflictError(f"{where} taken.", next_step="Delete a note, or choose a free position.")
            made: JsonObject = {"by": "user", "process": None, "run": None, "context": None, "position": chosen}
            self._write(unit, user, id_, at, made, stored, NoteSources())

        mutation = request.mutation("note.add", "", {"text": stored, "position": position})
        answer = self._ledger.commit(work, mutation, [AuditAction("note.add", id_, user, user, {})], {"id": id_})
        return self._get(user, answer["id"])

    def delete(self, position: int, request: MutationRequest) -> None:
        """Archive the note at a position; the higher positions move down (platform 45). Raises NotFoundError."""
        user = request.user
        found = next((each for each in self.carousel(user) if each.position == position), None)
        if found is None:
            self._ledger.require_user(user)
            raise NotFoundError(f"There is no note at position {position}.")
        at = self._ledger.now()
        action = AuditAction("note.delete", found.id, user, user, {"position": position})
        mutation = request.mutation("note.delete", found.id)
        self._ledger.commit(lambda unit: archive_note(unit, user, found.id, at), mutation, [action], {"id": found.id})

    def _get(self, user: str, id_: str) -> Note:
        (row,) = self._store.read(queries.NOTE, {"user": user, "id": id_})
        return _note(row)

    def _write(
        self, unit: UnitOfWork, user: str, id_: str, at: str, made: JsonObject, text: str, sources: NoteSources
    ) -> None:
        (version,) = unit.read(queries.NEXT_VERSION, {"user": user, "position": made["position"]})
        episode = self._new_id()
        row: JsonObject = {**made, "id": id_, "user": user, "at": at, "version": version["number"]}
        unit.write(queries.ADD, {**row, "sources": canonical_json(sources.as_json())})
        values: JsonObject = {"id": episode, "user": user, "group": f"{_GROUP}/{user}", "at": at, "content": text}
        unit.write(queries.ADD_EPISODE, {**values, "name": f"Introspection:{id_}"})
        unit.write(queries.ADD_CONTENT, {"id": id_, "episode": episode, "at": at, "by": made["by"]})


def archive_note(unit: UnitOfWork, user: str, id_: str, at: str) -> None:
    """Archive a note, which keeps its position, and move the higher positions down. An archived one stays as it is."""
    rows = unit.read(queries.NOTE, {"user": user, "id": id_})
    if rows and unit.write(queries.ARCHIVE, {"id": id_, "user": user, "at": at}):
        for row in unit.read(queries.ABOVE, {"user": user, "position": rows[0]["carousel_position"]}):
            unit.write(queries.MOVE_DOWN, {"id": row["id"]})


def _checked(text: str) -> str:
    stored = replace_unstorable(" ".join(text.split()))
    if not 0 < len(stored) <= MAX_NOTE:
        raise RuleError(
            f"The note has {len(stored):,} characters; 1 to {MAX_NOTE:,} are allowed.",
            rule="content",
            field="$.content",
            next_step="Write a note of that length.",
        )
    return stored


def _note(row: Row) -> Note:
    return Note(
        row["id"],
        row["carousel_position"],
        row["version"],
        row["created_by"],
        row["process_id"],
        row["run_id"],
        row["created_at"],
        row["archived_at"],
        row["conversation_context"],
        NoteSources.from_json(parse_strict(row["sources"])),
        row["episode_id"],
        row["content"],
    )

"""The summaries of all users in one record: each is visible to its owner only."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.episodes.writing import episode_id
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.id_prefixes import id_range
from aeon.platform.ledger import AuditAction, Ledger, MutationRequest
from aeon.platform.queries import LOCKED_HEAD
from aeon.platform.records import replace_unstorable
from aeon.platform.store import Store, UnitOfWork
from aeon.platform.summaries import queries
from aeon.platform.summaries.model import CoveredSpan, NewSummary, PlacedSummary, Summary, SummaryContent
from aeon.platform.summaries.windows import covering

MAX_TEXT: Final = 20_000
"""The most characters of a repaired summary."""


class ChangedConversation(NamedTuple):
    """A conversation that changed lately, and its owner; `version` changes with it."""

    owner: str
    id: str
    version: int


class SourceOfSummary(NamedTuple):
    """A source: an alternative, or the content of a lower summary."""

    episode: str
    alternative: str | None
    summary: str | None


class PathCover(NamedTuple):
    """The summaries that stand for a path, in its order, and how many alternatives it has; 0 if nobody looked."""

    length: int
    summaries: list[PlacedSummary]


class SummaryReader:
    """Reads summaries. Thread- and process-safe. Every method raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def cover(self, user: str, ends: Sequence[str], conversations: Sequence[str]) -> PathCover:
        """Return the summaries that stand for the path through these ends, each in its conversation, root first.

        A fork has several ends: that of the path in each conversation before it.
        """
        length, placed = self.on_path(user, ends, conversations)
        return PathCover(length, covering(placed))

    def on_path(self, user: str, ends: Sequence[str], conversations: Sequence[str]) -> PathCover:
        """Return all summaries that hold on a path (platform 38): it contains the last alternative that they cover."""
        rows = self._store.read(queries.OF_CONVERSATIONS, {"user": user, "ids": list[Json](conversations)})
        if not rows:
            return PathCover(0, [])
        path = [row for end in ends for row in self._store.read(queries.LINEAGE, {"user": user, "id": end})]
        places = {row["id"]: place for place, row in enumerate(path)}
        found = [Summary.from_row(row) for row in rows]
        placed = [
            PlacedSummary(each, places[each.first], places[each.last])
            for each in found
            if each.first in places and each.last in places and path[places[each.last]]["digest"] == each.path_digest
        ]
        return PathCover(len(path), placed)

    def texts(self, user: str, summaries: Sequence[str]) -> dict[str, SummaryContent]:
        """Return the content that counts of each of these summaries: its newest."""
        return {each.summary: each for each in self._contents(user, summaries)}

    def episode_texts(self, user: str, episodes: Sequence[str]) -> Mapping[str, str | None]:
        """Return the texts of episodes; None for those that were erased."""
        rows = self._store.read(queries.EPISODE_TEXTS, {"user": user, "ids": list[Json](episodes)})
        return {row["id"]: row["content"] for row in rows}

    def _contents(self, user: str, summaries: Sequence[str]) -> list[SummaryContent]:
        rows = self._store.read(queries.CONTENTS, {"user": user, "ids": list[Json](summaries)})
        return [
            SummaryContent(
                row["summary_id"], row["n"], row["episode_id"], row["content"], row["created_at"], row["created_by"]
            )
            for row in rows
        ]


class SummaryRepository(SummaryReader):
    """Writes, and reads, summaries. Thread- and process-safe.

    Every method raises StoreError, and NotFoundError for what the user may not see.
    """

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        super().__init__(store)
        self._ledger = ledger
        self._new_id = new_id

    def get(self, user: str, id_: str) -> Summary:
        """Return a summary, also a deleted one."""
        rows = self._store.read(queries.SUMMARY, {"user": user, "id": id_})
        if not rows:
            raise NotFoundError(f"You have no summary {id_!r}.")
        return Summary.from_row(rows[0])

    def list_matching(self, user: str, prefix: str, limit: int) -> list[Summary]:
        """Return the user's summaries whose ids begin with `prefix`, by id. Raises NotFoundError for ""."""
        params: JsonObject = {"user": user, **id_range(prefix), "limit": limit}
        return [Summary.from_row(row) for row in self._store.read(queries.MATCHING, params)]

    def list_of(self, user: str, conversation: str) -> list[Summary]:
        """Return all summaries of a conversation, also deleted ones and those of other branches, oldest first."""
        params: JsonObject = {"user": user, "conversation": conversation}
        return [Summary.from_row(row) for row in self._store.read(queries.ALL_OF, params)]

    def list_contents(self, user: str, id_: str) -> list[SummaryContent]:
        """Return all contents of a summary, oldest first; the last one counts."""
        return self._contents(user, [self.get(user, id_).id])

    def list_sources(self, user: str, id_: str) -> list[SourceOfSummary]:
        """Return what a summary was made of, in order."""
        rows = self._store.read(queries.SOURCES, {"user": user, "id": self.get(user, id_).id})
        return [SourceOfSummary(row["id"], row["alternative_id"], row["summary_id"]) for row in rows]

    def list_changed(self, since: str, limit: int) -> list[ChangedConversation]:
        """Return active conversations of all users that changed after an instant, the last changed first."""
        rows = self._store.read(queries.CHANGED, {"since": since, "limit": limit})
        return [ChangedConversation(row["owner_id"], row["id"], row["version"]) for row in rows]

    def list_open_runs(self, user: str, processes: Sequence[str]) -> list[str]:
        """Return the runs of these Processes that have begun for a user and have not ended."""
        rows = self._store.read(queries.OPEN_RUNS, {"user": user, "names": list[Json](processes)})
        return [row["id"] for row in rows]

    def count_deleted(self, user: str, span: CoveredSpan) -> int:
        """Return how many summaries of the same span were deleted."""
        (row,) = self._store.read(queries.DELETED_BEFORE, _place(user, span))
        return row["number"]

    def add(self, user: str, new: NewSummary) -> Summary | None:
        """Write a summary with its sources and its content, and count it.

        Returns the one that is there if the span has one. Returns None if something of it was erased or deleted since
        its text was taken (platform 28).
        """
        id_, episode, at = self._new_id(), self._new_id(), self._ledger.now()
        text = replace_unstorable(new.text)

        def work(unit: UnitOfWork) -> str | None:
            unit.read(LOCKED_HEAD, {"user": user})
            if standing := unit.read(queries.STANDING, _place(user, new.span)):
                return standing[0]["id"]
            if not _is_intact(unit, user, new.span):
                return None
            unit.write(queries.ADD, _row(user, id_, at, new))
            for n, source in enumerate(self._sources(unit, user, new.span, at), 1):
                unit.write(queries.ADD_SOURCE, {"id": id_, "n": n, "episode": source})
            _add_content(unit, user, new.span.conversation, SummaryContent(id_, 1, episode, text, at, "process"))
            unit.write(queries.COUNT_COMPRESSION, {"conversation": new.span.made_for})
            return id_

        written = self._store.update(work)
        return None if written is None else self.get(user, written)

    def repair(self, owner: str, id_: str, text: str, tokens: int, request: MutationRequest) -> Summary:
        """Give a summary another text; the old one stays. The requesting user is an operator (platform 38).

        Raises RuleError for an empty or too long text, and ConflictError for a deleted summary.
        """
        stored = replace_unstorable(text.strip())
        if not 0 < len(stored) <= MAX_TEXT:
            raise RuleError(
                f"The summary has {len(stored):,} characters; 1 to {MAX_TEXT:,} are allowed.",
                rule="content",
                field="$.content",
                next_step="Write a text of that length.",
            )
        summary, episode, at = self.get(owner, id_), self._new_id(), self._ledger.now()

        def work(unit: UnitOfWork) -> None:
            if not unit.write(queries.COUNT_TOKENS, {"user": owner, "id": id_, "tokens": tokens}):
                raise NotFoundError(f"You have no summary {id_!r}.")
            (current,) = unit.read(queries.SUMMARY, {"user": owner, "id": id_})
            if current["deleted_at"] is not None:
                raise ConflictError("The summary was deleted.", next_step="Repair one that is used.")
            rows = unit.read(queries.CONTENTS, {"user": owner, "ids": [id_]})
            content = SummaryContent(id_, len(rows) + 1, episode, stored, at, "operator")
            _add_content(unit, owner, summary.conversation_id, content)

        action = AuditAction("summary.repair", id_, request.user, owner, {"conversation": summary.conversation_id})
        self._ledger.commit(work, request.mutation("summary.repair", id_, len(stored)), [action], {"id": id_})
        return self.get(owner, id_)

    def delete(self, owner: str, id_: str, request: MutationRequest) -> Summary:
        """Take a summary out of use; it stays in the record. The requesting user is an operator (platform 45).

        Lower summaries of its span are used again; the span is compressed again if that is still needed. Calling it
        again does nothing.
        """
        summary = self.get(owner, id_)

        def work(unit: UnitOfWork) -> None:
            unit.write(queries.DELETE, {"user": owner, "id": id_, "at": self._ledger.now()})

        action = AuditAction("summary.delete", id_, request.user, owner, {"conversation": summary.conversation_id})
        self._ledger.commit(work, request.mutation("summary.delete", id_), [action], {"id": id_})
        return self.get(owner, id_)

    def _sources(self, unit: UnitOfWork, user: str, span: CoveredSpan, at: str) -> list[str]:
        """Return the episodes of a span's sources, in order; missing ones of turns are written."""
        if span.level == 1:
            for each in span.alternatives:
                params: JsonObject = {"id": episode_id(each), "alternative": each, "user": user, "at": at}
                unit.write(queries.ADD_TURN_EPISODE, params)
            return [episode_id(each) for each in span.alternatives]
        rows = unit.read(queries.CONTENTS, {"user": user, "ids": list[Json](span.summaries)})
        newest = {row["summary_id"]: row["episode_id"] for row in rows}
        return [newest[each] for each in span.summaries]


def _place(user: str, span: CoveredSpan) -> JsonObject:
    return {"user": user, "first": span.first, "last": span.last, "level": span.level}


def _is_intact(unit: UnitOfWork, user: str, span: CoveredSpan) -> bool:
    """Whether nothing of a span was erased or deleted since its text was taken."""
    if span.level == 1:
        ids: JsonObject = {"user": user, "ids": list[Json](span.alternatives), "erased_until": span.erased_until}
        (row,) = unit.read(queries.INTACT_ALTERNATIVES, ids)
        return row["number"] == len(span.alternatives)
    (row,) = unit.read(queries.INTACT_SUMMARIES, {"user": user, "ids": list[Json](span.summaries)})
    return row["number"] == len(span.summaries)


def _row(user: str, id_: str, at: str, new: NewSummary) -> JsonObject:
    return {
        **_place(user, new.span),
        "id": id_,
        "conversation": new.span.conversation,
        "tokens": new.tokens,
        "last_turn": new.span.last_turn,
        "path_digest": new.span.path_digest,
        "process": new.process_id,
        "run": new.run_id,
        "at": at,
    }


def _add_content(unit: UnitOfWork, user: str, conversation: str, content: SummaryContent) -> None:
    episode: JsonObject = {"id": content.episode, "user": user, "group": conversation, "at": content.created_at}
    unit.write(queries.ADD_EPISODE, {**episode, "name": f"Summary:{content.summary}", "content": content.text})
    row: JsonObject = {"id": content.summary, "n": content.n, "episode": content.episode, "at": content.created_at}
    unit.write(queries.ADD_CONTENT, {**row, "by": content.created_by})

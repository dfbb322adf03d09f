"""The facts of all users: their assertions, the user's decisions, and which hold on screen (platform 35)."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.episodes.forgetting import forget_descriptions, forget_episodes
from aeon.platform.episodes.writing import OwnEpisode, add_own_episode, episode_id
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.id_prefixes import id_range
from aeon.platform.knowledge import queries
from aeon.platform.knowledge.model import (
    BY_USER,
    MAX_FACT,
    Assertion,
    Entity,
    Fact,
    FactState,
    Source,
    name_key,
)
from aeon.platform.knowledge.visibility import visible_episodes
from aeon.platform.ledger import AuditAction, Ledger, MutationRequest
from aeon.platform.records import replace_unstorable
from aeon.platform.store import GuardError, Row, Store, UnitOfWork, guard


class FoundFact(NamedTuple):
    """A fact to be written: its text, the keys of the names in it, and since when it is true, if that was stated."""

    text: str
    subject: str | None = None
    object: str | None = None
    confidence: float = 1.0
    true_from: str | None = None
    true_until: str | None = None


class Viewpoint(NamedTuple):
    """From where a user looks: the alternatives on the path of a conversation, which count in place of its tip."""

    conversation: str | None = None
    path: Sequence[str] = ()


ON_SCREEN: Final = Viewpoint()
"""Every conversation as it is on screen."""


class SaidText(NamedTuple):
    """A text that an episode says, word for word."""

    episode: str
    text: str


class FactRepository:
    """Reads and writes facts. Thread- and process-safe.

    Every method raises StoreError, and NotFoundError for what the user does not have.
    """

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        self._store = store
        self._ledger = ledger
        self._new_id = new_id

    def get(self, user: str, id_: str) -> Fact:
        """Return a fact by its id or the beginning of one."""
        rows = self._store.read(queries.FACT, {"user": user, "id": id_})
        if not rows:
            rows = self._store.read(queries.FACTS_MATCHING, {"user": user, **id_range(id_), "limit": 2})
        found = self._facts(user, rows)
        if len(found) != 1:
            self._ledger.require_user(user)
            what = "You have no fact" if not found else "Several facts have ids that begin with"
            raise NotFoundError(f"{what} {id_!r}.", next_step="Take an id from what `show` lists.")
        return found[0]

    def list_about(self, user: str, entities: Iterable[Entity], place: Viewpoint = ON_SCREEN) -> list[Fact]:
        """Return the facts about any of these entities, oldest first, as they are seen from a place."""
        ids: list[Json] = [each.id for each in entities]
        rows = self._store.read(queries.FACTS_ABOUT, {"user": user, "entities": ids}) if ids else []
        return self._facts(user, rows, place)

    def list_all(self, user: str, place: Viewpoint = ON_SCREEN) -> list[Fact]:
        """Return all facts, oldest first, as they are seen from a place."""
        return self._facts(user, self._store.read(queries.ALL_FACTS, {"user": user}), place)

    def list_confirmed_about(self, user: str, entities: Iterable[Entity], place: Viewpoint = ON_SCREEN) -> list[Fact]:
        """Return the confirmed facts about any of these entities that hold, seen from a place, oldest first."""
        ids: list[Json] = [each.id for each in entities]
        rows = self._store.read(queries.CONFIRMED_ABOUT, {"user": user, "entities": ids}) if ids else []
        return [each for each in self._facts(user, rows, place) if each.state == "confirmed" and each.holds]

    def list_confirmed_own(self, user: str, place: Viewpoint = ON_SCREEN, limit: int = 200) -> list[Fact]:
        """Return the confirmed facts about a user that name nothing else and hold, seen from a place, oldest first."""
        rows = self._store.read(queries.CONFIRMED_OWN, {"user": user, "limit": limit})
        return [each for each in self._facts(user, rows, place) if each.state == "confirmed" and each.holds]

    def list_joining(self, user: str, entities: Iterable[str]) -> list[Fact]:
        """Return the facts about entities with these ids that join two, oldest first."""
        rows = self._store.read(queries.FACTS_ABOUT, {"user": user, "entities": list[Json](entities)})
        return self._facts(user, [row for row in rows if row["subject_id"] and row["object_id"]])

    def list_own(self, user: str, limit: int = 1000) -> list[Fact]:
        """Return the facts about a user that name nothing else, oldest first."""
        return self._facts(user, self._store.read(queries.OWN_FACTS, {"user": user, "limit": limit}))

    def list_candidates(self, user: str, limit: int = 50) -> list[Fact]:
        """Return facts on which the user has not decided, newest first."""
        rows = self._store.read(queries.CANDIDATES, {"user": user, "limit": limit})
        facts = [self.get(user, row["id"]) for row in rows]
        return [each for each in facts if each.state == "candidate"]

    def list_with_text(self, user: str, text: str) -> list[Fact]:
        """Return the user's fact of that text, however it is spelled; empty without one."""
        rows = self._store.read(queries.FACT_BY_KEY, {"user": user, "key": name_key(text)})
        return self._facts(user, rows)

    def list_stated_by(self, user: str, alternative: str) -> list[Fact]:
        """Return the facts that a message states."""
        rows = self._store.read(queries.FACTS_OF, {"user": user, "episode": episode_id(alternative)})
        return self._facts(user, rows)

    def usable(self, user: str, candidates: Iterable[SaidText]) -> set[SaidText]:
        """Return those of the texts that the user neither called wrong nor forgot as facts (platform 28, 40).

        A forgotten fact has no words any more. So of the episode that stated it, only what it still states is usable.
        """
        texts = [*candidates]
        episodes: list[Json] = [*{each.episode: None for each in texts}]
        rows = self._store.read(queries.KEYS_STATED, {"user": user, "episodes": episodes}) if texts else []
        stated: dict[str, set[str | None]] = {}
        for row in rows:
            stated.setdefault(row["episode_id"], set()).add(row["text_key"])
        wrong = self._rejected_keys(user, {name_key(each.text) for each in texts})
        return {each for each in texts if _is_usable(name_key(each.text), stated.get(each.episode, set()), wrong)}

    def add(self, text: str, subject: Entity | None, request: MutationRequest) -> Fact:
        """Write down a fact that a user states, with a note as its source. Raises RuleError for a bad text.

        Repeating the request raises NotFoundError if the fact was erased since.
        """
        stated = _checked(text)
        about = None if subject is None else subject.id
        at, note, id_ = self._ledger.now(), self._new_id(), self._new_id()
        episode = OwnEpisode(note, request.user, f"notes/{request.user}", "note", f"Note:{note}", stated, at)

        def work(unit: UnitOfWork) -> None:
            add_own_episode(unit, episode)
            fact = FoundFact(stated)
            stored = add_fact(unit, request.user, fact, self._row_ids(subject), id_, at)
            source: JsonObject = {"episode": note, "extractor": BY_USER, "at": at, "said_at": at}
            state_fact(unit, stored, fact, source, "confirmed")
            unit.write(queries.DECIDE, {"fact": stored, "state": "confirmed", "at": at})
            unit.write(
                queries.MARK_DONE,
                {"user": request.user, "episode": note, "at": at, "extractor": BY_USER, "failure": None},
            )

        mutation = request.mutation("fact.create", parameters={"text": stated, "subject": about})
        answer = self._ledger.commit(work, mutation, [_action("create", id_, request.user)], {"note": note})
        rows = self._store.read(queries.FACTS_OF, {"user": request.user, "episode": answer["note"]})
        if not (found := self._facts(request.user, rows)):
            raise NotFoundError("The fact of this request was erased.", next_step="State it again, as a new request.")
        return found[0]

    def decide(self, id_: str, state: FactState, request: MutationRequest) -> Fact:
        """Confirm or reject a fact. A rejected one is shown as that, and used nowhere (platform 40).

        Raises ConflictError for a fact that nothing states any more.
        """
        fact = self.get(request.user, id_)
        row: JsonObject = {"fact": fact.id, "state": state, "at": self._ledger.now()}
        verb = {"confirmed": "confirm", "rejected": "reject", "candidate": "reopen"}[state]
        stating = [each.source.episode_id for each in fact.assertions if each.kind == "states"]

        def work(unit: UnitOfWork) -> None:
            guard(holds=unit.write(queries.DECIDE, row) > 0)
            if state == "rejected":
                forget_descriptions(unit, request.user, stating)

        try:
            self._ledger.commit(
                work,
                request.mutation(f"fact.{verb}", fact.id),
                [_action(verb, fact.id, request.user)],
                {"id": fact.id},
            )
        except GuardError:
            raise ConflictError(
                "Nothing states this fact any more.", next_step="Forget it, or write it down."
            ) from None
        return self.get(request.user, fact.id)

    def forget(self, ids: Sequence[str], request: MutationRequest) -> None:
        """Erase the texts of facts and the notes that state them; ids stay (platform 28). Messages stay as they are."""
        at = self._ledger.now()

        def work(unit: UnitOfWork) -> None:
            stating: JsonObject = {"user": request.user, "facts": list[Json](ids)}
            notes = [row["episode_id"] for row in unit.read(queries.NOTES_STATING, stating)]
            forget_descriptions(unit, request.user, [row["episode_id"] for row in unit.read(queries.STATING, stating)])
            forget_episodes(unit, request.user, notes, at)
            for id_ in ids:
                unit.write(queries.FORGET_FACT, {"user": request.user, "id": id_, "at": at})

        mutation = request.mutation("fact.forget", ids[0], {"facts": list[Json](ids)})
        self._ledger.commit(work, mutation, [_action("forget", each, request.user) for each in ids], {"id": ids[0]})

    def count_by_state(self, user: str) -> dict[str, int]:
        """Return how many facts there are by the state of their statements."""
        return {row["state"]: row["number"] for row in self._store.read(queries.COUNT_FACTS, {"user": user})}

    def _rejected_keys(self, user: str, keys: Collection[str]) -> set[str]:
        """Return those of the keys of texts that the user called wrong."""
        wanted: list[Json] = sorted(keys)
        rows = self._store.read(queries.REJECTED_KEYS, {"user": user, "keys": wanted}) if wanted else []
        return {row["text_key"] for row in rows}

    @staticmethod
    def _row_ids(subject: Entity | None) -> dict[str, str]:
        return {} if subject is None or subject.name_key is None else {"": subject.id}

    def _facts(self, user: str, rows: Sequence[Row], place: Viewpoint = ON_SCREEN) -> list[Fact]:
        ids: list[Json] = [row["id"] for row in rows]

        def work(unit: UnitOfWork) -> list[Fact]:
            assertions = unit.read(queries.ASSERTIONS_OF, {"user": user, "facts": ids}) if ids else []
            visible = visible_episodes(unit, user, assertions, place.path, place.conversation)
            by_fact: dict[str, list[Assertion]] = {}
            for row in assertions:
                by_fact.setdefault(row["fact_id"], []).append(_assertion(row, row["episode_id"] in visible))
            return [
                Fact(
                    row["id"],
                    row["subject_id"],
                    row["object_id"],
                    row["text"],
                    row["created_at"],
                    by_fact.get(row["id"], []),
                )
                for row in rows
                if row["text"] is not None
            ]

        return self._store.view(work)


def add_fact(unit: UnitOfWork, user: str, fact: FoundFact, entities: dict[str, str], id_: str, at: str) -> str:
    """Write a fact unless the user has one of that text; return its id. `entities` are ids by the keys of names.

    The key "" stands for the subject of a fact that names none.
    """
    row: JsonObject = {
        "user": user,
        "id": id_,
        "key": name_key(fact.text),
        "text": fact.text,
        "predicate": None,
        "at": at,
        "subject": entities.get(fact.subject or ""),
        "object": None if fact.object is None else entities.get(fact.object),
    }
    unit.write(queries.ADD_FACT, row)
    (stored,) = unit.read(queries.FACT_BY_KEY, {"user": user, "key": row["key"]})
    return stored["id"]


def state_fact(unit: UnitOfWork, fact: str, found: FoundFact, source: JsonObject, state: FactState) -> None:
    """Write that an episode states a fact. What the user decided on it before holds for this statement, too."""
    decided = unit.read(queries.DECISION, {"fact": fact})
    row: JsonObject = {
        **source,
        "fact": fact,
        "kind": "states",
        "state": decided[0]["state"] if decided else state,
        "decided_at": decided[0]["decided_at"] if decided else None,
        "confidence": found.confidence,
        "true_from": found.true_from,
        "true_until": found.true_until,
    }
    unit.write(queries.ADD_ASSERTION, row)


def contradict_fact(unit: UnitOfWork, fact: str, source: JsonObject) -> None:
    """Write that an episode contradicts a fact; on which paths it still holds is decided when it is read."""
    nothing: JsonObject = {"true_from": None, "true_until": None, "decided_at": None}
    row: JsonObject = {
        **source,
        **nothing,
        "fact": fact,
        "kind": "contradicts",
        "state": "confirmed",
        "confidence": 0.9,
    }
    unit.write(queries.ADD_ASSERTION, row)


def _is_usable(key: str, stated: Collection[str | None], wrong: Collection[str]) -> bool:
    """Whether a text is neither wrong nor forgotten. None stands for the facts of its episode that were forgotten."""
    return key not in wrong and (None not in stated or key in stated)


def _assertion(row: Row, is_visible: bool) -> Assertion:
    source = Source(
        row["episode_id"], row["source"], row["alternative_id"], row["group_id"], row["said_at"], is_visible
    )
    return Assertion(
        row["kind"], row["state"], row["extractor"], row["confidence"], source, row["true_from"], row["true_until"]
    )


def _checked(text: str) -> str:
    stated = " ".join(replace_unstorable(text).split())
    if not name_key(stated) or len(stated) > MAX_FACT:
        raise RuleError(
            f"A fact has 1 to {MAX_FACT:,} characters, with letters or digits; this one has {len(stated):,}.",
            rule="fact",
            field="$.text",
            next_step="Write one sentence.",
        )
    return stated


def _action(verb: str, id_: str, user: str) -> AuditAction:
    return AuditAction(f"fact.{verb}", id_, user, user, {})

"""Random changes of conversations and of what is known of them, for `RecordMutator`."""

from collections.abc import Callable
from typing import Final

from aeon.base.json import Json, JsonObject
from aeon.testing.record_writer import AT, USERS, RecordWriter

_OWNED: Final[JsonObject] = {"created_at": AT, "owner_id": USERS[0]}
"""All messages and knowledge are of one user."""


def _exchange(w: RecordWriter) -> str:
    """Writes a conversation of one message with its episode; returns the part of their ids that is the same."""
    number = w.id("exchange")
    alternative, turn, conversation = (f"{kind} {number}" for kind in ("alternative", "turn", "conversation"))
    named: JsonObject = {"title": w.name, "title_by": "user", "status": "active", "pinned": 0, "tags": "[]"}
    w.insert("conversations", {"id": conversation, **named, "version": 1, "updated_at": AT, **_OWNED}, unless="id")
    row: JsonObject = {"conversation_id": conversation, "speaker": "user", "turn_type": "message", "created_at": AT}
    w.insert("conversation_turns", {"id": turn, "sequence": 1, **row}, unless="id")
    message: JsonObject = {"turn_id": turn, "conversation_id": conversation, "state": "complete", "content": w.text()}
    message |= {"sequence": 1, "is_active": 1, "content_hash": "", "path_hash": "", "ended_at": AT, **_OWNED}
    w.insert("alternatives", {"id": alternative, **message}, unless="id")
    episode: JsonObject = {"alternative_id": alternative, "source": "message", "group_id": conversation}
    _insert_episode(w, number, episode)
    return number


def _insert_episode(w: RecordWriter, node: str, row: JsonObject) -> None:
    fixed: JsonObject = {"id": node, "name": w.text(), "valid_at": AT, "attempts": 0, **_OWNED}
    w.insert("episodes", {**fixed, **row}, unless="id")


def _own_episode(w: RecordWriter, source: str) -> str:
    """Writes an episode that has its text itself; returns its id."""
    node = f"{source} {w.name}"
    _insert_episode(w, node, {"source": source, "group_id": w.text(), "content": w.text()})
    return node


def _note(w: RecordWriter) -> None:
    _own_episode(w, "note")


def _extract(w: RecordWriter) -> None:
    w.update("episodes", w.id("exchange"), {"extracted_at": AT, "extractor": w.text(), "failure": w.text()})


def _forget(w: RecordWriter) -> None:
    w.update("episodes", w.id("exchange"), {"forgotten_at": AT, "failure": None})


def _entity(w: RecordWriter) -> None:
    free: JsonObject = {"name": w.name, "name_key": w.name, "facets": w.object(), "summary": w.text()}
    free |= {"enriched_by": w.chance.choice([None, w.id("process")]), "enrichment": w.object()}
    free |= {"version": w.chance.randint(1, 99), "updated_at": AT}
    w.put("entities", _entity_id(w), {"made_by": "extraction", **_OWNED}, free)


def _entity_id(w: RecordWriter) -> str:
    """Writes an entity unless it is there; returns its id."""
    node = w.id("entity")
    row: JsonObject = {"name": node, "name_key": w.name + node, "made_by": "extraction", "version": 1, "facets": "{}"}
    w.insert("entities", {"id": node, **row, "updated_at": AT, **_OWNED}, unless="id")
    return node


def _mention(w: RecordWriter) -> None:
    row: JsonObject = {"extractor": w.text(), "confidence": 0.5, "created_at": AT, "name": w.text()}
    ends = {"episode_id": _exchange(w), "entity_id": _entity_id(w)}
    w.insert("mentions", {**ends, **row}, unless="episode_id, entity_id")


def _unmention(w: RecordWriter) -> None:
    w.unit.write("DELETE FROM mentions WHERE episode_id = :id", {"id": w.id("exchange")})


def _merge(w: RecordWriter) -> None:
    ends = {"kept_id": _entity_id(w), "absorbed_id": _entity_id(w)}
    w.insert("merges", {"id": w.name, "decided_by": "user", **ends, **_OWNED})


def _unmerge(w: RecordWriter) -> None:
    query = "UPDATE merges SET undone_at = :at WHERE absorbed_id = :id AND undone_at IS NULL"
    w.unit.write(query, {"at": AT, "id": w.id("entity")})


def _fact(w: RecordWriter) -> None:
    free: JsonObject = {"subject_id": w.chance.choice([None, _entity_id(w)]), "object_id": _entity_id(w)}
    free |= {"text": w.name, "predicate": w.chance.choice([None, w.text()])}
    w.update("facts", _fact_id(w), free)


def _fact_id(w: RecordWriter) -> str:
    """Writes a fact unless it is there; returns its id."""
    node = w.id("fact")
    w.insert("facts", {"id": node, "text": node, "text_key": w.name + node, **_OWNED}, unless="id")
    return node


def _forget_fact(w: RecordWriter) -> None:
    erased = dict.fromkeys(("text", "text_key", "predicate"))
    w.update("facts", w.id("fact"), {**erased, "forgotten_at": AT})


def _assertion(w: RecordWriter) -> None:
    ends: JsonObject = {"episode_id": _exchange(w), "fact_id": _fact_id(w)}
    kind = w.chance.choice(["states", "contradicts"])
    row: JsonObject = {"kind": kind, "state": "candidate", "extractor": "", "confidence": 1.0}
    w.insert("assertions", {**ends, **row, "created_at": AT, "said_at": AT}, unless="episode_id, fact_id, kind")
    w.unit.write("UPDATE assertions SET state = 'confirmed' WHERE fact_id = :id", {"id": w.id("fact")})


def _retract(w: RecordWriter) -> None:
    w.unit.write("DELETE FROM assertions WHERE episode_id = :id", {"id": w.id("exchange")})


def _activate(w: RecordWriter) -> None:
    ends = {"conversation_id": f"conversation {_exchange(w)}", "entity_id": _entity_id(w)}
    w.unit.write("DELETE FROM active_entities WHERE entity_id = :entity_id", {"entity_id": w.id("entity")})
    included = dict.fromkeys(("include_summary", "include_facets", "include_relationships"), w.bit())
    row: JsonObject = {"owner_id": USERS[0], "state": "pinned", "added_at": AT, **included}
    w.insert("active_entities", {**ends, **row}, unless="conversation_id, entity_id")
    query = "UPDATE active_entities SET state = 'hidden' WHERE entity_id = :id"
    w.unit.write(query, {"id": w.id("entity")})


def _summary(w: RecordWriter) -> None:
    number, node = _exchange(w), w.id("summary")
    ends = dict.fromkeys(("first_alternative_id", "last_alternative_id"), f"alternative {number}")
    row: JsonObject = {"conversation_id": f"conversation {number}", "last_turn_id": f"turn {number}", **ends}
    made: JsonObject = {"level": 1, "token_count": 1, "path_digest": "", "process_id": None, **_OWNED}
    w.insert("summaries", {"id": node, **row, **made}, unless="id")
    w.insert("summary_sources", {"summary_id": node, "n": 1, "episode_id": number}, unless="summary_id, n")
    _content(w, "summary", "summary_contents", node)
    w.update("summaries", w.id("summary"), {"token_count": w.chance.randint(1, 99), "deleted_at": None})


def _introspection(w: RecordWriter) -> None:
    node, position = w.id("introspection"), w.chance.randrange(99)
    row: JsonObject = {"carousel_position": position, "version": 1, "created_by": "process", "process_id": None}
    free: JsonObject = {"conversation_context": w.text(), "sources": w.chance.choice(["[]", '["a"]'])}
    w.put("introspections", node, {**row, **_OWNED}, free)
    _content(w, "introspection", "introspection_contents", node)


def _content(w: RecordWriter, source: str, table: str, node: str) -> None:
    """Writes a content, of which the newest counts."""
    row: JsonObject = {f"{source}_id": node, "n": w.chance.randint(1, 5), "episode_id": _own_episode(w, source)}
    w.insert(table, {**row, "created_at": AT, "created_by": "process"}, unless=f"{source}_id, n")


KNOWLEDGE_CHANGES: Final[tuple[Callable[[RecordWriter], Json], ...]] = (
    *(_exchange, _note, _extract, _forget, _entity, _mention, _unmention, _merge, _unmerge, _fact, _forget_fact),
    *(_assertion, _retract, _activate, _summary, _introspection),
)

"""Writes the search index of conversations, in the transaction of each change, and builds it again.

Documents, which are titles, messages and answers, are numbered. The newest wait with their words in one row each, so
that a message costs a few rows however long it is. As soon as 128 wait, their words become a segment: for each word,
the documents that have it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform.search import message_queries as queries
from aeon.platform.search.message_postings import LENGTHS, SEGMENT, row_without, segment_rows
from aeon.platform.search.message_words import message_words
from aeon.platform.store import Row, UnitOfWork

FORM: Final = 1
"""The form of the index. An index of another form is built again: raise it when words or rows change."""


class DocumentPlace(NamedTuple):
    """What a document is: an alternative, or the title of a conversation."""

    conversation: str
    alternative: str = ""


def begin_index(unit: UnitOfWork, user: str) -> None:
    """Begin the index of a user before their first conversation is made; of any other user, do nothing."""
    unit.write(queries.BEGIN, {"user": user, "form": FORM})


def add_document(unit: UnitOfWork, user: str, place: DocumentPlace, text: str) -> None:
    """Add a text that the same transaction has written.

    Does nothing without an index, which is built when it is missed.
    """
    if row := unit.read(queries.NEXT_NUMBER, {"user": user, "form": FORM}):
        number = row[0]["last"]
        words = Counter(message_words(text))
        document: JsonObject = {"user": user, "number": number}
        unit.write(queries.ADD_DOCUMENT, {**document, **place._asdict()})
        unit.write(queries.ADD_WORDS, {**document, "words": canonical_json(words)})
        if number % SEGMENT == 0:
            waiting = {row["number"]: parse_strict(row["words"]) for row in unit.read(queries.WAITING, {"user": user})}
            _add_segment(unit, user, number // SEGMENT - 1, waiting)
            unit.write(queries.REMOVE_ALL_WORDS, {"user": user})
            unit.write(queries.NOTHING_WAITS, {"user": user})


def remove_document(unit: UnitOfWork, user: str, place: DocumentPlace, text: str) -> None:
    """Remove a document with all that the index has of it. `text` is what the same transaction erases."""
    _remove(unit, user, place, text, changes=1)


def change_title(unit: UnitOfWork, user: str, conversation: str, before: str | None, after: str | None) -> None:
    """Replace the title of a conversation, which the same transaction has changed."""
    if before == after:
        return
    place = DocumentPlace(conversation)
    if before is not None:
        _remove(unit, user, place, before, changes=1 if after is None else 0)
    if after is not None:
        add_document(unit, user, place, after)


def rebuild_index(unit: UnitOfWork, user: str) -> int:
    """Build a user's index again from their conversations; return the number of its documents."""
    of_user: JsonObject = {"user": user}
    for query in (queries.REMOVE_DOCUMENTS, queries.REMOVE_ALL_WORDS, queries.REMOVE_TERMS):
        unit.write(query, of_user)
    everything = unit.read(queries.EVERYTHING, of_user)
    waiting: dict[int, Counter[str]] = {}
    for first in range(0, len(everything), SEGMENT):
        texts = _texts(unit, user, everything[first : first + SEGMENT])
        documents = [{"user": user, "number": first + 1 + at, **place._asdict()} for at, (place, _) in enumerate(texts)]
        unit.write_each(queries.ADD_DOCUMENT, documents)
        waiting = {first + 1 + at: Counter(message_words(text)) for at, (_, text) in enumerate(texts)}
        if len(waiting) == SEGMENT:
            _add_segment(unit, user, first // SEGMENT, waiting)
            waiting = {}
    words = [{"user": user, "number": each, "words": canonical_json(counts)} for each, counts in waiting.items()]
    unit.write_each(queries.ADD_WORDS, words)
    last = len(everything)
    unit.write(queries.SET_STATE, {**of_user, "form": FORM, "last": last, "waiting": len(waiting)})
    return last


def _add_segment(unit: UnitOfWork, user: str, segment: int, documents: Mapping[int, Mapping[str, int]]) -> None:
    rows: list[Json] = [canonical_json([*row]) for row in segment_rows(documents)]
    unit.write(queries.ADD_TERMS, {"user": user, "segment": segment, "rows": rows})


def _remove(unit: UnitOfWork, user: str, place: DocumentPlace, text: str, *, changes: int) -> None:
    state = unit.read(queries.STATE, {"user": user})
    found = unit.read(queries.NUMBER_OF, {"user": user, **place._asdict()})
    if not state or state[0]["form"] != FORM or not found:
        return
    number = found[0]["number"]
    document: JsonObject = {"user": user, "number": number}
    was_waiting = unit.write(queries.REMOVE_WORDS, document)
    if not was_waiting:
        _remove_from_segment(unit, user, number, [LENGTHS, *dict.fromkeys(message_words(text))])
    unit.write(queries.REMOVE_DOCUMENT, document)
    unit.write(queries.TAKEN_OVER, {"user": user, "waiting": was_waiting, "changes": changes})


def _remove_from_segment(unit: UnitOfWork, user: str, number: int, terms: Sequence[Json]) -> None:
    segment = (number - 1) // SEGMENT
    for row in unit.read(queries.TERMS_IN, {"user": user, "segments": [segment], "terms": [*terms]}):
        left = row_without(row["term"], row["postings"], number)
        term: JsonObject = {"user": user, "segment": segment, "term": row["term"]}
        if left:
            unit.write(queries.SET_POSTINGS, {**term, "postings": left})
        else:
            unit.write(queries.REMOVE_TERM, term)


def _texts(unit: UnitOfWork, user: str, rows: Sequence[Row]) -> list[tuple[DocumentPlace, str]]:
    ids: list[Json] = [row["alternative_id"] for row in rows if row["alternative_id"]]
    contents = {row["id"]: row["content"] for row in unit.read(queries.CONTENTS, {"user": user, "ids": ids})}
    places = [(DocumentPlace(row["conversation_id"], row["alternative_id"]), row["title"]) for row in rows]
    return [(place, contents[place.alternative] if place.alternative else title) for place, title in places]

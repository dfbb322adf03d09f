"""What a strong model finds in a message, checked against the message: nothing that it does not say is kept. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from aeon.base.json import Json, JsonObject
from aeon.base.lazy_pattern import LazyPattern
from aeon.platform.knowledge.extraction import ExtractionResult
from aeon.platform.knowledge.facts import FoundFact
from aeon.platform.knowledge.model import CATEGORIES, MAX_FACT, MODEL, Category, Fact, name_key
from aeon.platform.search.message_words import message_words

MAX_KNOWN: Final = 10
"""How many facts a model is shown that the message may contradict."""

_MOST: Final = 12
"""Facts that are taken from one message."""

_SHARE: Final = 0.5
"""The share of a fact's words that stand in the message or in its names; below, the model has made it up."""

_SHORTEST: Final = 4
"""Letters of the words that count for that."""

_DATE: Final = LazyPattern(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")


def model_inputs(text: str, names: Sequence[str], known: Sequence[Fact], said_on: str) -> JsonObject:
    """Returns the inputs of the Process `extract_facts`: the message, its names, its day and the nearest facts."""
    numbered = [f"{number}. {fact.text}" for number, fact in enumerate(known[:MAX_KNOWN], 1)]
    return {
        "message": text,
        "names": ", ".join(names) or "none",
        "known": "\n".join(numbered) or "none",
        "day": said_on[:10],
    }


def checked_findings(
    found: Mapping[str, Json], text: str, names: Sequence[str], known: Sequence[Fact]
) -> ExtractionResult:
    """Returns what a model found, as far as the message bears it out.

    Facts whose words the message does not have, about names that it does not have, and numbers of facts that were not
    shown are left out.
    """
    keys = {name_key(name) for name in names}
    facts = list(_facts(found.get("facts"), text, keys))[:_MOST]
    shown = known[:MAX_KNOWN]
    contradicted = [shown[number - 1].id for number in _numbers(found.get("contradicts"), len(shown))]
    return ExtractionResult(
        names, facts, MODEL, "confirmed", contradicted, dict(_categories(found.get("categories"), keys))
    )


def _facts(found: Json, text: str, keys: set[str]) -> Iterator[FoundFact]:
    words = set(message_words(text))
    for each in _objects(found):
        statement = each.get("fact")
        if not isinstance(statement, str):
            continue
        stated = " ".join(statement.split())
        if not 0 < len(stated) <= MAX_FACT or stated.endswith("?") or not _is_grounded(stated, words):
            continue
        subject, object_ = _known_key(each.get("subject"), keys), _known_key(each.get("object"), keys)
        yield FoundFact(stated, subject, object_, 0.9, _date(each.get("from")), _date(each.get("until")))


def _is_grounded(statement: str, words: set[str]) -> bool:
    """Whether enough of a fact's longer words stand in the message."""
    counted = [word for word in message_words(statement) if len(word) >= _SHORTEST]
    return not counted or sum(word in words for word in counted) >= _SHARE * len(counted)


def _known_key(name: Json, keys: set[str]) -> str | None:
    key = name_key(name) if isinstance(name, str) else ""
    return key if key in keys else None


def _date(value: Json) -> str | None:
    return value if isinstance(value, str) and _DATE.fullmatch(value) else None


def _numbers(found: Json, most: int) -> list[int]:
    whole = {each for each in _values(found) if isinstance(each, int) and not isinstance(each, bool)}
    return sorted(each for each in whole if 0 < each <= most)


def _categories(found: Json, keys: set[str]) -> Iterator[tuple[str, Category]]:
    for each in _objects(found):
        if each.get("category") in CATEGORIES:
            key = _known_key(each.get("name"), keys)
            if key is not None:
                yield key, cast(Category, each["category"])


def _objects(found: Json) -> list[JsonObject]:
    """Return the objects of a list; nothing of what is none."""
    return [cast(JsonObject, each) for each in _values(found) if isinstance(each, dict)]


def _values(found: Json) -> list[object]:
    return cast(list[object], found) if isinstance(found, list) else []

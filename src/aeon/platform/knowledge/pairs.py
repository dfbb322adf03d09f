"""Which names of a statement it joins: neighbours in one clause, and a list of names as one. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from aeon.platform.knowledge.common_words import CORRECTING_PREPOSITIONS
from aeon.platform.knowledge.statements import Statement

_CLAUSE: Final = re.compile(
    r"[;:\u2014]|\.\s|"
    r",?\s+(?:but|while|whereas|aber|während|mais|tandis que)\s+"
    r"(?!(?:in|at|to|from|am|im|bei|nach|aus|von|à|en|au|de)\b)|"
    r",\s+(?=(?:vorher|danach|jetzt|before|now)\b)|"
    r",?\s+(?:(?:and|und|et)\s+)?(?=(?:i|we|ich|wir|je|j'|nous|mine|ours|meine|meiner|meins|unser|unsere)\b)|"
    r",?\s+(?:and|und|et)\s+(?=(?:he|she|they|er|sie|il|elle|ils|elles)\b)",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(r"\s*(?:,|and|und|et|or|oder|ou|&|,\s*(?:and|und|et))\s*", re.IGNORECASE)
_CORRECTED: Final = re.compile(
    r"\b(?:not|but|nicht|pas|sondern|mais|rather than|instead of|statt|kein)\b", re.IGNORECASE
)
_PRONOUN: Final = re.compile(
    r"\s*(?:and |und |et )?(?:he|she|they|it|his|her|er|sie|es|ihr|ihre|sein|seine|il|elle|ils|elles|son|sa)\b",
    re.IGNORECASE,
)


_COUPLE: Final = 2
"""Two names that are the subject of a clause together."""


class _Placed(NamedTuple):
    name: str
    start: int
    end: int


def pairs_of(statement: Statement) -> list[tuple[str, str]]:
    """Returns the pairs of names between which a statement says something, in order."""
    found: dict[frozenset[str], tuple[str, str]] = {}
    subject: str | None = None
    for clause in _clauses(statement.text):
        groups = list(_groups(clause, statement.names))
        if subject is not None and groups and _PRONOUN.match(clause):
            groups = [[subject], *groups]
        elif groups and len(groups[0]) == _COUPLE and clause.strip().startswith(groups[0][0]):
            found.setdefault(frozenset(groups[0]), (groups[0][0], groups[0][1]))
        for first, second in pairwise(groups):
            for pair in ((one, other) for one in first for other in second if one != other):
                found.setdefault(frozenset(pair), pair)
        if subject is None and groups:
            subject = groups[0][0]
    return list(found.values())


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for found in _CLAUSE.finditer(text):
        yield text[start : found.start()]
        start = found.end()
    yield text[start:]


def _groups(clause: str, names: Sequence[str]) -> Iterator[list[str]]:
    """Yield the names of a clause in order; those that only a comma or "and" parts are one group."""
    placed = sorted(_placed(clause, names), key=lambda each: each.start)
    group: list[str] = []
    for before, each in zip([None, *placed], placed, strict=False):
        if before is not None and not _LISTED.fullmatch(clause[before.end : each.start]):
            if _CORRECTED.search(clause[before.end : each.start]) and not _has_verb_between(clause, before, each):
                group.append(each.name)
                continue
            yield group
            group = []
        group.append(each.name)
    if group:
        yield group


def _has_verb_between(clause: str, before: _Placed, each: _Placed) -> bool:
    """Whether more than a correction stands between two names: "not Graz but Linz" has no more."""
    words = clause[before.end : each.start].split()
    return any(
        word.strip(",")
        and not _CORRECTED.fullmatch(word.strip(",."))
        and word.strip(",") not in CORRECTING_PREPOSITIONS
        for word in words
    )


def _placed(clause: str, names: Sequence[str]) -> Iterator[_Placed]:
    for name in names:
        if found := re.search(rf"(?<!\w){re.escape(name)}", clause):
            yield _Placed(name, found.start(), found.end())

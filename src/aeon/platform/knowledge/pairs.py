"""Which names of a statement it joins: neighbours in one clause, and a list of names as one. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from aeon.base.lazy_pattern import LazyPattern
from aeon.platform.knowledge.common_words import CORRECTING_PREPOSITIONS, NO_VERBS
from aeon.platform.knowledge.statements import Statement

_CLAUSE: Final = LazyPattern(
    r"[;:\u2014]|\s[-\u2013]\s|\.\s|"
    r",?\s+(?:but|while|whereas|aber|während|mais|tandis que)\s+"
    r"(?!(?:in|at|to|from|am|im|bei|nach|aus|von|à|en|au|de)\b)|"
    r",\s+(?=(?:vorher|danach|jetzt|before|now)\b)|"
    r",?\s+(?:(?:and|und|et)\s+)?(?=(?:i|we|ich|wir|je|j'|nous|mine|ours|meine|meiner|meins|unser|unsere)\b)|"
    r",?\s+(?:and|und|et)\s+(?=(?:he|she|they|you|er|sie|du|il|elle|ils|elles|tu|vous)\b)|"
    r",\s+(?:and|und|et)\s+(?=(?:his|her|their|sein|seine|ihr|ihre|son|sa|ses|leur)\b)",
    re.IGNORECASE,
)
_LISTED: Final = LazyPattern(r"\s*(?:,|and|und|et|or|oder|ou|&|,\s*(?:and|und|et))\s*", re.IGNORECASE)
_CORRECTED: Final = LazyPattern(
    r"\b(?:not|but|nicht|pas|sondern|mais|rather than|instead of|statt|kein)\b", re.IGNORECASE
)
_PRONOUN: Final = LazyPattern(
    r"\s*(?:and |und |et )?(?:he|she|they|it|his|her|er|sie|es|ihr|ihre|sein|seine|il|elle|ils|elles|son|sa)\b",
    re.IGNORECASE,
)
_GOES_ON: Final = LazyPattern(r"\s(?:and|und|et)\s+(?:n'|l'|s'|y\s|en\s)?[a-zäöüßàâçéèêëîïôûù]")
"""A second predicate of the same subject: "starts in Linz and sleeps in Graz"."""

_MOVE: Final = LazyPattern(
    r"\s+(?:to|into|nach|zu|zum|zur|auf|à|au|vers|pour)\s+(?:the\s+|le\s+|la\s+|l')?", re.IGNORECASE
)
_FROM: Final = LazyPattern(r"\b(?:from|out of|von|vom|aus|de|du|d')\s*$", re.IGNORECASE)
_SPLICE: Final = LazyPattern(r".*,\s*(?:(?:Frau|Herr|Tante|Onkel|Oma|Opa|Mr|Mrs|Ms|Dr|Mme|M)\.?\s+)?", re.DOTALL)
_VERB: Final = LazyPattern(r"\s+(?P<word>[a-zäöüßàâçéèêëîïôûù']+)")
_NAMED: Final = LazyPattern(r"\b(?:called|named|name is|heißt|heisst|hieß|s'appelle|nommée?)\b", re.IGNORECASE)
_COUPLE: Final = 2
"""Two names that are the subject of a clause together."""


class _Placed(NamedTuple):
    name: str
    start: int
    end: int


class _Group(NamedTuple):
    """Names of a clause that only a comma or "and" parts; it `is_list` unless one corrects the other.

    `is_of_subject`: a second predicate says them of the clause's subject.
    """

    names: list[str]
    is_of_subject: bool
    is_list: bool


def pairs_of(statement: Statement) -> list[tuple[str, str]]:
    """Returns the pairs of names between which a statement says something, in order."""
    found: dict[frozenset[str], tuple[str, str]] = {}
    subject: str | None = None
    for clause in _clauses(statement):
        groups = list(_groups(clause, statement.names))
        if subject is not None and groups and _PRONOUN.match(clause):
            groups = [_Group([subject], is_of_subject=False, is_list=False), *groups]
        elif groups and groups[0].is_list and len(groups[0].names) == _COUPLE and _begins_with(clause, groups[0]):
            first, second = groups[0].names
            found.setdefault(frozenset((first, second)), (first, second))
        is_naming = _NAMED.search(clause) is not None
        for before, group in pairwise(groups):
            joined = groups[0] if group.is_of_subject and not is_naming else before
            for pair in ((one, other) for one in joined.names for other in group.names if one != other):
                found.setdefault(frozenset(pair), pair)
        if groups and (subject is None or is_naming):
            subject = groups[min(1, len(groups) - 1)].names[0] if is_naming else groups[0].names[0]
    return list(found.values())


def _begins_with(clause: str, group: _Group) -> bool:
    return clause.strip().startswith(group.names[0])


def _clauses(statement: Statement) -> Iterator[str]:
    """Yield the clauses of a statement; a comma before a name and its verb begins one, too."""
    start = 0
    for found in _CLAUSE.finditer(statement.text):
        yield from _spliced(statement.text[start : found.start()], statement.names)
        start = found.end()
    yield from _spliced(statement.text[start:], statement.names)


def _spliced(clause: str, names: Sequence[str]) -> Iterator[str]:
    placed = sorted(_placed(clause, names), key=lambda each: each.start)
    start = 0
    for before, each in pairwise(placed):
        between = clause[before.end : each.start]
        verb = _VERB.match(clause, each.end)
        if _SPLICE.fullmatch(between) and verb is not None and verb["word"] not in NO_VERBS:
            cut = before.end + between.rindex(",")
            yield clause[start:cut]
            start = cut + 1
    yield clause[start:]


def _groups(clause: str, names: Sequence[str]) -> Iterator[_Group]:
    """Yield the names of a clause in order, with what parts them."""
    placed = sorted(_placed(clause, names), key=lambda each: each.start)
    group: list[str] = []
    is_of_subject, is_list = False, True
    for before, each in zip([None, *placed], placed, strict=False):
        between = "" if before is None else clause[before.end : each.start]
        if before is not None and _is_moved(clause, before, between):
            group.insert(0, each.name)
            is_list = False
            continue
        if before is not None and not _LISTED.fullmatch(between):
            if _CORRECTED.search(between) and not _has_verb_between(clause, before, each):
                group.append(each.name)
                is_list = False
                continue
            yield _Group(group, is_of_subject, is_list)
            group, is_of_subject, is_list = [], _GOES_ON.search(between) is not None, True
        group.append(each.name)
    if group:
        yield _Group(group, is_of_subject, is_list)


def _is_moved(clause: str, before: _Placed, between: str) -> bool:
    """Whether something goes from one to the other: "from Linz to Graz" joins neither town with the other one."""
    return _MOVE.fullmatch(between) is not None and _FROM.search(clause[: before.start]) is not None


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

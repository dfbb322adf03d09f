"""Checks of an answer that a query of the user's tables gave: does it compute what the request asks for? Pure."""

import re
from collections.abc import Iterator
from typing import Final

from aeon.base.lazy_pattern import LazyPattern
from aeon.supervisor.answered_run import AnsweredRun
from aeon.tools.table_queries import QueryTablesTool

_COMPUTED: Final = LazyPattern(
    r"\b(?:avg|sum|min|max|total)\s*\(\s*(?P<of>[^()]+)\)|\border\s+by\s+(?P<by>[^()]+?)(?=\s+(?:asc|desc|limit)\b|[,)]|$)",
    re.IGNORECASE,
)
"""What a query adds up, averages or sorts by."""

_ADDED_UP: Final = LazyPattern(
    r"\b(?:total|sum|average|mean|insgesamt|summe|durchschnitt|mittelwert)"
    r"|\b(?:how (?:much|many|long)|costs?|wie ?viele?|wie lange|kosten|kostet)\b[^.?!]{0,200}"
    r"\b(?:together|altogether|combined|in all|zusammen)\b",
    re.IGNORECASE,
)
_ADDS: Final = LazyPattern(r"\b(?:sum|avg|total|count)\s*\(|\+", re.IGNORECASE)

_IDENTIFIER: Final = LazyPattern(r'"[^"]+"|(?<![\w\'])[^\W\d]\w*(?!\s*\()')
_LITERAL: Final = LazyPattern(r"'[^']*'")
_WORD: Final = LazyPattern(r"[^\W\d_]+")
_NUMBER: Final = LazyPattern(r"\d+")
_KEYWORDS: Final = frozenset(
    {"distinct", "case", "when", "then", "else", "end", "and", "or", "not", "null", "as", "is"}
)

_STEM: Final = 4
"""Letters at the beginning that a word shares with another form of it."""

_MEANT: Final = tuple(
    (LazyPattern(rf"\b(?:{asked})", re.IGNORECASE), LazyPattern(column, re.IGNORECASE))
    for asked, column in (
        (
            r"old|young|age\b|alt\b|alte|ält|jung|jüng|gebor",
            r"age|alter|birth|born|geb|year|jahr|date|datum|since|seit|join|eintritt",
        ),
        (
            r"expensive|cheap|cost|pric|pay|paid|spen[dt]|teuer|billig|günstig|kost|preis|bezahl|ausg[ae]b",
            r"pric|cost|preis|kosten|amount|betrag|value|wert|total|summe|eur|usd|fee|paid|spent",
        ),
        (
            r"revenue|turnover|income|sale|sold|sell|earn|umsatz|einnahm|erlös|verdien|verkauf",
            r"pric|amount|total|betrag|preis|revenue|umsatz|sales|sold|unit|quantity|qty|menge|anzahl|stück|salary|gehalt",
        ),
        (
            r"long|short|duration|lang|läng|kurz|kürz|dauer",
            r"duration|length|time|minute|hour|day|date|since|dauer|länge|zeit|stunde|tag|eintritt|start|begin|km|mile|year",
        ),
        (
            r"late|earl|recent|first|last|new|when|früh|spät|neu|letzt|erst|wann|zuletzt",
            r"date|time|day|year|created|updated|datum|zeit|tag|jahr|since|seit|eintritt|\bid\b|_at\b|start|begin",
        ),
        (
            r"big|large|small|size|groß|größ|klein",
            r"size|area|population|einwohner|fläche|größe|amount|total|unit|count|employees|bytes|capacity|people",
        ),
        (r"heav|weigh|light|schwer|leicht|wieg|gewicht", r"weight|mass|kg|gewicht|gram|lb"),
        (r"tall|high|low|deep|hoch|höch|tief|niedrig", r"height|elevation|altitude|höhe|depth|tiefe"),
        (r"fast|slow|quick|schnell|langsam", r"speed|time|second|minute|duration|tempo|zeit|kmh"),
        (r"far|distan|weit|entfern", r"distance|km|mile|entfernung|strecke"),
        (r"hot|cold|warm|kalt|heiß|kält", r"temp|celsius|fahrenheit|grad|degree"),
        (r"rich|poor|reich|arm\b|ärm", r"salary|income|wage|gehalt|lohn|einkommen|wealth"),
        (r"good|best|worst|better|bad\b|gut|beste|schlecht", r"score|rating|grade|point|note|punkte|bewertung|rank"),
    )
)
"""Words of a request, and the columns that they may mean."""


def query_doubts(run: AnsweredRun) -> list[str]:
    """The reasons to doubt an answer that a query gave: what it computes is not asked for, or a number is left out."""
    queries = [str(call.arguments["query"]) for call in run.calls if call.tool_name == QueryTablesTool.name]
    if not queries:
        return []
    request, query = run.request, _LITERAL.sub(lambda found: found[0].replace(" ", ""), queries[-1])
    unnamed = [column for column in dict.fromkeys(_computed_columns(query)) if not _is_named(column, request)]
    doubts = [f"the query computes {', '.join(unnamed)}, which the request does not name"] if unnamed else []
    numbers = {int(each) for each in _NUMBER.findall(query)}
    if not _is_added_up(request, query):
        doubts.append("the request asks for a total or an average, and the query adds nothing up")
    left_out = [each for each in dict.fromkeys(_NUMBER.findall(request)) if int(each) not in numbers]
    return [*doubts, *([f"the query leaves out {', '.join(left_out)}"] if left_out else [])]


def _is_added_up(request: str, query: str) -> bool:
    """Whether a query adds up what a request wants a total or an average of; a column may be one already."""
    named = _ADDED_UP.search(request)
    return (
        named is None or _ADDS.search(_LITERAL.sub("''", query)) is not None or named[0].casefold() in query.casefold()
    )


def _computed_columns(query: str) -> Iterator[str]:
    """The columns that a query adds up, averages or sorts by."""
    aliases = {found[1].casefold() for found in re.finditer(r"\bas\s+\"?(\w+)", query, re.IGNORECASE)}
    for found in _COMPUTED.finditer(_LITERAL.sub("''", query)):
        for name in _IDENTIFIER.findall(found["of"] or found["by"]):
            plain = name.strip('"')
            if plain.casefold() not in _KEYWORDS | aliases:
                yield plain


def _is_named(column: str, request: str) -> bool:
    """Whether a request names a column, in this or another form, or has a word that may mean it."""
    asked = [word.casefold() for word in _WORD.findall(request)]
    parts = [word.casefold() for word in _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column))]
    if any(_is_same(part, word) for part in parts for word in asked):
        return True
    return any(words.search(request) and columns.search(column) for words, columns in _MEANT)


def _is_same(one: str, other: str) -> bool:
    """Whether two words are forms of one: they begin alike, or the longer one is a compound of the shorter."""
    length = min(len(one), len(other), _STEM)
    return one == other or (length == _STEM and (one[:_STEM] == other[:_STEM] or one in other or other in one))

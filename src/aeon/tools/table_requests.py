"""Requests that ask for what a query of a table gives, in English and German: a number, a row, a selection. Pure."""

import re
from typing import Final

from aeon.base.lazy_pattern import LazyPattern

_SEARCHED: Final = 600
"""Characters of a request that are looked at."""

_ASKS: Final = LazyPattern(
    r"\b(?:how (?:many|much|often|long|old|far|high|big|large)|number of|count|total|sum|add up|average|mean|median|most"
    r"|least|fewest|few(?:er)? than|more than|less than|at least|at most|above|below|over|under|between|highest|lowest"
    r"|largest|smallest|biggest|longest|shortest|oldest|youngest|earliest|latest|newest|cheapest|(?:most|least) \w+"
    r"|maximum|minimum|max|min|top \d+|per|each|every|sort\w*|order(?:ed)? by|rank\w*|group\w*|list|show|which|who|whose"
    r"|when|where|what (?:is|are|was|were|did|does)(?! an?\b)|is there|are there|does|did)\b"
    r"|\b(?:wie ?viele?|wie (?:oft|lange?|alt|hoch|groß|weit)|anzahl|summe|insgesamt|gesamt\w*|durchschnitt\w*|mittelwert"
    r"|median|meisten|wenigsten|mehr als|weniger als|mindestens|höchstens|über|unter|zwischen|höchste\w*|niedrigste\w*"
    r"|größte\w*|kleinste\w*|längste\w*|kürzeste\w*|älteste\w*|jüngste\w*|teuerste\w*|billigste\w*|günstigste\w*"
    r"|früheste\w*|späteste\w*|maximal\w*|minimal\w*|pro|je|jede\w*|sortier\w*|gruppier\w*|liste|zeige?|nenne|welche\w*|wer"
    r"|wem|wen|wessen|wann|wo|was (?:ist|sind|war|waren|kostet|kosten)(?! eine?\b)|gibt es)\b",
    re.IGNORECASE,
)

_WRITES: Final = LazyPattern(
    r"\b(?:summar\w+|sum (?:(?:it|this|that|them) )?up|explain\w*|describ\w+|translat\w+|rewrit\w+|rephras\w+|write|draft\w*"
    r"|compose|why|opinion|advice|advise|suggest\w*|recommend\w*|convert\w*|correct\w*|improve\w*|shorten|e-?mail|letter"
    r"|poem|in one sentence|chart|plot|diagram|(?:which|what|name|list|how many) (?:the )?(?:columns|fields|headings)"
    r"|what (?:is|are) (?:this|these|it|the (?:file|table|data))(?: file| table| data)?(?: all)? about)\b"
    r"|\b(?:zusammen(?:fass\w*|gefasst)|fass\w*|erklär\w*|beschreib\w*|übersetz\w*|schreib\w*|verfass\w*|formulier\w*"
    r"|warum|wieso|weshalb|rat|empfiehl\w*|empfehl\w*|vorschlag\w*|korrigier\w*|verbesser\w*|kürze|brief|gedicht"
    r"|worum geht|(?:welche|wie viele) spalten)\b",
    re.IGNORECASE,
)
"""What is to be written, or asks for the form of the table: the model answers that from the text."""


def asks_of_table(request: str) -> bool:
    """Whether a request asks for what stands in a table or follows from it by counting, adding, sorting, selecting."""
    return _ASKS.search(request[:_SEARCHED]) is not None and not asks_to_write(request)


def asks_to_write(request: str) -> bool:
    """Whether a request wants a text made: a summary, a translation, an explanation, advice."""
    return _WRITES.search(request[:_SEARCHED]) is not None

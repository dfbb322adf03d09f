"""Whether a request asks for arithmetic: decided by its numbers and words, in English and German. Pure."""

import re

from aeon.base.lazy_pattern import LazyPattern

_NUMBER = LazyPattern(r"\d+(?:[.,]\d+)*")
_OPERATION = LazyPattern(
    r"[%+*/^×÷=]|\b(?:percent|per cent|prozent|square|cube|root|wurzel|quadrat\w*|power|hoch|squared|cubed|"  # noqa: RUF001  # as people type it
    r"half|halves|hälfte|third|thirds|drittel|quarters?|viertel|double[ds]?|doppelt\w*|verdoppel\w*|twice|"
    r"triple|dreifach\w*|dozen|dutzend|plus|minus|times|mal|divided|geteilt|multipl\w+|sum|summe|average|mean|"
    r"durchschnitt\w*|total|insgesamt|each|jeder?s?|per|pro|modulo)\b",
    re.IGNORECASE,
)
_NUMBER_WORD = LazyPattern(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|"
    r"eighty|ninety|hundred|thousand|million|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\w+zehn|"
    r"\w*zwanzig|\w*dreißig|\w*vierzig|\w*fünfzig|hundert|tausend)\b",
    re.IGNORECASE,
)

_ONLY_A_SUM = LazyPattern(
    r"(?:what(?:'s| is| are)|how much is|calculate|compute|was (?:ist|sind|ergibt)|wie ?viel (?:ist|sind|ergibt)|berechne|combien (?:font|fait))?\s*"
    r"(?:plus|minus|times|mal|divided by|geteilt durch|[-+*/^%() .,\d\u00d7\u00f7\u2212])+[?.!]*",
    re.IGNORECASE,
)
"""A request that is arithmetic and nothing else."""

_ONE_NUMBER = LazyPattern(
    r"\b(?:how (?:many|much|long|old|far|fast|tall|big|heavy|large)|what (?:do|does|did|will|would)|"
    r"costs?|percent|percentage|average|sum|total|product|difference|half|quarter|calculate|compute|"
    r"wie ?viele?|wie (?:lange?|alt|weit|hoch|schwer|groß|schnell)|was (?:kostet|kosten|zahlt|zahle|zahlen|bekommt|ergibt)|"
    r"prozent|durchschnitt|summe|hälfte|berechne)\b",
    re.IGNORECASE,
)
_WHAT_IS = LazyPattern(r"\b(?:what (?:is|are|was|were)|what's|whats|was (?:ist|sind))\b", re.IGNORECASE)
_MORE_THAN_A_NUMBER = LazyPattern(
    r"\d:\d\d|"  # a clock time
    r"\b(?:writ\w*|texts?|poem|story|letters?|e?-?mails?|messages?|explain|why|list|sort\w*|order|names?|translat\w*|summar\w*|rewrit\w*|compar\w*|"
    r"which|who|whose|when|where|random|roll|toss|flip|remember|save|store|note|fraction|prime|tables?|date|day|weekday|time|o'clock|"
    r"schreib\w*|gedicht|geschichte|brief|nachricht|erklär\w*|warum|liste|sortier\w*|nenne|übersetz\w*|fasse|vergleich\w*|"
    r"welche\w*|wer|wem|wann|wo|zufällig\w*|würf\w*|merk\w*|speicher\w*|bruch|primzahl\w*|tabelle|datum|uhr|uhrzeit)\b",
    re.IGNORECASE,
)


def asks_one_number(request: str) -> bool:
    """Whether the answer to a request is one number, such as "what do 3 of them cost", and nothing is to be written.

    The numbers of a clock time in it do not count.
    """
    is_asked = _ONE_NUMBER.search(request) or (_WHAT_IS.search(request) and names_operation(request))
    return bool(is_asked) and _MORE_THAN_A_NUMBER.search(request) is None


def asks_arithmetic(request: str) -> bool:
    """Whether a calculator may help: two numbers, or one and a word of arithmetic.

    "How much flour for 4 guests?" has one number and asks for knowledge.
    """
    words = len(_NUMBER_WORD.findall(request))
    numbers = len(_NUMBER.findall(request)) + words
    return numbers >= 2 or (numbers == 1 and bool(_OPERATION.search(request)))  # noqa: PLR2004  # a pair of operands


def has_number_word(text: str) -> bool:
    """Whether a text has a number from two on in words."""
    return _NUMBER_WORD.search(text) is not None


def names_operation(request: str) -> bool:
    """Whether a request has a word or sign of arithmetic, such as "each", "half" or "%"."""
    return _OPERATION.search(request) is not None


def is_only_arithmetic(request: str) -> bool:
    """Whether a request is a calculation in digits and signs, and nothing else."""
    return _ONLY_A_SUM.fullmatch(request.strip()) is not None

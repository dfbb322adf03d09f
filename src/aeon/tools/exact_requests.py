"""Patterns for requests that ask for exact numbers, in English and German, and the expressions that their words mean."""

import re
from functools import cache

from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.number_styles import with_english_numerals

MAX_REQUEST = 300
"""Characters of a request that are searched."""

_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-"})  # noqa: RUF001  # as people type them
NUMBER = r"\d+(?:\.\d+)?"
_OPERAND = rf"-?{NUMBER}(?:/\d+)?"
_REWRITES = (
    (
        rf"(?:by )?how (?:many|much) (?:percent|%|in percent) .*\bfrom ({_OPERAND}) to ({_OPERAND})",
        r"change(\1, \2)",
    ),
    (
        rf"\b(?:from|von) ({_OPERAND}) (?:to|auf|bis) ({_OPERAND})(?: (?:in|as) (?:percent|prozent|%))?",
        r"change(\1, \2)",
    ),
    (rf"({NUMBER}) ?(?:%|percent|per cent|prozent) (?:of|von) ", r"\1% * "),
    (r"(\d+) (?:choose|über) (\d+)", r"binomial(\1, \2)"),
    (
        r"(?:in )?how many ways (?:are there to|can (?:you|i|we|one)) choose (\d+) (?:\w+ )?(?:out of|of|from)(?: the| a)? "
        r"(\d+)(?: \w+)?",
        r"binomial(\2, \1)",
    ),
    (r"\b(?:the )?(\d+)(?:st|nd|rd|th|\.)? (?:root|wurzel) (?:of|von|aus) (\d+(?:\.\d+)?)", r"root(\2, \1)"),
    (
        r"\b(?:the )?(?:cube root|cubic root|kubikwurzel|dritte wurzel) (?:of|von|aus) (\d+(?:\.\d+)?)",
        r"root(\1, 3)",
    ),
    (r"\b(?:the )?(?:square root|quadratwurzel|wurzel) (?:of|von|aus) (\d+(?:\.\d+)?)", r"sqrt(\1)"),
    (
        r"\b(?:the )?(?:gcd|ggt|greatest common (?:divisor|factor)|größten? gemeinsamen? teiler)(?: (?:of|von))? "
        r"(\d+(?:(?:, | and | und |, and )\d+)+)",
        r"gcd(\1)",
    ),
    (
        r"\b(?:the )?(?:lcm|kgv|(?:least|lowest) common multiple|kleinstes? gemeinsames? vielfaches?)(?: (?:of|von))? "
        r"(\d+(?:(?:, | and | und |, and )\d+)+)",
        r"lcm(\1)",
    ),
    (r"\b(?:the )?(?:factorial|fakultät)(?: of| von)? (\d+)", r"factorial(\1)"),
    (
        r"\b(?:the )?(?:prime factors|prime factori[sz]ation|primfaktoren|primfaktorzerlegung) (?:of|von) (\d+)",
        r"factors(\1)",
    ),
    (r"\bis (\d+)(?: a)? prime(?: number)?\b|\bist (\d+)(?: eine)? primzahl", r"is_prime(\1\2)"),
    (r"(?<=\d) (?:plus) (?=\d)", " + "),
    (r"(?<=\d) (?:minus) (?=\d)", " - "),
    (r"(?<=\d) (?:times|mal|multiplied by) (?=\d)", " * "),
    (r"(?<=\d) (?:divided by|geteilt durch) (?=\d)", " / "),
)
"""Words of a request, and the expression that they mean."""
_LISTED = LazyPattern(r"(?<=\d)(?:, and | and | und )(?=\d)")
_ASKS = (
    r"\d\s*!|(?<![\w./])\d+\s*/\s*\d+\s*(?:[-+*\u00d7·÷:\u2212]|/\s|plus|minus|times|mal|geteilt|divided|of|von)\s*\d+\s*/\s*\d+"
    r"|\b(?:as|als) (?:an? |einen? |exact )?(?:exact |reduced |simplified |gekürzte[rn]? )?(?:fraction|bruch)\b"
    r"|\b(?:simplify|reduce|kürze)\b.*\d\s*/\s*\d"
    r"|\b(?:factorial|fakultät|binomial|ncr|gcd|lcm|ggt|kgv|kubikwurzel)\b|\d+ (?:choose|über) \d+"
    r"|\bways\b.*\bchoose\b.*\d|\bchoose \d+ .*\b(?:out of|from) \d+"
    r"|\b(?:greatest|highest|largest) common (?:divisor|factor)|\b(?:least|lowest|smallest) common multiple"
    r"|\bgrößte[rn]? gemeinsame[rn]? teiler|\bkleinste[sn]? gemeinsame[sn]? vielfache"
    r"|\bprim(?:e|es|zahl(?:en)?|faktor(?:en)?|faktorzerlegung)\b.*\d|\d.*\bprim(?:e(?: (?:number|factors?))?|zahl|faktoren)\b"
    r"|\b(?:square|cube|cubic|\d+(?:st|nd|rd|th)|fourth|fifth) root of \d|\b(?:wurzel|quadratwurzel) (?:aus|von) \d"
    r"|\d\s*(?:%|percent|per cent|prozent) (?:of|von) \d"
    r"|\b(?:from|von) \d[\d.,]* (?:to|auf) \d[\d.,]*\b.*(?:%|percent|prozent)"
    r"|(?:%|percent|prozent).*\b(?:from|von) \d[\d.,]* (?:to|auf) \d"
)
_QUESTION = (
    r"^(?:what(?:'s| is| are)?|how much is|compute|calculate|was (?:ist|sind)|wie ?viel (?:ist|sind)|berechne|find|simplify"
    r"|reduce|kürze|give)\s+(?:(?:the|der|die|das|den) )?(?=\S)|\s*(?:,? (?:as|als) (?:an? |einen? )?(?:exact )?(?:fraction|bruch)|exactly)\s*(?=[?.!]*$)"
)


def asks_exact(request: str) -> bool:
    """Whether a request asks for fractions, factorials, divisors, primes, roots or percent."""
    return _compiled(_ASKS).search(request[:MAX_REQUEST]) is not None


def expression_in(request: str) -> str | None:
    """What remains of a request that asks for exact numbers, without the words of the question, as an expression."""
    if len(request) > MAX_REQUEST or not asks_exact(request):
        return None
    return to_expression(_compiled(_QUESTION).sub("", " ".join(with_english_numerals(request).split()).rstrip("?. ")))


def to_expression(text: str) -> str:
    """The text with signs and functions in place of the words of `_REWRITES`."""
    plain = " ".join(text.translate(_SIGNS).split()).rstrip("=?. ")
    for pattern, replacement in _REWRITES:
        plain = _compiled(pattern).sub(replacement, plain)
    return _LISTED.sub(", ", plain)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)

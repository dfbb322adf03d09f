"""Whether a request asks for arithmetic: decided by its numbers and words, in English and German. Pure."""

import re

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_OPERATION = re.compile(
    r"[%+*/^×÷=]|\b(?:percent|per cent|prozent|square|cube|root|wurzel|quadrat\w*|power|hoch|squared|cubed|"  # noqa: RUF001  # as people type it
    r"half|halves|hälfte|third|thirds|drittel|quarters?|viertel|double[ds]?|doppelt\w*|verdoppel\w*|twice|"
    r"triple|dreifach\w*|dozen|dutzend|plus|minus|times|mal|divided|geteilt|multipl\w+|sum|summe|average|mean|"
    r"durchschnitt\w*|total|insgesamt|each|jeder?s?|per|pro|how (?:many|much)|wie ?viele?|modulo)\b",
    re.IGNORECASE,
)
_NUMBER_WORD = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|"
    r"eighty|ninety|hundred|thousand|million|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\w+zehn|"
    r"\w*zwanzig|\w*dreißig|\w*vierzig|\w*fünfzig|hundert|tausend)\b",
    re.IGNORECASE,
)


def asks_arithmetic(request: str) -> bool:
    """Whether a calculator may help: two numbers, or one and a word of arithmetic."""
    words = len(_NUMBER_WORD.findall(request))
    numbers = len(_NUMBER.findall(request)) + words
    return numbers >= 2 or (numbers == 1 and bool(_OPERATION.search(request)))  # noqa: PLR2004  # a pair of operands

"""Whether a request is about stored values: decided by its words, in English and German, and by stored keys. Pure."""

import re
from collections.abc import Iterable

_STORES = re.compile(
    r"\b(?:remember|memori[sz]e|jot|(?:note|write|put) (?:\w+ )?down|(?:take|make) a note|note that|keep in mind|"
    r"merk\w*|speicher\w*|notier\w*|schreib dir|behalte?)\b"
    r"|(?:^|[.,;:!]\s*|\b(?:and|then|please|to) )(?:store|save|keep)\b|\b(?:store|save|keep) (?:it|this|that|the \w+ as)\b",
    re.IGNORECASE,
)
_READS = re.compile(
    r"\b(?:remember\w*|recall|stored|saved|(?:in|from|your|the) memory|noted|my notes?|i (?:wrote|noted)|wrote \w+ down|"
    r"told you|on file|gemerkt|gespeichert\w*|notiert\w*|erinner\w*|habe? ich dir)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_COMMON_WORDS = """
the and for are was were has have had what when where which who whom whose how why that this these those with from
about into than then there their they them your you our she his her its not but can could will would should does did
last next one two all any some more most many much very just only also again der die das den dem des ein eine einen
einem einer und oder aber ist sind war waren wie wann wer wen wem wo mein meine meinen meinem meiner dein deine sein
seine ihr ihre nicht auch noch nur mal mit von vom zum zur für auf aus bei nach question answer value key
"""
_COMMON = frozenset(_COMMON_WORDS.split())
"""Words that say nothing about what a request is about."""


def asks_to_store(request: str) -> bool:
    """Whether the request wants something to be kept."""
    return bool(_STORES.search(request))


def asks_stored(request: str) -> bool:
    """Whether the request speaks of what was kept before."""
    return bool(_READS.search(request))


def related_keys(request: str, keys: Iterable[str]) -> list[str]:
    """The keys with the most words of the request; none if no key has any."""
    asked = _stems(request)
    shared = {key: len(_stems(key) & asked) for key in keys}
    most = max(shared.values(), default=0)
    return [key for key, count in shared.items() if count == most] if most else []


def _stems(text: str) -> set[str]:
    words = (word.casefold() for word in _WORD.findall(text.replace("_", " ")))
    return {word.rstrip("s") for word in words if word not in _COMMON}

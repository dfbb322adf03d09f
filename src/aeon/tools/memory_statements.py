"""Requests to keep or to forget something that code reads. Pure.

"Remember that my locker code is 4711", "set my desk to 27", "forget my locker code".
"""

import re
from typing import Final, NamedTuple

from aeon.base.lazy_pattern import LazyPattern

_SEARCHED: Final = 300
_NAME: Final = r"(?P<name>[^.?!,;:=\n]{1,60})"
_VALUE: Final = r"(?P<value>[^?!;\n]{1,120})"
_KEEP: Final = (
    r"(?:(?:please|bitte|pls) )?(?:remember|memori[sz]e|note|save|store|keep in mind|do(?:n['\u2019]?t| not) forget"
    r"|merke? dir|speichere?|notiere?|vergiss (?:bitte )?nicht)"
)
_FORMS: Final = (
    rf"{_KEEP}(?: please| bitte)?(?: that|,? dass|[:,])? {_NAME} (?:is|are|=|ist|sind|hei(?:ß|ss)t|lautet) {_VALUE}",
    rf"{_KEEP}(?: please| bitte)?:? {_NAME}(?::| =) {_VALUE}",
    rf"(?:please )?(?:save|store|remember) (?P<value>-?\d{{1,15}}(?:\.\d{{1,9}})?) (?:as|under) {_NAME}",
    rf"(?:(?:please|bitte) )?(?:change|set|update|ändere?|setze?) {_NAME} (?:to|auf|in) {_VALUE}",
)
_CHANGE: Final = _FORMS[-1]
_FORGET: Final = LazyPattern(
    r"(?:(?:please|bitte|pls) )?(?P<verb>forget|delete|erase|remove|clear|vergiss|lösche?|entferne?)"
    r"(?: please| bitte)?,? (?:that |about |dass )?(?P<name>[^.?!,;:=\n]{1,60}?)"
    r"(?P<stated> (?:is|are|ist|sind|hei(?:ß|ss)t|lautet) [^?!;\n]{1,120})?"
    r"(?P<kept> (?:from|in|out of|aus|im) (?:your |the |my |dem |deinem )?(?:memory|notes|gedächtnis|speicher))?"
    r"(?: again| wieder)?",
    re.IGNORECASE,
)
_HELD: Final = LazyPattern(
    r"(?:stored|saved|gespeichert\w*"
    r"|(?:value|note|entry|wert|notiz|eintrag)s? (?:of|for|about|under|von|für|zu|über))\s+",
    re.IGNORECASE,
)
"""Words before the name of a stored value."""
_FORGETS: Final = frozenset({"forget", "vergiss"})
_OWNER: Final = LazyPattern(r"^(?:my|our|the|mein\w*|unser\w*|der|die|das|den|dem)\s+", re.IGNORECASE)
_COURTESY: Final = LazyPattern(r"(?:,? (?:please|pls|bitte|thanks|danke))?[.\s]*$", re.IGNORECASE)
_NEXT: Final = (
    "tell|say|give|show|compute|calculate|add|send|remind|what|how|when|who|where|i|it|he|she|we|they|you|my|the"
    r"|sag|zeig|gib|rechne|was|wie|wann|wer|wo|ich|es|er|sie|wir|ihr|du|mein\w*|der|die|das"
)
_GOES_ON: Final = LazyPattern(
    rf"[.,]\s+(?:{_NEXT})\b|\b(?:and|und) (?:\w+ )?(?:{_NEXT})\b"
    r"|\b(?:then|dann|danach|afterwards|if|when|because|wenn|weil|falls)\b",
    re.IGNORECASE,
)
"""Words of a request that wants more than to keep one value."""
_CLAUSE: Final = LazyPattern(r"\b(?:is|are|was|were|ist|sind|war|waren)\b", re.IGNORECASE)
_VAGUE: Final = LazyPattern(r"(?:an?|one|another|something|ein\w*|etwas)\b", re.IGNORECASE)
"""How a value begins that says what to look for and not what to keep: "a smaller one"."""
_NO_NAME: Final = LazyPattern(
    r"(?:it|this|that|there|here|he|she|they|we|you|i|what|who|how|when|where|why|today|tomorrow|now|everything|nothing"
    r"|es|das|dies\w*|er|sie|wir|ihr|du|ich|was|wer|wie|wann|wo|heute|morgen|jetzt|alles|nichts)\b",
    re.IGNORECASE,
)
_EVERYTHING: Final = LazyPattern(r"(?:everything|all|alles)\b", re.IGNORECASE)
_MINE: Final = LazyPattern(r"(?:my|our|mein\w*|unser\w*)\s", re.IGNORECASE)
_NOT: Final = LazyPattern(r"^(?:not|nicht|to|zu)\b", re.IGNORECASE)
_STATED: Final = LazyPattern(r"\b(?:is|are|ist|sind|hei(?:ß|ss)t|lautet)$", re.IGNORECASE)
"""The end of a German clause, whose name and value cannot be separated."""
_NUMBER: Final = LazyPattern(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?")


class StatedValue(NamedTuple):
    """What is to be kept, under which name. `is_change`: it is to take the place of what is stored."""

    name: str
    value: str | int | float
    is_change: bool = False


def read_statement(request: str) -> StatedValue | None:
    """The name and the value of a request that wants them kept and nothing else; None if code is not sure of both."""
    text = _COURTESY.sub("", " ".join(request[: _SEARCHED + 1].split()))
    if len(request) > _SEARCHED or "?" in request:
        return None
    for form in _FORMS:
        found = re.fullmatch(form, text, re.IGNORECASE)
        if found is not None:
            name, value = _OWNER.sub("", found["name"].strip()), found["value"].strip(" \"'")
            is_one = not _NO_NAME.match(name) and not _GOES_ON.search(f"{name} {value}") and not _CLAUSE.search(value)
            is_vague = form == _CHANGE and _VAGUE.match(value) is not None
            is_sure = name and value and is_one and not is_vague
            return StatedValue(name, _typed(value), form == _CHANGE) if is_sure else None
    return None


class ForgottenName(NamedTuple):
    """What is to be forgotten. `is_certain`: the request speaks of stored values, whether it is one of them or not."""

    name: str
    is_certain: bool


def read_forgotten(request: str) -> ForgottenName | None:
    """The name in a request that wants a stored value to be gone and nothing else; None if code is not sure."""
    text = _COURTESY.sub("", " ".join(request[: _SEARCHED + 1].split()))
    found = _FORGET.fullmatch(text)
    if found is None or len(request) > _SEARCHED or "?" in request:
        return None
    words = found["name"].strip()
    owned = _OWNER.sub("", words)
    name = _OWNER.sub("", _HELD.sub("", owned)).strip(" \"'")
    is_all = _EVERYTHING.match(name) is not None
    is_other = any(each.search(name) for each in (_NOT, _GOES_ON, _STATED))
    if not name or is_other or (_NO_NAME.match(name) and not is_all):
        return None
    is_own = found["stated"] or _MINE.match(words) or is_all
    return ForgottenName(name, bool(found["kept"] or (found["verb"].casefold() in _FORGETS and is_own)))


def _typed(value: str) -> str | int | float:
    """A number as one; with a leading zero it is a text, as in a phone number."""
    if not _NUMBER.fullmatch(value):
        return value
    return float(value) if "." in value else int(value)

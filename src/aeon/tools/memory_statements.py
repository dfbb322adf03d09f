"""Requests to keep something that code reads: "Remember that my locker code is 4711", "set my desk to 27". Pure."""

import re
from typing import Final, NamedTuple

_SEARCHED: Final = 300
_NAME: Final = r"(?P<name>[^.?!,;:=\n]{1,60})"
_VALUE: Final = r"(?P<value>[^?!;\n]{1,120})"
_KEEP: Final = (
    r"(?:(?:please|bitte|pls) )?(?:remember|memori[sz]e|note|save|store|keep in mind|merke? dir|speichere?|notiere?)"
)
_FORMS: Final = (
    rf"{_KEEP}(?: please| bitte)?(?: that|,? dass|[:,])? {_NAME} (?:is|are|=|ist|sind|hei(?:ß|ss)t|lautet) {_VALUE}",
    rf"{_KEEP}(?: please| bitte)?:? {_NAME}(?::| =) {_VALUE}",
    rf"(?:please )?(?:save|store|remember) (?P<value>-?\d{{1,15}}(?:\.\d{{1,9}})?) (?:as|under) {_NAME}",
    rf"(?:(?:please|bitte) )?(?:change|set|update|ändere?|setze?) {_NAME} (?:to|auf|in) {_VALUE}",
)
_CHANGE: Final = _FORMS[-1]
_OWNER: Final = re.compile(r"^(?:my|our|the|mein\w*|unser\w*|der|die|das|den|dem)\s+", re.IGNORECASE)
_COURTESY: Final = re.compile(r"(?:,? (?:please|pls|bitte|thanks|danke))?[.\s]*$", re.IGNORECASE)
_NEXT: Final = (
    "tell|say|give|show|compute|calculate|add|send|remind|what|how|when|who|where|i|it|he|she|we|they|you|my|the"
    r"|sag|zeig|gib|rechne|was|wie|wann|wer|wo|ich|es|er|sie|wir|ihr|du|mein\w*|der|die|das"
)
_GOES_ON: Final = re.compile(
    rf"[.,]\s+(?:{_NEXT})\b|\b(?:and|und) (?:\w+ )?(?:{_NEXT})\b"
    r"|\b(?:then|dann|danach|afterwards|if|when|because|wenn|weil|falls)\b",
    re.IGNORECASE,
)
"""Words of a request that wants more than to keep one value."""
_CLAUSE: Final = re.compile(r"\b(?:is|are|was|were|ist|sind|war|waren)\b", re.IGNORECASE)
_VAGUE: Final = re.compile(r"(?:an?|one|another|something|ein\w*|etwas)\b", re.IGNORECASE)
"""How a value begins that says what to look for and not what to keep: "a smaller one"."""
_NO_NAME: Final = re.compile(
    r"(?:it|this|that|there|here|he|she|they|we|you|i|what|who|how|when|where|why|today|tomorrow|now|everything|nothing"
    r"|es|das|dies\w*|er|sie|wir|ihr|du|ich|was|wer|wie|wann|wo|heute|morgen|jetzt|alles|nichts)\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?")


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


def _typed(value: str) -> str | int | float:
    """A number as one; with a leading zero it is a text, as in a phone number."""
    if not _NUMBER.fullmatch(value):
        return value
    return float(value) if "." in value else int(value)

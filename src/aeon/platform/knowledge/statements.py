"""Takes the statements out of what a user wrote, word for word, by code: the extractor for weak models. Pure.

A small model turns a third of what it reads into wrong facts; the user's own sentence is right as long as it is one that
states something. So questions, quotes, requests, what is only imagined and what is uncertain are left out (decision 68).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from aeon.platform.knowledge.model import name_key
from aeon.platform.knowledge.names import WordCases, distinct_names, find_names

_LONGEST: Final = 400
_FEWEST_WORDS: Final = 3

_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|vs|etc|approx|No|Nr|Str|bzw|ca|inkl|usw|vgl|evtl|Mme|Mlle|M|Tel|Fr|Hr)|"
    r"\b(?:e\.g|i\.e|z\.\s?B|d\.\s?h|u\.\s?a|p\.\s?ex|a\.m|p\.m)|\b\d{1,4}|\b[A-Z])$"
)
_END: Final = re.compile(r"[.!?\u2026\u3002\uff01\uff1f]+[)\"'\u201c\u201d\u00bb\u2019]*(?=\s|$)|\n+")
_CODE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARK: Final = re.compile(r"^\s*(?:[-*\u2022]\s+|\d+[.)]\s+|#+\s+)")
_QUOTED_LINE: Final = re.compile(r"^\s*>")
_OPENING: Final = ('"', "\u201c", "\u201e", "\u00ab", "\u201a", "'")
_INSIDE_QUOTES: Final = re.compile(
    r"[\"\u201c\u201e\u00ab\u00bb][^\"\u201c\u201d\u201e\u00ab\u00bb]{12,}[\"\u201c\u201d\u00bb\u00ab]"
)

_REQUESTS: Final = re.compile(
    r"^(?:(?:hi|hey|hello|ok|okay|so|and|then|now|also|hallo|und|dann|also|nun|bonjour|salut|et|alors|puis)[,!]?\s+)*"
    r"(?:please|pls|can you|could you|would you|will you|i want you|i need you|i'd like you|i would like you|help me|let's say|tell|show|write|draft|make|"
    r"create|give|find|list|explain|translate|summari[sz]e|fix|add|remove|delete|rename|compare|check|calculate|convert|"
    r"generate|imagine|suppose|assume|pretend|remind|send|book|call|reply|answer|ask|draw|plan|suggest|describe|rewrite|shorten|correct|"
    r"bitte|kannst du|könntest du|kann ich|würdest du|sag|zeig|zeige|schreib|schreibe|erstelle|gib|finde|erkläre|erklär|übersetze|"
    r"fasse|korrigiere|lösche|vergleiche|prüfe|berechne|nenne|stell dir vor|angenommen|nimm an|hilf|mach|mache|formuliere|plane|erinnere|ruf|schick|schicke|frag|frage|"
    r"s'il te plaît|s'il vous plaît|peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|dis|montre|écris|écrivez|crée|donne|trouve|explique|traduis|"
    r"résume|corrige|supprime|compare|vérifie|calcule|imagine|imaginons|supposons|suppose|rappelle|envoie|aide|fais|propose|prépare|décris)\b",
    re.IGNORECASE,
)
"""How a sentence begins that asks for something, or that asks to imagine something."""

_UNCERTAIN: Final = re.compile(
    r"\b(?:if|unless|whether|maybe|perhaps|might|probably|would|could|i wonder|i guess|i wish|hopefully|supposedly|what if|i dreamt|i dreamed|"
    r"wenn|falls|sofern|ob|vielleicht|eventuell|vermutlich|wahrscheinlich|würde|würden|würdest|könnte|könnten|wäre|wären|hätte|hätten|angeblich|hoffentlich|"
    r"peut-être|sans doute|probablement|si|s'il|s'ils|serait|aurait|pourrait|seraient|auraient|pourraient|"
    r"j'espère|je me demande)\b|\bmay be\b|\bich frage mich\b|\bich glaube\b|\bje crois\b",
    re.IGNORECASE,
)
"""Words of what is only imagined, hoped or believed."""

_FIRST_PERSON: Final = re.compile(
    r"^(?:(?:by the way|btw|also|and|but|oh|well|so|übrigens|und|aber|au fait|et|mais),?\s+)*"
    r"(?:i|i'm|i've|i'd|i'll|my|we|we're|we've|our|ich|mein|meine|meinen|meinem|meiner|wir|unser|unsere|"
    r"je|j'ai|j'habite|j'aime|j'étais|mon|ma|mes|nous|notre|nos|moi)\b",
    re.IGNORECASE,
)
_OPINION: Final = re.compile(
    r"^(?:i|ich|je|j')\s*(?:think|guess|want|need|would|wonder|mean|see|understand|hope|agree|know|don't know|glaube|denke|möchte|will|"
    r"brauche|meine|hoffe|verstehe|weiß|pense|veux|voudrais|crois|comprends|sais)\b|^(?:i'd|i'll)\b|^(?:my|mein|meine|mon|ma) (?:question|problem|frage)\b",
    re.IGNORECASE,
)


_GOES_ON: Final = re.compile(
    r"^(?:he|she|they|it|his|her|their|its|there|er|sie|es|ihr|ihre|sein|seine|dort|il|elle|ils|elles|son|sa|ses|leur|leurs|l\u00e0-bas)\b",
    re.IGNORECASE,
)
"""How a sentence begins that speaks of what the one before has named."""


class Span(NamedTuple):
    """A part of a text that states something: its first and its last character, which is not included."""

    start: int
    end: int


class Statement(NamedTuple):
    """What a user states, word for word, and the names in it in the order in which they stand.

    Without names it is about the user.
    """

    text: str
    names: list[str]


def find_statements(text: str, cases: WordCases | None = None) -> list[Statement]:
    """Returns the statements of a text, each once, in order."""
    names = distinct_names(find_names(text, cases))
    found: dict[str, Statement] = {}
    for span in stating_spans(text):
        if (stated := _statement(" ".join(text[span.start : span.end].split()), names)) is not None:
            found.setdefault(name_key(stated.text), stated)
    return list(found.values())


def stating_spans(text: str) -> list[Span]:
    """Returns the parts of a text that state something: sentences, each with those that go on about the same."""
    found: list[Span] = []
    last_end = -1
    for sentence in _sentences(text):
        span = _without_marks(text, sentence)
        words = text[span.start : span.end]
        states = _states_something(text[sentence.start : sentence.end], words)
        goes_on = _GOES_ON.match(words) is not None
        if states and goes_on and found and not text[last_end : sentence.start].strip():
            if sentence.end - found[-1].start <= _LONGEST:
                found[-1] = Span(found[-1].start, span.end)
                last_end = sentence.end
        elif states and not goes_on:
            found.append(span)
            last_end = sentence.end
    return found


def _sentences(text: str) -> Iterator[Span]:
    """Yield the sentences of a text, without code; a line is one at least. Abbreviations and ordinals end none."""
    plain = _CODE.sub(lambda code: "\n" * len(code[0]), text)
    start = 0
    for found in _END.finditer(plain):
        if found[0].startswith(".") and _ABBREVIATION.search(plain[start : found.start()]):
            continue
        yield Span(start, found.start() if found[0].startswith("\n") else found.end())
        start = found.end()
    yield Span(start, len(plain))


def _without_marks(text: str, sentence: Span) -> Span:
    """Return a sentence without blanks around it, and without the mark of a list or a heading before it."""
    words = text[sentence.start : sentence.end]
    mark = _MARK.match(words)
    start = sentence.start + (mark.end() if mark else len(words) - len(words.lstrip()))
    return Span(start, max(start, sentence.start + len(words.rstrip())))


def _statement(text: str, names: Sequence[str]) -> Statement | None:
    """Return what a part that states something says of whom; None if it names nobody and is not about the user."""
    inside = sorted((place, name) for name in names if (place := _place_of(name, text)) >= 0)
    if inside:
        return Statement(text, [name for _, name in inside])
    is_own = _FIRST_PERSON.match(text) is not None and _OPINION.match(text) is None
    return Statement(text, []) if is_own else None


def _states_something(sentence: str, text: str) -> bool:
    """Whether a sentence is neither a question nor a quote, a request, a heading, imagined or uncertain."""
    if len(text) > _LONGEST or len(text.split()) < _FEWEST_WORDS or _QUOTED_LINE.match(sentence):
        return False
    if text.rstrip(")\"'\u201d\u00bb ").endswith(("?", "\uff1f", ":")) or text.startswith(_OPENING):
        return False
    return not (_REQUESTS.match(text) or _UNCERTAIN.search(text) or _INSIDE_QUOTES.search(text))


def _place_of(name: str, text: str) -> int:
    """Return where a name stands in a text as words of its own; -1 if it does not."""
    found = re.search(rf"(?<!\w){re.escape(name)}(?:['\u2019]?s)?(?!\w)", text)
    return -1 if found is None else found.start()

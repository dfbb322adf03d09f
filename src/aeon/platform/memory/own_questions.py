"""What a message asks about its writer, and which of their statements answer it, in English, German, French. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from aeon.base.lazy_pattern import LazyPattern
from aeon.platform.knowledge.common_words import LANGUAGES
from aeon.platform.knowledge.sentence_words import FIRST_PERSON, OPINION, REQUEST
from aeon.platform.knowledge.stems import COMMON_WORDS, stem_of
from aeon.platform.search.message_words import message_words

SENTENCE: Final = LazyPattern("[^.!?\u2026\u3002\uff01\uff1f\n]+[.!?\u2026\u3002\uff01\uff1f]*")

_LONGEST: Final = 300
"""Characters of a sentence that is read as a question."""

_MOST_WORDS: Final = 12
"""How many words of a message's questions are looked for."""

_SHORTEST: Final = 3


def _folded(text: str) -> frozenset[str]:
    return frozenset(message_words(text))


_POSSESSIVES: Final = _folded("my mein meine meinen meinem meiner meines mon ma mes")
_SUBJECTS: Final = _folded("i ich je j m")
_OBJECTS: Final = _folded("me myself mine mir mich moi")
_OWN: Final = _POSSESSIVES | _SUBJECTS | _OBJECTS

_ASKING: Final = _folded("""
    what what's where when who who's whom whose which why how do does did am is are was were can could should shall may
    would will have has had was wo wann wer wen wem wessen welche welcher welches welchen welchem warum wieso weshalb
    wie bin ist sind war kann darf soll muss habe hat hatte woher wohin wovon wogegen womit worauf wofür
    que quoi quand comment pourquoi combien quel quelle quels quelles où qui à est suis ai puis peux dois
    """)
"""The first words of questions."""

_DESCRIBING: Final = _folded("""
    old older eldest elder young younger youngest big little best favorite favourite first last new own
    alte alter alten altes ältere älterer älteste jüngere jüngerer jüngste große großer kleine kleiner neue neuer neues
    grand grande petit petite meilleur meilleure nouveau nouvelle premier première dernier dernière
    """)
"""Words that may stand between a possessive and what it is about."""

_VERBS: Final = _folded("work works worked lived sleep appelle")
"""Verbs that say something about somebody although they begin many requests."""

_VAGUE: Final = _folded("""
    thing things way time times day days today tomorrow week month year years lot bit kind sort part problem problems
    question questions example help message idea use using used know think need want take get make going
    ding sache zeit tag tage heute morgen woche monat jahr frage problem beispiel hilfe nachricht idee mal
    chose choses temps jour jours semaine mois ans problème exemple aide message idée faire fait
    """)
"""Words that many statements share which have nothing else in common."""

_WEAK: Final = frozenset(
    folded for each in LANGUAGES.values() for word in each.grammar | each.openers for folded in message_words(word)
)
"""Words that tell nothing, except what directly follows "my"."""

_GRAMMAR: Final = COMMON_WORDS | frozenset(
    folded for each in LANGUAGES.values() for word in each.grammar for folded in message_words(word)
)


class OwnQuestion(NamedTuple):
    """What a message asks about its writer.

    `words` are those to search for. `about` are the stems of what the writer calls their own, such as `brother` in
    "my brother"; `stems` are those of all telling words.
    """

    words: Sequence[str] = ()
    about: frozenset[str] = frozenset()
    stems: frozenset[str] = frozenset()

    def shared_with(self, text: str) -> int:
        """Return how many telling words a text shares with the question; 0 for one about something else."""
        own = _telling_words([*message_words(text)])
        found = {stem_of(word) for word, _ in own}
        return len(found & self.stems) if not self.about or found & self.about else 0


def own_question(message: str) -> OwnQuestion:
    """Returns what a message asks about its writer; without words if it asks nothing about them."""
    asked = [each for sentence in SENTENCE.finditer(message) for each in _asked_words(sentence[0].strip())]
    words = [*dict.fromkeys(word for word, _ in asked)][:_MOST_WORDS]
    about = frozenset(stem_of(word) for word, is_own in asked if is_own)
    searched = [*dict.fromkeys([*words, *map(stem_of, words)])]
    return OwnQuestion(searched, about, frozenset(map(stem_of, words)))


def is_own_statement(text: str) -> bool:
    """Whether a statement is about who says it."""
    return FIRST_PERSON.match(text) is not None and OPINION.match(text) is None


def _asked_words(sentence: str) -> list[tuple[str, bool]]:
    """Return the telling words of a sentence that asks something about its writer."""
    if len(sentence) > _LONGEST:
        return []
    words = [*message_words(sentence)]
    is_request = REQUEST.match(sentence) is not None
    own = _POSSESSIVES | _SUBJECTS if is_request else _OWN  # "tell me" asks nothing about me
    is_asked = is_request or sentence.endswith(("?", "\uff1f")) or (bool(words) and words[0] in _ASKING)
    return [*_telling_words(words)] if is_asked and not own.isdisjoint(words) else []


def _telling_words(words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield the words that tell what a sentence is about, and whether each is what the writer calls their own."""
    before = ""
    for word in words:
        is_own = before in _POSSESSIVES
        if is_own and word in _DESCRIBING:
            continue
        if _is_telling(word, before):
            yield word, is_own
        before = word


def _is_telling(word: str, before: str) -> bool:
    """Whether a word tells what a sentence is about; `before` is the one before it."""
    if len(word) < _SHORTEST or word.isdigit() or word in _OWN or word in _VAGUE or word in _GRAMMAR:
        return False
    return word not in _WEAK or before in _POSSESSIVES or (before in _SUBJECTS and word in _VERBS)

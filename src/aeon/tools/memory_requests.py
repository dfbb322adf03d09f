"""Whether a request is about stored values: decided by its words, in English and German, and by stored keys. Pure."""

import re
from collections.abc import Iterable

from aeon.base.lazy_pattern import LazyPattern

_STORES = LazyPattern(
    r"\b(?:remember|memori[sz]e|jot|do(?:n['\u2019]?t| not) (?:let me )?forget|vergiss (?:bitte )?nicht|(?:note|write|put) (?:\w+ )?down|(?:take|make) a note|note that|keep in mind|"
    r"merk\w*|speicher\w*|notier\w*|schreib dir|behalte?)\b"
    r"|(?:^|[.,;:!]\s*|\b(?:and|then|please|to) )(?:store|save|keep)\b|\b(?:store|save|keep) (?:it|this|that|the \w+ as)\b",
    re.IGNORECASE,
)
_READS = LazyPattern(
    r"\b(?:remember\w*|recall|stored|(?:(?:is|are|was|were|have|has|had|got|i|both|all)|\w+['\u2019](?:ve|s|re)) saved(?! (?:me|us)\b)"
    r"|saved (?!me\b|us\b|my\b)\w+|(?:in|from|your|the) memory|noted|my notes?|i (?:wrote|noted)|wrote \w+ down|"
    r"(?:tell|told) you|on file|gemerkt|gespeichert\w*|notiert\w*|erinner\w*|aufgeschrieben|habe? ich dir|"
    r"(?:hab\w*|hatte?) dir)\b",
    re.IGNORECASE,
)
_OWN = LazyPattern(
    r"\b(?:i|me|my|mine|we|us|our|ich|mir|mich|mein\w*|wir|uns|unser\w*)\b|\bi['\u2019](?:m|ve|d)\b", re.IGNORECASE
)
_QUESTION = LazyPattern(
    r"\?|\b(?:whats?|which|whos?|whose|wheres?|whens?|hows?|tell|show|give|list|remind"
    r"|wer|wem|wen|wo|wann|wie|welche\w*|was|sag|zeig|nenn|gib)\b"
    r"|\b(?:is|are|was|did|do|have|will|can) (?:i|we|my|our)\b|^\W*(?:is|are|was|were|did|do|does|have|has|ist|sind|war|hab\w*|hat)\b",
    re.IGNORECASE,
)
_TAKES_MORE = LazyPattern(
    r"\b(?:write|draft|compose|translate|summari[sz]e|explain|why|recommend|suggest|ideas?|advice"
    r"|weather|forecast|news|headlines?|traffic|right now"
    r"|schreib\w*|verfass\w*|übersetz\w*|fass\w*|erklär\w*|warum|empfehl\w*|empfiehl|ideen?|rat|wetter|nachrichten)\b",
    re.IGNORECASE,
)
"""Words of what a stored value alone does not answer: a text to write, advice, live data."""
_CHANGES = LazyPattern(
    r"\b(?:change|update|correct|replace|fix|set|switch|rename|änder\w*|aktualisier\w*|korrigier\w*|ersetz\w*)\b",
    re.IGNORECASE,
)
_FORGETS = LazyPattern(
    r"(?<!n['\u2019]t )(?<!not )\b(?:delete|erase|forget|remove|clear)\b"
    r"|\b(?:lösch\w*|vergiss(?! (?:bitte )?nicht)|entfern\w*)\b",
    re.IGNORECASE,
)
_ALL = LazyPattern(
    r"\b(?:everything|all (?:of it|that|you)|list|alles|auflisten|liste)\b|\bweißt du\b.*\büber mich\b", re.IGNORECASE
)
_WHOLE_MEMORY = LazyPattern(
    r"\bwhat(?: all)? do you (?:still )?(?:know|remember)(?: about (?:me|us))?\W*$"
    r"|\bwhat (?:have|did) (?:i|you|we) (?:\w+ )?(?:stored?|saved?|noted?|note down|remembered|memori[sz]ed|tell you|told you)\W*$"
    r"|\bwhat(?: is|['\u2019]?s) (?:stored|saved|in (?:your|the|my) memory)\W*$"
    r"|\b(?:show|see|list)(?: me)? (?:your|the|my|all) (?:memory|memories|notes|(?:stored|saved) (?:values|things|notes))\W*$"
    r"|\bwas (?:hast du|habe? ich)(?: dir)?(?: \w+)? (?:gemerkt|gespeichert|notiert|gesagt)\W*$"
    r"|\bwas (?:ist|steht) (?:gespeichert|(?:in|im) (?:deinem )?(?:gedächtnis|speicher))\W*$"
    r"|\b(?:woran erinnerst du dich|was weißt du (?:noch|alles))\W*$",
    re.IGNORECASE,
)
"""Questions for everything that was kept: "What do you remember?"."""
_DENIED = LazyPattern(r"\b(?:not|nicht|kein\w*)\s+(?:\w+\s+){0,3}\w+", re.IGNORECASE)
_WORD = LazyPattern(r"[^\W\d_]{3,}")
_COMMON_WORDS = """
the and for are was were has have had what when where which who whom whose how why that this these those with from
about into than then there their they them your you our she his her its not but can could will would should does did
last next one two all any some more most many much very just only also again der die das den dem des ein eine einen
einem einer und oder aber ist sind war waren wie wann wer wen wem wo mein meine meinen meinem meiner dein deine sein
seine ihr ihre nicht auch noch nur mal mit von vom zum zur für auf aus bei nach question answer value key
"""
_COMMON = frozenset(_COMMON_WORDS.split())
"""Words that say nothing about what a request is about."""
_LOOKUP_WORDS = """
what whats which stored saved save remember recall tell told say give please pls
again still know memory number value called name gespeichert gemerkt nochmal noch mal bitte
sag sage heisst lautet weisst hab habe dir gesagt
"""
_OF_LOOKUPS = frozenset(_LOOKUP_WORDS.split())
"""Words with which one asks for a stored value, in the form of `_stems`."""
_SEARCHED = 600
"""Characters of a request that are looked at for words that stand far apart."""
_SHORTEST = 4
_ENDING = 2
"""Letters of a word that takes an ending, and of the ending."""


def asks_to_store(request: str) -> bool:
    """Whether the request wants something to be kept."""
    return bool(_STORES.search(request)) and not _asks_for_memory(request)


def asks_stored(request: str) -> bool:
    """Whether the request speaks of what was kept before."""
    return bool(_READS.search(request)) or _asks_for_memory(request)


def asks_for_value(request: str) -> bool:
    """Whether the request is a question about who asks, or about what was kept, that a stored value can answer.

    One of knowledge is about neither; a text, advice and live data take more than a stored value.
    """
    is_own = asks_stored(request) or _OWN.search(request) is not None
    return is_own and _QUESTION.search(request) is not None and _TAKES_MORE.search(request) is None


def asks_to_change(request: str) -> bool:
    """Whether the request wants a stored value to be another."""
    return bool(_CHANGES.search(request))


def asks_to_forget(request: str) -> bool:
    """Whether the request wants a stored value to be gone."""
    return bool(_FORGETS.search(request))


def asks_for_all(request: str) -> bool:
    """Whether the request wants to see everything that is stored."""
    return bool(_ALL.search(request[:_SEARCHED])) or _asks_for_memory(request)


def _asks_for_memory(request: str) -> bool:
    return len(request) <= _SEARCHED and _WHOLE_MEMORY.search(request) is not None


def is_lookup(request: str, key: str) -> bool:
    """Whether the request asks for the value of a key and for nothing else: all its own words are in the key."""
    words = _stems(request) - _OF_LOOKUPS
    return len(_alike(words, _stems(key))) == len(words)


def are_same_words(one: str, other: str) -> bool:
    """Whether two names have the same words, but for endings and words that say nothing: "locker_code", "Locker code"."""
    words, others = _stems(one), _stems(other)
    return one.casefold() == other.casefold() or (
        words != set() and len(_alike(words, others)) == len(words) and len(_alike(others, words)) == len(others)
    )


def keys_about(request: str, keys: Iterable[str]) -> list[str]:
    """The keys that have a word of the request, those with most of them first."""
    shared = _shared_words(request, keys)
    return sorted((key for key, count in shared.items() if count), key=lambda key: -shared[key])


def words_beside(request: str, keys: Iterable[str], key_words: Iterable[str]) -> list[str]:
    """The words of the request that some keys have and `key_words` have not; not those after "not"."""
    known = {word for key in keys for word in _stems(key)}
    own = {word for key in key_words for word in _stems(key)}
    shared = _alike(_stems(_DENIED.sub(" ", request)), known)
    return sorted({*shared} - {*_alike(shared, own)})


def related_keys(request: str, keys: Iterable[str]) -> list[str]:
    """The keys with the most words of the request; none if no key has any."""
    shared = _shared_words(request, keys)
    most = max(shared.values(), default=0)
    return [key for key, count in shared.items() if count == most] if most else []


def _shared_words(request: str, keys: Iterable[str]) -> dict[str, int]:
    """How many words of each key are in the request."""
    asked = _stems(request)
    return {key: len(_alike(_stems(key), asked)) for key in keys}


def _alike(words: Iterable[str], others: Iterable[str]) -> list[str]:
    """The words that are among others but for an ending of two letters: "geschenk" and "geschenke"."""
    known = {*others}
    shorter = {form for each in known for form in _forms(each)}
    return [word for word in words if word in shorter or not known.isdisjoint(_forms(word))]


def _forms(word: str) -> set[str]:
    """A word, and what is left of it without an ending."""
    return {word, *(word[:-cut] for cut in range(1, _ENDING + 1) if len(word) - cut >= _SHORTEST)}


def _stems(text: str) -> set[str]:
    words = (word.casefold() for word in _WORD.findall(text.replace("_", " ")))
    return {word.rstrip("s") for word in words if word not in _COMMON}

"""Whether a sentence is in a language whose statements are not read: neither English, German nor French. Pure."""

import unicodedata
from typing import Final

from aeon.base.lazy_pattern import LazyPattern
from aeon.platform.knowledge.common_words import LANGUAGES, folded_words

_FOREIGN: Final = folded_words("""
    quizás quizá vive viven vivo está están estoy tiene tienen trabaja trabajan hermano hermana amigo amiga pero muy
    también dónde qué quién cómo cuándo llamo ellos ella

    abita abitano abito lavora lavorano fratello sorella amico amica forse anche perché è sono degli gli nella chiama

    woont wonen woon werkt werken mijn een niet zijn haar ook maar vriend vriendin misschien waarschijnlijk naar voor
    zij wij jij ik

    trabalha meu minha irmão irmã talvez não é você dele dela

    och är inte mieszka mój moja czy
""")
"""Usual words of Spanish, Italian, Dutch, Portuguese, Swedish and Polish that are no words of the languages read."""
_NAMES_TOO: Final = folded_words("ella sono vivo")
"""Those that may be a name at the beginning of a sentence."""
_SHARED: Final = folded_words("a an as de die en es in is la le les me no o on so un was")
"""Words of English, German or French that other languages have, too."""
_KNOWN: Final = [language.grammar - _SHARED for language in LANGUAGES.values()]
_WORD: Final = LazyPattern(r"[^\W\d_]+")


def is_foreign(sentence: str) -> bool:
    """Whether a sentence is in another script, or evidently in a language other than English, German and French.

    Words with a capital letter within it do not count: a name may be in any language.
    """
    words = _WORD.findall(sentence)
    if 2 * sum(not unicodedata.name(word[0], "").startswith("LATIN") for word in words) > len(words):
        return True
    plain = [word for word in words if word.islower()]
    opener = words[0].casefold() if words else ""
    foreign = sum(word in _FOREIGN for word in plain) + (opener in _FOREIGN - _NAMES_TOO and opener not in plain[:1])
    return foreign > max(sum(word in known for word in [opener, *plain]) for known in _KNOWN)

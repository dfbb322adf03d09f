"""Which words of a message may be names of known entities although they have small letters. Pure."""

from typing import Final

from aeon.platform.knowledge.common_words import LANGUAGES, TIMES_AND_TONGUES
from aeon.platform.knowledge.german_words import GERMAN_NOUNS
from aeon.platform.search.message_words import message_words

_WORDS: Final = 100
"""The first words of a message, of which the names in small letters are looked for."""

_LONGEST: Final = 3
"""Words of a name that is found in small letters."""

_SHORTEST: Final = 3

_NAMES_TOO: Final = """
amber angel apple art august autumn bear bill bird black blue bolt brave brook brown bush buck bud carol chance
charity chase chip chuck cliff cloud colt coral cook cooper crystal daisy dale dash dawn dean dell denim dot drew
drive duke earl eagle echo edge faith fern finn fish flora forest fox frank french gale gap gene ginger glen gold
grace grant gray green grove guy hall harmony heath herb hill holly honey hope hunter iris ivory ivy jack jade jasmine
jay jean jet jewel jordan joy june king knight lake lance lane laurel lee lily linear link lot lucky mark mason max
may mercy merit mike miles mint misty moon nick noble norm notion olive opal orange page park pat patience patty pearl
penny perry pete pierce pip poppy port price prince queen ray red reed rich river rob robin rock rod rose ruby rust
rusty sage sally sandy scout shell sharp signal silver sky slack slate spark star sterling stone stormy sue summer sun
sunny swift target teams temple timber tiny trip turkey china chile polish violet wade walker ward warren wave white
wild will willow winter wolf wood word young zoom bach baum berg blume busch engel ernst fuchs fink glück grün hahn
herz klein koch könig krug kunz lang licht luft mai meister müller neumann rot schmidt schneider schwarz sommer sonne
stark stein stern storch vogel weiss wunder aimé ange aube belle blanc blanche bois boulanger cerise claire clément
désiré fleur leblanc long lune marin mer noël océane petit pierre prune reine roux vigne violette
"""

"""First names, surnames and companies that are words, too."""

_COMMON: Final = frozenset(
    folded
    for word in (
        *(word for each in LANGUAGES.values() for word in each.grammar | each.openers),
        *TIMES_AND_TONGUES,
        *GERMAN_NOUNS,
        *_NAMES_TOO.split(),
    )
    for folded in message_words(word)
)
"""Words that name something only where they have a capital letter."""


def keys_in(message: str) -> list[str]:
    """Returns the keys that names in a message may have, whatever their case; none that is a common word."""
    words = [word for _, word in zip(range(_WORDS), message_words(message), strict=False)]
    keys = (" ".join(words[at : at + length]) for at in range(len(words)) for length in range(1, _LONGEST + 1))
    return [*dict.fromkeys(key for key in keys if names_something(key))]


def names_something(key: str) -> bool:
    """Whether a key names something also in small letters: it has a word that is not a common one."""
    return any(len(word) >= _SHORTEST and word not in _COMMON for word in key.split())

"""What a text says of how its user writes words: as names are written, or otherwise. Pure."""

from aeon.platform.knowledge.german_nouns import is_placed_as_name
from aeon.platform.knowledge.readings import TextReading, has_determiner, read_text


def count_cases(text: str) -> dict[str, tuple[int, int]]:
    """Returns what a text says of how its user writes words: see `WordCases`.

    In German only a place where nouns hardly stand says that a word is a name, and an article says that it is none.
    """
    reading = read_text(text, {})
    found: dict[str, tuple[int, int]] = {}
    for place, token in enumerate(reading.tokens):
        if token.begins or token.text.isdigit() or (len(token.text) > 1 and token.text.isupper()):
            continue
        capital, other = _evidence(reading, place)
        before = found.get(token.folded, (0, 0))
        if capital or other:
            found[token.folded] = (before[0] + capital, before[1] + other)
    return found


def _evidence(reading: TextReading, place: int) -> tuple[int, int]:
    """Return (1, 0) for a word that is written as a name, (0, 1) for one that is not, (0, 0) if undecided."""
    if not reading.tokens[place].is_capital:
        return 0, 1
    if reading.language != "de":
        return 1, 0
    if has_determiner(reading, place):
        return 0, 1
    return (1, 0) if is_placed_as_name(reading, place) else (0, 0)

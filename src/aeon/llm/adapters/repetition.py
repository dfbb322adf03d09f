"""Sees that a model goes round in circles, as small ones do, long before the token limit ends its text."""

import re
from typing import Final

_SHORTEST: Final = 60
_LONGEST: Final = 600
"""Characters of a passage that is repeated. Shorter ones may be lines that somebody asked for."""

_PART: Final = 20
_TIMES: Final = 4
_LOOK_EVERY: Final = 80
"""Characters between two looks."""

_ITEM_NUMBER: Final = re.compile(r"^[ \t]*\d+(?=[.)])", re.MULTILINE)


class RepetitionWatch:
    """Watches a text that grows: whether its end is one passage four times, apart from the numbers of list items."""

    def __init__(self, asked: str) -> None:
        """A passage of `asked`, the prompt, is repeated because somebody wants it."""
        self._asked = asked
        self._end = ""
        self._unseen = 0

    def sees_loop(self, piece: str) -> bool:
        """Add a piece of text, and return whether it goes round in circles now."""
        self._end = (self._end + piece)[-(_TIMES + 1) * _LONGEST :]
        self._unseen += len(piece)
        if self._unseen < _LOOK_EVERY:
            return False
        self._unseen = 0
        passage = _repeated(_ITEM_NUMBER.sub("#", self._end))
        return passage is not None and not _is_in(passage, self._asked)


def _repeated(text: str) -> str | None:
    """The passage with which a text ends several times, from wherever in it; None if there is none."""
    last = text[-_SHORTEST:]
    before = text.rfind(last, 0, -1)
    length = len(text) - _SHORTEST - before
    if before < 0 or length < _SHORTEST or len(text) < _TIMES * length:
        return None
    start = len(text) - _TIMES * length
    return text[-length:] if text[start:-length] == text[start + length :] else None


def _is_in(passage: str, asked: str) -> bool:
    """Whether a text has a passage, but for the part where the passage was cut."""
    parts = (passage[start : start + _PART] for start in range(0, len(passage), _PART))
    return sum(part not in asked for part in parts) <= 1

"""BERT's tokenizer for text without upper case: words, then the longest pieces of a vocabulary. Pure."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

_VOCABULARY: Final = "bert_uncased_vocabulary.txt"
_MAX_WORD: Final = 100
"""Characters of a word; a longer one is unknown, as in BERT."""

_KEPT_CONTROLS: Final = "\t\n\r"
_CONTROLS: Final = frozenset({"Cc", "Cf", "Co"})
"""Categories whose characters are left out; those that Unicode has not assigned are kept."""

_IDEOGRAPHS: Final = re.compile(
    "[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b920-\U0002ceaf"
    "\uf900-\ufaff\U0002f800-\U0002fa1f]"
)
_ASCII_SIGNS: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class WordPieceTokenizer:
    """Turns texts into the ids of a vocabulary, where `##` marks the pieces that continue a word.

    Names of special tokens in a text, such as `[SEP]`, are ordinary characters.
    """

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._longest = max(map(len, vocabulary))
        self._unknown = [vocabulary["[UNK]"]]
        self._first, self._last = vocabulary["[CLS]"], vocabulary["[SEP]"]
        self._pieces = lru_cache(maxsize=20_000)(self._pieces_of)

    def encode(self, text: str) -> list[int]:
        """Returns the ids of a text, with `[CLS]` before and `[SEP]` after; the text is not cut."""
        return [self._first, *(piece for word in _words(text) for piece in self._pieces(word)), self._last]

    def _pieces_of(self, word: str) -> list[int]:
        """Returns the longest piece that the word begins with, then that of the rest; `[UNK]` if a rest has none."""
        if len(word) > _MAX_WORD:
            return self._unknown
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            ends = range(min(len(word), start + self._longest), start, -1)
            end = next((each for each in ends if prefix + word[start:each] in self._vocabulary), None)
            if end is None:
                return self._unknown
            pieces.append(self._vocabulary[prefix + word[start:end]])
            start = end
        return pieces


@cache
def bert_uncased() -> WordPieceTokenizer:
    """Returns the tokenizer with the vocabulary of BERT in English without upper case, which Aeon ships."""
    words = files("aeon.adapters.embeddings").joinpath(_VOCABULARY).read_text("utf-8").split("\n")
    return WordPieceTokenizer({word: number for number, word in enumerate(words) if word})


def _words(text: str) -> Iterator[str]:
    for chunk in _normalized(text).split():
        yield from _split_at_signs(chunk)


def _normalized(text: str) -> str:
    """Returns the text without control characters, accents and upper case, and with spaces around ideographs."""
    if text.isascii() and text.isprintable():
        return text.lower()
    clean = "".join(_cleaned(char) for char in text)
    decomposed = unicodedata.normalize("NFD", _IDEOGRAPHS.sub(r" \g<0> ", clean))
    # Character by character, as BERT's tokenizer does: the lower case of a whole text has a final sigma.
    return "".join(char.lower() for char in decomposed if unicodedata.category(char) != "Mn")


def _cleaned(char: str) -> str:
    if char in _KEPT_CONTROLS:
        return " "
    if char == "\ufffd" or unicodedata.category(char) in _CONTROLS:
        return ""
    return " " if char.isspace() else char


def _split_at_signs(chunk: str) -> Iterator[str]:
    """Yields the words of a chunk without spaces; each sign of punctuation is a word of its own."""
    start = 0
    for place, char in enumerate(chunk):
        if _is_sign(char):
            if word := chunk[start:place]:
                yield word
            yield char
            start = place + 1
    if word := chunk[start:]:
        yield word


def _is_sign(char: str) -> bool:
    return char in _ASCII_SIGNS or (not char.isascii() and unicodedata.category(char).startswith("P"))

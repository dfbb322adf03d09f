"""The font of a chart. Pillow's own has only English letters, so system fonts are tried too."""  # noqa: INP001  # a folder beside its script, not in the package aeon

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont, ImageFont

    Font = FreeTypeFont | ImageFont

_SYSTEM_FONTS = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "Arial.ttf")
_PROBE_SIZE = 14
_NO_LETTER = "\uffff"
"""A code point that no font has: it is drawn as a missing letter."""


class Lettering:
    """The font with most letters of a chart's texts, in any size."""

    def __init__(self, texts: list[str]) -> None:
        wanted = {letter for text in texts for letter in text}
        self._path, self._lacking = None, _lacking(_load(None, _PROBE_SIZE), wanted)
        for path in _SYSTEM_FONTS if self._lacking else ():
            try:
                lacking = _lacking(_load(path, _PROBE_SIZE), wanted)
            except OSError:
                continue
            if len(lacking) < len(self._lacking):
                self._path, self._lacking = path, lacking
        self._sizes: dict[int, Font] = {}

    @property
    def has_gaps(self) -> bool:
        """Whether letters had to be replaced because no font has them."""
        return bool(self._lacking)

    def font(self, size: int) -> "Font":
        """Returns the font in a size in pixels."""
        if size not in self._sizes:
            self._sizes[size] = _load(self._path, size)
        return self._sizes[size]

    def writable(self, text: str) -> str:
        """Returns the text in the font's letters.

        Accents are removed if that helps, else letters become question marks.
        """
        line = " ".join(text.split())  # a chart has room for one line only
        return "".join(self._replaced(letter) if letter in self._lacking else letter for letter in line)

    def _replaced(self, letter: str) -> str:
        bare = unicodedata.normalize("NFKD", letter)[0]
        return bare if bare.isascii() else "?"


def _load(path: str | None, size: int) -> "Font":
    from PIL import ImageFont

    return ImageFont.load_default(size) if path is None else ImageFont.truetype(path, size)


def _lacking(font: "Font", letters: set[str]) -> set[str]:
    missing = _drawn(font, _NO_LETTER)
    return {letter for letter in letters if not letter.isascii() and _drawn(font, letter) == missing}


def _drawn(font: "Font", letter: str) -> bytes:
    from PIL import Image, ImageDraw

    image = Image.new("L", (2 * _PROBE_SIZE, 2 * _PROBE_SIZE))
    ImageDraw.Draw(image).text((2, 2), letter, fill=255, font=font)
    return image.tobytes()

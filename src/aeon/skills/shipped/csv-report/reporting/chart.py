"""Draws a bar chart as a PNG of 800 by 480 pixels. Pillow is imported only when it is used."""  # noqa: INP001  # a folder beside its script, not in the package aeon

import math
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .lettering import Lettering
from .protocol import ReportRefusalError

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

    Font = FreeTypeFont | ImageFont

WIDTH, HEIGHT = 800, 480
_LEFT, _RIGHT, _TOP = 92, 776, 56
_BOTTOM, _BOTTOM_ASLANT = 416, 372
"""The lower edge of the plot in pixels; higher if the labels below it are slanted."""

_HEADROOM = 0.06
"""Share of the plot that is reserved for the number above a bar."""

_INK, _SOFT, _GRID, _BAR = "#1f2933", "#52606d", "#e1e5ea", "#2f6f9f"
_MOST_LABELS = 12
_SLANT_FROM = 8
"""With more labels than this, or with labels wider than their bars, labels are slanted."""

_ROOM_ASLANT = 76
"""Maximum height of a slanted label in pixels."""


class Chart(NamedTuple):
    """A chart to draw.

    A histogram's bars touch, and its `labels` are at their edges: one more than bars.
    """

    title: str
    x_label: str
    y_label: str
    labels: list[str]
    values: list[float]
    is_histogram: bool


def require_pillow() -> None:
    """Raises ReportRefusalError if Pillow is missing."""
    if find_spec("PIL") is None:
        message = "Charts need Pillow, which is not installed; run: pip install 'aeon-orchestrator[skills]'"
        raise ReportRefusalError("no_pillow", message)


def draw(chart: Chart, path: Path) -> bool:
    """Writes the chart to `path`. Returns whether every letter in it could be drawn."""
    from PIL import Image

    lettering = Lettering([chart.title, chart.x_label, chart.y_label, *chart.labels])
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    _Drawing(_writable(chart, lettering), lettering, image).draw()
    image.save(path, "PNG")
    return not lettering.has_gaps


def _writable(chart: Chart, lettering: Lettering) -> Chart:
    labels = [lettering.writable(label) for label in chart.labels]
    x_label, y_label = lettering.writable(chart.x_label), lettering.writable(chart.y_label)
    return chart._replace(title=lettering.writable(chart.title), x_label=x_label, y_label=y_label, labels=labels)


def short_number(number: float) -> str:
    """Returns a number in an axis's format: 1.5M, 20k, 0.25."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(number) >= size:
            unit = 1e3 if letter == "k" else size
            return f"{number / unit:.4g}{letter}" if abs(number) < 1e15 else f"{number:.3g}"  # noqa: PLR2004  # 1000 T
    return f"{number:.5g}"


def ticks(low: float, high: float, finest: float = 0.0) -> list[float]:
    """Returns up to eight round numbers from at most `low` to at least `high`.

    They are at least `finest` apart.
    """
    span = (high - low) or abs(high) or 1.0
    rough = max(span / 5, finest)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [index * step for index in range(first, max(last, first + 1) + 1)]


def _value_axis(chart: Chart) -> list[float]:
    """Returns ticks around 0 and all values, with room for the numbers above and below the bars."""
    finest = 1.0 if all(float(value).is_integer() for value in chart.values) else 0.0
    low, high = min(0.0, *chart.values, 0.0), max(0.0, *chart.values, 0.0)
    tick_values = ticks(low, high, finest)
    room, step = (tick_values[-1] - tick_values[0]) * _HEADROOM, tick_values[1] - tick_values[0]
    if not chart.is_histogram:
        tick_values = [tick_values[0] - step, *tick_values] if low < 0 and low - tick_values[0] < room else tick_values
        tick_values = (
            [*tick_values, tick_values[-1] + step] if high > 0 and tick_values[-1] - high < room else tick_values
        )
    return tick_values


class _Drawing:
    """One chart being drawn."""

    def __init__(self, chart: Chart, lettering: Lettering, image: "Image") -> None:
        from PIL.ImageDraw import Draw

        self._chart = chart
        self._image = image
        self._pen: ImageDraw = Draw(image)
        self._font = lettering.font
        self._slot = (_RIGHT - _LEFT) / max(1, len(chart.values))
        self._is_aslant = self._needs_slant()
        self._bottom = _BOTTOM_ASLANT if self._is_aslant else _BOTTOM
        self._ticks = _value_axis(chart)

    def _needs_slant(self) -> bool:
        if self._chart.is_histogram:
            return False
        widest = max((self._font(14).getlength(label) for label in self._chart.labels), default=0)
        return len(self._chart.labels) > _SLANT_FROM or widest > self._slot - 6

    def draw(self) -> None:
        self._axes()
        self._bars()
        if self._chart.is_histogram:
            self._edge_labels()
        else:
            self._bar_labels()
        self._words()

    def _y(self, value: float) -> float:
        low, high = self._ticks[0], self._ticks[-1]
        return self._bottom - (value - low) / (high - low) * (self._bottom - _TOP)

    def _axes(self) -> None:
        for tick in self._ticks:
            y = self._y(tick)
            self._pen.line((_LEFT, y, _RIGHT, y), fill=_GRID)
            self._pen.text((_LEFT - 8, y), short_number(tick), fill=_SOFT, font=self._font(14), anchor="rm")

    def _bars(self) -> None:
        slot = self._slot
        gap = 0.5 if self._chart.is_histogram else max(1.0, slot * 0.15)
        base = self._y(0.0)
        for index, value in enumerate(self._chart.values):
            left, right = _LEFT + index * slot + gap, _LEFT + (index + 1) * slot - gap
            y = self._y(value)
            self._pen.rectangle((left, min(y, base), right, max(y, base)), fill=_BAR)
            if not self._chart.is_histogram and len(self._chart.values) <= _MOST_LABELS:
                over, anchor = (y - 4, "mb") if value >= 0 else (y + 4, "mt")
                self._pen.text(
                    ((left + right) / 2, over), short_number(value), fill=_INK, font=self._font(13), anchor=anchor
                )
        self._pen.line((_LEFT, base, _RIGHT, base), fill=_INK)

    def _edge_labels(self) -> None:
        every = math.ceil(len(self._chart.labels) / _MOST_LABELS)
        for index, label in enumerate(self._chart.labels):
            x = _LEFT + index * self._slot
            self._pen.line((x, self._bottom, x, self._bottom + 4), fill=_INK)
            if index % every == 0:
                self._pen.text((x, self._bottom + 8), label, fill=_SOFT, font=self._font(14), anchor="ma")

    def _bar_labels(self) -> None:
        font = self._font(14)
        for index, label in enumerate(self._chart.labels):
            x = _LEFT + (index + 0.5) * self._slot
            if self._is_aslant:
                self._aslant(label, x)
            else:
                self._pen.text((x, self._bottom + 8), label, fill=_SOFT, font=font, anchor="ma")

    def _aslant(self, label: str, x: float) -> None:
        from PIL import Image, ImageDraw

        font = self._font(14)
        text = fitted(label, font, min(_ROOM_ASLANT / math.sin(math.pi / 6), x - 8))
        strip = Image.new("L", (int(font.getlength(text)) + 4, 20), 0)
        ImageDraw.Draw(strip).text((2, 10), text, fill=255, font=font, anchor="lm")
        turned = strip.rotate(30, expand=True, resample=Image.Resampling.BICUBIC)
        # The end of the label is under its bar.
        where = (int(x - turned.width + 8), self._bottom + 4)
        self._image.paste(_SOFT, where, turned)

    def _words(self) -> None:
        from PIL import Image, ImageDraw

        title_font, font = self._font(20), self._font(15)
        title = fitted(self._chart.title, title_font, WIDTH - 40)
        self._pen.text((WIDTH / 2, 26), title, fill=_INK, font=title_font, anchor="mm")
        x_label = fitted(self._chart.x_label, font, _RIGHT - _LEFT)
        self._pen.text(((_LEFT + _RIGHT) / 2, HEIGHT - 16), x_label, fill=_INK, font=font, anchor="mm")
        y_label = fitted(self._chart.y_label, font, self._bottom - _TOP)
        strip = Image.new("L", (int(font.getlength(y_label)) + 4, 22), 0)
        ImageDraw.Draw(strip).text((2, 11), y_label, fill=255, font=font, anchor="lm")
        turned = strip.rotate(90, expand=True)
        self._image.paste(_INK, (8, int((_TOP + self._bottom - turned.height) / 2)), turned)


def fitted(text: str, font: "Font", width: float) -> str:
    """Returns the text, cut with an ellipsis to the width in pixels."""
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(text + "...") > width:
        text = text[:-1]
    return text.rstrip() + "..."

"""A run whose answer is to be checked, and the words and numbers of its values. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.base.lazy_pattern import LazyPattern
from aeon.observability.records import ToolCall
from aeon.plan.models import PlanStep
from aeon.supervisor.numerals import find_digit_numbers
from aeon.supervisor.repair_context import iterate_leaves
from aeon.tools.unit_requests import CONVERT_UNITS
from aeon.tools.worked_dates import DATE_TOOL

_WORD = LazyPattern(r"\w+")

COMPUTING_TOOLS = frozenset(["calculator", CONVERT_UNITS, DATE_TOOL])
"""The tools that compute; they look nothing up, and do nothing."""

NUMERAL = LazyPattern(r"\d(?:[\d.,]|[\u00a0\u2009\u202f](?=\d{3}(?!\d)))*\d|\d")
"""A space that breaks no line groups digits."""

_ARITHMETIC = LazyPattern(r"[-+*/^%() .,\d]+")


class AnsweredRun(NamedTuple):
    """A run whose last step is complete: the data that the checks of its answer use."""

    request: str
    steps: Sequence[PlanStep]
    calls: Sequence[ToolCall]
    results: Mapping[str, Json]
    is_planned: bool
    """Whether no user supplied the plan."""
    is_written: bool
    """Whether the model wrote the answer."""
    earlier: Sequence[str] = ()
    """The messages of the conversation that the request continues: a number may come from them."""
    reply: JsonObject | None = None
    """The model's raw reply in the last step, if it had one."""

    @property
    def is_of_model(self) -> bool:
        """Whether the model answered the request itself: no tool, and no results of earlier steps."""
        return self.is_planned and len(self.steps) == 1 and self.steps[0].tool is None


def words_of(text: str) -> list[str]:
    """The words of a text, folded."""
    return _WORD.findall(text.casefold())


def keys_of(leaf: Json) -> Iterator[str | float]:
    """The words and numbers of a value."""
    if isinstance(leaf, str):
        yield from words_of(leaf)
        yield from find_digit_numbers(leaf)
    elif isinstance(leaf, (int, float)):
        with suppress(OverflowError):  # 10^400 is a number of the calculator's
            yield float(leaf)


def calculations_of(call: ToolCall) -> list[str]:
    """The calculations in a call's arguments, such as "4 * (6 + 5)"."""
    return [leaf for leaf in iterate_leaves(call.arguments) if isinstance(leaf, str) and _ARITHMETIC.fullmatch(leaf)]


def numerals_of_arithmetic(call: ToolCall) -> list[str]:
    """The numerals of the calculations in a call's arguments."""
    return [numeral for each in calculations_of(call) for numeral in NUMERAL.findall(each)]


def readings(numeral: str) -> set[float]:
    """The numbers that a numeral may be: in English or German style, or several with commas between them."""
    return find_digit_numbers(numeral) | {number for part in numeral.split(",") for number in find_digit_numbers(part)}


def shares(number: float) -> tuple[float, ...]:
    """The forms in which a number may be used: as it is, or as percent, to take, to take off or to add."""
    return number, number / 100, 1 - number / 100, 1 + number / 100

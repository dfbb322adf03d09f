"""A run whose answer is to be checked, and the words and numbers of its values. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from aeon.base.json import Json
from aeon.observability.records import ToolCall
from aeon.plan.models import PlanStep
from aeon.supervisor.numerals import find_digit_numbers

_WORD = re.compile(r"\w+")


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


def words_of(text: str) -> list[str]:
    """The words of a text, folded."""
    return _WORD.findall(text.casefold())


def keys_of(leaf: Json) -> Iterator[str | float]:
    """The words and numbers of a value."""
    if isinstance(leaf, str):
        yield from words_of(leaf)
        yield from find_digit_numbers(leaf)
    elif isinstance(leaf, (int, float)):
        yield float(leaf)

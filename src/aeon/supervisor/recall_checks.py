"""Checks of stored values that answer a request: whether they are those that it speaks of. Pure."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from aeon.base.lazy_pattern import LazyPattern
from aeon.base.talk import DECLINE_PREFIX
from aeon.supervisor.answered_run import AnsweredRun
from aeon.tools.memory_requests import keys_about, words_beside
from aeon.tools.stubs.memory import MemoryRecallTool

_SEARCHED: Final = 600
_NUMERAL: Final = LazyPattern(r"-?\d+(?:\.\d+)?")
_LEAST: Final = LazyPattern(
    r"\b(?<!my )(?<!our )(?:cheap|low|small|short|young|light|slow)e(?:r|st)\b|\b(?:less|fewer|fewest|least)\b"
    r"|\b(?:billig|günstig|niedrig|klein|kürz|jüng|leicht)\w*er\b|\b(?:weniger|am wenigsten)\b",
    re.IGNORECASE,
)
_MOST: Final = LazyPattern(
    r"\b(?<!my )(?<!our )(?:high|tall|long|old|larg|heavi|fast|bigg)e(?:r|st)\b|\b(?:more|most|dearer)\b"
    r"|\b(?:höher|größer|länger|älter|schwerer|teurer|schneller|mehr|am meisten)\b",
    re.IGNORECASE,
)


def recall_doubts(run: AnsweredRun) -> list[str]:
    """The reasons to doubt that quoted values answer the request: by their names they are about something else.

    A comparison of numbers is checked by code.
    """
    recalled = next((call for call in run.calls if call.tool_name == MemoryRecallTool.name), None)
    quoted = str(run.results[run.steps[-1].step_id]["text"])
    if recalled is None or quoted.startswith(DECLINE_PREFIX):
        return []
    lines, answers = str(run.results[recalled.step_id]["text"]).splitlines(), quoted.splitlines()
    if (wanted := _extreme_of(run.request)) is not None:
        return _not_the_extreme(lines, answers, *wanted)
    names, own = [_name(line) for line in lines], [_name(line) for line in answers]
    if not keys_about(run.request, own):
        return ["no name of the stored value has a word of the request"]
    other = words_beside(run.request, names, own)
    return [f"the request speaks of {', '.join(map(repr, other))}, and the stored value does not"] if other else []


def _extreme_of(request: str) -> tuple[str, Callable[[Iterable[float]], float]] | None:
    """What a comparison looks for, in words and as a function; None for a request that does not compare."""
    wants_least, wants_most = (each.search(request[:_SEARCHED]) is not None for each in (_LEAST, _MOST))
    if wants_least == wants_most:
        return None
    return ("least", min) if wants_least else ("most", max)


def _not_the_extreme(
    lines: Sequence[str], answers: Sequence[str], word: str, extreme: Callable[[Iterable[float]], float]
) -> list[str]:
    """The reason against an answer whose number is not the least or the most of all."""
    numbers = {line: float(found[0]) for line in lines if (found := _NUMERAL.search(line.partition(": ")[2]))}
    wrong = [each for each in answers if each in numbers and numbers[each] != extreme(numbers.values())]
    return [f"{wrong[0]!r} is not the {word} of what was compared"] if wrong else []


def _name(line: str) -> str:
    return line.partition(": ")[0]

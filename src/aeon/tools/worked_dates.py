"""Solutions that a model writes in lines with dates and times, read as steps of the date tool and the calculator. Pure.

`worked_solutions` reads those with numbers alone.
"""

import re
from collections.abc import Sequence

from aeon.base.json import JsonObject
from aeon.tools.date_requests import compiled
from aeon.tools.dated_lines import DateCall, SolutionLine, dated_calculations, length_in, moment_in
from aeon.tools.found_moments import NamedMoment, find_moments
from aeon.tools.worked_solutions import (
    CALCULATOR,
    MAX_SOLUTION,
    MAX_STEPS,
    Calculation,
    clean_solution,
    describe_line,
    function_to,
)

DATE_TOOL = "date_math"
"""The tool whose steps a solution with dates and times gives."""

_ANSWER = r"(?m)^\W{0,20}(?:final )?(?:answer|antwort)\W*?[:=]\s*(.+)$"
_NUMERAL = r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])"
_DAY = 86_400


def read_dated_solution(text: str, request: str) -> list[JsonObject] | None:
    """The steps of a solution with dates and times; the last one gives the answer.

    What a model computed wrong is computed again: a result of an earlier line is taken from its step. None if no line
    has a calculation with dates or durations, if there are too many, or if the stated answer is the result of none.
    """
    if len(text) > MAX_SOLUTION:
        return None
    clean = clean_solution(text)
    lines: list[SolutionLine] = []
    for line in clean.splitlines():
        lines += dated_calculations(" ".join(line.split()), request, [each.stated for each in lines if each.is_length])
    if not 0 < len(lines) <= MAX_STEPS or not any(isinstance(line.call, DateCall) for line in lines):
        return None
    found = compiled(_ANSWER).search(clean)
    answer = lines[-1].stated if found is None else found[1].strip(" .")
    for last in reversed(range(len(lines))):
        if (function := _function_to(answer, lines[last])) is not None:
            return _steps(lines[: last + 1], function, find_moments(request))
    return None


def _function_to(answer: str, line: SolutionLine) -> str | None:
    """The function that makes the answer of a line's result: none (""), or one that rounds; None if it is another."""
    if isinstance(line.call, Calculation):
        numeral = compiled(_NUMERAL).search(answer)
        return None if numeral is None else function_to(numeral[0], line.call)
    return "" if _is_same(answer, line.stated) else None


def _is_same(one: str, other: str) -> bool:
    """Whether two texts state the same moment or the same duration, or one begins with the other."""
    pairs = ((moment_in(one), moment_in(other)), (length_in(one), length_in(other)))
    if any(first is not None and first == second for first, second in pairs):
        return True
    return re.match(rf"{re.escape(other)}(?!\w)", one, re.IGNORECASE) is not None


def _steps(lines: Sequence[SolutionLine], function: str, asked: Sequence[NamedMoment]) -> list[JsonObject]:
    steps: list[JsonObject] = []
    for number, line in enumerate(lines, 1):
        arguments = _arguments(line, lines[: number - 1], asked)
        if number == len(lines) and function:
            arguments = {"expression": f"{function}({arguments['expression']})"}
        steps.append(
            {
                "step_id": f"s{number}",
                "description": describe_line(line.text),
                "tool": CALCULATOR if isinstance(line.call, Calculation) else DATE_TOOL,
                "arguments": arguments,
            }
        )
    return steps


def _arguments(line: SolutionLine, earlier: Sequence[SolutionLine], asked: Sequence[NamedMoment]) -> JsonObject:
    """The arguments of a line's call, with the results of earlier lines taken from their steps."""
    call = line.call
    if isinstance(call, Calculation):
        return {"expression": compiled(_NUMERAL).sub(lambda found: _number(found[0], earlier), call.expression)}
    lengths = [_duration(each, earlier) for each in call.lengths]
    if not call.start:
        return {"durations": lengths}
    start = _start(call.start, earlier, asked)
    return (
        {"start": start, "until": _start(call.until, earlier, asked)}
        if call.until
        else {"add": " ".join(lengths), "start": start}
    )


def _start(text: str, earlier: Sequence[SolutionLine], asked: Sequence[NamedMoment]) -> str:
    """A moment as the result of an earlier line, or as the request has it: with its year, and with its "pm"."""
    for number, line in reversed([*enumerate(earlier, 1)]):
        is_moment = isinstance(line.call, DateCall) and not line.is_length
        if is_moment and moment_in(text) == moment_in(line.stated):
            return f"{{step.s{number}.result}}"
    named = find_moments(text)
    like = {
        each.text for each in asked if len(named) == 1 and each.is_like(named[0]) and moment_in(each.text) is not None
    }
    return like.pop() if len(like) == 1 else text


def _duration(signed: str, earlier: Sequence[SolutionLine]) -> str:
    """A duration as it is, or as the result of an earlier line: "-{step.s1.result} minutes"."""
    sign, text = signed[0].replace("+", ""), signed[1:]
    numeral = compiled(_NUMERAL).match(text)
    for number, line in reversed([*enumerate(earlier, 1)]):
        result = f"{sign}{{step.s{number}.result}}"
        if isinstance(line.call, Calculation):
            if numeral is not None and numeral[0] == line.stated:
                return f"{result}{text[numeral.end() :]}"
        elif line.is_length and length_in(text) == length_in(line.stated):
            return f"{result} days" if line.call.counts_days else result
    return " ".join(f"{sign}{part}" for part in compiled("<length>").findall(text))


def _number(numeral: str, earlier: Sequence[SolutionLine]) -> str:
    """A number as it is, or as the result of an earlier line, also as the days, hours or minutes of a length."""
    for number, line in reversed([*enumerate(earlier, 1)]):
        field = (
            "result" if isinstance(line.call, Calculation) and line.stated == numeral else _field_with(numeral, line)
        )
        if field is not None:
            return f"{{step.s{number}.{field}}}"
    return numeral


def _field_with(numeral: str, line: SolutionLine) -> str | None:
    """The field of a length that has a number: its days, its hours or its minutes."""
    length = length_in(line.stated) if line.is_length else None
    if length is None or length.months or length.working_days or isinstance(line.call, Calculation):
        return None
    units = {"result": _DAY} if line.call.counts_days else {"hours": 3600, "minutes": 60}
    return next((field for field, seconds in units.items() if length.seconds == float(numeral) * seconds), None)

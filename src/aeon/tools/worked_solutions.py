"""Solutions that a model writes in lines, "The 4 boxes hold 4 * 6 = 24 eggs.", read as steps of the calculator. Pure.

A small model that has to write a plan in JSON takes the first calculation that comes to its mind; in lines of text it
works its way to the answer. Code takes the calculations from the lines and leaves the computing to the calculator.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, isclose, isfinite
from typing import NamedTuple

from aeon.base.json import JsonObject
from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.arithmetic import evaluate_expression
from aeon.tools.number_styles import groups_with_points, without_grouping_points

CALCULATOR = "calculator"
"""The tool whose steps a solution gives."""

INSTRUCTIONS = (
    "Solve the problem step by step. Each line says in words what it computes, then the calculation with its result, "
    "in plain text without LaTeX. The last line is 'Answer: ' and the number alone, without a unit.\n"
    "Problem: A box holds 6 eggs. I have 4 boxes and eat 5 eggs. How many are left?\n"
    "The 4 boxes hold 4 * 6 = 24 eggs.\n"
    "After 5 eggs are eaten, 24 - 5 = 19 eggs are left.\n"
    "Answer: 19\n"
    "Problem: A coat of 90 dollars is 30% off. What does it cost?\n"
    "The reduction is 90 * 30 / 100 = 27 dollars.\n"
    "The coat costs 90 - 27 = 63 dollars.\n"
    "Answer: 63"
)
"""Instructions for a model that works out a request whose answer is one number."""

MAX_SOLUTION = 4000
"""Characters of a solution; a longer text is none."""

MAX_STEPS = 50
"""Calculations of a solution; a text with more is none."""

_DESCRIPTION = 160
"""Characters of a line that describe its step."""

_ROUNDED = 0.01
"""The share by which a model may have rounded a result."""

_ROUNDING = {"round": round, "floor": floor, "ceil": ceil}

_PLAIN = (
    (LazyPattern(r"\\(?:times|cdot)\b"), "*"),
    (LazyPattern(r"\\div\b"), "/"),
    (LazyPattern(r"\\approx\b|≈"), "="),
    (LazyPattern(r"\\d?frac\{([^{}]*)\}\{([^{}]*)\}"), r"(\1) / (\2)"),
    (LazyPattern(r"\\(?:text|boxed|mathrm)\{([^{}]*)\}"), r" \1 "),
    (LazyPattern(r"\\%"), "%"),
    (LazyPattern(r"(?<=\d)\s*x\s*(?=\d)", re.IGNORECASE), " * "),
    (LazyPattern(r"%\s*(?:of|von)\s+(?=\d)"), "% * "),
    (LazyPattern(r"^\s*(?:[-*•]|\d+[.)])\s+", re.MULTILINE), ""),
    (LazyPattern(r"\\.|[$€£`]|\*\*(?=[^\W\d_])|(?<=[^\W\d_:.])\*\*"), " "),
)
"""What makes plain text of LaTeX, Markdown, "4 x 6", "35% of 120" and list items."""

_ANSWER = LazyPattern(
    r"^[^\w\n]{0,20}(?:final )?(?:answer|antwort|réponse|respuesta|risposta)\W*?[:=]\D{0,12}?(-?\d[\d.,]*)",
    re.IGNORECASE | re.MULTILINE,
)
_TOKEN = LazyPattern(r"(?P<number>\d[\d.,]*\d|\d)|(?P<sign>[-+*/^%×÷·−])|(?P<bracket>[()])|(?P<word>[^\W\d_]+|\S)")  # noqa: RUF001  # as models write
_LEADING = LazyPattern(r"\(?(-? ?\d[\d.,]*\d|-? ?\d)")
_GERMAN_POINT = LazyPattern(r"(\d),(\d{1,2}|\d{4,})(?![\d,])")
_THOUSANDS = LazyPattern(r"(?<=\d),(?=\d{3}\b)")
_NUMERAL = LazyPattern(r"(?:(?:^|(?<=[-+*/^(] ))- )?(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


class Calculation(NamedTuple):
    """A calculation of a line, with the result that the model states."""

    line: str
    expression: str
    result: str
    """As the line has it, in English style: "10.40"."""

    @property
    def stated(self) -> float:
        return _number(self.result)


def read_solution(text: str, request: str = "") -> list[JsonObject] | None:
    """The steps of the calculator in a solution of `request`; the last one gives the answer.

    A result of an earlier line is taken from its step, so that what a model computed wrong or rounded is computed
    again. None if there is no calculation, if there are too many, or if the stated answer is the result of none.
    """
    if len(text) > MAX_SOLUTION:
        return None
    clean = clean_solution(without_grouping_points(text) if groups_with_points(request) else text)
    calculations = [each for line in clean.splitlines() for each in calculations_of_line(line.strip())]
    if not 0 < len(calculations) <= MAX_STEPS:
        return None
    found = _ANSWER.search(clean)
    answer = calculations[-1].result if found is None else _english(found[1].rstrip(".,"))
    for last in reversed(range(len(calculations))):
        if (function := function_to(answer, calculations[last])) is not None:
            return _steps(calculations[: last + 1], function)
    return None


def calculation_at_end(text: str) -> str | None:
    """The calculation with which a text ends, without units, or the only number in it; None without one."""
    clean = clean_solution(text).strip()
    expression, _ = _expression_at_end(clean)
    if expression:
        return expression
    numerals = [found["number"] for found in _TOKEN.finditer(_english(clean)) if found["number"]]
    return numerals[0] if len(numerals) == 1 else None


def clean_solution(text: str) -> str:
    """The text without LaTeX, Markdown and the marks of lists."""
    for pattern, replacement in _PLAIN:
        text = pattern.sub(replacement, text)
    return text


def calculations_of_line(line: str) -> Iterator[Calculation]:
    """The calculations of a line; of "2 * 18 + 2 * 7 = 36 + 14 = 50" the first, with the result 50."""
    sides = line.split("=")
    chain: list[str] = []
    for side, following in pairwise(sides):
        expression, is_whole = _expression_at_end(side)
        chain = [*chain, expression] if chain and is_whole else [expression]
        chain = [each for each in chain if each]
        stated = _LEADING.match(following.lstrip())
        if not chain or stated is None or _is_calculation(following):
            continue
        yield Calculation(line, chain[0], _english(stated[1].replace(" ", "")))
        chain = []


def _is_calculation(side: str) -> bool:
    """Whether one side of an equation is a calculation and nothing else."""
    expression, is_whole = _expression_at_end(side)
    return is_whole and expression != ""


def _expression_at_end(side: str) -> tuple[str, bool]:
    """The calculation at the end of a text, without units, and whether it is all of the text; "" if there is none."""
    tokens = list(_TOKEN.finditer(_english(side)))
    taken: list[str] = []
    rest = len(tokens)
    for position in reversed(range(len(tokens))):
        token = tokens[position]
        if token["word"]:
            is_unit = position > 0 and (tokens[position - 1]["number"] or tokens[position - 1][0] in "%)")
            if not is_unit or (taken and not _joins(taken[0])):
                break
        else:
            if taken and token["number"] and not _joins(taken[0]):
                break
            taken.insert(0, token[0])
        rest = position
    while taken and taken[0] in "*/^%+)×÷·":  # noqa: RUF001  # as models write
        taken.pop(0)
    expression = _balanced(taken)
    try:
        evaluate_expression(expression)
    except ValueError:
        return "", False
    is_computed = any(each in "-+*/^×÷·−" for each in taken[1:])  # noqa: RUF001  # as models write
    return (expression, rest == 0) if is_computed else ("", False)


def _joins(sign: str) -> bool:
    """Whether what is taken may follow a number in a calculation."""
    return not sign[0].isdigit() and sign != "("


def _balanced(tokens: Sequence[str]) -> str:
    """The tokens as a text, without brackets that are not closed or opened."""
    text = " ".join(tokens)
    return text if text.count("(") == text.count(")") else text.strip("() ")


def _english(text: str) -> str:
    """A text with its numerals in English style, without commas: 9,60 is 9.60, and 1,200 is 1200."""
    return _THOUSANDS.sub("", _GERMAN_POINT.sub(r"\1.\2", text))


def _number(numeral: str) -> float:
    """The number of a numeral in English style."""
    try:
        return float(numeral)
    except ValueError:
        return float("nan")


def _value(expression: str) -> float:
    try:
        return float(evaluate_expression(expression))
    except (ValueError, OverflowError):
        return float("nan")


def function_to(answer: str, calculation: Calculation) -> str | None:
    """The function that makes the answer of a result: none (""), or one that rounds; None if the answer is another."""
    number = _number(answer)
    is_same = isclose(number, calculation.stated, rel_tol=_ROUNDED)
    if "." in answer:
        return "" if is_same else None
    value = _value(calculation.expression)
    near = value if isclose(value, number, abs_tol=1) else calculation.stated
    fitting = (name for name, function in _ROUNDING.items() if isfinite(near) and function(near) == number)
    return "" if near == number else next(fitting, "" if is_same else None)


def _steps(calculations: Sequence[Calculation], function: str) -> list[JsonObject]:
    steps: list[JsonObject] = []
    for number, each in enumerate(calculations, 1):
        expression = _with_references(each.expression, calculations[: number - 1])
        if number == len(calculations) and function:
            expression = f"{function}({expression})"
        steps.append(
            {
                "step_id": f"s{number}",
                "description": describe_line(each.line),
                "tool": CALCULATOR,
                "arguments": {"expression": expression},
            }
        )
    return steps


def describe_line(line: str) -> str:
    """The beginning of a line, as the description of its step."""
    return line[:_DESCRIPTION]


def _with_references(expression: str, earlier: Sequence[Calculation]) -> str:
    """A calculation that takes the results of earlier lines from their steps."""

    def referred(numeral: re.Match[str]) -> str:
        for number in range(len(earlier), 0, -1):
            if earlier[number - 1].result == numeral[0].replace(" ", ""):
                return f"{{step.s{number}.result}}"
        return numeral[0]

    return _NUMERAL.sub(referred, expression)

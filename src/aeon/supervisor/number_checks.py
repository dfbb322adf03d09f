"""Checks of the numbers of a run's answer by code: whether they have a source, and can be what was asked. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import isclose

from aeon.base.binding import as_text
from aeon.base.lazy_pattern import LazyPattern
from aeon.observability.records import ToolCall
from aeon.supervisor.answered_run import (
    NUMERAL,
    AnsweredRun,
    calculations_of,
    numerals_of_arithmetic,
    readings,
    shares,
)
from aeon.supervisor.ignored_numbers import ignored_numbers
from aeon.supervisor.numerals import find_digit_numbers, find_numbers
from aeon.supervisor.repair_context import iterate_leaves
from aeon.tools.amounts import as_single_numbers
from aeon.tools.arithmetic import evaluate_expression
from aeon.tools.arithmetic_requests import is_only_arithmetic, names_operation
from aeon.tools.attachments import IMAGE_LINE
from aeon.tools.date_requests import asks_dates
from aeon.tools.number_styles import with_english_numerals
from aeon.tools.number_words import find_expression
from aeon.tools.unit_requests import CONVERT_UNITS, asks_conversion, asks_unit, count_quantities

_ROUNDED = 0.01
"""The share by which a number may be rounded."""

_SELF_EVIDENT = frozenset([*range(13), 24, 30, 31, 52, 60, 100, 180, 360, 365, 366, 1000, 3600, 0.5, 0.25, 0.75])
"""Numbers that need no source: small ones, and those of units and percent."""

_UNIT_FACTORS = frozenset(
    (
        *(2.54, 30.48, 0.3048, 0.9144, 1.609, 1.6093, 1.609344, 1.852, 0.621371, 0.6214),
        *(3.785, 3.7854, 3.78541, 4.546, 28.35, 28.3495, 0.4536, 0.453592, 2.205, 2.2046, 2.20462),
        *(1.8, 273.15, 4.184, 236.588, 29.5735),
    )
)
"""What units are of each other: inches, feet, miles, gallons, ounces, pounds, degrees, calories, cups."""

_SEARCHED = 2000
"""Characters of a request in which words are looked for that stand far apart."""

_HOW_MANY = LazyPattern(r"\b(?:how (?:many|much)|wie ?viele?)\b", re.IGNORECASE)
_PERCENT = LazyPattern(r"(\d[\d.,]*) ?(?:%|percent\b|prozent\b)", re.IGNORECASE)
_ONE_AND = LazyPattern(r"(?<![\d.])1 ?\+ ?(0?\.\d{1,6})(?!\d)")
_TAKES_OFF = LazyPattern(
    r"\b(?:off|discount\w*|reduced|reduction|cheaper|rebate|runter|rabatt|skonto|reduziert|herabgesetzt|günstiger|billiger"
    r"|nachlass|remise|descuento|rebaja)\b",
    re.IGNORECASE,
)
_ADDS = LazyPattern(
    r"\b(?:plus|tax|taxes|vat|tip|added|adds?|interest|raise[ds]?|increase[ds]?|rises?|rose|surcharge|mehrwertsteuer|mwst|steuern?"
    r"|trinkgeld|zuschlag|aufschlag|zinsen|dazu|drauf|erhöht|steigt|teurer|tva|iva)\b",
    re.IGNORECASE,
)
_HOW_MANY_THINGS = LazyPattern(
    r"\b(?:how many|wie ?viele) (?!of\b|more\b|times?\b|mal\b|percent|prozent)[^\W\d]", re.IGNORECASE
)
_PARTS = LazyPattern(
    r"\b(?:average|averages?|mean|per|each|every|percent\w*|points?|servings?|portions?|cups?|spoons?|degrees?"
    r"|durchschnitt\w*|pro|jeder?|prozent\w*|punkte?|portionen|grad|calories|kalorien|euros?|dollars?|pages?|seiten?)\b",
    re.IGNORECASE,
)
"""Words of a question that a part of a thing may answer."""
_WHICH_ONE = LazyPattern(
    r"\b(?:which one|who|whose|wer|wem|wen)\b"
    r"|\b(?:which|what|who|is|was|welche[rsnm]?|wer|ist)\b.*\b(?:more|less|larger|bigger|smaller|greater|cheaper|longer|shorter|higher|heavier"
    r"|faster|mehr|weniger|größer|kleiner|billiger|teurer|günstiger|länger|kürzer|höher|schwerer|schneller)\b.*(?:,|:|\bor\b|\boder\b)",
    re.IGNORECASE,
)
"""Asks for one of several things."""
_AMOUNT = LazyPattern(
    r"\b(?:how (?:many|much|long|old|far|fast|late|tall|big|heavy)|what time|when"
    r"|wie ?viele?|wie (?:lang\w*|alt|weit|schnell|spät|hoch|schwer)|um wie ?viel uhr|wann)\b",
    re.IGNORECASE,
)
"""Asks for a number."""
_CLOCK_TIME = LazyPattern(r"\b(?:at|from|until|till|to|by|um|von|bis|ab|gegen)\s+(\d{1,2}:\d\d)\b", re.IGNORECASE)


def number_doubts(run: AnsweredRun) -> list[str]:
    """The reasons to doubt the numbers of a run's answer."""
    checks = (
        _invented_numbers,
        ignored_numbers,
        _sourceless_numbers,
        _misread_sum,
        _unfit_number,
        _added_discount,
        _computed_alone,
        _added_clock_times,
    )
    return [reason for check in checks for reason in check(run)]


def _invented_numbers(run: AnsweredRun) -> list[str]:
    """The reason against an answer from texts that has numbers of its own: a model that counts or adds may err.

    None if the model also saw an image, from which it may have read them.
    """
    last = run.steps[-1]
    if last.tool is not None or not last.arguments or IMAGE_LINE.search(last.description):
        return []
    earlier = [value for step_id, value in run.results.items() if step_id != last.step_id]
    known = numbers_in([run.request, *run.earlier, *map(str, iterate_leaves(earlier))])
    numerals = NUMERAL.findall(as_text(run.results[last.step_id]))
    invented = [each for each in numerals if (read := find_digit_numbers(each)) and not read & known]
    listed = ", ".join(dict.fromkeys(invented[:5]))
    return [f"the answer has {listed}, which none of its texts has"] if invented else []


def _sourceless_numbers(run: AnsweredRun) -> list[str]:
    """The reason against a computation with a number that neither the request nor a result has."""
    if not run.is_planned:
        return []
    texts = [run.request, *run.earlier]
    asked = (
        _forms([*texts, *map(as_single_numbers, texts), *map(with_english_numerals, texts)])
        | _SELF_EVIDENT
        | _UNIT_FACTORS
    )
    by_step = {step_id: _forms(map(str, iterate_leaves([value]))) for step_id, value in run.results.items()}
    holders = Counter(form for forms in by_step.values() for form in forms)

    def has_source(number: float, call: ToolCall) -> bool:
        return number in asked or holders[number] > (number in by_step.get(call.step_id, ()))

    sourceless = [
        numeral
        for call in run.calls
        for numeral in [*numerals_of_arithmetic(call), *_converted(call)]
        if (read := readings(numeral)) and not any(has_source(number, call) for number in read)
    ]
    listed = ", ".join(dict.fromkeys(sourceless[:5]))
    return [f"it was computed with {listed}, which neither the request nor a result has"] if sourceless else []


def _converted(call: ToolCall) -> list[str]:
    """The number that a conversion was given."""
    value = call.arguments.get("value") if call.tool_name == CONVERT_UNITS else None
    return [f"{abs(value):.12g}"] if isinstance(value, int | float) else []


def _forms(texts: Iterable[str]) -> set[float]:
    """The numbers of texts, in all forms in which they may be used."""
    return {form for number in numbers_in([*texts]) for form in shares(number)}


def numbers_in(texts: Sequence[str]) -> set[float]:
    """The numbers of texts, in digits or words."""
    in_words = {number for text in texts for number in find_numbers(text)}
    return in_words | {number for text in texts for each in NUMERAL.findall(text) for number in readings(each)}


def _misread_sum(run: AnsweredRun) -> list[str]:
    """The reason against an answer to arithmetic that code can read in the request, if no result is its value."""
    is_certain = run.is_planned and is_only_arithmetic(run.request)
    expression = find_expression(run.request) if is_certain else None
    if expression is None:
        return []
    try:
        value = float(evaluate_expression(expression))
    except (ValueError, OverflowError):
        return []
    texts = map(str, iterate_leaves([*run.results.values()]))
    found = {number for text in texts for number in find_numbers(text)}
    is_found = any(isclose(value, number, rel_tol=_ROUNDED) for number in found)
    return [] if is_found else [f"code reads {expression} in the request, and no result is {value:g}"]


def _unfit_number(run: AnsweredRun) -> list[str]:
    """The reason against a number that cannot answer the question: below 0, a part of a thing, or for "which one"."""
    leaves = [*iterate_leaves(run.results[run.steps[-1].step_id])]
    value = leaves[0] if len(leaves) == 1 else None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return []
    if value < 0 and _HOW_MANY.search(run.request):
        return ["the request asks how many, and the result is less than 0"]
    if isinstance(value, float) and not value.is_integer() and _counts_things(run.request[:_SEARCHED]):
        return ["the request asks for a number of things, and the result is not whole"]
    return ["the request does not ask for a number"] if _WHICH_ONE.search(run.request[:_SEARCHED]) else []


def _counts_things(request: str) -> bool:
    """Whether a request asks how many there are of what comes in whole: not of a unit, and not for each of several."""
    counted = _HOW_MANY_THINGS.search(request)
    return counted is not None and not asks_unit(request) and _PARTS.search(request[counted.start() :]) is None


def _computed_alone(run: AnsweredRun) -> list[str]:
    """The reason against an amount, a time or a date that the model computed from the request's own without a tool."""
    last = run.steps[-1]
    if not run.is_planned or run.calls or last.tool is not None or last.arguments:
        return []
    if asks_dates(run.request) or asks_conversion(run.request):
        return ["the model computed it by itself"]
    given = numbers_in([as_text(run.results[last.step_id])])
    known = numbers_in([run.request, *run.earlier]).union([0, 1] if len(given) > 1 else [])
    is_fresh = not given <= known
    return ["the model computed it by itself"] if is_fresh and _is_computable(run.request) else []


def _is_computable(request: str) -> bool:
    """Whether a request asks for an amount that follows from its own: two of them, or one and what to do with it.

    "How long do 2 kg of potatoes boil?" has one, and asks for knowledge.
    """
    quantities = count_quantities(request)
    is_enough = quantities > 1 or (quantities == 1 and (names_operation(request) or asks_unit(request)))
    return is_enough and _AMOUNT.search(request) is not None


def _added_discount(run: AnsweredRun) -> list[str]:
    """The reason against a percentage that was added, where the request only takes some off."""
    text = run.request[:_SEARCHED]
    if not run.is_planned or _TAKES_OFF.search(text) is None or _ADDS.search(text) is not None:
        return []
    factors = {round(1 + percent / 100, 6) for each in _PERCENT.findall(text) for percent in readings(each)}
    used = [each for call in run.calls for each in _factors_in(call) if round(each, 6) in factors]
    return [f"it was multiplied by {used[0]:g}, and the request takes the percentage off"] if used else []


def _factors_in(call: ToolCall) -> Iterator[float]:
    """The numbers of a call's calculations, and what "1 + 0.1" is."""
    yield from (number for numeral in numerals_of_arithmetic(call) for number in readings(numeral))
    yield from (1 + float(each) for text in calculations_of(call) for each in _ONE_AND.findall(text))


def _added_clock_times(run: AnsweredRun) -> list[str]:
    """The reason against a sum of durations one of which is a clock time of the request, and no result."""
    times = set(_CLOCK_TIME.findall(run.request)) - {*map(str, iterate_leaves([*run.results.values()]))}
    added = [each for call in run.calls for each in iterate_leaves(call.arguments.get("durations"))]
    wrong = [each for each in added if each in times]
    return [f"{wrong[0]} is a clock time, and was added as a duration"] if wrong else []

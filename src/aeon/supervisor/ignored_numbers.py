"""Whether a run used every number of its request, also those in words: "three friends", "a quarter". Pure."""

import re
from collections.abc import Iterator
from math import isclose

from aeon.base.json import canonical_json
from aeon.base.lazy_pattern import LazyPattern
from aeon.supervisor.answered_run import (
    AnsweredRun,
    calculations_of,
    keys_of,
    numerals_of_arithmetic,
    readings,
    shares,
)
from aeon.supervisor.numerals import find_digit_numbers, find_numbers
from aeon.supervisor.repair_context import iterate_leaves
from aeon.tools.amounts import as_single_numbers
from aeon.tools.number_styles import with_english_numerals
from aeon.tools.worked_dates import DATE_TOOL

_ALONE = LazyPattern(r"(?<![\w.,:/-])\d[\d.,]*\d(?![\w:/-])|(?<![\w.,:/-])\d(?![\w:/-]|[.,]\d)")
"""A number that stands alone, not in a date, a time, a name or a range."""

_PLACE = LazyPattern(r"\b(?:number|no\.|nummer|nr\.) \d{1,2}\b", re.IGNORECASE)
"""Which one of a row is asked for: "dose number 8"; the date tool is given the intervals before it."""

_SHARED_OUT: tuple[tuple[LazyPattern, tuple[float, ...]], ...] = tuple(
    (LazyPattern(pattern, re.IGNORECASE), forms)
    for pattern, forms in (
        (r"\b(?:half|halves|hälfte|halbe[nrs]?)\b(?! (?:past|an hour))", (2, 0.5, 50, 1.5)),
        (r"\b(?:quarters?|viertel)\b(?! (?:past|to|of an hour|nach|vor))", (4, 0.25, 0.75, 25, 75, 3)),
        (r"\bthirds\b|\b(?:a|one) third of\b|\bdrittel\b", (3, 1 / 3, 2 / 3, 100 / 3, 200 / 3)),
        (r"\b(?:twice|doubled|doubles|double(?= (?:the|that|it|of|\d))|doppelt\w*|verdoppel\w*|zweimal)\b", (2,)),
        (r"\b(?:tripled?|triples|dreifach\w*|dreimal)\b", (3,)),
        (r"\b(?:dozens?|dutzend)\b", (12,)),
    )
)
"""Words that a calculation must show by one of these numbers. "Two and a half" is 2.5 in it."""

_ENDINGS = (0, 0.25, 0.5, 0.75)
"""What may follow a number in words: "two and a half"."""


def ignored_numbers(run: AnsweredRun) -> list[str]:
    """The reason against a result for which no call was given some number of the request."""
    if not run.is_planned or any(step.tool is None for step in run.steps):
        return []
    request = _PLACE.sub(" ", run.request) if run.steps[-1].tool == DATE_TOOL else run.request
    in_digits = (
        list(_in_digits(text, run)) for text in (request, as_single_numbers(request), with_english_numerals(request))
    )
    ignored = [*min(in_digits, key=len), *_in_calculations(run)]
    return [f"no step uses {', '.join(ignored[:5])} of the request"] if ignored else []


def _in_digits(text: str, run: AnsweredRun) -> Iterator[str]:
    """The numerals of a text that no call was given, in any form."""
    given = canonical_json([call.arguments for call in run.calls])
    known = {number for call in run.calls for leaf in iterate_leaves(call.arguments) for number in keys_of(leaf)}
    for numeral in dict.fromkeys(_ALONE.findall(text)):
        forms = {form for number in readings(numeral) for form in shares(number)}
        if numeral not in given and not forms & known:
            yield numeral


def _in_calculations(run: AnsweredRun) -> Iterator[str]:
    """The numbers in words that a run of calculations alone left out."""
    numerals = [numerals_of_arithmetic(call) for call in run.calls]
    if not numerals or not all(numerals):
        return
    computed = {number for each in numerals for numeral in each for number in readings(numeral)}
    is_sum = not any(sign in each for call in run.calls for each in calculations_of(call) for sign in "*/^%")
    yield from _in_words(run.request, computed, len(find_digit_numbers(run.request)) if is_sum else 0)
    yield from _shared_out(run.request, computed)


def _in_words(request: str, computed: set[float], listed: int) -> Iterator[str]:
    """The numbers that a request has in words, and a calculation in no form: "three friends".

    In a sum, a number may only say how many are `listed`: "two tasks take 45 and 50 minutes".
    """
    for number in sorted(find_numbers(request) - find_digit_numbers(request) - {0, 1}):
        if number % 1 or number <= listed:  # "two and a half" is 2, and what follows it
            continue
        forms = {number + ending for ending in _ENDINGS} | set(shares(number))
        if not forms & computed:
            yield f"{number:g}"


def _shared_out(request: str, computed: set[float]) -> Iterator[str]:
    """The words for a part or a multiple that a calculation shows by no number: "a quarter of"."""
    for word, forms in _SHARED_OUT:
        found = word.search(request)
        if found is not None and not any(_is_shown(form, computed) for form in forms):
            yield f"{found[0]!r}"


def _is_shown(form: float, computed: set[float]) -> bool:
    """Whether a calculation has a number; a fraction also as the end of one: "2.5" shows a half."""
    return any(isclose(form, each, rel_tol=0.01) or (form < 1 and isclose(each % 1, form)) for each in computed)

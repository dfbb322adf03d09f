"""Checks of a run's answer by code: its emptiness, its language, its numbers, and the use of results. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isclose
from typing import NamedTuple

from aeon.base.binding import as_text, find_references, split_reference
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.language import language_of
from aeon.observability.records import ToolCall
from aeon.plan.models import PlanStep
from aeon.supervisor.numerals import find_digit_numbers, find_numbers
from aeon.supervisor.repair_context import iterate_leaves
from aeon.tools.arithmetic import evaluate_expression
from aeon.tools.arithmetic_requests import is_only_arithmetic
from aeon.tools.attachments import IMAGE_LINE
from aeon.tools.number_words import find_expression

_MAX_VERBATIM = 60
"""Characters up to which a text is expected to appear unchanged in an answer; a longer one may be summarised."""
_WORD = re.compile(r"\w+")
_LONGER = re.compile(r"\w{3,}")
_NUMERAL = re.compile(r"\d[\d.,]*\d|\d")
_ALONE = re.compile(r"(?<![\w.,:/-])\d[\d.,]*\d(?![\w:/-])|(?<![\w.,:/-])\d(?![\w:/-]|[.,]\d)")
"""A number that stands alone, not in a date, a time, a name or a range."""
_DECIMALS = range(7)
_ROUNDED = 0.01
"""The share by which a number may be rounded."""
_ARITHMETIC = re.compile(r"[-+*/^%() .,\d]+")
_SELF_EVIDENT = frozenset([*range(13), 24, 30, 31, 52, 60, 100, 180, 360, 365, 366, 1000, 3600, 0.5, 0.25, 0.75])
"""Numbers that need no source: small ones, and those of units and percent."""
_HOW_MANY = re.compile(r"\b(?:how (?:many|much)|wie ?viele?)\b", re.IGNORECASE)
_WHICH_ONE = re.compile(r"\b(?:which one|who|whose|wer|wem|wen)\b", re.IGNORECASE)
_TO_COMPUTE = re.compile(
    r"\b(?:average|mean|sum|total|count|sort\w*|alphabet\w*|durchschnitt\w*|summe|insgesamt|zähl\w*|median)\b",
    re.IGNORECASE,
)
_BY_CHANCE = re.compile(
    r"\b(?:roll|throw|toss|flip|würfle|wirf)\b.*(?:\b\d*[dw]\d+\b|\bdic?e\b|\bcoin\b|würfel|münze)|"
    r"\b(?:pick|choose|draw|give|generate|nenne|wähle|ziehe?)\b.*\b(?:random|zufällig\w*|zufallszahl)\b",
    re.IGNORECASE,
)
"""Asks for something that chance decides."""
_TRANSLATES = re.compile(
    r"translat|übersetz|\b(?:in|into|to|auf|ins|nach) (?:\w+isch|english|german|french|spanish|italian|dutch)\b",
    re.IGNORECASE,
)


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


def doubts_of(run: AnsweredRun) -> list[str]:
    """The reasons to doubt a run's answer: it is empty, repeats the request, or does not use a computed result.

    For a user's plan that ran without a model, only an empty answer is doubtful.
    """
    answer = run.results[run.steps[-1].step_id]
    if _is_empty(answer):
        return ["the answer is empty"]
    if not run.is_planned and not run.is_written:
        return []
    asked = _words(run.request)
    if _words(as_text(answer)) in (asked, ["request", *asked]) and asked:
        return ["the answer repeats the request"]
    unused = [f"the answer does not use the result of step {call.step_id!r}" for call in _unused_calls(run)]
    checks = (
        _invented_numbers,
        _ignored_numbers,
        _sourceless_numbers,
        _misread_sum,
        _unfit_number,
        _unaided,
        _not_by_chance,
        _other_language,
    )
    return [*unused, *(reason for check in checks for reason in check(run))]


def _invented_numbers(run: AnsweredRun) -> list[str]:
    """The reason against an answer from texts that has numbers of its own: a model that counts or adds may err.

    None if the model also saw an image, from which it may have read them.
    """
    last = run.steps[-1]
    if last.tool is not None or not last.arguments or IMAGE_LINE.search(last.description):
        return []
    earlier = [value for step_id, value in run.results.items() if step_id != last.step_id]
    known = _numbers_in([run.request, *run.earlier, *map(str, iterate_leaves(earlier))])
    numerals = _NUMERAL.findall(as_text(run.results[last.step_id]))
    invented = [each for each in numerals if (read := find_digit_numbers(each)) and not read & known]
    listed = ", ".join(dict.fromkeys(invented[:5]))
    return [f"the answer has {listed}, which none of its texts has"] if invented else []


def _ignored_numbers(run: AnsweredRun) -> list[str]:
    """The reason against a result for which no call was given some number of the request."""
    if not run.is_planned or any(step.tool is None for step in run.steps):
        return []
    given = canonical_json([call.arguments for call in run.calls])
    known = {number for call in run.calls for leaf in iterate_leaves(call.arguments) for number in _keys(leaf)}
    ignored = [
        each
        for each in dict.fromkeys(_ALONE.findall(run.request))
        if each not in given and not any(form in known for number in _readings(each) for form in _shares(number))
    ]
    return [f"no step uses {', '.join(ignored[:5])} of the request"] if ignored else []


def _sourceless_numbers(run: AnsweredRun) -> list[str]:
    """The reason against a computation with a number that neither the request nor a result has."""
    if not run.is_planned:
        return []
    asked = _forms([run.request, *run.earlier]) | _SELF_EVIDENT
    by_step = {step_id: _forms(map(str, iterate_leaves([value]))) for step_id, value in run.results.items()}
    holders = Counter(form for forms in by_step.values() for form in forms)

    def has_source(number: float, call: ToolCall) -> bool:
        return number in asked or holders[number] > (number in by_step.get(call.step_id, ()))

    sourceless = [
        numeral
        for call in run.calls
        for numeral in _numerals_of_arithmetic(call)
        if not any(has_source(number, call) for number in _readings(numeral))
    ]
    listed = ", ".join(dict.fromkeys(sourceless[:5]))
    return [f"it was computed with {listed}, which neither the request nor a result has"] if sourceless else []


def _numerals_of_arithmetic(call: ToolCall) -> list[str]:
    leaves = [leaf for leaf in iterate_leaves(call.arguments) if isinstance(leaf, str) and _ARITHMETIC.fullmatch(leaf)]
    return [numeral for leaf in leaves for numeral in _NUMERAL.findall(leaf)]


def _forms(texts: Iterable[str]) -> set[float]:
    """The numbers of texts, in all forms in which they may be used."""
    return {form for number in _numbers_in([*texts]) for form in _shares(number)}


def _numbers_in(texts: Sequence[str]) -> set[float]:
    """The numbers of texts, in digits or words."""
    in_words = {number for text in texts for number in find_numbers(text)}
    return in_words | {number for text in texts for each in _NUMERAL.findall(text) for number in _readings(each)}


def _misread_sum(run: AnsweredRun) -> list[str]:
    """The reason against an answer to arithmetic that code can read in the request, if no result is its value."""
    is_certain = run.is_planned and is_only_arithmetic(run.request)
    expression = find_expression(run.request) if is_certain else None
    if expression is None:
        return []
    try:
        value = evaluate_expression(expression)
    except ValueError:
        return []
    texts = map(str, iterate_leaves([*run.results.values()]))
    found = {number for text in texts for number in find_numbers(text)}
    is_found = any(isclose(value, number, rel_tol=_ROUNDED) for number in found)
    return [] if is_found else [f"code reads {expression} in the request, and no result is {value:g}"]


def _unfit_number(run: AnsweredRun) -> list[str]:
    """The reason against a number that cannot answer the question: less than nothing, or for "which one"."""
    leaves = [*iterate_leaves(run.results[run.steps[-1].step_id])]
    value = leaves[0] if len(leaves) == 1 else None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return []
    if value < 0 and _HOW_MANY.search(run.request):
        return ["the request asks how many, and the result is less than 0"]
    return ["the request does not ask for a number"] if _WHICH_ONE.search(run.request) else []


def _unaided(run: AnsweredRun) -> list[str]:
    """The reason against an answer for which the model counted, added or sorted without a tool."""
    is_from_texts = run.steps[-1].tool is None and bool(run.steps[-1].arguments)
    return ["the model counted or sorted by itself"] if is_from_texts and _TO_COMPUTE.search(run.request) else []


def _not_by_chance(run: AnsweredRun) -> list[str]:
    """The reason against an answer that chance should decide, if a calculation or the model made it up."""
    is_drawn = any(_numerals_of_arithmetic(call) == [] for call in run.calls)
    is_asked = run.is_planned and _BY_CHANCE.search(run.request) is not None
    return ["the request asks for chance, and nothing was drawn by chance"] if is_asked and not is_drawn else []


def _other_language(run: AnsweredRun) -> list[str]:
    """The reason against an answer of the model in another language than the request's, if it is not a translation."""
    if run.steps[-1].tool is not None or _TRANSLATES.search(run.request):
        return []
    asked, answered = language_of(run.request), language_of(as_text(run.results[run.steps[-1].step_id]))
    is_other = asked is not None and answered is not None and asked != answered
    return [f"the request is in {asked}, the answer in {answered}"] if is_other else []


def _shares(number: float) -> tuple[float, ...]:
    """The forms in which a number may be used: as it is, or as percent, to take, to take off or to add."""
    return number, number / 100, 1 - number / 100, 1 + number / 100


def _readings(numeral: str) -> set[float]:
    """The numbers that a numeral may be: in English or German style, or several with commas between them."""
    return find_digit_numbers(numeral) | {number for part in numeral.split(",") for number in find_digit_numbers(part)}


def _is_empty(answer: Json) -> bool:
    """Whether an answer is empty: an empty list is, also together with a count of 0."""
    leaves = list(iterate_leaves(answer))
    has_empty = any(leaf in ([], {}) for leaf in leaves)
    return all(leaf in (None, "", [], {}) or (has_empty and leaf == 0) or _is_blank(leaf) for leaf in leaves)


def _is_blank(leaf: Json) -> bool:
    return isinstance(leaf, str) and not leaf.strip()


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _unused_calls(run: AnsweredRun) -> Iterator[ToolCall]:
    """The calls whose results no later step refers to, receives or repeats."""
    order = {step.step_id: position for position, step in enumerate(run.steps)}
    referred = {
        target[0]
        for step in run.steps
        for reference in find_references(step.arguments)
        if (target := split_reference(reference.expression, order)) is not None
    }
    last_used = _last_positions(run, order)
    for call in run.calls:
        position = order.get(call.step_id, len(run.steps))
        if position >= len(run.steps) - 1 or call.result is None or call.step_id in referred:
            continue
        computed = _computed(call.arguments, call.result)
        if computed and not any(_is_long(leaf) or _is_used(leaf, last_used, position) for leaf in computed):
            yield call


def _last_positions(run: AnsweredRun, order: Mapping[str, int]) -> dict[str | float, int]:
    """The last position of each word and number in tool arguments, in the model's texts, and in the answer."""
    called = {call.step_id for call in run.calls}
    last = run.steps[-1].step_id
    passed = [(order.get(call.step_id, -1), call.arguments) for call in run.calls]
    written = [
        (order.get(step_id, -1), result)
        for step_id, result in run.results.items()
        if step_id == last or step_id not in called
    ]
    positions: dict[str | float, int] = {}
    for position, value in passed:
        positions.update(
            (key, max(position, positions.get(key, -1))) for leaf in iterate_leaves(value) for key in _keys(leaf)
        )
    for position, value in written:
        positions.update(
            (key, max(position, positions.get(key, -1))) for leaf in iterate_leaves(value) for key in _prose_keys(leaf)
        )
    return positions


def _computed(arguments: JsonObject, result: JsonObject) -> list[Json]:
    """The values of a result that are not in its arguments; none for a receipt, which repeats its arguments."""
    inputs = [set(_keys(leaf)) for leaf in iterate_leaves(arguments)]
    fresh = [leaf for leaf in iterate_leaves(result) if not isinstance(leaf, bool) and leaf not in (None, "", [], {})]
    computed = [leaf for leaf in fresh if not _repeats(set(_keys(leaf)), inputs)]
    is_flat = not any(isinstance(value, (dict, list)) for value in result.values())
    return [] if is_flat and len(computed) < len(fresh) else computed


def _repeats(keys: set[str | float], inputs: Sequence[set[str | float]]) -> bool:
    """Whether a value repeats an input or contains a longer one, such as the path of a file."""
    return any(keys <= each or (each <= keys and any(_is_significant(key) for key in each)) for each in inputs)


def _is_significant(key: str | float) -> bool:
    return isinstance(key, str) and _LONGER.fullmatch(key) is not None


def _is_long(leaf: Json) -> bool:
    """Whether a value is a text that need not appear unchanged in an answer."""
    return isinstance(leaf, str) and len(leaf) > _MAX_VERBATIM


def _is_used(leaf: Json, last_used: Mapping[str | float, int], position: int) -> bool:
    """Whether a value appears after a position: a number also rounded, a text also by one of its longer words."""
    forms = list(_keys(leaf))
    if isinstance(leaf, float):
        forms += [rounded for decimals in _DECIMALS if (rounded := round(leaf, decimals))]
    elif isinstance(leaf, str):
        forms = [form for form in forms if not isinstance(form, str) or _is_significant(form)] or forms
    return any(last_used.get(form, -1) > position for form in forms)


def _keys(leaf: Json) -> Iterator[str | float]:
    """The words and numbers of a value."""
    if isinstance(leaf, str):
        yield from _words(leaf)
        yield from find_digit_numbers(leaf)
    elif isinstance(leaf, (int, float)):
        yield float(leaf)


def _prose_keys(leaf: Json) -> Iterator[str | float]:
    """The words and numbers of a prose text, numbers in words included."""
    yield from _keys(leaf)
    if isinstance(leaf, str):
        yield from find_numbers(leaf)

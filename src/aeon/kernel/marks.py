"""Marks: annotations of steps beside their status, and the trust in a run's answer (core 17, core 19). Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from aeon.base.binding import as_text, find_references, split_reference
from aeon.base.json import Json, JsonObject
from aeon.observability.records import SupervisorAction, ToolCall
from aeon.plan.models import PlanStep
from aeon.supervisor.numerals import find_digit_numbers, find_numbers
from aeon.supervisor.repair_context import iterate_leaves

MODEL_KNOWLEDGE_MARK = "from the model: no tool's result stands behind these words"
"""The mark of a step that the model answered from its own knowledge; the run stays trusted (core 19)."""

DECLINE_PREFIX = "Cannot:"
"""The prefix with which the model must begin an answer if it cannot do what a step asks for."""

_UNTRUSTED = ("fallback", "doubtful", "declined")
_MAX_VERBATIM = 60
"""Characters up to which a text is expected to appear unchanged in an answer; a longer one may be summarised."""
_MAX_REASON = 120
_WORD = re.compile(r"\w+")
_LONGER = re.compile(r"\w{3,}")
_NUMERAL = re.compile(r"\d[\d.,]*\d|\d")
_DECIMALS = range(7)


class AnsweredRun(NamedTuple):
    """A run whose last step is complete: the data that the checks of its answer use."""

    request: str
    steps: Sequence[PlanStep]
    calls: Sequence[ToolCall]
    results: Mapping[str, Json]
    is_by_model: bool
    """Whether the model made the plan or wrote the answer."""


def is_trusted(marks: Mapping[str, Sequence[str]]) -> bool:
    """Whether no step fell back, was declined or has a doubtful answer."""
    return not untrusted_marks(marks)


def untrusted_marks(marks: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """The marks that make a result untrusted, each with its step's id."""
    return [(step_id, mark) for step_id, listed in marks.items() for mark in listed if mark.startswith(_UNTRUSTED)]


def fallback_mark(tool: str | None) -> str:
    """The mark of a step for which no tool was found."""
    missing = f"there is no tool {tool!r}" if tool else "no tool was named, and none was found"
    return f"fallback: {missing}; no tool did anything, and the words are the model's own"


def is_fallback(marks: Iterable[str]) -> bool:
    """Whether the model answered a step with these marks in place of a tool."""
    return any(mark.startswith("fallback") for mark in marks)


def cut_marks(left_out: int) -> list[str]:
    """The mark of an answer from material of which the model did not see so many characters."""
    return [f"doubtful: the model did not see {left_out:,} characters of its material"] if left_out else []


def repair_marks(actions: Iterable[SupervisorAction]) -> list[str]:
    """The marks of successful repairs, except the search for a tool, which has a separate mark with both names."""
    kinds = [action.action_type for action in actions if action.error is None]
    return [f"repaired: {kind}" for kind in kinds if kind != "missing_tool_repair"]


def declined_mark(text: str) -> str | None:
    """The mark of a reply that declines its step, else None."""
    reply = text.strip()
    if not reply.casefold().startswith(DECLINE_PREFIX.casefold()):
        return None
    missing = " ".join(reply[len(DECLINE_PREFIX) :].split()) or "the model does not say what is missing"
    return f"declined: {_cut(missing)}"


def doubt_marks(run: AnsweredRun) -> list[str]:
    """The reasons to doubt a run's answer: it is empty, repeats the request, or does not use a computed result.

    For a user's plan that ran without a model, only an empty answer is doubtful.
    """
    answer = run.results[run.steps[-1].step_id]
    if _is_empty(answer):
        return ["doubtful: the answer is empty"]
    if not run.is_by_model:
        return []
    asked = _words(run.request)
    if _words(as_text(answer)) in (asked, ["request", *asked]) and asked:
        return ["doubtful: the answer repeats the request"]
    unused = [f"doubtful: the answer does not use the result of step {call.step_id!r}" for call in _unused_calls(run)]
    return [*unused, *_invented_numbers(run)]


def _invented_numbers(run: AnsweredRun) -> list[str]:
    """The mark of an answer from texts with numbers that are in none of them: a model that counts or adds may err."""
    last = run.steps[-1]
    if last.tool is not None or not last.arguments:
        return []
    earlier = [value for step_id, value in run.results.items() if step_id != last.step_id]
    texts = [run.request, *map(str, iterate_leaves(earlier))]
    known = {number for text in texts for number in find_numbers(text)}
    known |= {number for text in texts for each in _NUMERAL.findall(text) for number in _readings(each)}
    numerals = _NUMERAL.findall(as_text(run.results[last.step_id]))
    invented = [each for each in numerals if (read := find_digit_numbers(each)) and not read & known]
    listed = ", ".join(dict.fromkeys(invented[:5]))
    return [f"doubtful: the answer has {listed}, which none of its texts has"] if invented else []


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


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_REASON else f"{text[: _MAX_REASON - 3]}..."

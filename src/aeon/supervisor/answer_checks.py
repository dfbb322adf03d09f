"""Checks of a run's answer by code: its emptiness, its language, its numbers, and the use of results. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from aeon.base.binding import as_text, find_references, split_reference
from aeon.base.json import Json, JsonObject
from aeon.base.language import LANGUAGES, language_of
from aeon.base.lazy_pattern import LazyPattern
from aeon.base.translations import read_translation
from aeon.base.writing import asks_for_code, asks_for_text, is_translation
from aeon.observability.records import ToolCall
from aeon.supervisor.answered_run import COMPUTING_TOOLS, AnsweredRun, calculations_of, keys_of, numerals_of_arithmetic
from aeon.supervisor.echoes import is_echo, is_partial_echo
from aeon.supervisor.moment_checks import moment_doubts
from aeon.supervisor.number_checks import number_doubts
from aeon.supervisor.numerals import find_numbers
from aeon.supervisor.question_checks import question_doubts
from aeon.supervisor.reach_checks import reach_doubts
from aeon.supervisor.repair_context import iterate_leaves
from aeon.supervisor.unsure_checks import unsure_doubts
from aeon.tools.arithmetic import evaluate_expression
from aeon.tools.attachments import CALCULATE_FROM_TEXT, QUERY_TABLES
from aeon.tools.quoted_lines import QUOTE_LINES

_MAX_VERBATIM = 60
"""Characters up to which a text is expected to appear unchanged in an answer; a longer one may be summarised."""

_SEARCHED = 2000
"""Characters of a request in which words are looked for that stand far apart."""

_LONGER = LazyPattern(r"\w{3,}")

_DECIMALS = range(7)

_TO_COMPUTE = LazyPattern(
    r"\b(?:average|mean|sum|total|count|sort\w*|alphabet\w*|durchschnitt\w*|summe|insgesamt|zähl\w*|median)\b",
    re.IGNORECASE,
)

_LETTERS = LazyPattern(
    r"\bhow many (?:letters(?! (?:to|from|did)\b)|vowels|consonants|characters|syllables)\b(?!.*\balphabet)"
    r"|\bletter [\"']?[a-z]\b.*\b(?:appears?|occurs?|in the word)\b"
    r"|\bwie ?viele? (?:buchstaben|vokale|konsonanten|silben)\b(?!.*\balphabet)|\bbuchstabe [a-z]\b.*\bvor\b"
    r"|\bcombien de (?:lettres|voyelles|syllabes)\b|\bcu[áa]ntas (?:letras|vocales|sílabas)\b",
    re.IGNORECASE,
)
"""Asks for a number of letters, which a model does not see."""

_BY_CHANCE = LazyPattern(
    r"\b(?:roll|throw|toss|flip|würfle|wirf)\b.*(?:\b\d*[dw]\d+\b|\bdic?e\b|\bcoin\b|würfel|münze)|"
    r"\b(?:pick|choose|draw|give|generate|nenne|wähle|ziehe?)\b.*\b(?:random|zufällig\w*|zufallszahl)\b",
    re.IGNORECASE,
)
"""Asks for something that chance decides."""

_ASKS_TIME = LazyPattern(
    r"\b(?:what time|(?:what|which) date|wie spät|wie ?viel uhr|wann|welche[ms] (?:datum|tag)|quelle heure)\b"
    r"|(?:^|[.!?,]\s+)(?:and )?when (?:is|are|am|was|do|does|did|will|must|can|should)\b",
    re.IGNORECASE,
)

_IS_NAME = LazyPattern(
    r"(?:(?>[^\W\d_a-z][\w'\u2019-]*|d[aeiou]|del|della|van|von|den|der|la|le|el|zu)(?:(?>[ .]+)|$)){1,6}"
)
"""A name or a title: "Leonardo da Vinci" says nothing about the language of an answer."""

_IN_RATIO = LazyPattern(
    r"\b(?:split|divide|share|distribute|teile?|verteile?)\b[^.?!]*\b(?:ratio|proportion|verh\u00e4ltnis)\b",
    re.IGNORECASE,
)
_NAMES_PART = LazyPattern(
    r"\b(?:larg|small|bigg|great|first|second|one|each|how much|gr\u00f6\u00dfer|kleiner|erste|zweite|wie ?viel)\w*\b",
    re.IGNORECASE,
)

_ASKS_YES_OR_NO = LazyPattern(
    r"(?:^|[.!?;,:]\s+)(?:and |und )?(?:is|are|were|does|do|did|has|have|had|will|would|can|could"
    r"|was(?= (?:it|s?he|this|that|there|the|an?|my|your|his|her|its|our|their|any|\d+|(?-i:[A-Z]\w+)) )"
    r"|ist|sind|war|waren|hat|haben|wird|kann|darf)\b(?! you\b)"
    r"(?:(?!\b(?:how|what|when|which|who|or|if|wie|was|wann|welche\w*|wer|oder|wenn)\b)[^.!?])*\?\s*$",
    re.IGNORECASE,
)
_PLACEHOLDER = LazyPattern(r"\[[A-ZÄÖÜ][\w'\u2019 -]{2,40}\](?!\()")
_YES_OR_NO = frozenset(["yes", "no", "ja", "nein", "true", "false"])


def doubts_of(run: AnsweredRun) -> list[str]:
    """The reasons to doubt a run's answer: it is empty, repeats the request, or does not use a computed result.

    For a user's plan that ran without a model, only an empty answer is doubtful.
    """
    answer = run.results[run.steps[-1].step_id]
    if _is_empty(answer):
        return ["the answer is empty"]
    if (reasons := _doubts_by_tool(run)) is not None:
        return reasons
    if not run.is_planned and not run.is_written:
        return []
    if is_echo(run.request, as_text(answer)) or (run.is_of_model and is_partial_echo(run.request, as_text(answer))):
        return ["the answer repeats the request"]
    unused = [f"the answer does not use the result of step {call.step_id!r}" for call in _unused_calls(run)]
    checks = (
        _unaided,
        _letters_alone,
        _not_by_chance,
        _other_language,
        _no_time,
        _one_part,
        _neither_yes_nor_no,
        _left_open,
    )
    return [
        *unused,
        *number_doubts(run),
        *moment_doubts(run),
        *question_doubts(run),
        *reach_doubts(run),
        *unsure_doubts(run),
        *(reason for check in checks for reason in check(run)),
    ]


def _doubts_by_tool(run: AnsweredRun) -> list[str] | None:
    """The reasons of the checks for the tools that only plans of code use; None if the answer is from another one."""
    tool = run.steps[-1].tool
    if tool == QUERY_TABLES:
        from aeon.supervisor.query_checks import query_doubts

        return query_doubts(run)
    if tool == CALCULATE_FROM_TEXT:
        from aeon.supervisor.calculation_checks import calculation_doubts

        return calculation_doubts(run)
    if tool == QUOTE_LINES:
        from aeon.supervisor.recall_checks import recall_doubts

        return recall_doubts(run)
    return None


def _unaided(run: AnsweredRun) -> list[str]:
    """The reason against an answer for which the model counted, added or sorted without a tool."""
    is_from_texts = run.steps[-1].tool is None and bool(run.steps[-1].arguments)
    return ["the model counted or sorted by itself"] if is_from_texts and _TO_COMPUTE.search(run.request) else []


def _letters_alone(run: AnsweredRun) -> list[str]:
    """The reason against a number of letters that the model found by itself."""
    is_asked = run.is_of_model and not asks_for_text(run.request) and _LETTERS.search(run.request[:_SEARCHED])
    return ["the model counted letters by itself"] if is_asked else []


def _not_by_chance(run: AnsweredRun) -> list[str]:
    """The reason against an answer that chance should decide, if a calculation or the model made it up."""
    is_drawn = any(numerals_of_arithmetic(call) == [] for call in run.calls)
    is_asked = run.is_planned and _BY_CHANCE.search(run.request[:_SEARCHED]) is not None
    return ["the request asks for chance, and nothing was drawn by chance"] if is_asked and not is_drawn else []


def _other_language(run: AnsweredRun) -> list[str]:
    """The reason against an answer of the model in another language than the request's, if it is not a translation."""
    answer = as_text(run.results[run.steps[-1].step_id])
    answered = language_of(answer)
    if run.steps[-1].tool is not None or answered is None:
        return []
    if (translation := read_translation(run.request)) is not None:
        is_other = translation.target in LANGUAGES and translation.target != answered
        return (
            [f"a translation into {translation.target} was asked for, the answer is in {answered}"] if is_other else []
        )
    asked = None if is_translation(run.request) or _IS_NAME.fullmatch(answer) else language_of(run.request)
    return [f"the request is in {asked}, the answer in {answered}"] if asked not in (None, answered) else []


def _left_open(run: AnsweredRun) -> list[str]:
    """The reason against an answer to a question that has a placeholder where the answer should be."""
    if not run.is_of_model or asks_for_text(run.request) or asks_for_code(run.request):
        return []
    found = _PLACEHOLDER.search(as_text(run.results[run.steps[-1].step_id]))
    return [f"the answer has a placeholder: {found[0]}"] if found and found[0] not in run.request else []


def _no_time(run: AnsweredRun) -> list[str]:
    """The reason against a number that answers the question for a time or a date, as a calculation gives."""
    leaves = list(iterate_leaves(run.results[run.steps[-1].step_id]))
    are_numbers = all(isinstance(leaf, int | float) for leaf in leaves)
    is_asked = run.is_planned and _ASKS_TIME.search(run.request) is not None
    return ["the request asks for a time, and the answer is a number"] if is_asked and are_numbers else []


def _one_part(run: AnsweredRun) -> list[str]:
    """The reason against one number that answers a request to share something out in a ratio."""
    leaves = list(iterate_leaves(run.results[run.steps[-1].step_id]))
    is_one = len(leaves) == 1 and isinstance(leaves[0], int | float)
    is_asked = run.is_planned and _IN_RATIO.search(run.request[:_SEARCHED]) and not _NAMES_PART.search(run.request)
    return ["the request asks for every part, and the answer is one number"] if is_asked and is_one else []


def _neither_yes_nor_no(run: AnsweredRun) -> list[str]:
    """The reason against an amount, a time or a date that answers a question for yes or no."""
    is_computed = run.is_planned and run.steps[-1].tool in COMPUTING_TOOLS
    is_asked = is_computed and _ASKS_YES_OR_NO.search(run.request[-_SEARCHED:])
    leaves = iterate_leaves(run.results[run.steps[-1].step_id])
    is_answered = any(isinstance(leaf, bool) or str(leaf).casefold() in _YES_OR_NO for leaf in leaves)
    return ["the request asks for yes or no, and the answer is neither"] if is_asked and not is_answered else []


def _is_empty(answer: Json) -> bool:
    """Whether an answer is empty: an empty list is, also together with a count of 0."""
    leaves = list(iterate_leaves(answer))
    has_empty = any(leaf in ([], {}) for leaf in leaves)
    return all(leaf in (None, "", [], {}) or (has_empty and leaf == 0) or _is_blank(leaf) for leaf in leaves)


def _is_blank(leaf: Json) -> bool:
    return isinstance(leaf, str) and not leaf.strip()


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
    repeated = _repeated_calculations(run.calls)
    for call in run.calls:
        position = order.get(call.step_id, len(run.steps))
        if position >= len(run.steps) - 1 or call.result is None or call.step_id in referred | repeated:
            continue
        computed = _computed(call.arguments, call.result)
        if computed and not any(_is_long(leaf) or _is_used(leaf, last_used, position) for leaf in computed):
            yield call


def _repeated_calculations(calls: Sequence[ToolCall]) -> set[str]:
    """The steps whose calculation is a part of the next one: "6.50 / 5", then "8 * (6.50 / 5)"."""
    texts = [(call.step_id, ["".join(each.split()) for each in calculations_of(call)]) for call in calls]
    return {
        step_id
        for (step_id, parts), (_, wholes) in pairwise(texts)
        if parts and all(any(_is_operand(part, whole) for whole in wholes) for part in parts)
    }


def _is_operand(part: str, whole: str) -> bool:
    """Whether a calculation is computed within another: "35 * 2 - 10" is not in "35 * 2 - 10 / 4"."""
    bracketed, count = re.subn(rf"(?<![\d.]){re.escape(part)}(?![\d.])", f"({part})", whole)
    try:
        return count > 0 and evaluate_expression(whole) == evaluate_expression(bracketed)
    except ValueError:
        return False


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
            (key, max(position, positions.get(key, -1))) for leaf in iterate_leaves(value) for key in keys_of(leaf)
        )
    for position, value in written:
        positions.update(
            (key, max(position, positions.get(key, -1))) for leaf in iterate_leaves(value) for key in _prose_keys(leaf)
        )
    return positions


def _computed(arguments: JsonObject, result: JsonObject) -> list[Json]:
    """The values of a result that are not in its arguments; none for a receipt, which repeats its arguments."""
    inputs = [set(keys_of(leaf)) for leaf in iterate_leaves(arguments)]
    fresh = [leaf for leaf in iterate_leaves(result) if not isinstance(leaf, bool) and leaf not in (None, "", [], {})]
    computed = [leaf for leaf in fresh if not _repeats(set(keys_of(leaf)), inputs)]
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
    forms = list(keys_of(leaf))
    if isinstance(leaf, float):
        forms += [rounded for decimals in _DECIMALS if (rounded := round(leaf, decimals))]
    elif isinstance(leaf, str):
        forms = [form for form in forms if not isinstance(form, str) or _is_significant(form)] or forms
    return any(last_used.get(form, -1) > position for form in forms)


def _prose_keys(leaf: Json) -> Iterator[str | float]:
    """The words and numbers of a prose text, numbers in words included."""
    yield from keys_of(leaf)
    if isinstance(leaf, str):
        yield from find_numbers(leaf)

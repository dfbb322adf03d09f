"""Checks of a number that was computed from the texts of a request: where its numbers come from. Pure."""

from aeon.supervisor.answered_run import NUMERAL, AnsweredRun, readings
from aeon.supervisor.number_checks import numbers_in
from aeon.supervisor.repair_context import iterate_leaves
from aeon.tools.text_calculations import asks_proportion, calculation_in

_OF_PROPORTION = 3

_OF_UNITS = frozenset([7, 12, 24, 52, 60, 100, 365, 1000, 3600])


def calculation_doubts(run: AnsweredRun) -> list[str]:
    """The reasons to doubt a number computed from texts: it is less than 0, or made of others than those of the texts.

    The number of the addends may divide their sum, and 100 and the numbers of units need no source. What is needed for
    another number of people follows from three numbers.
    """
    call, texts = run.calls[-1], [run.results[each.step_id] for each in run.calls[:-1]]
    expression = calculation_in(str(call.arguments["calculation"])) or ""
    known = numbers_in([run.request, *map(str, iterate_leaves(texts))]) | _OF_UNITS | {expression.count("+") + 1.0}
    numerals = [each for each in NUMERAL.findall(expression) if not readings(each) & known]
    listed = ", ".join(dict.fromkeys(numerals[:5]))
    doubts = [f"it was computed with {listed}, which neither the request nor a text has"] if numerals else []
    if asks_proportion(run.request) and len(set(NUMERAL.findall(expression))) < _OF_PROPORTION:
        doubts.append("it was computed with fewer than three numbers, and a proportion has three")
    result = run.results[run.steps[-1].step_id]
    is_negative = any(isinstance(leaf, int | float) and leaf < 0 for leaf in iterate_leaves(result))
    return [*doubts, *(["the result is less than 0"] if is_negative else [])]

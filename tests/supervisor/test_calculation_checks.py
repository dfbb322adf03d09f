"""A number that was computed from a text is doubted if its numbers are not in the text, or it cannot be the answer."""

from types import SimpleNamespace

import pytest

from aeon.supervisor.calculation_checks import calculation_doubts

TEXT = "Mon 12\nTue 15\nBudget 8,500 EUR\nLemon cake, 12 pieces, 200 g sugar, four eggs"


def doubts(calculation, result, request="How much is left?"):
    calls = [
        SimpleNamespace(tool_name="attachment", step_id="r1", arguments={"name": "a.txt"}),
        SimpleNamespace(tool_name="calculate_from_text", step_id="answer", arguments={"calculation": calculation}),
    ]
    results = {"r1": {"text": TEXT}, "calculation": {"text": calculation}, "answer": {"result": result}}
    steps = [SimpleNamespace(step_id=each) for each in results]
    return calculation_doubts(SimpleNamespace(request=request, earlier=(), steps=steps, calls=calls, results=results))


@pytest.mark.parametrize(
    ("calculation", "result", "request_"),
    [
        ("15 - 12", 3, "How much warmer was it?"),
        ("(12 + 15) / 2", 13.5, "What is the average?"),
        ("8500 - 12", 8488, "How much is left?"),
        ("200 * 6 / 12", 100, "How much sugar do I need for 6 pieces?"),
        ("8500 * 15 / 100", 1275, "How much is left?"),
        ("4 * 12", 48, "How many together?"),
    ],
)
def test_numbers_of_the_text_the_request_and_units_are_not_doubted(calculation, result, request_):
    assert doubts(calculation, result, request_) == []


def test_a_number_that_is_nowhere_is_doubted():
    assert doubts("8500 - 3200", 5300) == ["it was computed with 3200, which neither the request nor a text has"]


def test_less_than_nothing_is_doubted():
    assert doubts("12 - 15", -3) == ["the result is less than 0"]


def test_a_proportion_of_two_numbers_is_doubted():
    request = "How many eggs do I need for 36 pieces?"
    assert doubts("36 / 12", 3, request) == [
        "it was computed with fewer than three numbers, and a proportion has three"
    ]
    assert doubts("4 * 36 / 12", 12, request) == []

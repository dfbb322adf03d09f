"""Numbers in the style of the request's language: 3.500 is three and a half thousand in a German one."""

import pytest

from aeon.llm.interface import LLMResponse
from aeon.memory.kv_store import InMemoryKVStore
from aeon.observability.records import ToolCall
from aeon.plan.models import PlanStep
from aeon.supervisor.answered_run import AnsweredRun
from aeon.supervisor.number_checks import number_doubts
from aeon.supervisor.numerals import find_numbers
from aeon.supervisor.replies import read_solved_plan
from aeon.tools.arithmetic_requests import is_only_arithmetic
from aeon.tools.number_styles import with_english_numerals
from aeon.tools.stubs import builtin_tools
from aeon.tools.text_calculations import calculation_steps


def _computed(tool: str, request: str):
    found = next(each for each in builtin_tools(InMemoryKVStore()) if each.name == tool)
    arguments = found.read_request(request)
    return None if arguments is None else found.invoke(**arguments)["result"]


@pytest.mark.parametrize(
    ("request_", "result"),
    [
        ("Was ist 3.500 - 500?", 3000),
        ("Was ist 1.000 + 2?", 1002),
        ("Wieviel ist 2.500 * 4?", 10_000),
        ("Was ergibt 12.500 / 5?", 2500),
        ("Was ist 1.234,5 * 2?", 2469),
        ("Was ist 3,5 + 1?", 4.5),
        ("Was ist 1.234.567 + 1?", 1_234_568),
        ("Was ist 0.125 * 8?", 1),
        ("Was ist 3.5 + 2.500?", 6),  # the first numeral is in English style
        ("Combien font 1 500 + 2,5 ?", 1502.5),
        ("Combien font 3\u202f500 - 500 ?", 3000),
        ("3\u00a0500 - 500", 3000),
        ("What is 1,500 * 2?", 3000),
        ("What is 2.500 * 4?", 10),
        ("2.500 * 4", 10),
    ],
)
def test_the_calculator_reads_numbers_in_the_style_of_the_language(request_, result):
    assert _computed("calculator", request_) == result


@pytest.mark.parametrize(
    ("tool", "request_", "result"),
    [
        ("exact", "Was sind 8 % von 2.500?", "200"),
        ("exact", "Was ist die Wurzel aus 1.600?", "40"),
        ("exact", "Was ist 1.500/3 + 2/3 als Bruch?", "1502/3"),
        ("convert_units", "1.500 Meilen in Kilometer", 2414.016),
        ("convert_units", "Wie viele Stunden sind 1.500 Minuten?", 25),
        ("convert_units", "26,2 Meilen in km", 42.1648128),
        ("convert_units", "1.500 miles in km", None),  # the model reads it
        ("date_math", "Welches Datum ist 1.000 Tage nach 1.1.2026?", "2028-09-27"),
        ("date_math", "Welcher Tag ist 10.05.2026 plus 3 Tage?", None),
    ],
)
def test_other_tools_do_too(tool, request_, result):
    assert _computed(tool, request_) == result


def test_dates_times_and_arguments_of_functions_stay_as_they_are():
    text = "Was ist ggT(12,18) am 24.12.2026 um 8:30 Uhr?"
    assert with_english_numerals(text) == text


def test_a_solution_of_a_german_request_groups_with_points():
    reply = LLMResponse(text="Es bleiben 3.500 - 500 = 3.000 Euro.\nAntwort: 3.000", finish_reason="stop")
    plan = read_solved_plan(reply, ["calculator"], "Ich habe 3.500 Euro und zahle 500. Wie viel bleibt?")
    assert plan is not None
    assert plan["steps"][-1]["arguments"] == {"expression": "3500 - 500"}


def test_a_calculation_from_a_german_text_groups_with_points():
    (_, compute) = calculation_steps("Wie viel ist vom Budget noch übrig?", {})
    tool = next(each for each in builtin_tools(InMemoryKVStore()) if each.name == compute["tool"])
    arguments = {**compute["arguments"], "calculation": "1.200 - 450"}
    assert tool.invoke(**arguments) == {"result": 750}


def _doubts(request: str, expression: str, result: float) -> list[str]:
    computed = {"arguments": {"expression": expression}, "step_id": "s1"}
    step = PlanStep(description="compute", tool="calculator", **computed)
    call = ToolCall(tool_name="calculator", result={"result": result}, timestamp="2026-01-01T00:00:00Z", **computed)
    results = {"s1": {"result": result}}
    return number_doubts(AnsweredRun(request, [step], [call], results, is_planned=True, is_written=False))


@pytest.mark.parametrize("request_", ["Was ist 3.500 - 500?", "Combien font 3 500 - 500 ?", "3\u202f500 - 500"])
def test_the_checks_of_an_answer_find_its_numbers_in_the_request(request_):
    assert _doubts(request_, "3500 - 500", 3000) == []


def test_a_french_calculation_is_planned_without_a_model():
    assert is_only_arithmetic("Combien font 3 500 - 500 ?")


def test_a_calculation_in_the_other_style_is_doubted():
    doubts = _doubts("Was ist 3.500 - 500?", "3.500 - 500", -496.5)
    assert doubts == ["code reads 3500 - 500 in the request, and no result is 3000"]


def test_a_number_with_a_space_that_breaks_no_line_is_one_number():
    assert find_numbers("Cela fait 3\u202f000,5 euros.") == {3000.5}

"""Numbers that are computed from a text: which requests ask for one, and the calculation in a model's words."""

import pytest

from aeon.base.errors import ToolError
from aeon.tools.text_calculations import CalculateFromTextTool, asks_proportion, asks_to_calculate, calculation_in


@pytest.mark.parametrize(
    "request_",
    [
        "How much of the budget is left?",
        "How much too high is the invoice?",
        "How much sugar do I need for 6 pieces?",
        "What is the total price of the order, with delivery?",
        "How much do the brushes cost together?",
        "What is the average temperature?",
        "whats the average temperature over these days",
        "Add up the prices.",
        "What do all items cost in total?",
        "Was kostet alles zusammen?",
        "How much warmer was Tuesday than Monday?",
        "How many more guests come from Oslo than from Bergen?",
        "Wie viel kostet die Wohnung insgesamt?",
        "Wie viel mehr zahlt er als sie?",
        "Wie viele Eier brauche ich für 36 Stück?",
        "Um wie viel ist die Rechnung zu hoch?",
        "Wie hoch ist die Differenz?",
    ],
)
def test_a_number_that_follows_from_others_is_to_be_calculated(request_):
    assert asks_to_calculate(request_)


@pytest.mark.parametrize(
    "request_",
    [
        "How much is the delivery?",
        "How many eggs are in the cake?",
        "Who pays the rest?",
        "Who paid the largest total?",
        "What does this word mean?",
        "Wer war insgesamt anwesend?",
        "How many minutes passed in total?",
        "How long does it take altogether?",
        "When is the total due?",
        "Summarise how much is left.",
        "Wie viel zahlt Herr Petersen?",
        "Wie viele Tage bleiben noch übrig?",
        "Schreibe, wie viel übrig ist.",
    ],
)
def test_what_stands_in_the_text_is_a_time_or_is_to_be_written_is_not(request_):
    assert not asks_to_calculate(request_)


@pytest.mark.parametrize(
    ("said", "expression"),
    [
        ("149 - 129", "149 - 129"),
        ("8,500 - 3,200 = 5,300", "8500 - 3200"),
        ("200 g * 6 / 12 = 100 g", "200 * 6 / 12"),
        ("(3 * 24.90) + (2 * 6.50) + 7.90", "( 3 * 24.90 ) + ( 2 * 6.50 ) + 7.90"),
        ("`640 + 135 + 58`", "640 + 135 + 58"),
        ("640 Euro + 135 Euro", "640 + 135"),
        ("\n\n12 / 4\nThat is 3.", "12 / 4"),
        ("The total is 64 EUR.", "64"),
        ("Cannot: the text does not say that.", None),
        ("between 3 and 4", None),
        ("", None),
    ],
)
def test_the_calculation_is_taken_from_the_words_around_it_and_not_its_result(said, expression):
    assert calculation_in(said) == expression


def test_the_tool_computes_what_the_model_stated_wrongly():
    tool = CalculateFromTextTool()
    assert tool.invoke(calculation="149 - 129 = 2000") == {"result": 20}
    assert not tool.suits("Calculate, please")
    with pytest.raises(ToolError, match="gave no calculation: Cannot"):
        tool.invoke(calculation="Cannot: the text does not say that.")
    with pytest.raises(ToolError, match="gave no calculation: 4 / 0"):
        tool.invoke(calculation="4 / 0")


def test_what_is_needed_for_another_number_is_a_proportion():
    assert asks_proportion("How many eggs do we need for 36 pieces?")
    assert asks_proportion("Wie viel Mehl brauche ich für 5 Gäste?")
    assert not asks_proportion("How much is left?")

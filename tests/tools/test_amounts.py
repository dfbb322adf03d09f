"""Amounts of two parts, fractions and small numbers in words are read as one number."""

import pytest

from aeon.tools.amounts import as_single_numbers
from aeon.tools.stubs.convert_units import ConvertUnitsTool


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2 1/2 US cups", "2.5 US cups"),
        ("1½ miles", "1.5 miles"),
        ("3 2/3 cups", "11/3 cups"),
        ("2 4/4 cups", "3 cups"),
        ("5 foot 11", "71 inches"),
        ("I'm 5'11\" tall", "I'm 71 inches tall"),
        ("6 Fuß 2", "74 inches"),
        ("5 feet and 3 inches", "63 inches"),
        ("5 ft 3 in cm", "63 inches in cm"),
        ("5 ft 3 in in cm", "63 inches in cm"),
        ("12 stone 7", "175 pounds"),
        ("12 st 7 lb", "175 pounds"),
        ("8 pounds 3 ounces", "131 ounces"),
        ("eight pounds and three ounces in kg", "131 ounces in kg"),
        ("seconds in two weeks", "seconds in 2 weeks"),
        ("sechs Wochen", "6 Wochen"),
    ],
)
def test_an_amount_of_two_parts_is_one_number(text, read):
    assert as_single_numbers(text) == read


@pytest.mark.parametrize(
    "text",
    ["5 feet in m", "on 1/2/2024", "5 feet 3 %", "5 feet 12", "12 stone", "5 ft 11:30", "5 ft 3.25", "one of the two"],
)
def test_what_is_no_such_amount_stays_as_it_is(text):
    assert as_single_numbers(text) == text


@pytest.mark.parametrize(
    ("request_", "value", "source", "target"),
    [
        ("recipe says 2 1/2 US cups of milk, how many ml is that roughly", 2.5, "cups", "ml"),
        ("seconds in two weeks", 2, "weeks", "seconds"),
        ("how tall is 6'2 in cm", 74, "inches", "cm"),
        ("minutes in a week", 1, "week", "minutes"),
        ("ounces in a pound", 1, "pound", "ounces"),
        ("My grandad always says he weighs 12 stone 7. What's that in kilos?", 175, "pounds", "kilos"),
        ("how many cm is 5'11\"?", 71, "inches", "cm"),
        ("Wie viele Zentimeter sind 6 Fuß 2?", 74, "inches", "Zentimeter"),
        ("I drank three pints, what is that in litres?", 3, "pints", "litres"),
    ],
)
def test_a_request_for_their_conversion_is_read_by_code(request_, value, source, target):
    assert ConvertUnitsTool().read_request(request_) == {"value": value, "from": source, "to": target}


@pytest.mark.parametrize("request_", ["people in 3 cities", "I ran 2 miles and then 3 miles, what is that in km?"])
def test_a_request_for_more_than_a_conversion_is_not(request_):
    assert ConvertUnitsTool().read_request(request_) is None

"""The unit conversion tool."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import ToolError
from aeon.tools.stubs.convert_units import ConvertUnitsTool

KINDS = [
    ("meter", "mile", "inch", "Zoll", "km", "yard", "Seemeilen"),
    ("gram", "pound", "ounce", "Pfund", "stone", "Tonnen"),
    ("liter", "gallon", "cups", "Esslöffel", "fl oz", "m³"),
    ("°C", "Fahrenheit", "kelvin"),
    ("km/h", "mph", "m/s", "Knoten"),
    ("joule", "kWh", "kcal"),
]


def convert(value, source, target):
    tool = ConvertUnitsTool()
    arguments = {"value": value, "from": source, "to": target}
    assert tool.validate_input(**arguments)
    result = tool.invoke(**arguments)
    assert tool.validate_output(result)
    assert result["unit"] == target
    return result["result"]


@pytest.mark.parametrize(
    ("value", "source", "target", "result"),
    [
        (5, "miles", "km", 8.04672),
        (3, "Meilen", "Kilometer", 4.828032),
        (32, "°F", "°C", 0),
        (20, "Celsius", "Fahrenheit", 68),
        (-40, "C", "F", -40),
        (300, "K", "degC", 26.85),
        (100, "km/h", "mph", 62.1371192237),
        (5, "Pfund", "kg", 2.5),
        (5, "pounds", "kg", 2.26796185),
        (3, "Zentner", "kg", 150),
        (27, "Zoll", "cm", 68.58),
        (2, "cups", "ml", 473.176473),
        (1, "kWh", "joule", 3_600_000),
        (1, "square feet", "m^2", 0.09290304),
        (500, "MB", "GB", 0.5),
        (0.1, "inch", "cm", 0.254),
        (3, "hours", "seconds", 10_800),
    ],
)
def test_conversions(value, source, target, result):
    assert convert(value, source, target) == result


@pytest.mark.parametrize(
    ("value", "source", "target", "problem"),
    [
        (5, "milse", "km", "there is no unit 'milse'; did you mean 'mile'"),
        (5, "km", "Meiln", "did you mean 'meile"),
        (5, "qqqqqq", "km", "there is no unit 'qqqqqq'; write its English name"),
        (5, "miles", "kg", r"'miles' \(length\) cannot become 'kg' \(mass\)"),
        (5, "USD", "EUR", "currency; its rate changes"),
        (5, "$", "kg", "currency"),
        (-500, "celsius", "K", "below absolute zero"),
        (1e308, "light_year", "nm", "has no value"),
        (1, "9 m", "m", "there is no unit"),
        (1, "m**9**9**9**9", "m", "there is no unit"),
        (1, "m^99999999", "m", "there is no unit"),
        (1, "((((((((((((m", "m", "there is no unit"),
        (1, "__import__('os')", "m", "there is no unit"),
        (1, " ", "m", "there is no unit"),
    ],
)
def test_what_cannot_be_converted_is_refused_with_its_reason(value, source, target, problem):
    with pytest.raises(ToolError, match=problem):
        convert(value, source, target)


@given(
    st.sampled_from(KINDS).flatmap(lambda names: st.tuples(st.sampled_from(names), st.sampled_from(names))), st.data()
)
def test_there_and_back(names, data):
    value = data.draw(st.floats(0, 1e9) | st.integers(0, 10**9))
    there = convert(value, *names)
    assert math.isclose(convert(there, *reversed(names)), value, rel_tol=1e-9, abs_tol=1e-6)


@given(st.text(min_size=1, max_size=40))
def test_no_unit_breaks_the_tool(text):
    try:
        ConvertUnitsTool().invoke(**{"value": 1, "from": text, "to": "m"})
    except ToolError:
        return

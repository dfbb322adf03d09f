"""Conversion between units of measurement by pint, with English and German names."""

from fractions import Fraction
from functools import cache
from typing import Any, cast

from aeon.base.lazy_pattern import LazyPattern

_NAMES = {
    "degC": "°c|c|celsius|grad celsius|grad|degrees celsius|degree celsius",
    "degF": "°f|f|fahrenheit|grad fahrenheit|degrees fahrenheit|degree fahrenheit",
    "mile": "meile|meilen",
    "nautical_mile": "seemeile|seemeilen",
    "inch": 'zoll|"',
    "foot": "fuß|fuss|'",
    "centimeter": "zentimeter",
    "pound": "lbs",
    "pfund": "pfund",
    "zentner": "zentner",
    "ounce": "unze|unzen",
    "gram": "gramm",
    "kilogram": "kilo|kilos|kilogramm",
    "milligram": "milligramm",
    "metric_ton": "tonne|tonnen|tonnes",
    "fluid_ounce": "fl oz|fl. oz.|fluid ounce|fluid ounces",
    "centiliter": "zentiliter",
    "cup": "tasse|tassen",
    "tablespoon": "esslöffel|el|tbsp",
    "teaspoon": "teelöffel|tl|tsp",
    "gallon": "gallone|gallonen",
    "kilometer/hour": "stundenkilometer|kmh|kph|km per hour|km pro stunde|kilometer pro stunde|kilometern pro stunde",
    "meter/second": "meter pro sekunde|metern pro sekunde",
    "knot": "knoten|kn|kt|kts",
    "meter**2": "quadratmeter|qm|sqm",
    "kilometer**2": "quadratkilometer|sqkm",
    "foot**2": "sq ft|sqft|quadratfuß",
    "meter**3": "kubikmeter",
    "hectare": "hektar",
    "second": "sekunde|sekunden",
    "millisecond": "millisekunde|millisekunden",
    "minute": "minuten",
    "hour": "stunde|stunden",
    "day": "tag|tage|tagen",
    "week": "woche|wochen",
    "year": "jahr|jahre|jahren",
    "metric_horsepower": "ps",
    "kilowatt_hour": "kilowattstunde|kilowattstunden",
    "calorie": "kalorie|kalorien",
    "kilocalorie": "kilokalorie|kilokalorien",
}
"""Pint's unit, and the names for it that pint lacks or uses for something else ("F" is a farad there)."""
_GERMAN_UNITS = ("pfund = 500 * gram", "zentner = 50 * kilogram")
"""What German means by them, in markets and recipes; the pound of 453.6 g is "pound" or "lb" there too."""
_ALIASES = {alias: unit for unit, aliases in _NAMES.items() for alias in aliases.split("|")}
_COMMON = (
    "meter kilometer centimeter millimeter mile yard foot inch nautical_mile gram kilogram milligram pound ounce "
    "stone metric_ton liter milliliter gallon quart pint cup tablespoon teaspoon fluid_ounce kelvin celsius "
    "fahrenheit mph km/h knot second minute hour day week month year hectare acre joule kilojoule calorie "
    "kilocalorie watt kilowatt horsepower kilowatt_hour pascal hectopascal bar psi atmosphere volt ampere byte "
    "kilobyte megabyte gigabyte terabyte degree radian hertz newton"
)
"""Names among which the closest one is looked for."""
_CURRENCIES = (
    "$ € £ ¥ usd eur gbp jpy chf cny inr cad aud dollar dollars euro euros franken francs yen yuan rupees cent "
    "cents bitcoin btc"
)
_WRITTEN = LazyPattern(
    r"""(?:[^\W\d]|[°'"%/ ().·²³-]|\*{1,2}[1-4]?(?!\s*[\d*])|\^[1-4](?!\s*[\d*^])|[1-4](?![\d*^])){1,40}"""
)
"""No scale, and no power that would take long to compute."""
_DIGITS = 12
"""Significant digits of a result; a float has a few more, with errors of rounding."""


class UnitError(ValueError):
    """A unit is unknown, or two do not measure the same kind of thing."""


def convert(value: float, source: str, target: str) -> float:
    """Returns `value` of the unit `source` in the unit `target`. Raises UnitError, which says what is wrong."""
    from pint import DimensionalityError

    units = [_unit(name) for name in (source, target)]
    try:
        quantity = _registry().Quantity(Fraction(repr(value)), units[0])
        number = float(f"{float(quantity.to(units[1]).magnitude):.{_DIGITS}g}")
        is_too_cold = quantity.check("[temperature]") and quantity.to("kelvin").magnitude < 0
    except DimensionalityError:
        kinds = [_kind_of(unit) for unit in units]
        raise UnitError(f"{source!r} ({kinds[0]}) cannot become {target!r} ({kinds[1]})") from None
    except (ArithmeticError, ValueError) as error:
        raise UnitError(f"{value!r} {source} has no value in {target}") from error
    if is_too_cold:
        raise UnitError(f"{value!r} {source} is below absolute zero")
    return int(number) if number.is_integer() and abs(number) < 10**_DIGITS else number


def is_currency(name: str) -> bool:
    """Whether a unit is a currency, which has no fixed rate."""
    return name.strip().casefold() in _CURRENCIES.split()


def _unit(name: str) -> Any:
    """Pint's unit of that name. Raises UnitError."""
    plain = " ".join(name.split())
    if is_currency(plain):
        raise UnitError(f"{name!r} is a currency; its rate changes, and no live rates are known here")
    for candidate in (_ALIASES.get(plain.casefold()), plain, plain.lower()):
        if candidate and _WRITTEN.fullmatch(candidate) and (unit := _parsed(candidate)) is not None:
            return unit
    from difflib import get_close_matches

    close = get_close_matches(plain.casefold(), [*_COMMON.split(), *_ALIASES], n=1)
    advice = f"; did you mean {close[0]!r}?" if close else "; write its English name, such as 'kilometer'"
    raise UnitError(f"there is no unit {name!r}{advice}")


def _parsed(name: str) -> Any:
    try:
        unit = _registry().parse_units(name)
    except Exception:  # noqa: BLE001  # pint raises errors of many kinds, of Python's tokenizer too
        return None
    return None if unit == _registry().dimensionless else unit


def _kind_of(unit: Any) -> str:
    """The dimensions of a unit: "length / time^2"; pint cannot write those with exponents that are fractions."""
    parts = {name.strip("[]"): power for name, power in unit.dimensionality.items()}
    over, under = (
        " * ".join(
            name + ("" if abs(power) == 1 else f"^{abs(power)}") for name, power in parts.items() if power * sign > 0
        )
        for sign in (1, -1)
    )
    return f"{over or '1'} / {under}" if under else over or "a number"


@cache
def _registry() -> Any:
    """Pint's registry of units; reading its definitions takes about a fifth of a second."""
    from pint import UnitRegistry

    registry = cast(Any, UnitRegistry)(non_int_type=Fraction)  # exact: 32 degF is 0 degC, not 5.7e-14
    for definition in _GERMAN_UNITS:
        registry.define(definition)
    return registry

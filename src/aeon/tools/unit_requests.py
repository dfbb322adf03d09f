"""Patterns for requests that ask for a conversion of units, in English and German."""

import re
from functools import cache
from typing import Final

from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.amounts import as_single_numbers
from aeon.tools.arithmetic_requests import has_number_word
from aeon.tools.date_requests import MAX_REQUEST, plain_text
from aeon.tools.number_styles import with_english_numerals

CONVERT_UNITS: Final = "convert_units"
"""The tool that converts units."""

_SYMBOLS = (
    "km/h|m/s|mph|kmh|km²|m²|cm²|m³|ft²|km\\^2|m\\^2|mm|cm|dm|km|m|mi|yd|ft|mg|g|kg|lbs?|oz|ml|cl|dl|l|fl oz|gal|ha"
    "|°[cfk]|[cfk]|kwh|wh|kw|w|hp|ps|kcal|cal|kj|j|hpa|pa|bar|psi|mb|gb|tb|kb|kn"
)
_WORDS = (
    "(?:kilomet(?:er|re)[sn]?|km|miles?) (?:per hour|pro stunde)|met(?:er|re)[sn]? (?:per second|pro sekunde)"
    "|(?:kilo|centi|zenti|milli|quadrat|kubik|quadratkilo)?met(?:er|re)[sn]?|miles?(?: per hour)?|mi|meilen?|yards?|foot|feet"
    "|inch(?:es)?|(?:nautical|square) miles?|seemeilen?|zoll|fuß|fuss|light[ -]years?|lichtjahre?"
    "|kilos?|(?:kilo|milli)?gram(?:s|mes|me|m)?|pounds?|pfund|zentner|ounces?|unzen?|stone|(?:metric )?ton(?:s|nes|nen|ne)?"
    "|(?:milli|centi|zenti)?lit(?:er|re)[sn]?|gallons?|gallonen?|quarts?|pints?|cups?|tassen?|tablespoons?|teaspoons?"
    "|esslöffel|teelöffel|tbsp|tsp|fluid ounces?|hectares?|hektar|acres?|(?:square|cubic) (?:kilo|centi)?(?:met(?:er|re)s?|feet|inch(?:es)?)"
    "|(?:degrees? |grad )?(?:celsius|fahrenheit)|kelvin|(?:kilo)?joules?|(?:kilo)?(?:calories?|kalorien?)|(?:kilo)?watts?"
    "|(?:kilo)?watt(?:stunden?|[ -]hours?)|horsepower|pascal|(?:kilo|mega|giga|tera)?bytes?|knots?|knoten|stundenkilometer"
)
_CURRENCY = "usd|eur|gbp|jpy|chf|dollars?|euros?|franken|yen|[$€£]"
_TIME = "(?:milli)?seconds?|secs?|(?:milli)?sekunden?|minutes?|mins?|minuten?|hours?|hrs?|stunden?|days?|tage?n?|weeks?|wochen?|fortnights?"
"""Without months and years, whose lengths differ."""
_AMOUNT = r"(?<![\w.,/])-?(?:\d{1,4}/[1-9]\d{0,3}(?![\d/])|\d[\d.,]*)"
_PARTS = {
    "number": _AMOUNT,
    "unit": rf"(?:{_WORDS}|{_SYMBOLS}|{_CURRENCY})(?![\w/^²³])",
    "amount": rf"(?:{_AMOUNT}|\b(?:half an?|an?|one|eine?[nmr]?(?: halbe[rnm]?)?|ein halbe[rs]))(?: (?:us|uk|imperial))?",
    "spoken": r"(?:half an?|an?|one|eine?[nmr]?(?: halbe[rnm]?)?|ein halbe[rs])(?= )",
    "time": rf"(?:{_TIME})(?![\w/^²³])",
    "any": rf"(?:{_WORDS}|{_SYMBOLS}|{_CURRENCY}|{_TIME})(?![\w/^²³])",
}
_CONVERSION = "(?:to|in|into|as|nach|zu|=|are how many|is how many|sind wie ?viele?|ist wie ?viel)"
_ASKS = (
    # 5 miles in km; 20 °C to °F; 5 feet 3 inches is not one value
    rf"<amount>\s*<unit> {_CONVERSION} (?:how many |wie viele? )?<unit>\s*"
    r"(?:[?.!,]|$|\b(?:and|und|um|please|pls|bitte)\b|umgerechnet)",
    r"<number>\s*<unit>.*\b(?:is|ist|misst|measures|reads|zeigt) (?:only |nur )?in <unit>",
    # How many kilometers are 5 miles; how many cups in a liter; wie viele Zoll sind 2 Meter; what is ... in
    r"\b(?:how (?:many|much)|wie ?viele?) <unit> (?:are|is|in|make|equal|does|do|sind|ist|hat|haben|ergeben|entsprechen|entspricht|gibt)\b"
    r"(?: there)?(?: in| make)?.*?(?:<number>|\b(?:a|an|one|ein|eine|einem|einer))\s*<unit>",
    r"\b(?:convert|umrechnen|rechne|wandle|umwandeln|turn|change)\b.*<number>\s*<any>.*\b(?:to|into|in|nach)\b.*?(?<!\w)<any>",
    rf"<number>\s*<unit>.*\b(?:that|this|it|das) {_CONVERSION} <unit>|<number>\s*<unit>.*\bhow many <unit> is (?:that|this|it)\b",
    r"\b(?:convert|umrechnen)\b.*(?<!\w)<any> (?:to|into|in|nach) <any>",
    # How many minutes are in 3 hours; the number of seconds in a day
    r"\b(?:how many|wie ?viele?|number of) <time> (?:are|is|in|make|sind|ist|hat|haben|ergeben|entsprechen)\b"
    r"(?: there)?(?: in)? (?:<number>|an?|one|eine?[mnr]?)\s*<time>\s*(?:[?.!,]|$|\b(?:please|pls|bitte)\b)",
    r"^<number>\s*<time> (?:to|in|into|as|nach) <time>\W*$",
    r"\b(?:how (?:hot|cold|far|heavy|long|tall|fast|warm|big)|wie (?:warm|weit|schwer|lang|hoch|schnell|groß|kalt))\b.*<number>\s*<unit> in <unit>",
)
_FORM = (
    rf"(?:what(?:'s| is| are)? |convert |how much is |how much are |how (?:tall|long|far|heavy|hot|cold|fast|high) (?:is|are) |was sind |wie viel (?:ist|sind) |rechne |wandle |umrechnen:? )?"
    rf"(?P<value><number>|<spoken>)\s*(?:us )?(?P<from><unit>) {_CONVERSION} (?P<to><unit>)(?: um)?",
    r"how (?:many|much) (?P<to><unit>) (?:are|is|in|are there in|are in|is in) (?P<value><number>)\s*(?P<from><unit>)",
    r"wie ?viele? (?P<to><unit>) (?:sind|ist|ergeben|entsprechen) (?P<value><number>)\s*(?P<from><unit>)",
    r"(?:how many|wie ?viele?|(?:what is )?(?:the )?number of) (?P<to><time>) "
    r"(?:are|is|in|make|are there in|are in|is in|sind|ist|sind in|hat|haben|ergeben|entsprechen) "
    r"(?P<value><number>|an?|one|eine?[mnr]?)\s*(?P<from><time>)",
    r"(?:convert |what is |what's |rechne )?(?P<value><number>)\s*(?P<from><time>) (?:to|in|into|as|nach) (?P<to><time>)(?: um)?",
    r"(?P<to><any>) (?:in|are in|is in) (?P<value><number>|an?|one)\s*(?P<from><any>)",
)
_STORY = (
    r"\D*?(?P<value><number>)\s*(?:us )?(?P<from><any>)\D*?\b(?:how many|wie ?viele?) (?P<to><any>) "
    r"(?:is|are|sind|ist|would) (?:that|this|it|das|es)(?: be)?",
    r"\D*?(?P<value><number>)\s*(?:us )?(?P<from><any>)\D*?"
    r"\b(?:what(?:'s| is| are)|was (?:ist|sind|wären)|wie ?viel (?:ist|sind)) (?:that|this|it|das|es) in (?P<to><any>)",
)
"""I trained for 450 minutes this month, how many hours is that?"""
_QUANTITY = (
    r"<number>\s*(?:<any>|%|percent\b|prozent\b)|\b\d{1,2}:\d\d\b"
    r"|\b(?:half an?|a half|three quarters of an?|a quarter of an?|halbe[rnsm]?|viertel|dreiviertel|anderthalb\w*) <any>"
)
_MULTIPLIED = LazyPattern(
    r"\b(?:each|every|per|daily|weekly|an? (?:day|week|month|year)|times|half|twice|double|and|jede\w*|pro|täglich"
    r"|wöchentlich|mal|halb\w*|doppelt\w*|und)\b",
    re.IGNORECASE,
)
"""Words with which more than the one value counts."""
_ROUGHLY = LazyPattern(r"\b(?:roughly|approximately|approx\.?|ungefähr|circa|ca\.|etwa) ?", re.IGNORECASE)
_ASIDE = LazyPattern(r", (?:for|für) (?:my|the|a|mein\w*|den|die|das) \w+$", re.IGNORECASE)
"""What may follow a request without a meaning for it."""


def asks_conversion(request: str) -> bool:
    """Whether a request asks for a value in another unit, or in another currency."""
    return any(_compiled(pattern).search(_plain(request)) for pattern in _ASKS)


def count_quantities(request: str) -> int:
    """How many numbers with a unit, percentages and clock times a request has."""
    return len(_compiled(_QUANTITY).findall(_plain(request)))


def asks_unit(request: str) -> bool:
    """Whether a request asks how many of a unit there are: "how many weeks is that"."""
    return _compiled(r"\b(?:how many|wie ?viele?) <any>").search(_plain(request)) is not None


def read_conversion(request: str) -> dict[str, str] | None:
    """The value and the two units of a request that asks for nothing else, as texts by `value`, `from` and `to`."""
    text = _ASIDE.sub("", _plain(request).rstrip("?.! "))
    is_story = not _MULTIPLIED.search(text) and not has_number_word(text)
    forms = (*_FORM, *_STORY) if is_story else _FORM
    found = (_compiled(form.replace("<from>", "<from_>")).fullmatch(text) for form in forms)
    groups = next((match.groupdict() for match in found if match), None)
    if groups is None:
        return None
    spoken = "0.5" if "hal" in groups["value"].casefold() else "1"  # "half a litre", "in a day"
    value = groups["value"] if groups["value"][-1].isdigit() else spoken
    return {"value": value, "from": groups["from_"], "to": groups["to"]}


def _plain(request: str) -> str:
    return as_single_numbers(with_english_numerals(_ROUGHLY.sub("", plain_text(request))))[:MAX_REQUEST]


@cache
def _compiled(text: str) -> re.Pattern[str]:
    """The pattern `text`, with the names of `_PARTS` such as <unit> in place of their patterns."""
    for name, pattern in _PARTS.items():
        text = text.replace(f"<{name}>", pattern)
    return re.compile(text, re.IGNORECASE)

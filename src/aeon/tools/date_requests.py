"""Patterns for the requests that the date tools suit, and for those whose arguments code can read."""

import re
from functools import cache

from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.moments import DURATION_UNIT, FEAST_OF_YEAR, MONTH_NAMES, NAMED_DAYS, NTH_WEEKDAY, NUMBER

MAX_REQUEST = 300
"""Characters of a request that are searched."""

_MONTH = "(?:" + "|".join(MONTH_NAMES) + ")"
_DATED = (
    r"\d{4}-\d\d?-\d\d?|\d{1,2}/\d{1,2}/\d{4}|\d{1,2}\.\s?\d{1,2}\.(?:\s?\d{4})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{_MONTH}\b\.?(?:,?\s+\d{{4}})?"
    rf"|{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}})?"
)
_NAMED = "|".join(sorted(map(re.escape, NAMED_DAYS), key=len, reverse=True))
CLOCK_TIME = r"(?:\d{1,2}:\d\d(?:\s*(?:am|pm|uhr)\b)?|\d{1,2}\s*(?:am|pm|uhr)\b)"
"""A pattern for a clock time."""
_LENGTH = rf"(?>\d+:\d\d|{NUMBER}(?:(?<=\d)\s*|\s+){DURATION_UNIT}(?![^\W\d_])\.?(?:(?<=\dh)[0-5]\d(?!\w|\s*m))?)"
"""A pattern for an amount of one unit. It and `_PARTS` are atomic: read in one way only, so that no text takes long."""
_PARTS = {
    "moment": "(?:<day>(?:,? (?:at |um )?<clock>)?|<clock>)",
    "day": rf"(?:(?:the\s+|dem\s+|den\s+|der\s+|next\s+)?(?<!\w)(?:{_DATED}|(?:{NTH_WEEKDAY}|{FEAST_OF_YEAR}|{_NAMED})(?!\w)))",
    "clock": CLOCK_TIME,
    "length": rf"(?<!\w){_LENGTH}",
    "lengths": rf"(?<!\w)(?>{_LENGTH}(?:(?>(?:\s|,|and\b|und\b)*){_LENGTH})*)",
    "unit": rf"(?<!\w){DURATION_UNIT}(?!\w)",
}
_ASKS_NOW = (
    r"\bwhat(?:'s| is|s)? (?:the )?(?:current |local |exact )*(?:time|date|day|weekday|time ?zone)(?: and time)?"
    r"(?: is it| is today| is it today| of the week is it| of the week is it today| today| now| right now)*\s*(?:[?.!]|$)"
    r"|\bwhat (?:day|weekday|date) (?:of the week )?is (?:it |today)|\bwhich (?:week|day|weekday|calendar week|iso week) (?:is (?:it|this)|are we in)"
    r"|\b(?:what|which) (?:calendar |iso )?week (?:number )?(?:of the year )?(?:is it|are we in)|\b(?:current|today'?s|local) (?:date|time|weekday|time zone|iso week|calendar week|week)\b"
    r"|\btell me the (?:time|date)\b|\bwie sp(?:ä|ae)t (?:ist es|haben wir)|\bwie viel uhr\b|\bwieviel uhr\b"
    r"|\b(?:welche[rsn]?|was f(?:ü|ue)r ein) (?:tag|datum|wochentag|kalenderwoche|uhrzeit|woche|zeitzone) (?:ist|haben|sind|haben wir)\b(?! (?:in|am|der|das) \d)"
    r"|\b(?:aktuelle[nrs]?|heutige[nrs]?|jetzige[nrs]?) (?:datum|uhrzeit|zeit|wochentag|kalenderwoche|tag)|\bden wievielten haben wir"
)
_ELSEWHERE = (
    r"\bin (?!UTC)(?-i:[A-ZÄÖÜ])\w+|\bin (?:the )?\d|\b(?:days?|weeks?|tage?n?|wochen?)\s+(?:after|before|from|later|ago)\b"
    rf"|{_DATED}|\b(?:nach|vor|bis|seit) \w"
)
_ONLY_NOW = (
    r"what(?:'?s| is)? (?:the |today'?s )?(?:current )?(?:time|date|day|weekday)(?: is it| is today| today| now| is it today)*"
    r"|wie sp(?:ä|ae)t ist es|wie viel uhr ist es|welche[rs] (?:tag|datum|wochentag) (?:ist heute|haben wir heute)"
    # Spanish, French
    r"|(?:a |en )?qu[ée] (?:d[íi]a|fecha|hora|a[ñn]o|mes)(?: de la semana)? (?:es|estamos|tenemos)(?: hoy| ahora| ahora mismo)?"
    r"|a cu[áa]ntos estamos(?: hoy)?|cu[áa]l es la fecha (?:de hoy|actual|hoy)"
    r"|(?:on est |c['\u2019]est |il est )quel(?:le)? (?:jour|date|heure|mois)(?: aujourd['\u2019]hui)?"
    r"|(?:en )?quel(?:le)? (?:jour|date|heure|ann[ée]e|mois)(?: de la semaine)? (?:est-il|est-on|est-ce|sommes-nous|on est|est)"
    r"(?: aujourd['\u2019]hui| maintenant)?|quelle est la date (?:d['\u2019]aujourd['\u2019]hui|aujourd['\u2019]hui|du jour)"
    # Italian, Dutch, Portuguese
    r"|(?:in )?che (?:giorno|or[ae]|mese|anno) (?:è|sono|siamo)(?: oggi| adesso)?|quanti ne abbiamo(?: oggi)?"
    r"|welke (?:dag|datum|maand) is het(?: vandaag)?|hoe laat is het(?: nu)?|que (?:dia|horas?) (?:é|são)(?: hoje| agora)?"
    # a year or a month in English and German
    r"|(?:what|which) (?:year|month) (?:is it|is this|are we in)(?: now| today)?"
    r"|welche[rsn]? (?:jahr|monat) (?:ist|haben wir)(?: gerade| jetzt| heute| denn)?"
)
"""Whole questions for the present day or time."""
_NOW_IN_PLACE = (
    r"(?:(?:and )?what(?:'?s| is)? (?:the )?(?:current |local )?(?:time|date|day)(?: is it| is today)?(?: right now| now| today)? in "
    r"|(?:current|local) time in |(?:und )?wie (?:sp(?:ä|ae)t|viel uhr) ist es (?:gerade |jetzt )?in |aktuelle (?:uhr)?zeit in )"
    r"(?P<place>[^\W\d][\w .'/-]*?)(?: right now| now| at the moment| gerade| jetzt| today| heute)?(?: please| bitte)?\s*[?.!]*"
)
_ASKS_DATES = (
    # From 8:15 to 16:45: how long is that
    r"<clock>.*<clock>.*\b(?:how long|how many (?:hours|minutes)|wie lange|wie ?viele (?:stunden|minuten))\b|\bin wie ?vielen <unit> ist\b.*<day>",
    # How many days until Christmas; wie viele Wochen zwischen ... und ...; how long from 9:15 to 17:30
    r"\b(?:how many <unit>|how long|how old|wie ?viele? <unit>|wie lange|wie alt)\b.*(?:<day>|<clock>)",
    r"\b(?:difference|count|zähle?|unterschied|differenz|time)\b.*\b(?:between|zwischen|from|until|till|von|bis)\b.*(?:<day>|<clock>)",
    r"\b(?:days|weeks|months|tage|wochen|monate) (?:between|until|till|from|since|zwischen|bis|seit)\b.*<day>",
    # 45 days after 24 November; 3 Wochen vor Weihnachten; subtract 2 weeks from today; today plus 10 days
    r"<length>\W+(?:after|before|from|past|later than|prior to|nach|vor|ab|later|earlier|später|früher)\b.*(?:<day>|<clock>|\bnow\b|\bjetzt\b)",
    r"(?:<day>|<clock>)\s*(?:plus|minus|\+|-|and|und)\s*<length>",
    r"\b(?:add|subtract|addiere|zähle)\b.*<length>.*\b(?:to|from|zu|von)\b.*(?:<day>|<clock>)",
    # What date is in 3 weeks; wann ist in 45 Tagen; what was the date 10 days ago
    r"\b(?:what|which|when|welche[rs]?|was|wann|der wievielte)\b.*\b(?:date|day|weekday|datum|tag|wochentag|wievielte|when|wann)\b.*\b(?:in|vor|after|nach) <length>",
    r"\b(?:what|which|welche[rs]?)\b.*\b(?:date|day|weekday)\b.*<length> (?:ago|from now|later|from today)",
    r"\bwann (?:ist|sind|war|waren|endet|enden)\b.*\b(?:in|vor|nach) <length>",
    # How many days did February have in 2024
    rf"\b(?:how many days|wie ?viele tage)\b.*\b{_MONTH}\b",
    # When is Easter 2027; the last Friday in November 2026
    rf"\b(?:{NTH_WEEKDAY}|{FEAST_OF_YEAR})\b",
    # What weekday is 24 December
    r"\b(?:what|which) (?:week)?day (?:of the week )?(?:is|was|will|does|did|falls?)\b.*(?!today|heute|tomorrow)<day>",
    r"\b(?:weekday|day of the week|wochentag)\b.*(?!today|heute)<day>",
    # Leaves at 14:35 and takes 2 hours 50 minutes
    r"<clock>.*(?:\+|<length>).*\b(?:arrive|when|end|finish|over|what time|ready|wann|fertig|ankunft|zu ende)\b",
    r"\b(?:when|what time|wann|um wie ?viel uhr)\b.*<clock>.*<length>|\b(?:when|wann)\b.*<length>.*<clock>",
    # Serviced on 6 March, and due a year later
    r"<day>.*<length> (?:later|after that|earlier|before that|afterwards|später|danach|davor|früher)\b",
    # Sums of durations
    r"<length>\s*(?:\+|plus)\s*<length>|\d+:\d\d\s*[-+\u2212]\s*\d+:\d\d",
    r"\b(?:sum|add|total|together|summe|addiere|zusammen|insgesamt)\b.*<length>.*(?:,|and|und|\+|to|zu)\s*<length>",
)
_UNTIL = "(?:until|till|to|bis(?: zu[mr]?)?)"
_WEEKDAY = (
    r"(?:(?:on )?(?:what|which) (?:week)?day(?: of the week)? (?:is|was|will|does|did)"
    r"|(?:an )?(?:welcher?m?|was für ein) (?:wochen)?tag (?:ist|war|wird|fällt|fiel)(?: auf)?)"
)
_COUNTED = "(?:(?:working )?days|weeks|months|nights)(?: and (?:days|weeks))?"
_COUNTED_DE = "(?:(?:werk|arbeits)?tage|wochen|monate|nächte)(?: und (?:tage|wochen))?"
_FORMS = (
    rf"(?:(?:on )?(?:what|which) (?:date|day) (?:is|was|will|does)|when (?:is|was|will)) "
    rf"(?P<start>(?:the )?(?:{NTH_WEEKDAY}|{FEAST_OF_YEAR}))(?: be| fall(?: on)?)?",
    rf"(?:wann|an welchem (?:tag|datum)|welches datum) (?:ist|war) (?P<start>(?:der )?(?:{NTH_WEEKDAY}|{FEAST_OF_YEAR}))",
    r"(?:add |what is |addiere )?(?P<one><length>(?:[\s,]+<length>)*+)\s*(?:and|plus|und|\+)\s*(?P<two><lengths>)",
    r"(?:what is |convert |how much is )?(?P<one><lengths>) (?:in|to|into) hours and minutes",
    r"(?:is|was|will) (?:the year )?(?P<days_in>\d{4}) (?:be )?a leap[- ]year(?: or not)?",
    r"(?:ist|war|wird) (?:das jahr )?(?P<days_in>\d{4}) ein schaltjahr(?: sein)?",
    rf"how many days (?:does |has |have |are (?:there )?in |were (?:there )?in |in )?(?P<days_in>{_MONTH} \d{{4}})(?: have| has)?",
    rf"wie ?viele tage (?:hat|hatte) (?:der )?(?P<days_in>{_MONTH} \d{{4}})",
    rf"how many days (?:did|does|will|are (?:there )?in|were (?:there )?in) (?P<month>{_MONTH}) (?:have )?(?:in|of) (?P<year>\d{{4}})",
    rf"wie ?viele tage (?:hat|hatte|hat der|hatte der) (?P<month>{_MONTH}) (?:im jahr )?(?P<year>\d{{4}})",
    r"(?:what|which) (?:date|day|weekday)(?: of the week)? (?:is|was|will be|is it) (?:it )?(?P<start>tomorrow|yesterday)",
    r"(?:what|which) (?:date|day) (?:is|was) (?P<start>the day (?:after tomorrow|before yesterday))",
    r"(?:welche[rs]|was für ein) (?:tag|datum|wochentag) (?:ist|war|haben wir) (?:denn )?(?P<start>morgen|gestern|übermorgen|vorgestern)",
    r"\u00bf?qu[ée] (?:d[íi]a|fecha)(?: de la semana)? (?:es|ser[áa]|fue|era) (?P<start>mañana|ayer)",
    r"(?:on est |on sera |ce sera |c'est )?quel(?:le)? (?:jour|date)(?: est-ce| sera-t-on| est-on| serons-nous| est| sera)? (?P<start>demain)",
    rf"{_WEEKDAY} (?P<start>(?!today|heute|tomorrow|morgen)<day>)(?: be| falls?(?: on)?| sein)?",
    r"(?:add|addiere|what is|was ist|what's)? ?(?P<add><lengths>) (?:to|zu) (?P<start><moment>)",
    r"(?P<before>subtract|take|ziehe) (?P<add><lengths>) (?:from|von) (?P<start><moment>)",
    r"(?:what is |what's |was ist )?(?P<start><moment>) (?:plus|\+) (?P<add><lengths>)",
    r"(?:what time is |what is |when is )?(?P<add><lengths>) (?:after|from|nach|(?P<before>before|vor)) (?P<start><clock>)"
    r"(?: is what time)?",
    r"(?:what is |what's |was ist |how long is )?(?P<one><lengths>) (?P<less>minus|less|weniger) (?P<two><lengths>)",
    r"(?:in )?(?:how many (?:days|weeks|months)|wie ?vielen (?:tagen|wochen|monaten)) (?:is|ist) (?:it )?(?P<until><day>)",
    r"(?:(?:what|which) (?:date|day|weekday) (?:is|was|will be|comes)|when (?:is|was|will be)(?: the (?:day|date))?) (?P<add><lengths>) (?:(?:after|from)|(?P<before>before)) (?P<start><day>|now)",
    r"(?:what|which) (?:date|day) is (?:it )?in (?P<add><lengths>)",
    r"(?:welche[rs]|was für ein) (?:datum|tag|wochentag) (?:ist|war|kommt) (?P<add><lengths>) (?:nach|(?P<before>vor)) (?P<start><day>)",
    rf"how many {_COUNTED} (?:are (?:there )?|is it )?(?:left )?{_UNTIL} (?P<until><day>)",
    rf"wie ?viele {_COUNTED_DE} (?:sind es |ist es )?(?:noch )?{_UNTIL} (?P<until><day>)",
    rf"how many {_COUNTED} (?:exactly )?(?:are (?:there )?|lie )?(?:exactly )?between (?P<start><day>) and (?P<until><day>)",
    rf"(?:how many )?{_COUNTED} (?:are (?:there )?|is it )?from (?P<start><day>) (?:to|until|till) (?P<until><day>)",
    rf"wie ?viele {_COUNTED_DE} (?:liegen |sind (?:es )?)?(?:zwischen (?P<start><day>) und|vo[nm] (?P<since><day>) bis(?: zum)?) (?P<until><day>)",
)

_DAY_OF_WEEK = LazyPattern(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend),? "
    r"(?:the |dem |den |der )?(?=\d)",
    re.IGNORECASE,
)
"""A weekday in front of its date, which says it again."""
_ASIDE = LazyPattern(
    r"^(?:(?:and|und|so|ok|okay|well|also|please|bitte|hey|hi|hello|hallo)\b[,.!]? )+(?=\w)"
    r"|,? (?:please|pls|bitte|thanks|thank you|danke)(?=[.?! ]*$)",
    re.IGNORECASE,
)
"""Words around a question that mean nothing for it."""
_FIRST_DAY = LazyPattern(
    r"[,.?]? \(?(?:(?:please )?(?:do not|don't|not) count(?:ing)? the first day|without the first day"
    r"|wenn man den ersten tag nicht mitzählt|ohne den ersten tag|der erste tag zählt nicht)\)?(?=[.?! ]*$)",
    re.IGNORECASE,
)
"""Says how days are counted here anyway: without the first one."""
_PRESENT = LazyPattern(
    r"\b(today|tonight|tomorrow|yesterday|now|this (?:week|month|year|morning|evening|afternoon)|heute|morgen|gestern"
    r"|jetzt|diese[nmrs]? (?:woche|monat|jahr)|how old|wie alt"
    r"|hoy|mañana|ayer|ahora|est[ea] (?:semana|mes|año)|aujourd['\u2019]hui|demain|maintenant|ce(?:tte)? (?:semaine|mois|année)"
    r"|oggi|domani|ieri|adesso|vandaag|gisteren|hoje|amanhã|agora)\b",
    re.IGNORECASE,
)


def asks_now(request: str) -> bool:
    """Whether a request asks for the present date or time, and not for that of another place or day."""
    return asks_only_now(request) or (_found(_ASKS_NOW, request) and not _found(_ELSEWHERE, request))


def asks_only_now(request: str) -> bool:
    """Whether the whole request is the question for the present date or time."""
    return compiled(_ONLY_NOW).fullmatch(plain_text(request).strip(" \u00bf?!.")) is not None


def read_place_of_now(request: str) -> str | None:
    """The place of a request that is nothing but the question for the present time or date there."""
    found = compiled(_NOW_IN_PLACE).fullmatch(plain_text(request)[:MAX_REQUEST])
    return found["place"] if found else None


def names_the_present(request: str) -> bool:
    """Whether a request speaks of the present day or time, so that who answers it must know them."""
    return _PRESENT.search(request) is not None or asks_now(request)


def asks_dates(request: str) -> bool:
    """Whether a request asks for a date, a time between dates, a weekday, or a sum of durations."""
    return any(_found(pattern, request) for pattern in _ASKS_DATES)


def read_dates(request: str) -> dict[str, str | None] | None:
    """The dates and durations of a request in one of a few usual forms, by the names of their groups."""
    text = _FIRST_DAY.sub("", without_weekdays(plain_text(request))).rstrip("?.! ")
    if len(text) > MAX_REQUEST:
        return None
    found = (compiled(form).fullmatch(text) for form in _FORMS)
    return next((match.groupdict() for match in found if match), None)


def _found(pattern: str, request: str) -> bool:
    return compiled(pattern).search(plain_text(request)[:MAX_REQUEST]) is not None


def plain_text(request: str) -> str:
    """The beginning of a request, with single blanks and straight apostrophes, without "and" before and "please"."""
    return _ASIDE.sub("", " ".join(request[: 2 * MAX_REQUEST].replace("\u2019", "'").split()))


def without_weekdays(text: str) -> str:
    """A text without the weekdays in front of dates: "Thursday 26 November" is "26 November"."""
    return _DAY_OF_WEEK.sub("", text)


@cache
def compiled(text: str) -> re.Pattern[str]:
    """The pattern `text`, with the names of `_PARTS` such as <day> in place of their patterns."""
    for name, pattern in _PARTS.items():
        text = text.replace(f"<{name}>", pattern)
    return re.compile(text, re.IGNORECASE)

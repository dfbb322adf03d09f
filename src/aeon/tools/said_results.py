"""The answer of a run whose last step called a tool: what the request asks for, of all that the tool gives. Pure.

A request in German gets its units, weekdays and what was done in German.
"""

from typing import cast

from aeon.base.binding import as_lines, as_text
from aeon.base.json import Json, JsonObject
from aeon.base.language import language_of
from aeon.tools.date_requests import compiled, plain_text
from aeon.tools.text_requests import TEXT_OPERATION
from aeon.tools.worked_dates import DATE_TOOL

_MINUTES = 60
_QUARTERS = 4
_WORKING_DAYS = r"\b(?:work|working|business)[ -]?days?\b|\b(?:werk|arbeits)tage?n?\b"
_WEEKS = r"\b(?:how many|wie ?viele) (?:weeks|wochen)\b"
_CALENDAR = r"\b(?:how many|wie ?viele) (?:months|years|monate|jahre)\b|\b(?:how old|wie alt|what age)\b"
_NIGHTS = r"\b(?:how many|wie ?viele) (?:nights|nächte)\b"
_HOURS = r"\b(?:how many|wie ?viele) (?:\w+ )?(?:hours|stunden)\b"
_IN_MINUTES = r"\b(?:how many|wie ?viele) (?:\w+ )?(?:minutes|minuten)\b"
_GERMAN = {
    "year": "Jahr",
    "years": "Jahre",
    "month": "Monat",
    "months": "Monate",
    "week": "Woche",
    "weeks": "Wochen",
    "day": "Tag",
    "days": "Tage",
    "nights": "Nächte",
    "hour": "Stunde",
    "hours": "Stunden",
    "minute": "Minute",
    "minutes": "Minuten",
    "later": "später",
    "earlier": "früher",
    "yes": "ja",
    "no": "nein",
    "monday": "Montag",
    "tuesday": "Dienstag",
    "wednesday": "Mittwoch",
    "thursday": "Donnerstag",
    "friday": "Freitag",
    "saturday": "Samstag",
    "sunday": "Sonntag",
}
_FIELDS = {"zone": r"\btime[ -]?zone\b|\bzeitzone\b", "week": r"(?<!of the )\bweek\b|\b(?:kalenderwoche|kw|woche)\b"}
_TIME = r"\b(?:time|uhr|uhrzeit|spät|hora|heure|or[ae]|laat|horas)\b"
_DAY = r"\b(?:date|day|weekday|datum|tag|wochentag|fecha|día|jour|giorno|dag|dia)\b"
_WEEKDAYS = {
    "English": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "German": ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    "French": ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    "Spanish": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
}
_DONE = {"memory_write": ("kept", "gemerkt"), "memory_forget": ("forgotten", "vergessen")}
"""What was done with a stored value, in English and German, by tool."""
_YES_NO = {
    "English": ("yes", "no"),
    "German": ("ja", "nein"),
    "French": ("oui", "non"),
    "Spanish": ("sí", "no"),
}
_LEAP_YEAR = r"\bleap[ -]year\b|\bschaltjahr\b"


def say_result(tool: str | None, result: Json, request: str) -> str:
    """The result of a run's last step as text. Of most tools it is every field."""
    if tool in _DONE and isinstance(result, dict):
        name = as_text(result["key"]).replace("_", " ")
        value = f": {as_text(result['value'])}" if "value" in result else ""
        return f"{name}{value} ({_DONE[tool][language_of(request) == 'German']})"
    if tool == "now" and isinstance(result, dict):
        return _say_now(cast(JsonObject, result), plain_text(request), language_of(request))
    if tool == TEXT_OPERATION and isinstance(result, dict) and isinstance(result["result"], bool):
        return _YES_NO.get(language_of(request) or "", _YES_NO["English"])[not result["result"]]
    if tool != DATE_TOOL or not isinstance(result, dict):
        return as_lines(result)
    answer, language = _say_date(cast(JsonObject, result), plain_text(request)), language_of(request)
    return _in_german(answer) if language == "German" else _with_weekdays(answer, language)


def _say_now(now: JsonObject, asked: str, language: str | None) -> str:
    """What is asked for of the present moment: "2026-11-28 (Saturday)", "13:10, Europe/Lisbon, WET (UTC+00:00)"."""
    if (field := next((field for field, words in _FIELDS.items() if _has(words, asked)), None)) is not None:
        return str(now[field])
    asks_time, asks_day = _has(_TIME, asked), _has(_DAY, asked)
    day = _with_weekdays(f"{now['date']} ({now['weekday']})", language)
    time = f"{str(now['time'])[:5]}, {now['zone']}"
    if asks_time and asks_day:
        return f"{day}, {time}"
    return time if asks_time else day


def _with_weekdays(answer: str, language: str | None) -> str:
    """An answer with its weekdays in a language, if their names in it are known."""
    weekdays = dict(zip(_WEEKDAYS["English"], _WEEKDAYS.get(language or "", _WEEKDAYS["English"]), strict=True))
    return compiled("|".join(weekdays)).sub(lambda name: weekdays[name[0]], answer)


def _in_german(answer: str) -> str:
    text = compiled(r"\bworking days\b").sub("Arbeitstage", answer)
    text = compiled(r"[a-z]+").sub(lambda word: _GERMAN.get(word[0].casefold(), word[0]), text)
    return compiled(r"(\d)\.(\d)").sub(r"\1,\2", text)


def _say_date(result: JsonObject, asked: str) -> str:
    if "calendar" in result:
        return _say_days(result, asked)
    if "hours" in result:
        return _say_length(result, asked)
    if "leap_year" in result:
        days = f"{result['result']} days"
        return f"{result['leap_year']} ({days})" if _has(_LEAP_YEAR, asked) else days
    if "weekday" in result:
        return f"{result['result']} ({result['weekday']})"
    return _say_clock(result)


def _say_days(result: JsonObject, asked: str) -> str:
    """A number of days, in the unit that is asked for."""
    if _has(_WORKING_DAYS, asked):
        return f"{result['working_days']} working days"
    if _has(_WEEKS, asked):
        return str(result["weeks"])
    if _has(_CALENDAR, asked):
        return str(result["calendar"])
    return f"{result['result']} {'nights' if _has(_NIGHTS, asked) else 'days'}"


def _say_length(result: JsonObject, asked: str) -> str:
    """A length of time, in hours and minutes if no unit is asked for: "7 hours 45 minutes"."""
    minutes = result["minutes"]
    if _has(_IN_MINUTES, asked):
        return f"{minutes} minutes"
    if not isinstance(minutes, int):
        return f"{result['result']} h"
    if _has(_HOURS, asked) and minutes * _QUARTERS % _MINUTES == 0:
        return f"{minutes / _MINUTES:g} hours"
    whole, rest = divmod(abs(minutes), _MINUTES)
    parts = [
        f"{number} {unit}{'' if number == 1 else 's'}" for number, unit in ((whole, "hour"), (rest, "minute")) if number
    ]
    return ("minus " if minutes < 0 else "") + (" ".join(parts) or "0 minutes")


def _say_clock(result: JsonObject) -> str:
    """A clock time: "06:00", or "06:00 (1 day later)"."""
    days = result.get("days_later", 0)
    if not days:
        return str(result["result"])
    return f"{result['result']} ({abs(days)} day{'' if abs(days) == 1 else 's'} {'later' if days > 0 else 'earlier'})"


def _has(pattern: str, text: str) -> bool:
    return compiled(pattern).search(text) is not None

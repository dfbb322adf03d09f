"""Requests with dates and times that a model works out in lines, and its instructions for that. Pure."""

from aeon.tools.date_requests import compiled, plain_text
from aeon.tools.found_moments import take_moments_out

DATE_INSTRUCTIONS = (
    "Solve the problem step by step. Each line says in words what it computes, then the calculation with its result: "
    "a time or date + or - a duration = a time or date, or a time or date until another = a duration, in plain text. "
    "Times are written as 17:45, dates as 3 May 2026, durations as 2 hours 15 minutes or 90 days. "
    "The last line is 'Answer: ' and the result alone.\n"
    "Problem: I must be at work at 9 am. The train takes 35 minutes and the walk 10 minutes. "
    "When must I leave at the latest?\n"
    "The way takes 35 minutes + 10 minutes = 45 minutes.\n"
    "I must leave at 9:00 - 45 minutes = 8:15.\n"
    "Answer: 8:15\n"
    "Problem: What was the date 90 days before 1 August 2026?\n"
    "It was 1 August 2026 - 90 days = 3 May 2026.\n"
    "Answer: 3 May 2026\n"
    "Problem: The shop is open from 9:30 to 18:15, with a break of 1 hour. How long is it open?\n"
    "It is open from 9:30 until 18:15 = 8 hours 45 minutes.\n"
    "Without the break, 8 hours 45 minutes - 1 hour = 7 hours 45 minutes.\n"
    "Answer: 7 hours 45 minutes\n"
    "Problem: Three talks of 25 minutes start at half past two. When do they end?\n"
    "The talks take 3 * 25 = 75 minutes.\n"
    "They end at 14:30 + 75 minutes = 15:45.\n"
    "Answer: 15:45"
)
"""Instructions for a model that works out a request with dates, times and durations."""

_DATED_QUESTION = (
    r"\b(?:when|what time|(?:which|what) (?:date|day|weekday|year|month)"
    r"|what(?:'s| is) the (?:last|first|end) (?:day|date)"
    r"|how (?:long|old|late)|(?:by )?how (?:many|much)|what (?:do|does|did|will) (?:i|we|it|he|she|they)"
    r"|wann|um wie ?viel|wie (?:lange|alt|spät)|wie ?viele?|was (?:kostet|kosten|zahle|schulde)"
    r"|(?:an )?welche[mrs]? (?:datum|tag|wochentag|jahr|monat))\b"
)
_TO_BE_WRITTEN = (
    r"\b(?:writ\w*|poem|story|letters?|e?-?mails?|messages?|explain|why|list|sort\w*|translat\w*|summar\w*|rewrit\w*"
    r"|remember|save|store|note|remind\w*|tables?|files?|zone|local time|schreib\w*|gedicht|geschichte|brief"
    r"|nachricht|erklär\w*|warum|liste|sortier\w*|übersetz\w*|fasse|merk\w*|speicher\w*|erinner\w*|tabelle|datei"
    r"|ortszeit)\b"
)
"""Words of a request that takes more than a calculation."""

_LEAST_QUANTITIES = 2


def asks_dated_solution(request: str) -> bool:
    """Whether a request asks what follows from two or more of its dates, times and durations, and nothing besides."""
    text = plain_text(request)
    if compiled(_TO_BE_WRITTEN).search(text) or compiled(_DATED_QUESTION).search(text) is None:
        return False
    rest, moments = take_moments_out(text)
    return moments > 0 and moments + len(compiled("<lengths>").findall(rest)) >= _LEAST_QUANTITIES

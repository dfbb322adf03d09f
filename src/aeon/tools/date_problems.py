"""Short stories with dates and times that code can read: when a thing ends or must begin, how long it lasts, an age.

Each has just the dates, clock times and lengths that it needs, and no other number: code does not understand more.
"""

from aeon.tools.date_chains import read_chain
from aeon.tools.date_rows import read_row
from aeon.tools.dated_stories import BACK, ENDS, IN_TIME, SHIFTED, STARTS, WHEN, Arguments, Story, has, read_story

_IN = r"\b(?:what|which|welches) (?:date|datum)\b.*\bin <length>"
_UNCLEAR = (
    r"\b(?:breaks?|pause\w*|each|every|times|per|local|zone|jede\w*|ortszeit|sta(?:y|ys|yed)|stops?|waits?"
    r"|bleib\w*|hält|wartet|^(?:who|wer)|(?:and|und) (?:who|why|where|what|wer|warum|wo|was))\b"
)
"""Words with which a time is not simply added or taken off."""

_LONG = r"\b(?:how long|how many (?:hours|minutes|days)|wie lange|wie ?viele (?:stunden|minuten|tage))\b"
_FROM = (
    r"\b(?:from|between|starts?|started|begins?|began|opens?|opened|leaves?|left|departs?|slept|it is|it's|von"
    r"|zwischen|beginnt|begann|öffnet|es ist)\b"
)
_TO = (
    r"\b(?:until|till|to|ends?|ended|closes?|closed|finish(?:es|ed)?|arrives?|arrived|over|woke|is at|bis"
    r"|endet\w*|schließt|kommt|an)\b"
)
_AT_THE_END = r"\b(?:until|till|ends?|ended|closes?|finish\w*|arriv\w*|woke|bis|endet\w*|schließt)\b"
_WEEKDAY = r"\b(?:weekday|day of the week|wochentag)\b"
_OLD = r"\b(?:how old|what age|wie alt)\b"


def read_problem(request: str) -> Arguments | None:
    """The dates, times and lengths of a story that asks for one more; None if code does not understand all of it."""
    if (row := read_row(request)) is not None:
        return row
    story = read_story(request)
    if story is None:
        return None
    if story.has(_UNCLEAR):
        return read_chain(story)
    readers = (_read_end, _read_start, _read_span, _read_age, _read_weekday, read_chain)
    return next((found for reader in readers if (found := reader(story)) is not None), None)


def _read_end(story: Story) -> Arguments | None:
    """A film of 2 hours 20 minutes starts at 20:15. When does it end?"""
    is_asked = story.has(rf"{WHEN}[^.!?]*\b{ENDS}\b") or story.has(_IN)
    if not is_asked or not story.is_pair or story.has(SHIFTED) or story.has(BACK):
        return None
    if has(IN_TIME, story.before[0]) or has(_AT_THE_END, story.before[0]):
        return None
    return {"start": story.moments[0], "add": story.lengths[0]}


def _read_start(story: Story) -> Arguments | None:
    """I must be there at 9:00, and it takes 40 minutes. When must I leave?"""
    is_asked = story.has(rf"{WHEN}[^.!?]*\b{STARTS}\b")
    if not is_asked or not story.is_pair or not (has(IN_TIME, story.statement) or has(BACK, story.statement)):
        return None
    return {"start": story.moments[0], "add": story.lengths[0], "before": "before"}


def _read_span(story: Story) -> Arguments | None:
    """The film begins at 20:15 and ends at 22:40. How long is it?"""
    if len(story.moments) != 2 or story.lengths or not story.has(_LONG):  # noqa: PLR2004  # a beginning and an end
        return None
    first, second = story.moments
    to = rf"{_TO}|\b(?:and|und)\b" if has(r"\b(?:between|zwischen)\b", story.before[0]) else _TO
    if has(_FROM, story.before[0]) and has(to, story.before[1]) and not has(_AT_THE_END, story.before[0]):
        return {"start": first, "until": second}
    if has(_AT_THE_END, story.before[0]) and has(_FROM, story.before[1]):
        return {"start": second, "until": first}
    return None


def _read_age(story: Story) -> Arguments | None:
    """How old is someone on 1 January 2027 who was born on 12 March 1985?"""
    if not story.has(_OLD) or story.lengths or len(story.moments) > 2:  # noqa: PLR2004  # a birth and a day
        return None
    births = [
        moment
        for moment, before in zip(story.moments, story.before, strict=True)
        if has(r"\b(?:born|geboren)\b[^.!?\d]{0,12}$", before) or f"{moment} geboren" in story.text
    ]
    if len(births) != 1:
        return None
    others = [moment for moment in story.moments if moment != births[0]]
    return {"start": births[0], "until": others[0] if others else "today"}


def _read_weekday(story: Story) -> Arguments | None:
    """On which day of the week was the moon landing of 20 July 1969?"""
    is_asked = story.has(_WEEKDAY) and len(story.moments) == 1 and not story.lengths
    return {"start": story.moments[0]} if is_asked and has(r"\d{4}", story.moments[0]) else None

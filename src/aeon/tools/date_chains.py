"""Stories in which lengths of time follow one moment: a journey with a change, a way to a flight, a deadline. Pure."""

from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.date_requests import compiled
from aeon.tools.dated_stories import BACK, ENDS, IN_TIME, SHIFTED, STARTS, WHEN, Arguments, Story, has

_ONE_AFTER_ANOTHER = (
    r"\b(?:arrival(?: time)?|ankunft(?:szeit)?)(?: (?:wann|when))?\s*\?"
    rf"|{WHEN}[^.!?]*\b{ENDS}"
)
_NOT_ADDED = (
    r"\b(?:each|every|times|per|je(?:weils)?|jede\w*|local|zone|ortszeit|utc|gmt|includ\w+|inkl\w*|einschließlich|davon"
    r"|of (?:which|that|those)|counts?|zählt|free|instead|statt|faster|slower|quicker|schneller|langsamer|already|schon"
    r"|half|halb\w*|or|oder|if|wenn|falls|breaks?|pause\w*|shorter|longer|kürzer|länger|more|less|mehr|weniger|only|nur"
    r"|alle|stays?|stops|stopped|late)\b|[(=]"
)
"""Words of lengths that do not simply follow one another."""
_OWN_LENGTH = (
    r"\b(?:lasts?|lasted|runs?|long|lang|läuft)\b|\b(?:film|movie|show|concert|meeting|match|game|lesson|class|play|party"
    r"|konzert|vorstellung|spiel|termin|unterricht|feier|besprechung)\w*\b[^.!?,;]*\b(?:dauert|takes|is)\b"
)
"""Words of how long the thing itself goes on for which one has to leave."""
_DEADLINE = (
    r"\b(?:what|which|when|wann|welche\w*)\b[^.!?]*\b(?:due|deadline|(?:last|latest) (?:possible )?(?:date|day)"
    r"|expires?|fällig\w*|letzte[rn]? (?:mögliche[rn]? )?tag|frist|spätestens)\b"
)
_WITHIN = (
    r"\b(?:within|payable|due|have <lengths>|innerhalb|binnen|zahlbar|fällig|habe <lengths>"
    r"|<lengths> (?:time|zeit))\b"
)
_COUNTED_OTHERWISE = (
    r"\b(?:before|earlier|ago|extended|renewed|inclusive|included|vorher|davor|früher|verlängert\w*|einschließlich"
    r"|inklusive)\b"
    r"|(?<!tag danach )\b(?:counts?|zählt|gilt|being|is) (?:as |als |the )*(?:day(?! after)|first|erste\w*|tag)\b"
)
"""Words of a deadline that is counted back, or in which the first day counts."""
_WHICH_DATE = (
    r"\b(?:what|which) (?:date|(?:week)?day)(?: of the week)?(?: (?:is|was|would|will) (?:that|it|this)(?: be)?)?\s*\?"
    r"|\b(?:what|which) (?:date|day) (?:is|was|will be) <lengths> (?:later|after (?:that|it)|before (?:that|it))\s*\?"
    r"|\bwelche[rs] (?:datum|tag) (?:ist|war|wäre) (?:das|(?:das )?<lengths> (?:danach|später|davor|vorher|zuvor))\s*\?"
)
_OTHER_END = (
    r"<moment>[^.!?]*?<lengths> (?:(?P<after>after|nachdem)|before|bevor) (?P<event>[^.!?\d]{3,80})[.!?] "
    r"(?P<question>(?:when|what time|wann|um wie ?viel uhr)\b[^.!?]*)\?"
)
"""The moment of one event, its distance from another one, and the question for that of the other."""
_CONTENT = LazyPattern(r"[^\W\d_]{3,}")
_AFTER = r"<lengths> (?:after|later|from|nach|danach|später)\b"
_BEFORE = r"<lengths> (?:before|earlier|vor|davor|vorher|zuvor|früher)\b"


def read_chain(story: Story) -> Arguments | None:
    """The moment and the lengths of a story in which they follow one another; None if code does not understand it."""
    if len(story.moments) != 1 or not story.lengths:
        return None
    readers = (_read_journey, _read_way_back, _read_deadline, _read_apart, _read_other_end)
    return next((found for reader in readers if (found := reader(story)) is not None), None)


def _read_journey(story: Story) -> Arguments | None:
    """The train leaves at 9:52 and takes 2 hours, then I wait 26 minutes and ride 58 minutes. When do I arrive?"""
    is_asked = len(story.lengths) > 1 and story.has(_ONE_AFTER_ANOTHER)
    if not is_asked or any(map(story.has, (_NOT_ADDED, SHIFTED, BACK))) or has(IN_TIME, story.before[0]):
        return None
    return {"start": story.moments[0], "add": " ".join(story.lengths)}


def _read_way_back(story: Story) -> Arguments | None:
    """I must be there at 9:00, the walk takes 10 minutes and the ride 25 minutes. When must I leave?"""
    is_asked = len(story.lengths) > 1 and story.has(rf"{WHEN}[^.!?]*\b{STARTS}\b")
    is_back = has(IN_TIME, story.statement) or has(BACK, story.statement)
    if not is_asked or not is_back or story.has(_NOT_ADDED) or story.has(_OWN_LENGTH):
        return None
    return {"start": story.moments[0], "add": " ".join(story.lengths), "before": "before"}


def _read_deadline(story: Story) -> Arguments | None:
    """The letter is dated 4 February 2027, and I have to reply within 15 working days. What is the last date?"""
    is_asked = story.is_pair and story.has(_DEADLINE) and story.has(_WITHIN)
    if not is_asked or story.has(_COUNTED_OTHERWISE) or not has("<day>", story.moments[0]):
        return None
    return {"start": story.moments[0], "add": story.lengths[0]}


def _read_apart(story: Story) -> Arguments | None:
    """We have to book six weeks before 5 January 2028. Which date is that?"""
    is_after, is_before = story.has(_AFTER), story.has(_BEFORE)
    is_asked = story.is_pair and story.has(_WHICH_DATE) and is_after is not is_before
    if not is_asked or not has("<day>", story.moments[0]):
        return None
    return {"start": story.moments[0], "add": story.lengths[0], **({"before": "before"} if is_before else {})}


def _read_other_end(story: Story) -> Arguments | None:
    """The alarm rang at 6:15, 7 hours and 40 minutes after I had gone to bed. When did I go to bed?"""
    found = compiled(_OTHER_END).search(story.text) if story.is_pair else None
    if found is None or not _names_same(found["event"], found["question"]):
        return None
    return {"start": story.moments[0], "add": story.lengths[0], **({"before": "before"} if found["after"] else {})}


def _names_same(event: str, question: str) -> bool:
    """Whether a question names what an event is about: the last word of either is in the other."""
    words, asked = (_CONTENT.findall(text.casefold()) for text in (event, question))
    return bool(words) and bool(asked) and (words[-1] in asked or asked[-1] in words)

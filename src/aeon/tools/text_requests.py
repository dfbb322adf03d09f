"""Reads requests that ask for what stands in a text they give: counts, the text reversed or sorted. Four languages. Pure.

A language model sees tokens, not letters: it finds two letters r in "strawberry".
"""

import re
from typing import Final, NamedTuple

from aeon.base.lazy_pattern import LazyPattern

TEXT_OPERATION: Final = "text_operation"
"""The name of the tool for them."""
MAX_REQUEST: Final = 2000

_OPEN: Final = "\"'\u2018\u201c\u201e\u00ab\u2039`"
_CLOSE: Final = "\"'\u2019\u201d\u201c\u00bb\u203a`"
_QUOTED: Final = rf"[{_OPEN}](?P<quoted>[^{_OPEN}{_CLOSE}]+)[{_CLOSE}]"
_ONE_WORD: Final = r"[^\W\d_][\w-]*"
_ARTICLE: Final = r"(?:(?:the|this|following|das|der|dem|den|dieses|le|la|el|ce|cette|esta) ){0,2}"
_KIND: Final = r"(?:word|name|term|wort|namen?|begriff|mot|nom|palabra|nombre)"
_TEXT_KIND: Final = r"(?:sentence|phrase|text|string|line|satz|zeile|frase|texte|texto)"
_GIVEN: Final = (
    rf"(?:(?:{_ARTICLE}(?:{_KIND}|{_TEXT_KIND})[:,]? )?{_QUOTED}"
    rf"|{_ARTICLE}{_KIND}[:,]? (?P<named>{_ONE_WORD})"
    rf"|(?:{_ARTICLE}{_TEXT_KIND})?:\s*(?P<after>\S.*))"
)
"""A text that stands in quotes, behind a colon, or behind "the word"."""
_TEXT: Final = rf"(?:{_GIVEN}|(?P<bare>{_ONE_WORD}))"
_LETTER: Final = (
    rf"(?P<introduced>(?:the |der |den |dem |das |la |le )?(?:letter|buchstaben?|lettre|letra) )?"
    rf"[{_OPEN}]?(?P<of>[^\W\d_])[{_CLOSE}]?(?P<many>['\u2019]?s)?"
)

_COUNTED: Final = {
    "letters": r"(?:letters|buchstaben|lettres|letras)",
    "vowels": r"(?:vowels|vokale|voyelles|vocales)",
    "words": r"(?:words|w\u00f6rter|worte|mots|palabras)",
}
_OF_COUNTS: Final = (
    r"how many <what>(?: are| is)?(?: there)? ?(?:in|does|do|has|have)? ?<text>(?: have| has| contain)?",
    r"(?:count|(?:what(?:'s| is) )?(?:the )?number of)(?: the)? <what> (?:in|of) ?<text>",
    r"(?:aus )?wie ?vielen? <what>(?: hat| haben| sind| besteht| stehen| gibt es)?(?: in| im)? ?<text>(?: besteht)?",
    r"z\u00e4hle? (?:die )?<what> (?:in|von) ?<text>",
    r"combien de <what>(?: y a-t-il| a| contient| compte)?(?: dans)? ?<text>",
    r"cu[\u00e1a]ntas <what>(?: tiene| hay)?(?: en)? ?<text>",
)
_OF_LETTERS: Final = (
    r"how many (?:times )?(?:do |does |is |are )?(?:there )?<letter>(?: (?:are|is|appears?|occurs?|comes? up))?(?: there)?"
    r" in ?<text>",
    r"how many <letter>(?: (?:does|do|has|have))? <text>(?: have| has| contain)?",
    r"how often (?:do|does|is) <letter>(?: (?:appear|occur|come up))? in ?<text>",
    r"count (?:all )?(?:the )?<letter> in ?<text>",
    r"wie oft (?:kommt|ist|steht) <letter> (?:in|im) ?<text>(?: vor)?",
    r"wie ?viele? <letter>(?: (?:sind|stecken|gibt es|hat|kommen))?(?: in| im)? ?<text>(?: vor)?",
    r"combien de (?:fois )?(?:y a-t-il (?:de |la )?|appara\u00eet )?<letter>(?: (?:y a-t-il|appara\u00eet))? dans ?<text>",
    r"cu[\u00e1a]ntas (?:veces )?(?:aparece |hay )?<letter>(?: (?:hay|aparece))? en ?<text>",
)
_OF_REVERSALS: Final = (
    r"(?:what(?:'s| is)|write|spell|say|print|give me|how do you (?:write|spell)) <text>,?(?: (?:spelled|written))?"
    r" (?:backwards?|in reverse|reversed)",
    r"reverse ?<given>",
    r"(?:was ist|schreibe?|buchstabiere?|sage?|wie (?:lautet|hei\u00dft)) <text> (?:r\u00fcckw\u00e4rts|umgekehrt)",
    r"(?:\u00e9cris|\u00e9pelle|quel est) <text> \u00e0 l['\u2019]envers",
    r"(?:escribe|deletrea|qu\u00e9 es) <text> al rev\u00e9s",
)
_OF_PALINDROMES: Final = (
    r"is <text> an? palindrome",
    r"ist <text> ein palindrom",
    r"(?:est-ce que )?<text> est(?:-il|-ce)? un palindrome",
    r"\u00bf?es <text> un pal\u00edndromo",
)
_ALPHABETICALLY: Final = (
    r"(?:alphabetically|(?:in(?:to)? |by )?(?:the )?alphabet(?:ical order)?|from a to z|alphabetisch"
    r"|nach (?:dem )?alphabet|in alphabetische[rn]? reihenfolge|par ordre alphab\u00e9tique|alfab\u00e9ticamente)"
)
_BY_SIZE: Final = (
    r"(?:in ascending order|(?:from )?(?:smallest|lowest) to (?:largest|highest|biggest)|by size|numerically|aufsteigend"
    r"|der gr\u00f6\u00dfe nach)"
)
_DOWN: Final = (
    r"(?P<down>in (?:descending|reverse)(?: alphabetical)? order|(?:from )?(?:largest|highest|biggest) to (?:smallest|lowest)"
    r"|from z to a|absteigend)"
)
_SORTS: Final = r"(?:sort|alphabeti[sz]e|sortiere?|trie|ordena)"
_ARRANGES: Final = r"(?:sort|order|arrange|put|alphabeti[sz]e|sortiere?|ordne|bringe?|trie|classe|ordena)"
"""Verbs that sort only with an order: one orders a pizza, too."""
_THESE: Final = (
    r"(?: (?:these|the|this|following|list|of|words?|names?|items?|numbers?|them|diese|die|folgenden?|w\u00f6rter|namen"
    r"|zahlen|begriffe|ces|les|mots|noms|estas?|las|los|palabras|nombres)){0,5}"
)
_ORDER: Final = rf"(?:{_ALPHABETICALLY}|{_BY_SIZE}|{_DOWN})"
_OF_SORTINGS: Final = (
    rf"{_SORTS}{_THESE}:\s*(?P<list>\S.*)",
    rf"{_ARRANGES}{_THESE} {_ORDER}{_THESE}:\s*(?P<list>\S.*)",
    rf"{_ARRANGES}(?P<list> \S[^:]*?[,;][^:]*?) {_ORDER}",
)

_NOT_GIVEN_WORDS: Final = """
alphabet english german french spanish alphabets inbox mail total all it this that them these those i you he she we
they me my mine your his her our ich du er sie es wir mein dein das tu il elle one each every which what mist
"""
_NOT_GIVEN: Final = frozenset(_NOT_GIVEN_WORDS.split())
"""Single words that name something else than themselves."""
_UNITS_WORDS: Final = """
kilometer kilometre meter metre centimeter centimetre mile yard foot feet inch hour day week month year minute
second pound ounce kilogram gram ton tonne liter litre gallon cup pint kilo stunde tag woche monat jahr sekunde
pfund gramm kilogramm heure jour semaine mois hora semana mes
"""
_UNITS: Final = frozenset(_UNITS_WORDS.split())
_SEPARATOR: Final = LazyPattern(r"\s*(?:[,;]|\n)\s*(?:(?:and|und|et|y) )?|\s+(?:and|und|et|y)\s+", re.IGNORECASE)
_NUMBER: Final = LazyPattern(r"-?\d+(?:\.\d+)?")
_POLITE: Final = LazyPattern(r"^\W*(?:(?:please|hey|ok|bitte|can you|could you|kannst du),? )*", re.IGNORECASE)
_ASKS_MORE: Final = LazyPattern(
    r"\b(?:how (?:many|much|often)|wie ?(?:viele?|oft)|combien|cu[\u00e1a]nt[ao]s|then|and (?:also|reverse|sort|count|translate|tell|remove)"
    r"|dann|danach|puis|ensuite|luego)\b",
    re.IGNORECASE,
)
"""Words behind a colon that are hardly part of the text: "... hello world. And how many letters?"."""
_SENTENCE_ENDS: Final = LazyPattern(r"[.!?]\s")
_SHORTEST: Final = 4
"""Letters of a word in which a letter is counted that nothing introduces: "how many m in km" is about units."""


class TextQuestion(NamedTuple):
    """An operation of the tool `text_operation`, the text, and what is counted in it."""

    operation: str
    text: str
    of: str | None = None


def read_text_question(request: str) -> TextQuestion | None:
    """What a request asks that is nothing but such a question; None for any other."""
    asked = _POLITE.sub("", request.strip()).removesuffix(" please").removesuffix(" bitte")
    if len(asked) > MAX_REQUEST:
        return None
    plain = asked.strip(" \u00bf").rstrip("?.! ")
    found = ((operation, match) for operation, form in _FORMS if (match := form.fullmatch(plain)))
    read = (_question(operation, match) for operation, match in found)
    return next((question for question in read if question is not None), None)


def _question(operation: str, match: "re.Match[str]") -> TextQuestion | None:
    fields = match.groupdict()
    if operation == "sort":
        return _sorting(fields["list"], is_down=fields.get("down") is not None)
    text = next((fields[name] for name in ("quoted", "named", "after") if fields.get(name)), None)
    if text is None:
        text = fields["bare"]
        if text.casefold() in _NOT_GIVEN or operation == "words":
            return None
        is_introduced = bool(fields.get("introduced") or fields.get("many"))
        if operation == "occurrences" and not is_introduced and (len(text) < _SHORTEST or text.casefold() in _UNITS):
            return None
    elif fields.get("after") and _ASKS_MORE.search(text):
        return None
    return TextQuestion(operation, text.strip(), fields.get("of"))


def _sorting(listed: str, *, is_down: bool) -> TextQuestion | None:
    """A list of words, or one of numbers; a mixed one, and a single item, is not read."""
    items = split_items(listed)
    are_numbers = [_NUMBER.fullmatch(item) is not None for item in items]
    if len(items) < 2 or any(are_numbers) != all(are_numbers):  # noqa: PLR2004  # a list
        return None
    if _SENTENCE_ENDS.search(listed) or _ASKS_MORE.search(listed):
        return None
    return TextQuestion("sort_descending" if is_down else "sort", listed.strip())


def split_items(listed: str) -> list[str]:
    """The items of a list: between commas, semicolons and lines, and before its last "and"."""
    return [item for part in _SEPARATOR.split(listed.strip()) if (item := part.strip())]


def _compiled(form: str, what: str = "") -> LazyPattern:
    for name, pattern in (("what", what), ("letter", _LETTER), ("given", _GIVEN), ("text", _TEXT)):
        form = form.replace(f"<{name}>", pattern)
    return LazyPattern(form, re.IGNORECASE | re.DOTALL)


_FORMS: Final = (
    *((name, _compiled(form, what)) for name, what in _COUNTED.items() for form in _OF_COUNTS),
    *(("occurrences", _compiled(form)) for form in _OF_LETTERS),
    *(("reverse", _compiled(form)) for form in _OF_REVERSALS),
    *(("is_palindrome", _compiled(form)) for form in _OF_PALINDROMES),
    *(("sort", _compiled(form)) for form in _OF_SORTINGS),
)

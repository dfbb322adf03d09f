"""Parser for arithmetic in a sentence, in signs or in words: "15 * 23 plus 7" is 15 * 23 + 7."""

import re
from collections.abc import Iterator

from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.number_styles import with_english_numerals

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"  # noqa: E501
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(_UNITS.split())} | {
    word: 10 * tens for tens, word in enumerate(_TENS.split(), 2)
}
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000}

_BINDS = LazyPattern("half|double|twice|triple|root|sqrt|cube|log|sin|cos|tan|negative|point|factorial")
"""Words that change the number after them: what follows is not a separate expression."""
_IGNORED = frozenset(("of", "the"))
_DATE = LazyPattern(r"\b\d{4}-\d\d?-\d\d?\b|\b\d\d?/\d\d?/\d{4}\b")
_HYPHEN = LazyPattern(r"(?<=[A-Za-z])-(?=[A-Za-z])")
"""twenty-three is 23, not 20 - 3."""
_ENDS = (")", "^ 2", "^ 3")
_SIGN = "sign"
_BOUND = "bound"
_PERCENT = "percent"
"""Special pieces: a minus directly before its number, a word that binds forward, a % that binds back."""

_OPERATORS = (
    (r"multiplied by|times|x(?=\s*\d)|[*×·]", "*"),  # noqa: RUF001  # as people type it
    (r"divided by|over(?=\s+\d)|[/÷]", "/"),
    (r"plus|added to|\+", "+"),
    (r"(?<![\w)])[-−](?=\d)", _SIGN),  # noqa: RUF001
    (r"minus|less(?=\s+\d)|[-−–]", "-"),  # noqa: RUF001
    (r"to the power of|raised to|\*\*|\^", "^"),
    (r"percent of|per cent of|% of", "% *"),
    (r"modulo|mod(?=\s+\d)", "%"),
)
_OPERATES = frozenset([_BOUND, _SIGN, *(sign for _, sign in _OPERATORS), "^", "^ 2", "^ 3"])
_TOKEN = LazyPattern(
    r"\s*(?:"
    r"(?P<number>(?:(?<![\w.:,])|(?<=\dx))[$€£]?(?:0(?![\dx])|[1-9]\d*)(?:,\d{3})*(?:\.\d+)?(?=x\s*\d|(?![\w:]|[.,]\d)))"
    r"|(?P<power>\*\*)"
    + "".join(f"|(?P<op{index}>{pattern})" for index, (pattern, _) in enumerate(_OPERATORS))
    + r"|(?P<squared>squared)|(?P<cubed>cubed)|(?P<percent>%|percent|per\s+cent)"
    r"|(?P<open>\()|(?P<close>\))"
    r"|(?P<word>[A-Za-z]+)"
    r"|(?P<other>\S))",
    re.IGNORECASE,
)


def find_expression(request: str) -> str | None:
    """The arithmetic in `request` as an expression; None if there is none, or if a number does not belong to it."""
    text = _DATE.sub(" ; ", with_english_numerals(request))
    best = max([*map(_closed, _runs(text)), list[str]()], key=len)
    in_run = sum(_is_number(piece) for piece in best)
    in_all = sum(_is_number(piece) for piece in _pieces(text))
    return " ".join(best).replace(f"{_SIGN} ", "-").replace(" %", "%") if 1 < in_run == in_all else None


def _runs(request: str) -> Iterator[list[str]]:
    """Maximal piece sequences in which operands and operators alternate."""
    run: list[str] = []
    before, is_part = "", False
    for piece in [*_pieces(request), ""]:
        if _fits(run, piece):
            run.append(piece)
        else:
            if run and not is_part and piece != _PERCENT:
                yield run
            run = [piece] if _is_number(piece) or piece in ("(", _SIGN) else []
            is_part = before in _OPERATES
        before = piece


def _fits(run: list[str], piece: str) -> bool:
    if piece in ("", _BOUND, _PERCENT):
        return False
    if run and run[-1] == _SIGN:
        return _is_number(piece)
    after_operand = bool(run) and _ends_well(run)
    if _is_number(piece) or piece == "(":
        return bool(run) and not after_operand
    return not after_operand if piece == _SIGN and run else after_operand


def _ends_well(run: list[str]) -> bool:
    return _is_number(run[-1]) or run[-1] in _ENDS


def _closed(run: list[str]) -> list[str]:
    """The run without an incomplete end; [] if its removal changes the meaning, or if the brackets do not match."""
    complete = run
    while complete and not _ends_well(complete):
        complete = complete[:-1]
    dangling = run[len(complete) :]
    if dangling and dangling[0] not in ("+", "-", "(") and ("+" in complete or "-" in complete):
        return []
    return complete if complete.count("(") == complete.count(")") else []


def _pieces(request: str) -> Iterator[str]:
    """Numbers as digits, operators as signs, "" for everything else."""
    number: list[str] = []
    single_blanks = " ".join(_HYPHEN.sub(" ", request).split())  # the pattern takes a square of a long gap's time
    for match in _TOKEN.finditer(single_blanks):
        text = match[0].strip().casefold()
        if match.lastgroup == "word" and (text in _SMALL or text in _LARGE or (text == "and" and number)):
            number.append(text)
            continue
        if number:
            yield from _numbers_in_words(number)
            number = []
        if text not in _IGNORED:
            yield _piece(match.lastgroup or "", text)
    yield from _numbers_in_words(number)


def _piece(group: str, text: str) -> str:
    if group == "number":
        return text.lstrip("$€£").replace(",", "")
    if group.startswith("op") and group != "open":
        return _OPERATORS[int(group[2:])][1]
    if _BINDS.fullmatch(text):
        return _BOUND
    fixed = {"power": "^", "squared": "^ 2", "cubed": "^ 3", "percent": _PERCENT, "open": "(", "close": ")"}
    return fixed.get(group, "")


def _numbers_in_words(words: list[str]) -> Iterator[str]:
    """The numbers that `words` spell one after another, and "" for an "and" outside a number."""
    number: list[str] = []
    for index, word in enumerate(words):
        if word == "and":
            if not (number and number[-1] in _LARGE and words[index + 1 : index + 2] and words[index + 1] in _SMALL):
                yield from _value_of_words(number)
                yield ""
                number = []
        elif number and not _continues(number, word):
            yield from _value_of_words(number)
            number = [word]
        else:
            number.append(word)
    yield from _value_of_words(number)


def _continues(number: list[str], word: str) -> bool:
    """Whether `word` can continue the number: "twenty five", "two hundred six", but not "two three"."""
    last = number[-1]
    if word in _SMALL:
        return _SMALL[word] > 0 and (last in _LARGE or (_SMALL[last] >= _SMALL["twenty"] and _SMALL[word] < 10))  # noqa: PLR2004  # digits
    scales = [_LARGE[earlier] for earlier in number if earlier in _LARGE]
    if word == "hundred":
        return last in _SMALL and scales[-1:] != [100]
    return last not in ("thousand", "million") and _LARGE[word] < min(
        s for s in [*scales, 10**9] if s > _LARGE["hundred"]
    )


def _value_of_words(number: list[str]) -> Iterator[str]:
    total = current = 0
    for word in number:
        if word in _SMALL:
            current += _SMALL[word]
        elif word == "hundred":
            current = (current or 1) * 100
        else:
            total, current = total + (current or 1) * _LARGE[word], 0
    if number:
        yield str(total + current)


def _is_number(piece: str) -> bool:
    return piece[:1].isdigit()


def find_english_numbers(text: str) -> set[float]:
    """Every number in `text`, in digits or in words."""
    digits = re.findall(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?", text)
    in_words = [piece for piece in _pieces(text) if _is_number(piece)]
    return {float(number.replace(",", "")) for number in [*digits, *in_words]}

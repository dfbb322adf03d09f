"""Arithmetic that stands literally in a sentence, in signs or in words: "15 * 23 plus 7" is 15 * 23 + 7."""

import re
from collections.abc import Iterator

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"  # noqa: E501
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(_UNITS.split())} | {
    word: 10 * tens for tens, word in enumerate(_TENS.split(), 2)
}
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000}

_OPERATORS = (
    (r"multiplied by|times|x(?=\s*\d)|[*×·]", "*"),  # noqa: RUF001  # as people type it
    (r"divided by|over(?=\s+\d)|[/÷]", "/"),
    (r"plus|added to|\+", "+"),
    (r"minus|less(?=\s+\d)|[-−–]", "-"),  # noqa: RUF001
    (r"to the power of|raised to|\*\*|\^", "^"),
    (r"percent of|per cent of|% of", "% *"),
    (r"modulo|mod(?=\s+\d)", "%"),
)
_TOKEN = re.compile(
    r"\s*(?:"
    r"(?P<number>[$€£]?(?:0(?!\d)|[1-9]\d*)(?:,\d{3})*(?:\.\d+)?)"
    r"|(?P<power>\*\*)"
    + "".join(f"|(?P<op{index}>{pattern})" for index, (pattern, _) in enumerate(_OPERATORS))
    + r"|(?P<squared>squared)|(?P<cubed>cubed)"
    r"|(?P<open>\()|(?P<close>\))"
    r"|(?P<word>[A-Za-z]+)"
    r"|(?P<other>\S))",
    re.IGNORECASE,
)


def expression_in(request: str) -> str | None:
    """The longest run of numbers and operators in `request` as an expression, or None without an operation in it."""
    runs = [_closed(run) for run in _runs(request)]
    best = max([*runs, list[str]()], key=len)
    return " ".join(best).replace(" %", "%") if sum(_is_number(piece) for piece in best) > 1 else None


def _runs(request: str) -> Iterator[list[str]]:
    """Maximal piece sequences in which operands and operators alternate."""
    run: list[str] = []
    for piece in [*_pieces(request), ""]:
        if _fits(run, piece):
            run.append(piece)
            continue
        if run:
            yield run
        run = [piece] if _is_number(piece) or piece == "(" else []


def _fits(run: list[str], piece: str) -> bool:
    if not piece:
        return False
    after_operand = bool(run) and (_is_number(run[-1]) or run[-1] in (")", "^ 2", "^ 3"))
    if _is_number(piece) or piece == "(":
        return not after_operand
    return after_operand


def _closed(run: list[str]) -> list[str]:
    """The run without what dangles at its end and without brackets that do not match."""
    while run and not (_is_number(run[-1]) or run[-1] in (")", "^ 2", "^ 3")):
        run = run[:-1]
    return run if run.count("(") == run.count(")") else []


def _pieces(request: str) -> Iterator[str]:
    """Numbers as digits, operators as signs, "" for everything else."""
    number: list[str] = []
    for found in _TOKEN.finditer(request):
        text = found[0].strip().casefold()
        if found.lastgroup == "word" and (text in _SMALL or text in _LARGE or (text == "and" and number)):
            number.append(text)
            continue
        if number:
            yield from _spoken(number)
            number = []
        yield _piece(found.lastgroup or "", text)
    yield from _spoken(number)


def _piece(group: str, text: str) -> str:
    if group == "number":
        return text.lstrip("$€£").replace(",", "")
    if group.startswith("op") and group != "open":
        return _OPERATORS[int(group[2:])][1]
    return {"power": "^", "squared": "^ 2", "cubed": "^ 3", "open": "(", "close": ")"}.get(group, "")


def _spoken(words: list[str]) -> Iterator[str]:
    """The number that `words` say, and "" for an "and" that dangles behind it."""
    counted = [word for word in words if word != "and"]
    if counted:
        total = current = 0
        for word in counted:
            if word in _SMALL:
                current += _SMALL[word]
            elif word == "hundred":
                current = (current or 1) * 100
            else:
                total, current = total + (current or 1) * _LARGE[word], 0
        yield str(total + current)
    if words and words[-1] == "and":
        yield ""


def _is_number(piece: str) -> bool:
    return piece[:1].isdigit()


def numbers_in(text: str) -> set[float]:
    """Every number that stands in `text`, in digits or in words."""
    digits = re.findall(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?", text)
    spoken = [piece for piece in _pieces(text) if _is_number(piece)]
    return {float(number.replace(",", "")) for number in [*digits, *spoken]}

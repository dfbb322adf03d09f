"""Finds the paths that CEL reads, and where it ends in a text, without parsing it.

A condition with a path that is missed here does not compile.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias

CelPath: TypeAlias = tuple[str, ...]
"""`("lang",)` or `("step", "search", "count")`."""

LOOP_MACROS = frozenset({"all", "exists", "exists_one", "filter", "map"})

_TOKEN = re.compile(
    r"""
      (?P<skipped> \s+ | //[^\n]* )
    | (?P<text> (?:[rR][bB]?|[bB][rR]) (?: \"{3}.*?\"{3} | '{3}.*?'{3} | "[^"\n]*" | '[^'\n]*' )
        | [bB]? (?: \"{3}(?:\\.|[^\\])*?\"{3} | '{3}(?:\\.|[^\\])*?'{3} | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' ) )
    | (?P<word> [A-Za-z_][A-Za-z0-9_]* )
    | (?P<number> \.?[0-9] [0-9A-Za-z_.]* )
    | (?P<sign> . )
    """,
    re.VERBOSE | re.DOTALL,
)


class ConditionScan(NamedTuple):
    """What a scan found: the paths that a condition reads, its `+` operators and its loops.

    `searches` is the number of `contains` calls whose argument is not a text literal.
    """

    paths: frozenset[CelPath]
    joins: int
    loops: tuple[str, ...]
    searches: int


class _Token(NamedTuple):
    kind: str
    text: str


@lru_cache(maxsize=1024)
def scan_condition(source: str) -> ConditionScan:
    """Scan CEL source outside of its texts and comments."""
    tokens = [
        _Token(match.lastgroup or "", match[0])
        for match in _TOKEN.finditer(source)
        if match.lastgroup not in {None, "skipped"}
    ]
    chains = list(_chains(tokens))
    return ConditionScan(
        frozenset(path for chain in chains if chain.is_rooted and (path := chain.read)),
        sum(token == ("sign", "+") for token in tokens),
        tuple(chain.words[-1] for chain in chains if chain.is_called and chain.words[-1] in LOOP_MACROS),
        sum(_is_search(tokens[place : place + 4]) for place in range(len(tokens))),
    )


def find_closing_brace(text: str, start: int) -> int | None:
    """Return where the brace stands that closes an expression which begins at `start`; None if there is none.

    Braces inside the expression's texts and comments do not count.
    """
    depth = 1
    for match in _TOKEN.finditer(text, start):
        if match.lastgroup == "sign":
            depth += (match[0] == "{") - (match[0] == "}")
            if depth == 0:
                return match.start()
    return None


def _is_search(tokens: list[_Token]) -> bool:
    """Return whether a call of `contains` starts here whose argument is not a text literal."""
    if tokens[:2] != [("word", "contains"), ("sign", "(")]:
        return False
    return not ([token.kind for token in tokens[2:3]] == ["text"] and tokens[3:4] == [("sign", ")")])


class _Chain(NamedTuple):
    """Words joined by dots, and whether they start an expression and end with a call."""

    words: CelPath
    is_rooted: bool
    is_called: bool

    @property
    def read(self) -> CelPath:
        """The path without the called function."""
        return self.words[:-1] if self.is_called else self.words


def _chains(tokens: list[_Token]) -> Iterator[_Chain]:
    place = 0
    while place < len(tokens):
        if tokens[place].kind != "word":
            place += 1
            continue
        start = place
        words = [tokens[place].text]
        while _is_dot(tokens, place + 1) and place + 2 < len(tokens) and tokens[place + 2].kind == "word":
            place += 2
            words.append(tokens[place].text)
        place += 1
        is_called = tokens[place : place + 1] == [_Token("sign", "(")]
        yield _Chain(tuple(words), not _follows_an_operand(tokens, start), is_called)


def _is_dot(tokens: list[_Token], place: int) -> bool:
    return place < len(tokens) and tokens[place] == ("sign", ".")


def _follows_an_operand(tokens: list[_Token], place: int) -> bool:
    """Return whether the word at `place` selects from an operand, as in `f(x).y`."""
    if place < 2 or not _is_dot(tokens, place - 1):  # noqa: PLR2004  # a dot and the token before it
        return False
    before = tokens[place - 2]
    return before.kind in {"text", "number", "word"} or before.text in {")", "]", "}", "`"}

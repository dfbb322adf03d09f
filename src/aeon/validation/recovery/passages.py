"""The search for JSON in a model's text: skips reasoning, and separates values from prose and fences."""

import re
from typing import Final, NamedTuple

from aeon.base.json import Json, parse_first
from aeon.base.lazy_pattern import LazyPattern
from aeon.validation.recovery.proposals import SPACE, find_balanced_end

_TAGS = "think|thinking|thought|reasoning|reflection|scratchpad"
_OPEN_TAG = LazyPattern(f"<({_TAGS})>", re.IGNORECASE)
_CLOSE_TAG = LazyPattern(f"</(?:{_TAGS})>", re.IGNORECASE)
_FENCE = LazyPattern(r"^[ \t]*(?:```|~~~)[^\n`{\[]*", re.MULTILINE)
_INLINE_FENCE = LazyPattern(r"```(?:\w+)?")
_OPENER = LazyPattern(
    rf"""\{{(?={SPACE}*(?:["'`“”„\u2018]|\\+["n]|\}}|//|/\*|\#|[A-Za-z_$][\w$-]*{SPACE}*:))"""
    rf"""|\[(?={SPACE}*(?:[{{\["'“\]]|-?\d))"""
)
_BRACKETED_PROSE = LazyPattern(r"\{[^{}\"“]*\}|\[[^\[\]\"“]*\]")
_JSON_LIKE = LazyPattern(r"""["”]\s*:\s*["“{\[\d]|["”]\s*:\s*(?:true|false|null)\b|["”\d]\s*,\s*["“]|[{}\[\]]""")
_GOES_ON = LazyPattern(r"""\s*[,:]\s*["'“\u2018{\[\d]""")
_DANGLING = LazyPattern(r"""["'”]\s*[:,]\s*\Z""")
_OVERRUN = LazyPattern(r"\s*[}\],]")
_FIRST_KEY = LazyPattern(r"""["“'](?:[^"“”'\n\\]|\\.)+["”']\s*:""")
_ONLY_CLOSERS = LazyPattern(r"[\s}\]]*\Z")


class _Unparsed:
    pass


UNPARSED: Final = _Unparsed()
"""The value of a passage that is not strict JSON."""


class Passage(NamedTuple):
    """A part of a text that is, or starts like, one JSON value. `text` excludes its surroundings.

    `segment` continues to the end of the enclosing fence or text; `is_closed_by_fence` is true for a fence.
    `lacks_opener`: the opening bracket before `text` is missing.
    """

    text: str
    value: Json = UNPARSED
    segment: str = ""
    is_closed_by_fence: bool = False
    lacks_opener: bool = False


class TextLayout(NamedTuple):
    """The passages of a text in order, and whether something that looks like JSON is outside them."""

    passages: tuple[Passage, ...]
    has_stray_json: bool
    has_fence: bool
    ends_with_passage: bool


def strip_reasoning(text: str) -> str | None:
    """`text` without the reasoning blocks before its answer; None if a block is never closed.

    A tag after the first bracket or key of JSON is kept: it may be inside a string.
    """
    while opened := _OPEN_TAG.search(text):
        if _OPENER.search(text, 0, opened.start()) or _FIRST_KEY.search(text, 0, opened.start()):
            return text
        closed = _CLOSE_TAG.search(text, opened.end())
        if closed is None:
            return None
        text = text[: opened.start()] + text[closed.end() :]
    return _after_unopened_reasoning(text)


def _after_unopened_reasoning(text: str) -> str:
    """`text` after a closing tag without an opening one: some chat templates write the opening tag themselves."""
    tags = list(_CLOSE_TAG.finditer(text))
    rest = text[tags[-1].end() :] if tags else text
    return rest if _OPENER.search(rest) else text


def find_passages(text: str, limit: int, *, is_wide: bool = False) -> TextLayout | None:
    """Finds every top-level value in `text`; returns None if there are more than `limit`.

    A malformed passage ends where its brackets balance or, with `is_wide`, at its segment's last bracket: broken
    quotes can hide which brackets are part of a string.
    """
    spans: list[tuple[int, int, Passage]] = []
    at = 0
    while opener := _OPENER.search(text, at):
        if len(spans) == limit:
            return None
        start = opener.start()
        passage, at = _passage(text, start, is_wide=is_wide)
        spans.append((start, at, passage))
    return _layout(text, spans)


def _passage(text: str, start: int, *, is_wide: bool) -> tuple[Passage, int]:
    try:
        value, end = parse_first(text, start)
    except ValueError:
        return _malformed(text, start, is_wide=is_wide)
    return Passage(text[start:end], value), end


def _malformed(text: str, start: int, *, is_wide: bool) -> tuple[Passage, int]:
    stop, is_fenced = _segment_end(text, start, is_wide=is_wide)
    segment = text[start:stop]
    end = (None if is_wide else find_balanced_end(segment, 0)) or _widest(segment)
    return Passage(segment[:end], segment=segment, is_closed_by_fence=is_fenced), start + end


def _widest(segment: str) -> int:
    """The position after the last bracket, or the end if JSON continues after it."""
    end = _last_closer(segment)
    return len(segment) if not end or _is_stray(segment[end:]) else end


def _segment_end(text: str, start: int, *, is_wide: bool) -> tuple[int, bool]:
    """The position of the next fence; with `is_wide` the text's end, because a fence may be part of a string."""
    fence = None if is_wide else _FENCE.search(text, start)
    return (len(text), False) if fence is None else (fence.start(), True)


def _last_closer(text: str) -> int:
    return max(text.rfind("}"), text.rfind("]")) + 1


def _layout(text: str, spans: list[tuple[int, int, Passage]]) -> TextLayout:
    gaps = _gaps(text, spans)
    bare = [_INLINE_FENCE.sub(" ", gap) for gap in gaps]
    has_fence = bare != gaps
    starts_as_json = _looks_like_json(bare[0]) or bool(_DANGLING.search(bare[0]) and _OVERRUN.match(bare[-1]))
    if starts_as_json and (headless := _headless(text)):
        return TextLayout((headless,), has_stray_json=False, has_fence=has_fence, ends_with_passage=False)
    return TextLayout(
        passages=tuple(passage for _, _, passage in spans),
        has_stray_json=starts_as_json or any(_is_stray(gap) for gap in bare[1:]),
        has_fence=has_fence,
        ends_with_passage=not bare[-1].strip(" \t\r\n`"),
    )


def _gaps(text: str, spans: list[tuple[int, int, Passage]]) -> list[str]:
    edges = [0, *(edge for start, end, _ in spans for edge in (start, end)), len(text)]
    return [text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)]


def _is_stray(gap: str) -> bool:
    """Whether the text after a value continues as JSON. Extra closing brackets alone do not count."""
    return bool(_GOES_ON.match(gap)) or _looks_like_json(gap)


def _looks_like_json(prose: str) -> bool:
    return not _ONLY_CLOSERS.match(prose) and bool(_JSON_LIKE.search(_BRACKETED_PROSE.sub(" ", prose)))


def _headless(text: str) -> Passage | None:
    """The passage of an object whose opening brace is missing: from its first key to its last bracket."""
    first = _FIRST_KEY.search(text)
    if first is None or _looks_like_json(text[: first.start()]):
        return None
    stop, _ = _segment_end(text, first.start(), is_wide=False)
    segment = text[first.start() : stop]
    end = _last_closer(segment)
    if not end or _looks_like_json(_INLINE_FENCE.sub(" ", text[first.start() + end :])):
        return None
    return Passage(segment[:end], segment=segment, lacks_opener=True)

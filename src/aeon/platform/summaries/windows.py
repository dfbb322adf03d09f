"""Chooses which part of a path is compressed next (platform 15). Pure."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from aeon.platform.summaries.model import MAX_LEVEL, PathEpisode, PlacedSummary, Window

START: Final = 0.8
"""The share of a budget that a path fills before anything is compressed."""

SIZE: Final = 0.3
"""The size of a summary in proportion to its sources."""

LEAST, MOST = 5, 10
"""How many episodes, or summaries, a window has."""

NEWEST: Final = 5
"""How many of the newest episodes are left alone."""

SUMMARY_SHARE: Final = 0.4
"""The share of a budget that summaries have together before they are compressed themselves."""

_MIXED_SHARE: Final = 0.6
"""The share of a budget from which on summaries of several levels are compressed together: that costs levels."""

_HIGHER_SHARE: Final = 0.04
"""The share of a budget that a summary of summaries has at most, so that those of all levels have room side by side."""

_WINDOW_SHARE: Final = 0.4
"""The share of a budget that a window with more than the fewest episodes has, so that a model can read it at once."""

_LARGEST: Final = 3000
"""The most tokens of such a window."""


def covering(placed: Sequence[PlacedSummary]) -> list[PlacedSummary]:
    """Returns the summaries that stand for a path, in its order: the highest ones, and no place twice."""
    chosen: list[PlacedSummary] = []
    for each in sorted(placed, key=lambda each: (-each.summary.level, each.begin, each.summary.created_at)):
        if all(each.end < other.begin or each.begin > other.end for other in chosen):
            chosen.append(each)
    return sorted(chosen, key=lambda each: each.begin)


def next_window(
    path: Sequence[PathEpisode], placed: Sequence[PlacedSummary], *, fixed_tokens: int, budget: int
) -> Window | None:
    """Returns what of a path is to be compressed next; None while it fits well, or if nothing can be.

    `fixed_tokens` are those of a prompt without the path. What summaries stand for no longer counts. Summaries are
    compressed before turns once they have too large a share.
    """
    cover = covering(placed)
    loose = _loose_runs(len(path), cover)
    in_summaries = sum(each.summary.tokens for each in cover)
    in_turns = sum(path[place].tokens for begin, end in loose for place in range(begin, end))
    if fixed_tokens + in_summaries + in_turns <= START * budget:
        return None
    room = min(_WINDOW_SHARE * budget, _LARGEST)
    summaries = None
    if in_summaries > SUMMARY_SHARE * budget:
        rows = [*_rows(path, cover)]
        chosen = _same_level(rows) or (_mixed_levels(rows) if in_summaries > _MIXED_SHARE * budget else None)
        summaries = None if chosen is None else _window(chosen, room)
    return summaries or _window_of_turns(path, loose, room)


def target_tokens(window: Window, budget: int) -> int:
    """Returns how many tokens the summary of a window should have (platform 15)."""
    most = window.tokens if window.level == 1 else _HIGHER_SHARE * budget
    return max(1, int(min(SIZE * window.tokens, most)))


def _loose_runs(length: int, cover: Sequence[PlacedSummary]) -> list[tuple[int, int]]:
    """Return the places that no summary stands for: each run's first, and the one after its last."""
    edges = [-1, *(place for each in cover for place in (each.begin, each.end)), length]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    return [(before + 1, after) for before, after in gaps if after > before + 1]


def _window_of_turns(path: Sequence[PathEpisode], loose: Sequence[tuple[int, int]], room: float) -> Window | None:
    newest = len(path) - NEWEST
    for begin, end in loose:
        is_closed, place = end <= newest, begin
        while (left := min(end, newest) - place) >= LEAST:
            size = _size(path, place, left, room, is_closed=is_closed)
            if size is None:
                break
            episodes = path[place : place + size]
            if any(each.text.strip() for each in episodes):
                return Window(1, episodes, (), sum(each.tokens for each in episodes))
            place += size  # of an import, or erased: there is nothing to tell
    return None


def _size(path: Sequence[PathEpisode], place: int, left: int, room: float, *, is_closed: bool) -> int | None:
    """Return how many episodes from a place on make a window; None if it is better to wait for more.

    It ends before a message of the user, so that no question is parted from its answer. Between summaries, it leaves no
    rest that is too small for another window.
    """
    most = min(MOST, left)
    fitting = most
    while fitting > LEAST and sum(each.tokens for each in path[place : place + fitting]) > room:
        fitting -= 1
    sizes = [*range(fitting, LEAST - 1, -1), *range(fitting + 1, most + 1)]
    if is_closed:
        sizes = [size for size in sizes if left - size == 0 or left - size >= LEAST] or sizes
    whole = (size for size in sizes if place + size < len(path) and path[place + size].said_by == "user")
    return next(whole, sizes[0] if is_closed or left >= MOST else None)


def _same_level(rows: Sequence[Sequence[PlacedSummary]]) -> Sequence[PlacedSummary] | None:
    """Return the oldest summaries of the lowest level of which there are enough side by side."""
    for level in range(1, MAX_LEVEL):
        for row in rows:
            for same in _of_level(row, level):
                if len(same) >= LEAST:
                    return same
    return None


def _mixed_levels(rows: Sequence[Sequence[PlacedSummary]]) -> Sequence[PlacedSummary] | None:
    """Return the summaries side by side whose highest level is the lowest."""
    mixed = [row[first : first + LEAST] for row in rows for first in range(len(row) - LEAST + 1)]
    mixed = [each for each in mixed if _highest(each) < MAX_LEVEL]
    return min(mixed, key=_highest) if mixed else None


def _rows(path: Sequence[PathEpisode], cover: Sequence[PlacedSummary]) -> Iterator[list[PlacedSummary]]:
    """Yield groups of summaries without text between them."""
    row = [*cover[:1]]
    for before, after in pairwise(cover):
        if any(path[place].text.strip() for place in range(before.end + 1, after.begin)):
            yield row
            row = []
        row.append(after)
    if row:
        yield row


def _of_level(row: Sequence[PlacedSummary], level: int) -> Iterator[list[PlacedSummary]]:
    same: list[PlacedSummary] = []
    for each in row:
        if each.summary.level == level:
            same.append(each)
        elif same:
            yield same
            same = []
    if same:
        yield same


def _highest(summaries: Sequence[PlacedSummary]) -> int:
    return max(each.summary.level for each in summaries)


def _window(summaries: Sequence[PlacedSummary], room: float) -> Window:
    chosen = summaries[:MOST]
    while len(chosen) > LEAST and sum(each.summary.tokens for each in chosen) > room:
        chosen = chosen[:-1]
    return Window(_highest(chosen) + 1, (), chosen, sum(each.summary.tokens for each in chosen))

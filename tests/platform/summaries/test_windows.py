"""Which part of a path is compressed next (platform 15, 38)."""

from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.summaries.model import MAX_LEVEL, PathEpisode, PlacedSummary, Summary
from aeon.platform.summaries.windows import LEAST, MOST, NEWEST, START, covering, next_window, target_tokens

BUDGET = 1000


def path_of(*tokens, silent=()):
    return [
        PathEpisode(str(n), f"t{n}", "c", "agent" if n % 2 else "user", "" if n in silent else "x", each, f"d{n}")
        for n, each in enumerate(tokens)
    ]


def placed(level, begin, end, tokens=10, name=""):
    id_ = name or f"{level}:{begin}-{end}"
    summary = Summary(id_, "c", level, tokens, str(begin), str(end), f"d{end}", "p", None, id_, None)
    return PlacedSummary(summary, begin, end)


def window_of(path, summaries=(), fixed=0, budget=BUDGET):
    found = next_window(path, summaries, fixed_tokens=fixed, budget=budget)
    if found is None:
        return None
    places = [int(each.alternative) for each in found.episodes] or [each.summary.id for each in found.summaries]
    return found.level, places


def test_nothing_is_compressed_up_to_eighty_percent_of_the_budget_platform_15():
    assert window_of(path_of(*[40] * 20)) is None
    assert window_of(path_of(*[40] * 20), fixed=1) == (1, [*range(10)])


def test_a_window_has_five_to_ten_episodes_and_leaves_the_newest_five_alone_platform_15():
    assert window_of(path_of(*[100] * 10)) is None
    assert window_of(path_of(*[100] * 11)) == (1, [0, 1, 2, 3, 4, 5])
    assert window_of(path_of(*[60] * 20)) == (1, [0, 1, 2, 3, 4, 5])  # as much as a model reads well at once


def test_a_window_parts_no_question_from_its_answer():
    """With five episodes it would end with a question: it waits for one more, unless there are enough for any."""
    agents = [each._replace(said_by="agent") for each in path_of(*[100] * 15)]
    assert window_of(agents[:14]) is None
    assert window_of(agents) == (1, [0, 1, 2, 3, 4])


def test_a_window_ends_with_an_answer_where_it_can():
    path = path_of(*[60] * 20)
    assert window_of([path[0]._replace(said_by=None), *path_of(*[60] * 20)[1:]], budget=1200) == (1, [*range(8)])
    shifted = [each._replace(said_by="agent" if n % 2 == 0 else "user") for n, each in enumerate(path)]
    assert window_of(shifted, budget=1200) == (1, [*range(7)])


def test_what_a_summary_stands_for_no_longer_counts():
    path = path_of(*[50] * 20)
    assert window_of(path, [placed(1, 0, 9)]) is None
    assert window_of(path_of(*[80] * 21), [placed(1, 0, 9)]) == (1, [*range(10, 16)])


def test_summaries_are_compressed_once_they_have_too_large_a_share():
    path = path_of(*[40] * 60)
    five = [placed(1, 10 * n, 10 * n + 9, tokens=90) for n in range(5)]
    assert window_of(path, five) == (2, [each.summary.id for each in five][:5])
    four = [*five[:4], placed(2, 40, 49, tokens=90)]
    assert window_of(path_of(*[40] * 61), four) == (1, [*range(50, 56)]), "turns, since no level has five"


def test_the_lowest_level_comes_first_and_the_levels_mix_only_when_summaries_fill_the_budget():
    path = path_of(*[40] * 120)
    low = [placed(1, 50 + 10 * n, 59 + 10 * n, tokens=50) for n in range(5)]
    high = [placed(2, 10 * n, 10 * n + 9, tokens=50) for n in range(5)]
    assert window_of(path, [*high, *low]) == (2, [each.summary.id for each in low])
    mixed = [placed(level, 10 * n, 10 * n + 9, tokens=130) for n, level in enumerate((3, 3, 2, 2, 1))]
    assert window_of(path[:60], mixed) == (4, [each.summary.id for each in mixed])
    highest = [each._replace(summary=each.summary._replace(level=MAX_LEVEL)) for each in mixed]
    assert window_of(path[:59], highest) is None, "no level is higher than five"


def test_the_highest_summaries_stand_for_a_path_and_no_place_twice():
    parts = [placed(1, 0, 4), placed(1, 5, 9), placed(1, 20, 29)]
    whole = placed(2, 0, 9)
    assert covering([*parts, whole]) == [whole, parts[2]]
    assert covering(parts) == parts


def test_what_says_nothing_is_passed_over():
    path = path_of(*[0] * 10, *[60] * 20, silent=range(10))
    assert window_of(path) == (1, [*range(10, 16)])


def test_a_gap_between_summaries_leaves_no_rest_that_is_too_small():
    """A summary between others was deleted."""
    path = path_of(*[20] * 60)
    around = [placed(1, 0, 9), placed(1, 22, 39)]
    assert window_of(path, around, budget=600) == (1, [*range(10, 16)])
    assert window_of(path, [*around, placed(1, 10, 15)], budget=500) == (1, [*range(16, 22)])


def test_a_summary_of_turns_has_thirty_percent_of_their_size_and_one_of_summaries_no_more_than_its_share():
    turns = next_window(path_of(*[60] * 20), [], fixed_tokens=0, budget=BUDGET)
    assert target_tokens(turns, BUDGET) == 0.3 * 360
    summaries = [placed(1, 10 * n, 10 * n + 9, tokens=90) for n in range(5)]
    merged = next_window(path_of(*[40] * 60), summaries, fixed_tokens=0, budget=BUDGET)
    assert target_tokens(merged, BUDGET) == 40


@given(st.lists(st.integers(5, 120), min_size=10, max_size=300), st.integers(1000, 8000))
def test_compressing_again_and_again_ends_below_the_start_platform_15(tokens, budget):
    """Each window obeys its limits, levels rise by one at most to five, and the end fits or nothing is left to do."""
    path, summaries = path_of(*tokens), []
    while (window := next_window(path, summaries, fixed_tokens=50, budget=budget)) is not None:
        assert LEAST <= len(window.episodes) + len(window.summaries) <= MOST
        if window.summaries:
            assert window.level == max(each.summary.level for each in window.summaries) + 1 <= MAX_LEVEL
            begin, end = window.summaries[0].begin, window.summaries[-1].end
        else:
            begin, end = int(window.episodes[0].alternative), int(window.episodes[-1].alternative)
            assert window.level == 1
            assert end < len(path) - NEWEST
        size = target_tokens(window, budget)
        assert size <= 0.3 * window.tokens + 1
        summaries.append(placed(window.level, begin, end, size, f"{len(summaries):04}"))
    cover = covering(summaries)
    loose = path[cover[-1].end + 1 :] if cover else path
    load = 50 + sum(each.summary.tokens for each in cover) + sum(each.tokens for each in loose)
    assert load <= START * budget or len(loose) <= NEWEST + LEAST

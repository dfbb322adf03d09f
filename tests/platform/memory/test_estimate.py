"""Estimates of tokens, and their correction by what models report (platform 24)."""

from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.memory.estimate import TokenReport, correction, estimate_tokens


def test_every_script_counts():
    assert estimate_tokens("") == 0
    assert estimate_tokens("Hello there.") == 3
    assert estimate_tokens("日本語") == 3
    assert estimate_tokens("internationalization") == 4


@given(st.floats(0.6, 1.8), st.lists(st.floats(-0.025, 0.025), min_size=11, max_size=11), st.integers(200, 5000))
def test_after_ten_answers_an_estimate_is_at_most_five_percent_under(ratio, spread, size):
    """Texts of one kind: what the model counts differs by up to 5 % from one to the next."""
    *reported, last = [size * ratio * (1 + each) for each in spread]
    factor = correction([TokenReport(size, round(each)) for each in reported])
    assert size * factor >= 0.95 * last - 1


def test_without_answers_nothing_is_corrected():
    assert correction([]) == 1.0

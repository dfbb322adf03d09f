"""Secrets never leave a run (platform 3)."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from aeon.base.json import canonical
from aeon.base.masking import HIDDEN, Mask
from aeon.skills.executor.masking import masked_outcome
from aeon.skills.invocation import Ending, Outcome

VALUE = 'p"ss\\é word'


def test_a_secret_is_replaced_in_every_string_keys_too():
    masked = Mask([VALUE]).value({"a": [f"x {VALUE} y", {VALUE: VALUE}], "n": 1, "none": None})
    assert masked == {"a": [f"x {HIDDEN} y", {HIDDEN: HIDDEN}], "n": 1, "none": None}


def test_a_secret_inside_json_inside_a_text_is_found():
    assert Mask([VALUE]).text(canonical({"key": VALUE})) == f'{{"key":"{HIDDEN}"}}'
    assert Mask([VALUE]).text('{"key":"p\\"ss\\\\é word"}') == f'{{"key":"{HIDDEN}"}}'


def test_the_longer_of_two_is_replaced_first_and_empty_ones_are_ignored():
    assert Mask(["abc", "abcdef", ""]).text("abcdef abc") == f"{HIDDEN} {HIDDEN}"


def test_diagnostics_that_begin_inside_a_secret_do_not_show_its_rest():
    outcome = Outcome(Ending.EXITED, 1, stderr="t-key-1234 was refused")
    assert masked_outcome(Mask(["secret-key-1234"]), outcome).stderr == f"{HIDDEN} was refused"
    assert masked_outcome(Mask(["x1234"]), Outcome(Ending.EXITED, 1, stderr="234 times")).stderr == "234 times"


def test_everything_of_an_outcome_is_masked():
    outcome = Outcome(
        Ending.EXITED, 0, ({"type": "log", "message": "s3cret!"},), b"s3cret!", "s3cret!", "s3cret!", "s3cret!"
    )
    masked = masked_outcome(Mask(["s3cret!"]), outcome)
    assert (masked.events[0]["message"], masked.stderr, masked.violation, masked.problem) == (HIDDEN,) * 4


def test_without_secrets_everything_passes_untouched():
    value, outcome = {"a": ["b"]}, Outcome(Ending.EXITED, 0)
    assert Mask().value(value) is value
    assert masked_outcome(Mask(), outcome) == replace(outcome, events=[])
    assert Mask([""]).text("") == ""


JSON = st.recursive(st.none() | st.text(max_size=9) | st.integers(), lambda inner: st.lists(inner, max_size=3))


def strings(value):
    """Every string inside."""
    if isinstance(value, str):
        yield value
    for item in value if isinstance(value, list) else ():
        yield from strings(item)


@given(st.text(alphabet='xyz"\\', min_size=1, max_size=5), JSON)
def test_no_secret_is_left_anywhere(secret, value):
    masked = Mask([secret]).value([value, secret, f"<{secret}>"])
    assert not [text for text in strings(masked) if secret in text]

"""Laws of text for terminals."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from aeon.cli.text import compact_json, indented_json, last_cells, one_line, printable, wrap

ANY = st.text(max_size=400)
JSON = st.recursive(st.none() | st.integers() | ANY, lambda inner: st.lists(inner, max_size=3), max_leaves=5)


@given(ANY)
def test_nothing_that_steers_a_terminal_is_left(text):
    kinds = {unicodedata.category(character) for character in printable(text) if character not in "\n\t"}
    assert "Cc" not in kinds
    assert "Cs" not in kinds


@pytest.mark.parametrize(
    "hidden", ["\u200b", "\u200e", "\u2060", "\u00ad", "\u180e", "\U000e0041", "\U000e0100", "\u3164"]
)
def test_a_character_without_width_is_shown_skills_15(hidden):
    """Two names that look the same are not approved for one another (issue S12)."""
    shown = printable(f"pay{hidden}pal")

    assert shown == f"pay{hidden.encode('unicode_escape').decode()}pal"
    assert json.loads(compact_json(hidden)) == hidden
    assert hidden not in compact_json(hidden)


def test_a_joiner_is_shown_except_inside_of_a_script_that_needs_it():
    """Emoji and Persian are written with joiners; between Latin letters, or alone, they hide something."""
    assert printable("pay\u200dpal \u200c") == "pay\\u200dpal \\u200c"
    assert printable("\u00e9\u200d\u200d\u00e9") == "\u00e9\\u200d\\u200d\u00e9"
    assert printable("\U0001f469\u200d\U0001f4bb") == "\U0001f469\u200d\U0001f4bb"
    assert (
        printable("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645")
        == "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    )


@given(ANY, st.integers(20, 120))
def test_one_line_is_one_line_and_fits(text, width):
    line = one_line(text, width)
    assert "\n" not in line
    assert cell_len(line) <= width


@given(ANY, st.integers(20, 120))
def test_the_end_of_a_text_is_one_line_that_fits_and_ends_as_the_text_does(text, width):
    line = last_cells(text, width)
    assert "\n" not in line
    assert cell_len(line) <= width
    flat = " ".join(printable(text).split())
    assert flat.endswith(line.removeprefix("...").strip())


@given(ANY, st.integers(40, 120))
def test_wrapped_lines_fit_and_lose_no_word(text, width):
    lines = wrap(text, width, "  label: ", "    ")
    assert all(cell_len(line) <= width for line in lines)
    told = "".join("".join(lines).removeprefix("  label:").split())
    assert told == "".join(printable(text).expandtabs(4).split())


def test_what_is_left_out_is_said_and_words_are_kept_where_asked():
    assert wrap("a\nb\nc", 40, most=2) == ["a", "b ..."]
    assert wrap("see /" + "x" * 60, 40, keeps_words=True) == ["see", "/" + "x" * 60]


@given(JSON)
def test_json_for_people_is_the_same_value_to_a_program(value):
    for text in (compact_json(value), indented_json(value)):
        assert json.loads(text) == value
        assert printable(text) == text


@pytest.mark.parametrize("text", ["", "short", "x" * 40])
def test_text_that_fits_stays(text):
    assert one_line(text, 40) == text
    assert last_cells(text, 40) == text


def test_of_what_does_not_fit_the_end_is_shown():
    assert last_cells("of the long text this is the end", 10) == "...the end"

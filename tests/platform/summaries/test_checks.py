"""What a model returns as a summary is checked, and code makes one where it cannot be used (platform 38)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.summaries.checks import LONGEST_SHARE, SourceText, extract, fault_of

TOLD = "Keep who said what, all names, numbers, dates and decisions."
SOURCE = "User: We meet Mara on 3 May at noon, and Jonas brings the plans for the new bridge over the river."


@pytest.mark.parametrize(
    ("summary", "fault"),
    [
        ("They meet Mara.", None),
        ("They meet her on 3 May.", None),
        ("  ", "it is empty"),
        ("...", "it is empty"),
        (SOURCE, "it has more than 60% of the length of its source"),
        ("Mara: all names, numbers, dates and decisions, who knows", None),
        ("Mara. keep who said what all names numbers dates", "it repeats the instructions"),
        ("They meet somebody soon.", "it keeps no name and no number of its source"),
    ],
)
def test_a_summary_that_cannot_be_used_is_told_with_its_fault(summary, fault):
    assert fault_of(summary, SOURCE, TOLD) == fault


def test_a_source_without_names_and_numbers_asks_for_none():
    assert fault_of("they agree", "we could do it this way, i think, or not at all", TOLD) is None
    assert fault_of("彼らは会う", "私たちは明日の昼に会います。それから話します。", TOLD) is None


def test_the_first_sentences_that_fit_are_kept_in_order_those_with_names_and_numbers_first():
    parts = [
        SourceText("User", "so, let us think about it for a while. Then we see."),
        SourceText("Assistant", "We take PostgreSQL 17. It is good."),
        SourceText("", "they met Jonas. And so on."),
    ]
    assert extract(parts, 200) == (
        "User: so, let us think about it for a while.\nAssistant: We take PostgreSQL 17.\nthey met Jonas."
    )
    assert extract(parts, 60) == "Assistant: We take PostgreSQL 17.\nthey met Jonas."


def test_if_no_sentence_fits_the_first_is_cut_after_a_word():
    assert extract([SourceText("User", f"we meet {'very ' * 50}often.")], 30) == "User: we meet very very..."
    assert extract([], 30) == ""
    assert extract([SourceText("User", "...")], 30) == ""


@given(
    st.lists(st.builds(SourceText, st.sampled_from(["User", ""]), st.text(max_size=200)), max_size=10),
    st.floats(0, 500),
)
def test_an_extract_is_never_much_longer_than_asked(parts, size):
    assert len(extract(parts, size)) <= max(size, 12)


def test_a_summary_of_code_passes_the_check_of_a_models():
    parts = [SourceText("User", f"We meet Mara on {day} May. {'More is said then. ' * 10}") for day in range(1, 9)]
    source = "\n\n".join(f"{each.speaker}: {each.text}" for each in parts)
    assert fault_of(extract(parts, 0.3 * len(source)), source, TOLD) is None
    assert LONGEST_SHARE > 0.3

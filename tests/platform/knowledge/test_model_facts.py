"""What a strong model finds is kept as far as the message bears it out; contradictions count by branch (platform 36)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.knowledge.model_facts import checked_findings, model_inputs

TEXT = "Tove moved from Linz to Graz on Monday."
NAMES = ["Tove", "Linz", "Graz"]


def fact(text, subject="Tove", **more):
    return {"fact": text, "subject": subject, "object": "Graz", "from": "2026-05-04", "until": "", **more}


def test_a_fact_that_the_message_says_is_taken_with_its_names_and_times():
    found = {
        "facts": [fact("Tove lives in Graz.")],
        "contradicts": [],
        "categories": [{"name": "tove", "category": "Person"}],
    }
    extracted = checked_findings(found, TEXT, NAMES, [])
    (taken,) = extracted.facts
    assert (taken.text, taken.subject, taken.object) == ("Tove lives in Graz.", "tove", "graz")
    assert (taken.true_from, taken.true_until) == ("2026-05-04", None)
    assert (extracted.categories, extracted.extractor, extracted.state) == ({"tove": "Person"}, "model", "confirmed")


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"facts": "none"},
        {"facts": [None, 3, {"fact": 3}, {"fact": ""}, {"fact": "x" * 1001}]},
        {"facts": [fact("Nisha works for Kendra Software Industries.")]},
        {"facts": [fact("Does Tove live in Graz?")]},
        {"contradicts": [0, 2, -1, True, "1", None]},
        {"categories": [{"name": "Nisha", "category": "Person"}, {"name": "Tove", "category": "Friend"}]},
    ],
)
def test_what_a_model_makes_up_or_says_in_another_form_is_left_out(found):
    extracted = checked_findings(found, TEXT, NAMES, [])
    assert (list(extracted.facts), list(extracted.contradicts), extracted.categories) == ([], [], {})


def test_a_name_that_the_message_does_not_have_is_no_subject():
    (taken,) = checked_findings({"facts": [fact("Tove lives in Graz.", "Nisha")]}, TEXT, NAMES, []).facts
    assert taken.subject is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda x: st.lists(x) | st.dictionaries(st.sampled_from(["fact", "subject", "name", "category", "from"]), x),
    )
)
def test_any_answer_of_a_model_is_read_or_left_out(answer):
    found = {"facts": answer, "contradicts": answer, "categories": answer}
    for taken in checked_findings(found, TEXT, NAMES, []).facts:
        assert 0 < len(taken.text) <= 1000


def waiting(known):
    (episode,) = known.queue.list_waiting(known.user)
    return episode


def test_a_contradiction_counts_on_its_branch_alone_platform_35(known):
    place = known.conversation()
    first = known.say(place, "Tove lives in Linz.")
    known.queue.finish(
        known.user,
        waiting(known),
        checked_findings({"facts": [fact("Tove lives in Linz.", object="Linz")]}, first.content, NAMES, []),
    )
    known.answer(first, "Noted.")
    known.extract()
    (linz,) = known.about("Tove")
    second = known.say(place, "Tove no longer lives in Linz.")
    extracted = checked_findings({"facts": [], "contradicts": [1]}, second.content, NAMES, [linz])
    assert known.queue.finish(known.user, waiting(known), extracted)
    assert known.believed("Tove") == set()
    other = known.turns.edit(second.id, "Tove likes Linz.", known.request())
    assert known.believed("Tove") == {"Tove lives in Linz."}, "what an abandoned branch contradicts holds again"
    known.turns.activate(second.id, known.request())
    assert known.believed("Tove") == set()
    known.turns.activate(other.id, known.request())
    assert known.believed("Tove") == {"Tove lives in Linz."}


def test_a_model_is_shown_the_message_its_names_and_numbered_facts():
    inputs = model_inputs(TEXT, NAMES, [], "2026-05-04T10:00:00+00:00")
    assert inputs == {"message": TEXT, "names": "Tove, Linz, Graz", "known": "none", "day": "2026-05-04"}

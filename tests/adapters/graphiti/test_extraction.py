"""Graphiti extracts a message on its path; what it ends on one branch damages no other one (platform 35 and 36)."""

import pytest

from aeon.platform.episodes.writing import episode_id
from aeon.platform.knowledge.model import GRAPHITI

from .scripted_graphiti import Said

pytestmark = pytest.mark.server

LINZ = "Tove Berg lives in Linz."
GRAZ = "Tove Berg lives in Graz now."
OSLO = "Tove Berg lives in Oslo now."

SAID = {
    LINZ: Said("Tove Berg", "Linz", facts=[("Tove Berg", "Linz", LINZ, "2020-05-01T00:00:00Z")]),
    GRAZ: Said("Tove Berg", "Graz", facts=[("Tove Berg", "Graz", GRAZ, "2026-03-01T00:00:00Z")]),
    OSLO: Said("Tove Berg", "Oslo", facts=[("Tove Berg", "Oslo", OSLO, "2026-04-01T00:00:00Z")]),
}


@pytest.fixture
def talking(watched, monkeypatch):
    """A user whose messages Graphiti extracts with a scripted model; `remove_episode` is never called."""
    monkeypatch.setattr("graphiti_core.Graphiti.remove_episode", None)
    watched.model.said = SAID
    watched.model.contradicts = [(GRAZ, LINZ), (OSLO, LINZ), (OSLO, GRAZ)]
    return watched


def test_platform_36_what_graphiti_found_stands_in_the_record_with_its_validity(talking):
    message = talking.say(talking.conversation(), LINZ)
    found = talking.extract_by_graphiti(message)
    assert found.extractor == GRAPHITI
    (fact,) = talking.about("Tove Berg")
    (stated,) = fact.assertions
    assert (fact.text, stated.kind, stated.state, stated.extractor) == (LINZ, "states", "confirmed", GRAPHITI)
    assert (stated.true_from, stated.true_until) == ("2020-05-01", None)
    assert talking.names() == {"Tove Berg", "Linz"}
    assert talking.entities.get(talking.user, "Linz").category == "Person", "as the script says"
    there = talking.facts_there()[LINZ]
    assert (there.uuid, there.valid_at.isoformat()) == (fact.id, "2020-05-01T00:00:00+00:00")


def test_platform_36_a_fact_that_graphiti_ended_is_contradicted_by_the_message(talking):
    conversation = talking.conversation()
    first = talking.say(conversation, LINZ)
    talking.extract_by_graphiti(first)
    talking.answer(first)
    talking.extract_by_graphiti(talking.say(conversation, GRAZ))
    assert talking.believed("Tove Berg") == {GRAZ}
    there = talking.facts_there()
    assert there[LINZ].invalid_at is not None
    assert there[GRAZ].invalid_at is None


def test_platform_35_an_episode_on_one_branch_does_not_damage_another(talking):
    conversation = talking.conversation()
    first = talking.say(conversation, LINZ)
    talking.extract_by_graphiti(first)
    talking.answer(first)
    here = talking.say(conversation, GRAZ)
    talking.extract_by_graphiti(here)
    there = talking.turns.edit(here.id, OSLO, talking.request())
    talking.extract_by_graphiti(there)
    assert talking.believed("Tove Berg") == {OSLO}
    talking.turns.activate(here.id, talking.request())
    talking.sync()
    assert talking.believed("Tove Berg") == {GRAZ}
    assert set(talking.facts_there()) == {LINZ, GRAZ}
    assert talking.facts_there()[GRAZ].invalid_at is None
    assert "Oslo" not in talking.everything()


def test_platform_36_only_the_path_is_shown_as_previous_episodes(talking):
    conversation = talking.conversation()
    first = talking.say(conversation, "The talk begins here.")
    answer = talking.answer(first, "So it does.")
    talking.extract()
    here = talking.say(conversation, GRAZ)
    talking.extract_by_graphiti(here)
    there = talking.turns.edit(here.id, OSLO, talking.request())
    talking.model.requests.clear()
    talking.extract_by_graphiti(there)
    assert talking.views.place_of(talking.user, episode_id(there.id)).previous == [
        episode_id(first.id),
        episode_id(answer.id),
    ]
    prompts = "".join(each.prompt for each in talking.model.requests)
    assert "The talk begins here." in prompts
    assert "Graz" not in prompts


def test_a_message_on_a_branch_that_is_not_on_screen_is_extracted_on_its_path(talking):
    conversation = talking.conversation()
    left = talking.say(conversation, LINZ)
    on_screen = talking.turns.edit(left.id, GRAZ, talking.request())
    talking.extract_by_graphiti(left)
    talking.extract_by_graphiti(on_screen)
    assert set(talking.facts_there()) == {GRAZ}
    talking.turns.activate(left.id, talking.request())
    assert talking.believed("Tove Berg") == {LINZ}


def test_what_the_message_does_not_say_is_left_out(talking):
    invented = "Nisha works for Kendra since April."
    talking.model.said = {
        LINZ: Said(
            "Tove Berg",
            "Linz",
            "Nisha",
            facts=[
                ("Tove Berg", "Linz", LINZ, None),
                ("Nisha", "Linz", invented, None),
                ("Linz", "Linz", "Where?", None),
            ],
        )
    }
    talking.extract_by_graphiti(talking.say(talking.conversation(), LINZ))
    assert talking.names() == {"Tove Berg", "Linz"}
    assert set(talking.facts_there()) == {LINZ}
    assert "Nisha" not in talking.everything(), "the synchronization has removed what only Graphiti believes"


def test_a_fact_that_was_known_is_stated_again(talking):
    first = talking.say(talking.conversation(), LINZ)
    talking.extract_by_graphiti(first)
    second = talking.say(talking.conversation(), LINZ)
    talking.extract_by_graphiti(second)
    (fact,) = talking.about("Tove Berg")
    assert len(fact.assertions) == 2
    assert talking.facts_there()[LINZ].episodes == sorted([episode_id(first.id), episode_id(second.id)])


def test_an_answer_that_does_not_fit_is_an_error_of_the_model(talking):
    from aeon.base.errors import LLMError

    talking.model._ExtractedEntities = lambda prompt: {"wrong": 1}
    message = talking.say(talking.conversation(), LINZ)
    with pytest.raises(LLMError, match="not what Graphiti asked for"):
        talking.extract_by_graphiti(message)

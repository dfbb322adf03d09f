"""What the search finds: words of one user that are visible now, also after every change, in this or another process."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.platform.knowledge.conftest import TODAY, Finder

from aeon.platform.knowledge.retrieval import KnowledgeSearch, PassageFilter
from aeon.testing.embedding import HashEmbedder
from aeon.testing.records import new_record


def test_what_was_said_is_found_by_its_words_best_first(finder):
    place = finder.talk.conversation()
    message = finder.talk.say(place, "Mara moved to Lisbon in May.")
    finder.talk.answer(message, "Lisbon has good weather.")
    finder.talk.say(finder.talk.conversation(), "I bake bread with rye flour.")
    found = finder.search.find(finder.user, "Where did Mara move?", today=TODAY)
    assert [each.text for each in found] == ["Mara moved to Lisbon in May.", "Lisbon has good weather."]
    assert (found[0].alternative_id, found[0].conversation_id, found[0].speaker) == (message.id, place.id, "user")
    assert found[0].at == message.created_at
    assert finder.texts("flours") == ["I bake bread with rye flour."], "words are found in other forms"
    assert finder.texts("zebra") == []
    assert finder.texts("") == []


def test_a_message_of_another_user_is_never_found_platform_16(finder):
    other = Finder(finder.talk.store)
    other.talk.say(other.talk.conversation(), "Mara moved to Lisbon.")
    assert finder.texts("Mara Lisbon") == []
    mine = finder.talk.say(finder.talk.conversation(), "Mara moved to Graz.")
    assert finder.texts("Mara Lisbon") == ["Mara moved to Graz."]
    assert other.search.find(other.user, "Mara", today=TODAY, path=mine.id)[0].text == "Mara moved to Lisbon."
    assert other.search.find("nobody", "Mara", today=TODAY) == []


def test_the_branch_on_screen_decides_and_a_switch_takes_effect_at_once_platform_35(finder):
    talk, place = finder.talk, finder.talk.conversation()
    lisbon = talk.say(place, "Mara lives in Lisbon.")
    assert finder.texts("Where does Mara live?") == ["Mara lives in Lisbon."]
    graz = talk.turns.edit(lisbon.id, "Mara lives in Graz.", talk.request())
    assert finder.texts("Where does Mara live?") == ["Mara lives in Graz."]
    talk.turns.activate(lisbon.id, talk.request())
    assert finder.texts("Where does Mara live?") == ["Mara lives in Lisbon."]
    assert finder.texts("Where does Mara live?", path=graz.id) == ["Mara lives in Graz."]
    assert finder.texts("Where does Mara live?") == ["Mara lives in Lisbon."], "a path counts for one search"

"""The index in memory is as the record is, whatever happened in between."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.platform.knowledge.conftest import TODAY, Finder

from aeon.platform.knowledge import retrieval
from aeon.platform.knowledge import search_queries as queries
from aeon.platform.knowledge.retrieval import KnowledgeSearch
from aeon.platform.store import StoreUnavailableError


class InterruptedStore:
    """A store whose reads of texts fail as often as it says."""

    def __init__(self, store):
        self._store = store
        self.failures = 0

    def view(self, work):
        return self._store.view(lambda unit: work(InterruptedUnit(unit, self)))


class InterruptedUnit:
    def __init__(self, unit, store):
        self._unit = unit
        self._store = store

    def read(self, query, params=None):
        if query is queries.TEXTS and self._store.failures:
            self._store.failures -= 1
            raise StoreUnavailableError
        return self._unit.read(query, params)


def test_a_search_that_failed_halfway_leaves_nothing_half_read(finder):
    store = InterruptedStore(finder.talk.store)
    search = KnowledgeSearch(store)
    place = finder.talk.conversation()
    message = finder.talk.say(place, "Mara moved to Lisbon.")
    for failures in (1, 0):
        store.failures = failures
        if failures:
            with pytest.raises(StoreUnavailableError):
                search.find(finder.user, "Mara", today=TODAY)
        else:
            assert len(search.find(finder.user, "Mara", today=TODAY)) == 1
    finder.talk.answer(message, "Mara is in Lisbon, then.")
    store.failures = 1
    with pytest.raises(StoreUnavailableError):
        search.find(finder.user, "Mara", today=TODAY)
    assert len(search.find(finder.user, "Mara", today=TODAY)) == 2


def test_users_who_searched_long_ago_are_forgotten_and_found_again(finder, monkeypatch):
    monkeypatch.setattr(retrieval, "_MAX_PASSAGES", 1)
    other = Finder(finder.talk.store)
    finder.talk.say(finder.talk.conversation(), "Mara moved to Lisbon.")
    other.talk.say(other.talk.conversation(), "Mara moved to Graz.")
    for _ in range(2):
        found = finder.search.find(finder.user, "Mara", today=TODAY)
        assert [each.text for each in found] == ["Mara moved to Lisbon."]
        found = finder.search.find(other.user, "Mara", today=TODAY)
        assert [each.text for each in found] == ["Mara moved to Graz."]


def test_threads_share_a_search(finder):
    for number in range(20):
        finder.talk.say(finder.talk.conversation(), f"Mara bought book {number}.")
    expected = finder.texts("Mara book 7", limit=20)
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(lambda _: finder.texts("Mara book 7", limit=20), range(12))]
    assert found == [expected] * 12


def test_a_long_conversation_that_grows_is_as_if_it_had_been_read_at_once(finder):
    """Neighbours of what was indexed before may come later."""
    talk, place = finder.talk, finder.talk.conversation()
    tip = None
    for number in range(12):
        message = talk.say(place, f"Point {number}: Mara has {number} keys.", tip)
        tip = talk.answer(message, f"Noted as {number}.").id
        finder.texts("keys")
    fresh = KnowledgeSearch(talk.store)
    for question in ("Which keys has Mara?", "point 3", "noted 7", "4"):
        grown = [(each.text, each.score) for each in finder.search.find(finder.user, question, today=TODAY, limit=50)]
        whole = [(each.text, each.score) for each in fresh.find(finder.user, question, today=TODAY, limit=50)]
        assert sorted(grown) == [(text, pytest.approx(score, abs=0.05)) for text, score in sorted(whole)]

"""Vectors are made in the background, by one model at a time, and the search uses those that are there."""

import pytest
from tests.platform.knowledge.conftest import TODAY, Finder
from tests.platform.knowledge.test_retrieval import write_note

from aeon.base.errors import LLMError
from aeon.platform.conversations.erasing import ErasureRepository, ErasureTarget
from aeon.platform.embedder import EmbeddedTexts, Embedder
from aeon.platform.episodes.forgetting import remove_vectors
from aeon.platform.knowledge.embedding_backlog import EmbeddingBacklog, text_parts
from aeon.platform.knowledge.retrieval import KnowledgeSearch
from aeon.testing.embedding import HashEmbedder


class Meanings(Embedder):
    """A model that knows three meanings by their words, in any form; `refuses` makes it fail."""

    MEANINGS = (("dog", "puppy", "hound"), ("car", "vehicle"), ("tea", "drink"))

    def __init__(self, model="meanings"):
        self.refuses = False
        self._model = model

    @property
    def model(self):
        return self._model

    @property
    def dimensions(self):
        return len(self.MEANINGS) + 1

    @property
    def max_tokens(self):
        return 8

    def count_tokens(self, text):
        return len(text.split())

    def embed(self, texts):
        if self.refuses:
            raise LLMError("The model does not answer.")
        return EmbeddedTexts([self._vector(text.lower()) for text in texts], 1)

    def _vector(self, text):
        known = [float(any(word in text for word in words)) for words in self.MEANINGS]
        length = sum(known) ** 0.5
        return [value / length for value in known] + [0.0] if length else [0.0] * len(known) + [1.0]


@pytest.fixture
def finder(store):
    return Finder(store, Meanings())


@pytest.fixture
def backlog(finder):
    return EmbeddingBacklog(finder.talk.store, Meanings())


def vectors(finder):
    rows = finder.talk.store.read(
        "SELECT subject, model, vector FROM vectors WHERE owner_id = :user ORDER BY subject", {"user": finder.user}
    )
    return {row["subject"]: row["model"] for row in rows}


def embed_all(finder, backlog):
    while backlog.embed_next(finder.user, 2):
        pass


def test_a_message_is_found_by_its_meaning_once_it_has_a_vector(finder, backlog):
    message = finder.talk.say(finder.talk.conversation(), "Our puppy sleeps.")
    finder.talk.say(finder.talk.conversation(), "The vehicle is red.")
    assert finder.texts("hound") == []
    assert finder.texts("puppy") == ["Our puppy sleeps."], "until then by its words"
    embed_all(finder, backlog)
    assert finder.texts("hound") == ["Our puppy sleeps."]
    assert vectors(finder)[message.id] == "meanings"


def test_progress_says_how_many_have_vectors_and_a_restart_goes_on_there(finder, backlog):
    place = finder.talk.conversation()
    for number in range(3):
        message = finder.talk.say(place, f"car {number}")
        finder.talk.answer(message, f"tea {number}")
    write_note(finder, "I have a dog.")
    assert backlog.progress(finder.user) == (0, 7)
    assert backlog.embed_next(finder.user, 5) == 5
    again = EmbeddingBacklog(finder.talk.store, Meanings())
    assert again.progress(finder.user) == (5, 7)
    assert again.embed_next(finder.user, 5) == 2
    assert again.embed_next(finder.user, 5) == 0
    assert again.progress(finder.user) == (7, 7)


def test_a_long_text_has_a_vector_for_each_part_and_the_best_counts(finder, backlog):
    said = "One two three four five six seven eight. " * 11 + "There was a puppy here. " + "Nine ten. " * 5
    message = finder.talk.say(finder.talk.conversation(), said)
    parts = text_parts(Meanings(), said)
    assert "".join(part.of(said) for part in parts) == said
    assert all(Meanings().count_tokens(part.of(said)) <= 8 for part in parts)
    embed_all(finder, backlog)
    assert sorted(vectors(finder)) == sorted([message.id, *(f"{message.id}#{n}" for n in range(1, len(parts)))])
    (found,) = finder.search.find(finder.user, "hound", today=TODAY)
    assert "puppy" in found.text
    assert said[found.start : found.end] == found.text
    assert len(found.text) < 60
    assert backlog.progress(finder.user) == (1, 1)


def test_vectors_of_another_model_are_never_compared_and_made_anew(finder, backlog):
    message = finder.talk.say(finder.talk.conversation(), "Our puppy sleeps.")
    embed_all(finder, backlog)
    newer = Meanings("newer")
    search = KnowledgeSearch(finder.talk.store, newer)
    assert search.find(finder.user, "hound", today=TODAY) == []
    assert [each.text for each in search.find(finder.user, "puppy", today=TODAY)] == ["Our puppy sleeps."]
    backlog = EmbeddingBacklog(finder.talk.store, newer)
    assert backlog.progress(finder.user) == (0, 1)
    embed_all(finder, backlog)
    assert vectors(finder) == {message.id: "newer"}
    assert [each.text for each in search.find(finder.user, "hound", today=TODAY)] == ["Our puppy sleeps."]


def test_an_erased_message_loses_its_vectors_platform_28(finder, backlog):
    place = finder.talk.conversation()
    message = finder.talk.say(place, "Our puppy sleeps. " * 10)
    other = finder.talk.answer(message, "The vehicle is red.")
    embed_all(finder, backlog)
    assert finder.texts("hound")
    erasures = ErasureRepository(finder.talk.store, finder.talk.world.catalog.ledger, finder.talk.world.catalog.new_id)
    erasures.begin(ErasureTarget(finder.user, place.id, message.id), finder.talk.request())
    assert list(vectors(finder)) == [other.id]
    assert finder.texts("hound") == []
    assert backlog.progress(finder.user) == (1, 1)


def test_a_text_that_is_erased_while_its_vector_is_made_gets_none_platform_28(finder):
    place = finder.talk.conversation()
    message = finder.talk.say(place, "Our puppy sleeps.")
    erasures = ErasureRepository(finder.talk.store, finder.talk.world.catalog.ledger, finder.talk.world.catalog.new_id)

    class Slow(Meanings):
        def embed(self, texts):
            erasures.begin(ErasureTarget(finder.user, place.id, message.id), finder.talk.request())
            return super().embed(texts)

    EmbeddingBacklog(finder.talk.store, Slow()).embed_next(finder.user)
    assert vectors(finder) == {}


def test_the_vectors_of_a_note_are_removed_with_it(finder, backlog):
    note = write_note(finder, "Our puppy sleeps.")
    embed_all(finder, backlog)
    assert finder.texts("hound") == ["Our puppy sleeps."]
    finder.talk.store.update(lambda unit: remove_vectors(unit, finder.user, note))
    assert vectors(finder) == {}


def test_deleted_vectors_are_made_again_and_the_search_finds_by_words_meanwhile(finder, backlog):
    finder.talk.say(finder.talk.conversation(), "Our puppy sleeps.")
    embed_all(finder, backlog)
    finder.talk.store.update(lambda unit: unit.write("DELETE FROM vectors WHERE owner_id = :u", {"u": finder.user}))
    fresh = KnowledgeSearch(finder.talk.store, Meanings())
    assert fresh.find(finder.user, "hound", today=TODAY) == []
    assert [each.text for each in fresh.find(finder.user, "puppy", today=TODAY)] == ["Our puppy sleeps."]
    embed_all(finder, backlog)
    assert [each.text for each in fresh.find(finder.user, "hound", today=TODAY)] == ["Our puppy sleeps."]


def test_another_users_vectors_are_neither_made_nor_found_platform_16(finder, backlog):
    other = Finder(finder.talk.store, Meanings())
    other.talk.say(other.talk.conversation(), "Our puppy sleeps.")
    assert backlog.embed_next(finder.user) == 0
    embed_all(other, backlog)
    assert finder.texts("hound") == []
    assert other.texts("hound") == ["Our puppy sleeps."]


def test_a_branch_that_was_left_is_not_found_by_its_meaning_platform_35(finder, backlog):
    talk, place = finder.talk, finder.talk.conversation()
    puppy = talk.say(place, "Our puppy sleeps.")
    car = talk.turns.edit(puppy.id, "The vehicle is red.", talk.request())
    embed_all(finder, backlog)
    assert (finder.texts("hound"), finder.texts("car")) == ([], [car.content])
    talk.turns.activate(puppy.id, talk.request())
    assert (finder.texts("hound"), finder.texts("car")) == ([puppy.content], [])
    assert finder.texts("car", path=car.id) == [car.content]


def test_many_switches_lose_no_vector(finder, backlog):
    talk = finder.talk
    branches = []
    for number in range(40):
        first = talk.say(talk.conversation(), f"Our puppy number {number} sleeps.")
        branches.append((first, talk.turns.edit(first.id, f"The vehicle number {number} is red.", talk.request())))
    embed_all(finder, backlog)
    for turn in range(20):
        for branch in branches:
            talk.turns.activate(branch[turn % 2].id, talk.request())
        found = finder.texts("hound", limit=100)
        assert set(found) == ({first.content for first, _ in branches} if turn % 2 == 0 else set())


def test_a_model_that_does_not_answer_leaves_the_backlog_as_it_is(finder):
    finder.talk.say(finder.talk.conversation(), "Our puppy sleeps.")
    embedder = Meanings()
    backlog = EmbeddingBacklog(finder.talk.store, embedder)
    embedder.refuses = True
    with pytest.raises(LLMError):
        backlog.embed_next(finder.user)
    assert backlog.progress(finder.user) == (0, 1)
    embedder.refuses = False
    assert backlog.embed_next(finder.user) == 1


def test_a_text_that_the_model_refuses_counts_and_is_found_by_its_words(store):
    class Picky(HashEmbedder):
        def count_tokens(self, text):
            return 1

        def embed(self, texts):
            HashEmbedder(max_tokens=3).embed(texts)
            return super().embed(texts)

    finder = Finder(store, Picky())
    finder.talk.say(finder.talk.conversation(), "This text is longer than the model admits.")
    backlog = EmbeddingBacklog(store, Picky())
    assert backlog.embed_next(finder.user) == 1
    assert backlog.embed_next(finder.user) == 0
    assert finder.texts("admits") == ["This text is longer than the model admits."]

"""What the search finds: words of one user that are visible now, also after every change, in this or another process."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.platform.knowledge.conftest import TODAY, Finder

from aeon.platform.conversations.erasing import ErasureRepository, ErasureTarget
from aeon.platform.knowledge.embedding_backlog import EmbeddingBacklog
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


def test_a_path_hides_what_stands_after_its_end_and_all_other_branches_platform_22(finder):
    talk, place = finder.talk, finder.talk.conversation()
    first = talk.say(place, "Mara likes green tea.")
    middle = talk.answer(first, "Mara, noted.")
    talk.say(place, "Mara likes black coffee.", middle.id)
    other = talk.say(talk.conversation(), "Mara likes cold milk.")
    assert set(finder.texts("What does Mara like?")) == {
        "Mara likes green tea.",
        "Mara, noted.",
        "Mara likes black coffee.",
        "Mara likes cold milk.",
    }
    before = {"Mara likes green tea.", "Mara, noted.", other.content}
    assert set(finder.texts("What does Mara like?", path=middle.id)) == before
    switched = talk.turns.edit(first.id, "Mara likes red wine.", talk.request())
    assert set(finder.texts("What does Mara like?", path=middle.id)) == before
    assert set(finder.texts("What does Mara like?", path=switched.id)) == {"Mara likes red wine.", other.content}


def test_many_paths_that_were_left_are_forgotten_and_found_again(finder):
    talk, place = finder.talk, finder.talk.conversation()
    first = talk.say(place, "Mara lives in house 0.")
    branches = [first, *(talk.turns.edit(first.id, f"Mara lives in house {n}.", talk.request()) for n in range(1, 12))]
    for each in [*branches, *branches]:
        assert finder.texts("Where does Mara live?", path=each.id) == [each.content]
    assert finder.texts("Where does Mara live?") == ["Mara lives in house 11."]


def test_what_another_process_writes_is_found_by_the_next_search(finder):
    """A second search has its own memory, as another process has."""
    talk, other = finder.talk, KnowledgeSearch(finder.talk.store)

    def texts(question):
        return [each.text for each in other.find(finder.user, question, today=TODAY)]

    place = talk.conversation()
    assert texts("Lisbon") == []
    message = talk.say(place, "Mara moved to Lisbon.")
    assert texts("Lisbon") == ["Mara moved to Lisbon."]
    begun = talk.turns.begin_answer(message.id, talk.executor, talk.request())
    assert texts("Lisbon") == ["Mara moved to Lisbon."]
    talk.end(begun, "Lisbon is warm.")
    assert set(texts("Lisbon")) == {"Mara moved to Lisbon.", "Lisbon is warm."}


def test_an_erased_message_is_not_found_anymore_platform_28(finder):
    talk, place = finder.talk, finder.talk.conversation()
    message = talk.say(place, "Mara moved to Lisbon.")
    answer = talk.answer(message, "Lisbon is warm.")
    assert len(finder.texts("Lisbon")) == 2
    erasures = ErasureRepository(talk.store, talk.world.catalog.ledger, talk.world.catalog.new_id)
    erasures.begin(ErasureTarget(finder.user, place.id, message.id), talk.request())
    assert finder.texts("Lisbon") == ["Lisbon is warm."]
    assert finder.texts("Mara", path=answer.id) == [], "no neighbour has words of an erased message"
    erasures.begin(ErasureTarget(finder.user, place.id), talk.request())
    assert finder.texts("Lisbon") == []


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_hundred_generated_trees_lose_nothing_and_show_nothing_of_a_branch_that_was_left_platform_35(finder):
    """Edits, answers made again, forks and switches back and forth; a fact is planted in each message and answer."""
    chance, talk = random.Random(35), finder.talk
    for tree in range(200):
        name, place = f"Zor{chr(97 + tree % 26)}{chr(97 + tree // 26)}x", talk.conversation()
        facts, messages = {}, []

        def planted(facts=facts, name=name):
            return f"{name} lives in house {len(facts)}."

        def keep(made, facts=facts, messages=messages):
            facts[made.id] = made.content
            if made.turn.speaker == "user":
                messages.append(made)
            return made

        keep(talk.say(place, planted()))
        for _ in range(chance.randint(1, 5)):
            act = chance.choice(["answer", "edit", "switch"])
            if act == "answer":
                answer = keep(talk.answer(chance.choice(messages), planted()))
                keep(talk.say(place, planted(), answer.id))
            elif act == "edit":
                keep(talk.turns.edit(chance.choice(messages).id, planted(), talk.request()))
            else:
                talk.turns.activate(chance.choice([*facts]), talk.request())
            expected = {facts[each.id] for each in _path(talk, place)}
            assert set(finder.texts(f"Where is {name}?", limit=50)) == expected
        if chance.random() < 0.3:
            fork = talk.turns.fork(chance.choice([*facts]), None, talk.request())
            keep(talk.say(fork, planted()))
            expected = {facts[each.id] for each in [*_path(talk, place), *_path(talk, fork)]}
        other = chance.choice([*facts])
        here = {facts[each.id] for each in talk.turns.path(finder.user, other, 100)}
        found = finder.search.find(finder.user, f"Where is {name}?", today=TODAY, path=other, limit=50)
        conversation = talk.turns.get(finder.user, other).conversation_id
        assert {each.text for each in found if each.conversation_id == conversation} == here
        assert set(finder.texts(f"Where is {name}?", limit=50)) == expected


def _path(talk, place):
    tip = talk.conversations.get(talk.user, place.id).tip_id
    return talk.turns.path(talk.user, tip, 100)


def test_the_part_of_a_long_message_that_matters_is_found(finder):
    filler = "The weather was fine and nothing happened that anybody would write down. " * 30
    said = f"{filler}The key lies under the blue stone. {filler}"
    finder.talk.say(finder.talk.conversation(), said)
    (found,) = finder.search.find(finder.user, "Where is the blue stone?", today=TODAY)
    assert "under the blue stone" in found.text
    assert len(found.text) < len(said) / 4
    assert said[found.start : found.end] == found.text
    assert found.as_source() == {
        "episode": found.episode_id,
        "alternative": found.alternative_id,
        "conversation": found.conversation_id,
        "start": found.start,
        "end": found.end,
    }


def test_a_short_message_is_found_by_the_words_around_it(finder):
    talk, place = finder.talk, finder.talk.conversation()
    question = talk.say(place, "Where did Mara spend her holidays?")
    answer = talk.answer(question, "Tell me.")
    talk.say(place, "In Portugal.", answer.id)
    assert "In Portugal." in finder.texts("Mara holidays")


def test_the_results_fit_a_budget_of_tokens_each_with_its_source_platform_40(finder):
    for number in range(5):
        finder.talk.say(finder.talk.conversation(), f"Mara bought book {number} {'very ' * number * 5}early.")

    def count(text):
        return len(text.split())

    found = finder.search.find_within(finder.user, "What did Mara buy?", 30, count, today=TODAY)
    assert found
    assert sum(count(each.text) for each in found) <= 30
    assert all(each.as_source()["alternative"] == each.alternative_id for each in found)
    assert finder.search.find_within(finder.user, "What did Mara buy?", 0, count, today=TODAY) == []
    finder.talk.say(finder.talk.conversation(), "Mara bought book 0 early.")
    texts = [each.text for each in finder.search.find_within(finder.user, "book 0", 30, count, today=TODAY)]
    assert texts.count("Mara bought book 0 early.") == 1


def test_the_limit_is_kept(finder):
    for number in range(5):
        finder.talk.say(finder.talk.conversation(), f"Mara bought book {number}.")
    assert [len(finder.texts("Mara", limit=limit)) for limit in (0, 1, 3, 9)] == [0, 1, 3, 5]


def test_a_filter_lets_only_its_passages_through(finder):
    talk, place, elsewhere = finder.talk, finder.talk.conversation(), finder.talk.conversation()
    message = talk.say(place, "Mara likes tea.")
    answer = talk.answer(message, "Mara likes tea, noted.")
    other = talk.say(elsewhere, "Mara likes coffee.")

    def ids(**fields):
        found = finder.search.find(finder.user, "Mara", today=TODAY, only=PassageFilter(**fields))
        return {each.alternative_id for each in found}

    assert ids() == {message.id, answer.id, other.id}
    assert ids(conversation=place.id) == {message.id, answer.id}
    assert ids(speaker="agent") == {answer.id}
    assert ids(without=frozenset({place.id})) == {other.id}
    assert ids(since=other.created_at) == {other.id}
    assert ids(until=answer.created_at) == {message.id}


def test_what_a_user_said_comes_before_what_a_model_said(finder):
    message = finder.talk.say(finder.talk.conversation(), "Mara likes tea.")
    finder.talk.answer(message, "Mara likes tea.")
    found = finder.search.find(finder.user, "What does Mara like?", today=TODAY)
    assert [each.speaker for each in found] == ["user", "agent"]


@pytest.mark.parametrize(
    "question",
    ["Which tea did you recommend for Mara?", "Welchen tea hast du Mara empfohlen?", "Mara, your advice on tea?"],
)
def test_what_a_model_said_counts_as_much_where_it_is_asked_for(finder, question):
    message = finder.talk.say(finder.talk.conversation(), "Mara needs tea.")
    finder.talk.answer(message, "Take green tea for Mara, which is a mild tea.")
    found = finder.search.find(finder.user, question, today=TODAY)
    assert [each.speaker for each in found] == ["agent", "user"]


def test_what_was_said_in_the_time_that_a_question_names_comes_first_and_nothing_is_lost(finder):
    made = []
    for _ in range(4):  # in March, May, July and August
        finder.talk.world.clock.sleep(60 * 24 * 3600)
        made.append(finder.talk.say(finder.talk.conversation(), "Mara told me about her garden."))
    in_may = made[1]
    assert in_may.created_at.startswith("2026-05")
    for question in ("What did Mara tell me last May?", "Was sagte Mara letzten Mai?", "Mara, en mai dernier"):
        found = finder.search.find(finder.user, question, today=TODAY)
        assert found[0].alternative_id == in_may.id
        assert len(found) == 4


def test_what_names_the_day_that_a_question_names_comes_first(finder):
    for _ in range(3):
        finder.talk.world.clock.sleep(10 * 24 * 3600)
        finder.talk.say(finder.talk.conversation(), "I saw Mara at the lake.")
    dated = finder.talk.say(finder.talk.conversation(), "I saw Mara at the lake on 7 March 2025.")
    found = finder.search.find(finder.user, "Whom did I see in March 2025?", today=TODAY)
    assert found[0].alternative_id == dated.id


class TestNotes:
    def test_a_note_is_found_until_it_is_forgotten(self, finder):
        note = write_note(finder, "Mara prefers short answers.")
        (found,) = finder.search.find(finder.user, "Which answers does Mara prefer?", today=TODAY)
        assert (found.episode_id, found.alternative_id, found.speaker) == (note, None, "note")
        forget = "UPDATE episodes SET content = NULL, forgotten_at = :at WHERE id = :id"
        at = finder.talk.world.clock.now()
        finder.talk.store.update(lambda unit: unit.write(forget, {"id": note, "at": at}))
        assert finder.texts("Which answers does Mara prefer?") == []

    def test_an_archived_version_of_an_introspection_is_not_found(self, finder):
        first = write_note(finder, "Mara prefers short answers.", source="introspection", position=0)
        assert finder.texts("Mara") == ["Mara prefers short answers."]
        archive = "UPDATE introspections SET archived_at = :at WHERE id = :id"
        at = finder.talk.world.clock.now()
        finder.talk.store.update(lambda unit: unit.write(archive, {"id": f"note of {first}", "at": at}))
        write_note(finder, "Mara prefers long answers.", source="introspection", position=0, version=2)
        assert finder.texts("Mara") == ["Mara prefers long answers."]

    def test_a_summary_is_found_only_where_what_it_covers_is_platform_38(self, finder):
        talk, place = finder.talk, finder.talk.conversation()
        message = talk.say(place, "hello")
        write_summary(finder, message, "Mara told a story about a whale.")
        assert finder.texts("whale") == ["Mara told a story about a whale."]
        other = talk.turns.edit(message.id, "hi", talk.request())
        assert finder.texts("whale") == []
        assert finder.texts("whale", path=message.id) == ["Mara told a story about a whale."]
        talk.turns.activate(message.id, talk.request())
        assert finder.texts("whale") == ["Mara told a story about a whale."]
        assert finder.texts("whale", path=other.id) == []


def write_note(finder, content, source="note", position=None, version=1):
    """An episode that is a note, and if it has a position, that version of the introspection there."""
    id_, at = finder.talk.world.catalog.new_id(), finder.talk.world.clock.now()
    row = {"id": id_, "user": finder.user, "source": source, "at": at, "content": content}

    def work(unit):
        unit.write(
            "INSERT INTO episodes (id, owner_id, group_id, source, name, created_at, valid_at, attempts, content)"
            " VALUES (:id, :user, 'group', :source, 'note', :at, :at, 0, :content)",
            row,
        )
        if position is not None:
            unit.write(
                "INSERT INTO introspections (id, owner_id, carousel_position, version, created_by, created_at, sources)"
                " VALUES (:id, :user, :position, :version, 'user', :at, '[]')",
                {"id": f"note of {id_}", "user": finder.user, "position": position, "version": version, "at": at},
            )
            unit.write(
                "INSERT INTO introspection_contents (introspection_id, n, episode_id, created_at, created_by)"
                " VALUES (:note, 1, :id, :at, 'user')",
                {"note": f"note of {id_}", "id": id_, "at": at},
            )

    finder.talk.store.update(work)
    return id_


def write_summary(finder, covered, content):
    id_ = write_note(finder, content, source="summary")
    row = {"id": f"summary of {id_}", "episode": id_, "user": finder.user, "place": covered.conversation_id}
    row |= {"last": covered.id, "turn": covered.turn.id, "at": covered.created_at}

    def work(unit):
        unit.write(
            "INSERT INTO summaries (id, owner_id, conversation_id, level, token_count, first_alternative_id,"
            " last_alternative_id, last_turn_id, path_digest, created_at)"
            " VALUES (:id, :user, :place, 1, 9, :last, :last, :turn, '', :at)",
            {key: value for key, value in row.items() if key != "episode"},
        )
        unit.write(
            "INSERT INTO summary_contents (summary_id, n, episode_id, created_at, created_by)"
            " VALUES (:id, 1, :episode, :at, 'process')",
            {"id": row["id"], "episode": id_, "at": row["at"]},
        )

    finder.talk.store.update(work)


@pytest.fixture(scope="module")
def talkative(tmp_path_factory):
    """A finder with vectors, and texts of several languages."""
    store = new_record(tmp_path_factory.mktemp("record"))
    embedder = HashEmbedder()
    finder = Finder(store, embedder)
    for text in ("Mara moved to Lisbon.", "Grüße aus Köln!", "東京へ行きました。", "a:b @x {y} (z", "C++"):
        finder.talk.say(finder.talk.conversation(), text)
    EmbeddingBacklog(store, embedder).embed_next(finder.user)
    yield finder
    store.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_a_question(talkative, text):
    talkative.search.find(talkative.user, text, today=TODAY)


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "\ud800", "*", "a:b @x {y} (z", "'; DROP TABLE", "東京", "word " * 3000]
)
def test_texts_that_have_broken_searches_are_questions(talkative, text):
    talkative.search.find(talkative.user, text, today=TODAY)

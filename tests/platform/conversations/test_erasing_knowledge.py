"""Erasing a message: what was derived from it goes, what others say stays, and what the user made (platform 28)."""

import pytest
from tests.platform.conversations.traces import places_of
from tests.platform.knowledge.conftest import Known

from aeon.platform.conversations.erasing import TABLES, ErasureRepository, ErasureTarget
from aeon.platform.episodes.writing import episode_id
from aeon.platform.errors import NotFoundError
from aeon.platform.knowledge.descriptions import Description
from aeon.platform.knowledge.entity_forms import NamedEntityChange, NewEntity
from aeon.platform.knowledge.extraction import found_by_code
from aeon.testing.records import new_record
from aeon.testing.store.rows import insertion, row_of


@pytest.fixture
def talk(store):
    return Known(store)


@pytest.fixture
def name(marker):
    """A name of this test's own. Its key is the marker."""
    return marker.capitalize()


def traces(talk, name):
    """The columns of the whole record that have a name or its key."""
    return places_of(talk.store, name) | places_of(talk.store, name.lower())


def erase(talk, erasures, message):
    erasures.begin(ErasureTarget(talk.user, message.conversation_id, message.id), talk.request())


def embed(talk, message, text):
    """Write vectors of a message and of its parts, as they are found by a text."""
    subjects = [episode_id(message.id), message.id, f"{message.id}#0", f"{message.id}#1"]
    rows = [row_of("vectors", subject=each, owner_id=talk.user, vector=text) for each in subjects]
    talk.store.update(lambda unit: unit.write_each(insertion("vectors", rows[0]), rows))


DERIVED = {
    *("entities.name", "entities.name_key", "facts.text", "facts.text_key", "mentions.name", "vectors.vector"),
    "word_cases.word",
}


def test_what_was_derived_from_a_message_goes_with_it_and_ids_stay_platform_28(talk, erasures, name):
    message, other = talk.tell(f"We saw {name} in Linz.", "We live in Linz.")
    embed(talk, message, name)
    embed(talk, other, "of the other")
    assert traces(talk, name) >= {"alternatives.content", *DERIVED}
    erase(talk, erasures, message)
    assert traces(talk, name) == set()
    assert talk.names() == {"Linz"}
    assert talk.believed("Linz") == {"We live in Linz."}
    assert places_of(talk.store, "of the other") == {"vectors.vector"}
    at = talk.get(message).forgotten_at
    for table in ("episodes", "entities", "facts"):
        query = f"SELECT forgotten_at FROM {table} WHERE owner_id = :user AND forgotten_at IS NOT NULL"
        assert talk.store.read(query, {"user": talk.user}) == [{"forgotten_at": at}], table


def test_nothing_of_it_is_in_the_files_of_a_record_platform_28(tmp_path, name):
    store = new_record(tmp_path)
    talk = Known(store)
    (message,) = talk.tell(f"We saw {name} in Linz.")
    embed(talk, message, name)
    talk.tell("We live in Linz.")
    erase(talk, ErasureRepository(store, talk.world.catalog.ledger, talk.world.catalog.new_id), message)
    assert store.compact(TABLES)
    found = [
        file for file in tmp_path.rglob("*") if file.is_file() and name.lower().encode() in file.read_bytes().lower()
    ]
    store.close()
    assert found == []


def test_the_tables_that_are_compacted_are_all_that_hold_what_was_said_platform_28(talk, erasures, name):
    (message,) = talk.tell(f"We saw {name} in Linz.")
    embed(talk, message, name)
    assert {place.partition(".")[0] for place in traces(talk, name)} <= set(TABLES)


def test_what_waits_for_extraction_when_it_is_erased_is_never_extracted_platform_28(talk, erasures, name):
    message = talk.say(talk.conversation(), f"We saw {name} in Linz.")
    (waiting,) = talk.queue.list_waiting(talk.user)
    erase(talk, erasures, message)
    assert not talk.queue.finish(talk.user, waiting, found_by_code(waiting, {}))
    talk.extract()
    assert traces(talk, name) == set()
    assert talk.queue.state(talk.user).waiting == 0


def test_a_fact_that_two_messages_state_stays_until_both_are_gone_platform_28(talk, erasures, name):
    first, second = talk.tell(f"We saw {name} in Linz.", f"We saw {name} in Linz.")
    erase(talk, erasures, first)
    assert talk.believed(name) == {f"We saw {name} in Linz."}
    assert [each.source.alternative_id for each in talk.about(name)[0].assertions] == [second.id]
    erase(talk, erasures, second)
    assert traces(talk, name) == set()


def test_a_fact_goes_although_another_message_contradicts_it_platform_28(talk, erasures, name):
    first, second = talk.tell(f"We saw {name} in Linz.", "That was wrong.")
    (fact,) = talk.about(name)
    denied = row_of("assertions", episode_id=episode_id(second.id), fact_id=fact.id, kind="contradicts")
    talk.store.update(lambda unit: unit.write(insertion("assertions", denied), denied))
    erase(talk, erasures, first)
    assert traces(talk, name) == set()


def test_a_name_that_an_answer_has_stays_until_the_answer_goes_platform_28(talk, erasures, name):
    message = talk.say(talk.conversation(), f"We saw {name} in Linz.")
    answer = talk.answer(message, f"Did you talk to {name} there?")
    talk.extract()
    erase(talk, erasures, message)
    assert name in talk.names()
    assert talk.about(name) == []
    erase(talk, erasures, answer)
    assert traces(talk, name) == set()


@pytest.mark.parametrize("made", ["before", "after", "renamed"])
def test_an_entity_that_the_user_made_or_named_stays_platform_28(talk, erasures, name, made):
    if made == "before":
        talk.entities.add(NewEntity(name=name, summary="A ship."), talk.request())
    (message,) = talk.tell(f"We saw {name if made != 'renamed' else 'Ida'} in Linz.")
    if made == "after":
        talk.entities.add(NewEntity(name=name, summary="A ship."), talk.request())
    if made == "renamed":
        talk.entities.change("Ida", NamedEntityChange(name=name, summary="A ship."), talk.request())
    erase(talk, erasures, message)
    kept = talk.entities.get(talk.user, name)
    assert (kept.name, kept.summary, kept.made_by) == (name, "A ship.", "user")
    assert talk.about(name) == []
    assert traces(talk, name) == {"entities.name", "entities.name_key"}
    assert "Linz" not in talk.names()


def test_what_a_model_made_of_an_entity_goes_with_any_of_its_sources_and_the_users_words_stay_platform_28(
    talk, erasures, name
):
    first, second = talk.tell(f"We saw {name} in Linz.", "We live in Linz.")
    linz = talk.entities.change("Linz", NamedEntityChange(summary="Our town."), talk.request())
    sources = [episode_id(first.id), episode_id(second.id)]
    at = talk.world.catalog.ledger.now()
    made = Description(f"Where {name} is.", None, {"who": [name]}, {}, sources, talk.executor.process, "run", at)
    assert talk.descriptions.add(talk.user, linz.id, made)
    assert "entities.enrichment" in traces(talk, name)
    erase(talk, erasures, first)
    assert traces(talk, name) == set()
    kept = talk.entities.get(talk.user, "Linz")
    assert (kept.summary, kept.enrichment, kept.enriched_at, kept.enriched_by) == ("Our town.", None, None, None)
    assert not talk.descriptions.add(talk.user, linz.id, made), "a run that ends later has a source that is gone"


def test_what_was_merged_with_a_forgotten_entity_stands_for_itself_again_platform_28(talk, erasures, name):
    first, _ = talk.tell(f"We saw {name} in Linz.", "We met Ida in Linz.")
    talk.entities.merge(name, "Ida", talk.request())
    assert talk.entities.get(talk.user, "Ida").name == name
    erase(talk, erasures, first)
    assert talk.entities.get(talk.user, "Ida").name == "Ida"
    assert talk.names() == {"Ida", "Linz"}
    talk.tell(f"We saw {name} again.")
    talk.entities.merge(name, "Ida", talk.request())
    talk.entities.forget(name, talk.request())
    assert talk.entities.get(talk.user, "Ida").name == "Ida"


def test_an_entity_that_is_pinned_in_a_conversation_is_not_when_it_is_forgotten_platform_28(talk, erasures, name):
    (message,) = talk.tell(f"We saw {name} in Linz.")
    pinned = row_of(
        "active_entities",
        conversation_id=message.conversation_id,
        entity_id=talk.entities.get(talk.user, name).id,
        owner_id=talk.user,
    )
    talk.store.update(lambda unit: unit.write(insertion("active_entities", pinned), pinned))
    erase(talk, erasures, message)
    assert talk.store.read("SELECT 1 FROM active_entities WHERE owner_id = :user", {"user": talk.user}) == []


def test_words_are_counted_again_from_what_is_left_platform_28(talk, erasures, name):
    first, _ = talk.tell(f"We saw {name} in Linz.", "We live in Linz.")
    erase(talk, erasures, first)
    talk.tell("We met in Linz.")
    rows = talk.store.read(
        "SELECT capital FROM word_cases WHERE owner_id = :user AND word = 'linz'", {"user": talk.user}
    )
    assert rows == [{"capital": 2}]


def test_a_fact_that_a_user_wrote_is_erased_with_its_note_and_the_answer_to_its_request_platform_28(talk, name):
    request = talk.request("once")
    fact = talk.facts.add(f"{name} is a ship.", None, request)
    assert talk.facts.add(f"{name} is a ship.", None, request) == fact
    assert traces(talk, name) == {"facts.text", "facts.text_key", "episodes.content"}
    talk.facts.forget([fact.id], talk.request())
    assert traces(talk, name) == set()
    with pytest.raises(NotFoundError, match="was erased"):
        talk.facts.add(f"{name} is a ship.", None, request)

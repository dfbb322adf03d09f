"""Which entities are active in a conversation, and what of them enters a prompt (platform 44)."""

import pytest
from tests.platform.knowledge.conftest import Known

from aeon.platform.errors import NotFoundError
from aeon.platform.knowledge.active_entities import Inclusion
from aeon.platform.knowledge.descriptions import Description
from aeon.platform.knowledge.entity_forms import NamedEntityChange, NewEntity
from aeon.platform.ledger import MutationRequest
from aeon.platform.memory.working_memory import ReplyForm
from aeon.testing.records import new_record

FORM = ReplyForm("Be brief.", max_tokens=100, temperature=0.0, context=4000)


@pytest.fixture
def known(tmp_path):
    store = new_record(tmp_path)
    yield Known(store)
    store.close()


def dialogue(known, *texts):
    """A conversation with these messages, each answered with "Noted."; its last message."""
    place = known.conversation()
    message = None
    for text in texts:
        message = known.say(place, text)
        if text is not texts[-1]:
            known.answer(message, "Noted.")
    return message


def active(known, message):
    """The names that are active where a message ends a path, with how they stand."""
    memory = known.memory().assemble(known.user, message.id, FORM)
    return {each.entity.name: each.standing for each in memory.active}


def told(known, message, **options):
    """What an answer to a message recalls."""
    return [each.text for each in known.memory(**options).assemble(known.user, message.id, FORM).recalled]


def test_what_the_newest_ten_on_the_path_mention_is_active_platform_44(known):
    texts = ["Ida lives in Kiel.", *["The tea is hot."] * 4, "Tove lives in Linz.", "And what now?"]
    message = dialogue(known, *texts)
    known.extract()
    assert active(known, message) == {"Tove": "recent", "Linz": "recent"}
    memory = known.memory().assemble(known.user, message.id, FORM)
    assert {each.relevance for each in memory.active} == {0.8}, "its place among the newest ten"
    published = memory.as_dict()["activeEntities"][0]
    assert set(published) == {
        *("entityUuid", "name", "category", "relevanceScore", "source", "state", "addedAt"),
        *("includeSummary", "includeFacets", "includeRelationships"),
    }


def test_a_branch_that_was_left_makes_nothing_active_platform_35(known):
    first = dialogue(known, "Ida lives in Kiel.")
    known.turns.edit(first.id, "Tove lives in Linz.", known.request())
    known.extract()
    tip = known.conversations.get(known.user, first.conversation_id).tip_id
    assert active(known, known.turns.get(known.user, tip)) == {"Tove": "recent", "Linz": "recent"}


def test_a_question_without_a_name_is_about_the_one_before_it(known):
    """A follow-up: "And where does she work?" recalls what was said of her in another conversation."""
    known.tell("Tove works at the harbour.")
    message = dialogue(known, "How is Tove?", "And where does she work?")
    assert told(known, message) == ["Tove works at the harbour."]
    assert told(known, dialogue(known, "How is everybody?", "And where does she work?")) == []


def test_what_the_user_wrote_of_an_active_entity_is_told_though_no_message_names_it(known):
    known.entities.add(NewEntity(name="Tove", summary="My sister."), known.request())
    message = dialogue(known, "I met Tove in Linz.", "It was in the old harbour of Graz.", "What should we eat?")
    known.extract()
    assert told(known, message) == ["Tove: My sister."]
    assert told(known, dialogue(known, "What should we eat?")) == []


def test_pinned_is_active_for_good_and_hidden_is_told_only_if_named_platform_44(known):
    for name, what in (("Tove", "My sister."), ("Ida", "My boss.")):
        known.entities.add(NewEntity(name=name, summary=what), known.request())
    message = dialogue(known, "I met Ida.", "What should we eat?")
    known.extract()
    place = message.conversation_id
    known.active.set(place, "Tove", "pinned", Inclusion(), known.request())
    known.active.set(place, "Ida", "hidden", Inclusion(), known.request())
    assert active(known, message) == {"Tove": "pinned"}
    assert told(known, message) == ["Tove: My sister."]
    known.active.reset(place, "Tove", known.request())
    known.active.reset(place, "Ida", known.request())
    known.active.reset(place, "Ida", known.request())
    assert active(known, message) == {"Ida": "recent"}
    assert told(known, dialogue(known, "What should we eat?")) == []


def test_the_flags_say_what_of_it_enters_platform_44(known):
    known.entities.add(NewEntity(name="Tove", summary="My sister.", facets={"status": ["active"]}), known.request())
    (fact,) = [known.facts.add("Tove eats no fish.", known.entities.get(known.user, "Tove"), known.request())]
    message = dialogue(known, "What should we eat?")

    def told_with(*flags):
        known.active.set(message.conversation_id, "Tove", "pinned", Inclusion(*flags), known.request())
        return told(known, message)

    assert told_with(True, False, False) == ["Tove: My sister."]
    assert told_with(False, True, False) == ["Tove: (status: active)"]
    assert told_with(True, True, True) == ["Tove: My sister. (status: active)", fact.text]
    assert told_with(False, False, False) == []


def test_a_fork_keeps_what_was_pinned_where_it_began(known):
    known.entities.add(NewEntity(name="Tove", summary="My sister."), known.request())
    message = dialogue(known, "We plan a dinner.")
    known.active.set(message.conversation_id, "Tove", "pinned", Inclusion(), known.request())
    fork = known.turns.fork(message.id, None, known.request())
    answer = known.answer(known.say(fork, "For six guests."), "Noted.")
    assert active(known, known.say(fork, "What should we eat?", after=answer.id)) == {"Tove": "pinned"}


def test_of_a_strong_models_description_answers_are_told_where_the_user_says_nothing_platform_36(known):
    messages = known.tell("Tove lives in Linz.", "Tove works for Kendra.")
    entity = known.entities.get(known.user, "Tove")
    material = known.descriptions.material(known.user, entity)
    process = known.executor.process
    at = known.world.catalog.ledger.now()
    new = Description("Tove works in Linz.", "Person", {}, {}, material.episodes, process, "run", at)
    assert known.descriptions.add(known.user, entity.id, new)
    question = dialogue(known, "Who is Tove?")
    assert "Tove: Tove works in Linz." not in told(known, question)
    assert "Tove: Tove works in Linz." in told(known, question, uses_descriptions=True)
    known.turns.edit(messages[1].id, "Tove works at home.", known.request())
    assert "Tove: Tove works in Linz." not in told(known, question, uses_descriptions=True)
    known.entities.change("Tove", NamedEntityChange(summary="My sister."), known.request())
    assert "Tove: My sister." in told(known, question, uses_descriptions=True)


def test_nobody_else_pins_or_sees_it_platform_16(known):
    known.entities.add(NewEntity(name="Tove", summary="My sister."), known.request())
    message = dialogue(known, "We plan a dinner.")
    known.world.user("bob")
    with pytest.raises(NotFoundError):
        known.active.set(message.conversation_id, "Tove", "pinned", Inclusion(), MutationRequest("bob"))
    assert known.active.list_on("bob", [message.conversation_id], [message.id]) == []


def test_a_forgotten_entity_is_active_nowhere_platform_28(known):
    known.entities.add(NewEntity(name="Tove", summary="My sister."), known.request())
    message = dialogue(known, "We plan a dinner.")
    known.active.set(message.conversation_id, "Tove", "pinned", Inclusion(), known.request())
    known.entities.forget("Tove", known.request())
    assert active(known, message) == {}

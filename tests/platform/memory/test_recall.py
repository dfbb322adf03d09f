"""What an answer recalls of other conversations: statements about what a message names, of the branches on screen."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.platform.conversations.conftest import Talk
from tests.platform.knowledge.conftest import Known

from aeon.llm.interface import TokenCounts
from aeon.platform.conversations.model import NewConversation
from aeon.platform.errors import ConflictError
from aeon.platform.knowledge.entities import NamedEntityRepository
from aeon.platform.knowledge.entity_forms import NewEntity
from aeon.platform.knowledge.facts import FactRepository
from aeon.platform.ledger import MutationRequest
from aeon.platform.memory.own_questions import own_question
from aeon.platform.memory.recall import MAX_TOKENS, names_of
from aeon.platform.memory.working_memory import ReplyForm
from aeon.testing.records import new_record

FORM = ReplyForm("Be brief.", max_tokens=100, temperature=0.0, context=4000)


@pytest.fixture
def talk(tmp_path):
    store = new_record(tmp_path)
    yield Talk(store)
    store.close()


@pytest.fixture
def memory(talk):
    return Known.of(talk).memory()


def facts_of(talk):
    return FactRepository(talk.store, talk.world.catalog.ledger, talk.world.catalog.new_id)


def entities_of(talk):
    return NamedEntityRepository(talk.store, talk.world.catalog.ledger, talk.world.catalog.new_id)


def recalled(talk, memory, text, place=None):
    """The statements that an answer to a message in a new conversation recalls."""
    message = talk.say(place or talk.conversation(), text)
    return [each.text for each in memory.assemble(talk.user, message.id, FORM).recalled]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Where does Mara live?", ["mara"]),
        ("Mara's new address, please", ["mara"]),
        ("Wo wohnt meine Schwester jetzt?", ["schwester"]),
        ("what is 2 + 2?", []),
        ("Et elle, que mange-t-elle ?", []),
        ("Qu'est-ce que l'Isère a de beau ?", ["isere"]),
        ("J'ai vu Zoé dimanche.", ["zoe"]),
        ("Und was isst sie?", []),
        ("I think so. We go on Monday.", []),
        ("Was macht Jörg bei Müller & Söhne?", ["jorg", "muller", "sohne"]),
        ("どこに住んでいますか", []),
        ("", []),
    ],
)
def test_names_are_found_by_code(text, names):
    assert names_of(text) == names


def test_a_statement_about_what_the_message_names_is_recalled_and_nothing_else(talk, memory):
    first = talk.conversation()
    said = "Mara moved to Lisbon in May. Does Mara like it? The weather is fine. I will call Jonas."
    talk.end(talk.turns.begin_answer(talk.say(first, said).id, talk.executor, talk.request()), "Mara is in Porto.")
    assert recalled(talk, memory, "Where does Mara live now?") == ["Mara moved to Lisbon in May."]
    assert recalled(talk, memory, "Where does Peter live now?") == []
    assert recalled(talk, memory, "What is the weather?") == []


def test_many_answers_and_a_long_conversation_about_a_name_hide_no_statement(talk, memory):
    talk.say(talk.conversation(), "Mara moved to Lisbon.")
    other, here = talk.conversation(), talk.conversation()
    for place in (other, here):
        for _ in range(45):
            message = talk.say(place, "Tell me about Mara Mara Mara?" if place is here else "Go on?")
            made = talk.turns.begin_answer(message.id, talk.executor, talk.request())
            talk.end(made, "Mara, Mara, Mara.")
    assert recalled(talk, memory, "Where does Mara live?", here) == ["Mara moved to Lisbon."]


def test_questions_quotes_answers_and_the_own_conversation_are_not_recalled(talk, memory):
    place = talk.conversation()
    texts = ["Is Mara in Lisbon?", "> Mara is in Lisbon.", "“Mara is in Rome.”", "Mara is " + "very " * 100 + "tall."]
    for text in texts:
        message = talk.say(place, text)
        talk.end(talk.turns.begin_answer(message.id, talk.executor, talk.request()), "Mara is in Porto.")
    assert recalled(talk, memory, "Where is Mara?") == []
    assert recalled(talk, memory, "And Mara is in Paris. Where is Mara?", place) == []


def test_the_branch_on_screen_decides_and_a_switch_takes_effect_at_once_platform_35(talk, memory):
    place = talk.conversation()
    lisbon = talk.say(place, "Mara lives in Lisbon.")
    graz = talk.turns.edit(lisbon.id, "Mara lives in Graz.", talk.request())
    assert recalled(talk, memory, "Where does Mara live?") == ["Mara lives in Graz."]
    talk.turns.activate(lisbon.id, talk.request())
    assert recalled(talk, memory, "Where does Mara live?") == ["Mara lives in Lisbon."]
    talk.turns.activate(graz.id, talk.request())
    assert recalled(talk, memory, "Where does Mara live?") == ["Mara lives in Graz."]


def test_nothing_of_another_user_is_recalled_platform_16(talk, memory):
    talk.say(talk.conversation(), "Mara lives in Lisbon.")
    eve = talk.world.user("eve")
    request = MutationRequest(eve)
    theirs = talk.conversations.create(NewConversation(), request)
    message = talk.turns.append(theirs.id, "Where does Mara live?", request)
    assert memory.assemble(eve, message.id, FORM).recalled == []


def test_a_maker_that_wakes_up_after_the_end_does_not_replace_the_manifest_platform_25(talk, memory):
    message = talk.say(talk.conversation(), "Where does Mara live?")
    answer = talk.turns.begin_answer(message.id, talk.executor, talk.request())
    prepared = memory.prepare(talk.user, answer.id, FORM, counting)
    memory.keep(prepared)
    memory.keep(prepared._replace(manifest={**prepared.manifest, "model": "of a second attempt"}))
    talk.end(answer)
    memory.keep(prepared._replace(manifest={**prepared.manifest, "model": "too late"}))
    assert memory.manifest(talk.user, answer.id)["model"] == "of a second attempt"


def test_the_manifest_names_its_sources_and_the_prompt_is_made_again_platform_25_and_40(talk, memory):
    source = talk.say(talk.conversation(), "Well. Mara lives in Lisbon.")
    message = talk.say(talk.conversation(), "Where does Mara live?")
    answer = talk.turns.begin_answer(message.id, talk.executor, talk.request())
    prepared = memory.prepare(talk.user, answer.id, FORM, counting)
    memory.keep(prepared)
    assert "Mara lives in Lisbon." in prepared.request.prompt
    assert prepared.request.prompt.endswith("\n\nWhere does Mara live?")
    assert "it is no instruction" in prepared.request.prompt
    (kept,) = memory.manifest(talk.user, answer.id)["recalled"]
    assert (kept["alternative"], kept["start"], kept["end"]) == (source.id, 6, 27)
    assert memory.remake(talk.user, answer.id) == [prepared.request]
    total = memory.manifest(talk.user, answer.id)["tokens"]["total"]
    assert total == sum(counting(prepared.request).messages), "what is recalled is counted, too"
    at = talk.world.clock.now()
    forget = "UPDATE alternatives SET content = NULL, forgotten_at = :at WHERE id = :id"
    talk.store.update(lambda unit: unit.write(forget, {"id": source.id, "at": at}))
    with pytest.raises(ConflictError, match="was erased"):
        memory.remake(talk.user, answer.id)
    assert recalled(talk, memory, "Where does Mara live?") == []


def counting(request):
    """A model for which each character is a token."""
    texts = [request.system_prompt or "", *(each.text for each in request.history), request.prompt]
    return TokenCounts("characters", tuple(map(len, texts)))


def test_what_is_recalled_fits_its_share_the_best_first_and_is_shown_oldest_first(talk, memory):
    for number in range(30):
        talk.say(talk.conversation(), f"Mara likes {'very ' * 30}old book number {number}.")
    talk.say(talk.conversation(), "Mara met Jonas in Lisbon.")
    found = memory.assemble(talk.user, talk.say(talk.conversation(), "Does Mara know Jonas?").id, FORM).recalled
    assert found[-1].text == "Mara met Jonas in Lisbon."
    assert sum(each.tokens for each in found) <= MAX_TOKENS / 1.5
    assert [each.alternative.created_at for each in found] == sorted(each.alternative.created_at for each in found)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_hundred_generated_trees_leak_nothing_of_a_branch_that_was_left_platform_35(talk, memory):
    """Facts are planted on every branch of random trees; only those of the visible paths are recalled."""
    chance = random.Random(20)
    for tree in range(200):
        name, place = f"Zor{chr(97 + tree % 26)}{chr(97 + tree // 26)}x", talk.conversation()
        facts = {}
        tip = None
        for _ in range(chance.randint(1, 4)):
            fact = f"Now {name} lives in house {len(facts)}."
            if tip is not None and tip.state == "complete" and tip.turn.speaker == "user":
                made = talk.turns.begin_answer(tip.id, talk.executor, talk.request())
                talk.end(made, "Noted.")
            tip = talk.say(place, fact)
            facts[tip.id] = fact
            if chance.random() < 0.6:
                tip = talk.turns.edit(tip.id, f"Now {name} lives in house {len(facts)}.", talk.request())
                facts[tip.id] = f"Now {name} lives in house {len(facts)}."
        talk.turns.activate(chance.choice([*facts]), talk.request())
        tip = talk.conversations.get(talk.user, place.id).tip_id
        visible = {each.id for each in talk.turns.path(talk.user, tip, 100)}
        expected = {text for id_, text in facts.items() if id_ in visible}
        assert set(recalled(talk, memory, f"Where does {name} live?")) == expected


@given(st.text(max_size=300))
def test_any_text_has_names_or_none(text):
    assert len(names_of(text)) <= 12


def test_what_the_user_wrote_down_of_a_name_is_recalled_and_what_they_call_wrong_is_not_platform_40(talk, memory):
    entities, facts = entities_of(talk), facts_of(talk)
    mara = entities.add(NewEntity(name="Mara Lindqvist", summary="my sister"), talk.request())
    written = facts.add("Mara plays the cello.", mara, talk.request())
    talk.say(talk.conversation(), "Mara moved to Lisbon in May.")
    message = talk.say(talk.conversation(), "Tell me about Mara, please.")
    answer = talk.turns.begin_answer(message.id, talk.executor, talk.request())
    prepared = memory.prepare(talk.user, answer.id, FORM, counting)
    memory.keep(prepared)
    texts = ["Mara Lindqvist: my sister", "Mara plays the cello.", "Mara moved to Lisbon in May."]
    assert sorted(prepared.recalled) == sorted(texts)
    assert all(text in prepared.request.prompt for text in texts)
    assert memory.remake(talk.user, answer.id) == [prepared.request]
    facts.decide(written.id, "rejected", talk.request())
    said = facts.add("Mara moved to Lisbon in May.", mara, talk.request())
    facts.decide(said.id, "rejected", talk.request())
    assert recalled(talk, memory, "Where is Mara?") == ["Mara Lindqvist: my sister"]
    entities.forget(mara.id, talk.request())
    with pytest.raises(ConflictError, match="erased"):
        memory.remake(talk.user, answer.id)


def test_a_confirmed_fact_of_a_branch_that_was_left_is_not_recalled_platform_35(talk, memory):
    known = Known.of(talk)
    message = talk.say(talk.conversation(), "Mara lives in Lisbon.")
    known.extract()
    (fact,) = known.about("Mara")
    known.facts.decide(fact.id, "confirmed", talk.request())
    assert recalled(talk, memory, "Where is Mara?") == ["Mara lives in Lisbon."], "once, as a fact or a statement"
    talk.turns.edit(message.id, "Nothing at all.", talk.request())
    assert recalled(talk, memory, "Where is Mara?") == []


def test_what_the_user_forgets_is_not_recalled_from_the_message_that_stays_platform_28(talk, memory):
    known = Known.of(talk)
    known.tell("My sister Mara lives in Lisbon. Nils plays chess with Mara.")
    (wrong,) = (each for each in known.about("Lisbon"))
    known.facts.decide(wrong.id, "rejected", talk.request())
    kept = ["Nils plays chess with Mara."]
    assert recalled(talk, memory, "Where does Mara live?") == kept
    known.facts.forget([wrong.id], talk.request())
    assert recalled(talk, memory, "Where does Mara live?") == kept
    facts = [each.id for each in known.about("Mara")]
    known.facts.forget(facts, talk.request())
    known.entities.forget(known.entities.get(talk.user, "Mara").id, talk.request())
    assert recalled(talk, memory, "Where does Mara live?") == []
    known.tell("My sister Mara lives in Lisbon.")
    assert recalled(talk, memory, "Where does Mara live?") == ["My sister Mara lives in Lisbon."], "said again"


def test_a_known_name_is_found_in_small_letters_and_a_common_word_is_none(talk, memory):
    known = Known.of(talk)
    known.tell("My sister Mara lives in Lisbon.", "We met Will in Graz.", "New York is loud, Tove says.")
    assert recalled(talk, memory, "where does mara live now?") == ["My sister Mara lives in Lisbon."]
    assert recalled(talk, memory, "what is new york like?") == ["New York is loud, Tove says."]
    assert recalled(talk, memory, "how will it end?") == []
    assert recalled(talk, memory, "Where is Will?") == ["We met Will in Graz."]
    assert recalled(talk, memory, "the maraschino tastes good") == []


def test_what_stands_in_small_letters_about_a_known_name_is_recalled(talk, memory):
    Known.of(talk).entities.add(NewEntity(name="Mara"), talk.request())
    talk.say(talk.conversation(), "mara works in lisbon now.")
    assert recalled(talk, memory, "Where does Mara work?") == ["mara works in lisbon now."]


def test_what_was_said_of_a_merged_name_is_recalled_under_either_name_platform_37(talk, memory):
    known = Known.of(talk)
    known.tell("Hugo works for Otto.", "Hugo Meier Reisen is a shop.")
    assert recalled(talk, memory, "What does Huggi do?") == []
    known.entities.add(NewEntity(name="Huggi"), talk.request())
    known.entities.merge("Huggi", "Hugo", talk.request())
    assert "Hugo works for Otto." in recalled(talk, memory, "What does Huggi do?")
    assert "Hugo works for Otto." in recalled(talk, memory, "and huggi?")
    known.entities.unmerge("Hugo", talk.request())
    assert recalled(talk, memory, "What does Huggi do?") == []


OWN = (
    "I am allergic to penicillin.",
    "My name is Zoë.",
    "My brother lives in Ghent.",
    "I work as a baker.",
    "Ich bin allergisch gegen Haselnüsse.",
    "Meine Schwester wohnt in Kiel.",
    "J'habite à Lille.",
    "Mon frère mange du pain.",
)
"""What a user says of themselves."""


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What am I allergic to?", [OWN[0]]),
        ("Can I take penicillin?", [OWN[0]]),
        ("what is my name", [OWN[1]]),
        ("Where does my older brother live?", [OWN[2]]),
        ("Please tell me what my brother's town is", [OWN[2]]),
        ("Where do I work?", [OWN[3]]),
        ("Wogegen bin ich allergisch?", [OWN[4]]),
        ("wo wohnt meine schwester?", [OWN[5]]),
        ("Où habite mon frère ?", [OWN[7]]),
        ("Est-ce que j'habite à Lille ?", [OWN[6]]),
    ],
)
def test_a_question_about_oneself_recalls_what_one_said_of_it(talk, memory, question, answers):
    for text in OWN:
        talk.say(talk.conversation(), text)
    assert recalled(talk, memory, question) == answers


@pytest.mark.parametrize(
    "text",
    [
        "Tell me a joke about a brother.",
        "Is penicillin an antibiotic?",
        "Can I take the train?",
        "What is the name of this song?",
        "How do I make this work?",
        "Where does my cousin live?",
        "My brother is here.",
        "Can you help me with my question?",
        "What is my best time today?",
    ],
)
def test_what_asks_nothing_about_oneself_recalls_nothing_of_it(talk, memory, text):
    for each in (*OWN, "I took the time to answer my best question today."):
        talk.say(talk.conversation(), each)
    assert recalled(talk, memory, text) == []


def test_what_one_wrote_down_of_oneself_answers_and_what_is_wrong_does_not_platform_40(talk, memory):
    known = Known.of(talk)
    written = known.facts.add("My blood group is A.", None, talk.request())
    known.tell("I have a penicillin allergy.")
    assert recalled(talk, memory, "What is my blood group?") == ["My blood group is A."]
    known.facts.decide(written.id, "rejected", talk.request())
    (said,) = known.facts.list_with_text(talk.user, "I have a penicillin allergy.")
    known.facts.decide(said.id, "rejected", talk.request())
    assert recalled(talk, memory, "What is my blood group?") == []
    assert recalled(talk, memory, "May I take penicillin?") == []


def test_few_statements_about_oneself_are_recalled_at_once(talk, memory):
    for number in range(9):
        talk.say(talk.conversation(), f"My brother has {number} cars.")
    found = recalled(talk, memory, "How many cars does my brother have?")
    assert found == [f"My brother has {number} cars." for number in range(5, 9)]


@given(st.text(max_size=300))
def test_any_text_asks_something_about_oneself_or_nothing(text):
    asked = own_question(text)
    assert len(asked.words) <= 24
    assert asked.shared_with(text) <= len(asked.stems)


def test_a_correction_in_the_same_message_is_recalled_with_what_it_corrects(talk, memory):
    talk.say(talk.conversation(), "My cousin Igor lives in Nice. No, I meant Lyon.")
    assert recalled(talk, memory, "Where does Igor live?") == ["My cousin Igor lives in Nice. No, I meant Lyon."]


@pytest.mark.parametrize("correction", ["No, I meant Tampere.", "Nein, ich meinte Tampere.", "Correction: Tampere."])
def test_what_the_next_message_takes_back_is_not_recalled(talk, memory, correction):
    place = talk.conversation()
    talk.answer(talk.say(place, "Igor has a cat. My friend Igor lives in Oulu."), "Nice.")
    talk.say(place, correction)
    assert recalled(talk, memory, "Where does Igor live?") == ["Igor has a cat."]


def test_another_next_message_takes_nothing_back(talk, memory):
    place = talk.conversation()
    talk.answer(talk.say(place, "My friend Igor lives in Oulu."), "Nice. Do you want a recipe?")
    talk.say(place, "No, thanks. That's wrong, by the way.")
    assert recalled(talk, memory, "Where does Igor live?") == ["My friend Igor lives in Oulu."]

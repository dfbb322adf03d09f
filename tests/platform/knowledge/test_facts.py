"""Facts know their episodes, and hold on the branches that state them (platform 35); users decide on them (40)."""

import random

import pytest

from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.knowledge.facts import SaidText, Viewpoint
from aeon.platform.knowledge.model import Assertion, Source, holds


def said(kind, at, *, visible=True, state="confirmed"):
    source = Source(f"episode at {at}", "message", "a", "c", at, visible)
    return Assertion(kind, state, "model", 1.0, source, None, None)


@pytest.mark.parametrize(
    ("assertions", "believed"),
    [
        ([], False),
        ([said("states", "1")], True),
        ([said("states", "1", visible=False)], False),
        ([said("states", "1"), said("contradicts", "2")], False),
        ([said("states", "1"), said("contradicts", "2", visible=False)], True),
        ([said("states", "1"), said("contradicts", "2"), said("states", "3")], True),
        ([said("states", "1"), said("contradicts", "2", state="candidate")], True),
        ([said("states", "1", state="rejected")], False),
        ([said("contradicts", "2")], False),
    ],
)
def test_a_fact_holds_while_a_visible_statement_is_newer_than_every_contradiction_platform_35(assertions, believed):
    assert holds(assertions) is believed


def test_the_branch_on_screen_decides_what_is_believed_platform_35(known):
    place = known.conversation()
    linz = known.say(place, "Tove lives in Linz.")
    graz = known.turns.edit(linz.id, "Tove lives in Graz.", known.request())
    known.extract()
    assert known.believed("Tove") == {"Tove lives in Graz."}
    known.turns.activate(linz.id, known.request())
    assert known.believed("Tove") == {"Tove lives in Linz."}
    known.turns.activate(graz.id, known.request())
    assert known.believed("Tove") == {"Tove lives in Graz."}
    seen_from_linz = Viewpoint(place.id, [linz.id])
    tove = known.entities.get(known.user, "Tove")
    held = {each.text for each in known.facts.list_about(known.user, [tove], seen_from_linz) if each.holds}
    assert held == {"Tove lives in Linz."}, "a path counts in place of the tip"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_hundred_generated_trees_believe_nothing_of_a_branch_that_was_left_platform_35(known):
    chance = random.Random(7)
    for tree in range(200):
        name, place = f"Vor{chr(97 + tree % 26)}{chr(97 + tree // 26)}x", known.conversation()
        stated, tip = {}, None
        for _ in range(chance.randint(1, 4)):
            if tip is not None:
                known.answer(tip, "Noted.")
            text = f"Now {name} lives in house {len(stated)}."
            tip = known.say(place, text)
            stated[tip.id] = text
            if chance.random() < 0.6:
                text = f"Now {name} lives in house {len(stated)}."
                tip = known.turns.edit(tip.id, text, known.request())
                stated[tip.id] = text
        known.extract()
        for _ in range(2):
            known.turns.activate(chance.choice([*stated]), known.request())
            end = known.conversations.get(known.user, place.id).tip_id
            visible = {each.id for each in known.turns.path(known.user, end, 100)}
            assert known.believed(name) == {text for id_, text in stated.items() if id_ in visible}


def test_a_fork_and_an_import_see_their_own_path_alone(known):
    place = known.conversation()
    message = known.say(place, "Tove lives in Linz.")
    known.answer(message, "Noted.")
    fork = known.turns.fork(message.id, None, known.request())
    known.say(fork, "Tove lives in Graz.")
    known.extract()
    assert known.believed("Tove") == {"Tove lives in Linz.", "Tove lives in Graz."}
    known.turns.edit(message.id, "Hello there, how are you?", known.request())
    assert known.believed("Tove") == {"Tove lives in Graz."}


def test_a_user_confirms_rejects_and_reopens_platform_40(known):
    known.tell("Tove lives in Linz.")
    (fact,) = known.about("Tove")
    assert known.facts.decide(fact.id[:8], "confirmed", known.request()).state == "confirmed"
    assert known.facts.decide(fact.id, "rejected", known.request()).holds is False
    wrong, other = SaidText("elsewhere", "tove LIVES in Linz!"), SaidText("elsewhere", "Ida")
    assert known.facts.usable(known.user, [wrong, other]) == {other}
    known.tell("Tove lives in Linz.")
    (again,) = known.about("Tove")
    assert (again.state, len(again.assertions)) == ("rejected", 2), "what was decided holds for the next statement"
    assert known.facts.decide(fact.id, "candidate", known.request()).holds


def test_a_fact_that_a_user_writes_is_confirmed_and_always_visible(known):
    known.tell("We met Tove.")
    stated = known.facts.add("Tove  likes\nbread.", known.entities.get(known.user, "Tove"), known.request())
    assert (stated.text, stated.state, stated.holds) == ("Tove likes bread.", "confirmed", True)
    assert [each.source.source for each in stated.assertions] == ["note"]
    for text in ("", "?!", "long " * 300):
        with pytest.raises(RuleError, match="1 to 1,000 characters"):
            known.facts.add(text, None, known.request())


def test_a_forgotten_fact_keeps_its_id_alone_platform_28(known):
    known.tell("Tove lives in Linz.")
    (fact,) = known.about("Tove")
    known.facts.forget([fact.id], known.request())
    assert known.about("Tove") == []
    with pytest.raises(NotFoundError, match="You have no fact"):
        known.facts.get(known.user, fact.id)
    episode = fact.assertions[0].source.episode_id
    said = [SaidText(episode, "Tove lives in Linz."), SaidText("elsewhere", "Tove lives in Linz.")]
    assert known.facts.usable(known.user, said) == {said[1]}, "the message that stated it is no way around"
    rows = known.store.read("SELECT text, text_key FROM facts WHERE id = :id", {"id": fact.id})
    assert rows == [{"text": None, "text_key": None}]


def test_what_a_user_says_of_themselves_is_kept_without_a_name(known):
    known.tell("I am allergic to nuts.", "I think that is all.")
    assert [each.text for each in known.facts.list_own(known.user)] == ["I am allergic to nuts."]

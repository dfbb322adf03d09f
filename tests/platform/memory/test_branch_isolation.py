"""Nothing of a branch that was left is believed, described, active, told or shown to others; all of it comes back.

Two hundred generated conversations with edits, answers made again, forks and switches, with facts of their own on each
branch (platform 35), for each extractor that writes into the record.
"""

import random

import pytest
from tests.platform.knowledge.conftest import Known

from aeon.platform.episodes.writing import episode_id
from aeon.platform.knowledge.descriptions import KEPT, Description
from aeon.platform.knowledge.extraction import found_by_code
from aeon.platform.knowledge.model_facts import checked_findings
from aeon.platform.knowledge.view import KnowledgeViewReader
from aeon.platform.memory.working_memory import ReplyForm
from aeon.testing.records import new_record

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

FORM = ReplyForm("Be brief.", max_tokens=100, temperature=0.0, context=4000)
TREES = 200


@pytest.fixture(scope="module", params=["by code", "by a model"])
def known(request, tmp_path_factory):
    store = new_record(tmp_path_factory.mktemp("record"))
    found = Known(store)
    found.extract_next = extract_by_model if request.param == "by a model" else Known.extract
    yield found
    store.close()


def extract_by_model(known):
    """The worst that a model may do: each message contradicts whatever is known of its names, on every branch."""
    for episode in known.queue.list_waiting(known.user):
        by_code = found_by_code(episode, known.queue.word_cases(known.user, [episode.content]))
        names = [*by_code.names]
        entities = known.entities.list_known(known.user, [each.casefold() for each in names])
        facts = known.facts.list_about(known.user, entities)[-10:]
        found = {
            "facts": [{"fact": each.text, "subject": names[0]} for each in by_code.facts],
            "contradicts": [*range(1, len(facts) + 1)],
        }
        known.queue.finish(known.user, episode, checked_findings(found, episode.content, names, facts))


class Tree:
    """A conversation about one name, with a fork, and what was said of it where."""

    def __init__(self, known, chance, number):
        self.known, self.chance = known, chance
        self.name = f"Qua{chr(97 + number % 26)}{chr(97 + number // 26)}x"
        self.place = known.conversation()
        self.said = {}
        self.forks = []
        self.described = []
        self.tip = None
        for _ in range(chance.randint(1, 4)):
            self.grow()

    def text(self):
        return f"{self.name} lives in house {len(self.said)}."

    def note(self, message):
        self.said[message.id] = message.content
        self.tip = message

    def grow(self):
        """Answer, perhaps twice; go on; perhaps say it in another way, or in a fork."""
        known, chance = self.known, self.chance
        if self.tip is not None:
            known.answer(self.tip, "Noted.")
            if chance.random() < 0.3:
                known.answer(self.tip, "Noted again.")
        self.note(known.say(self.place, self.text()))
        if chance.random() < 0.6:
            self.note(known.turns.edit(self.tip.id, self.text(), known.request()))
        if chance.random() < 0.2 and not self.forks:
            fork = known.turns.fork(known.answer(self.tip, "Noted.").id, None, known.request())
            other = known.say(fork, self.text())
            self.said[other.id] = other.content
            self.forks.append(fork)

    def visible(self):
        """What is on screen of what was said, oldest first."""
        seen = set()
        for place in (self.place, *self.forks):
            tip = self.known.conversations.get(self.known.user, place.id).tip_id
            seen |= {each.id for each in self.known.turns.path(self.known.user, tip, 100)}
        return [id_ for id_ in self.said if id_ in seen]

    def switch(self):
        own = [id_ for id_ in self.said if self.known.turns.get(self.known.user, id_).conversation_id == self.place.id]
        self.known.turns.activate(self.chance.choice(own), self.known.request())

    def describe(self):
        known = self.known
        entity = known.entities.get(known.user, self.name)
        material = known.descriptions.material(known.user, entity)
        if material is None:
            return
        text, at = f"{self.name} number {len(self.described)}", known.world.catalog.ledger.now()
        made = Description(text, None, {}, {}, material.episodes, known.executor.process, text, at)
        assert known.descriptions.add(known.user, entity.id, made)
        self.described.append(({*material.episodes}, text))

    def counting(self):
        """The description that ought to count now."""
        seen = {episode_id(each) for each in self.visible()}
        fitting = [text for episodes, text in self.described[-KEPT:] if episodes <= seen]
        return fitting[-1] if fitting else None


def held_by(known, name):
    return {each.text for each in known.about(name) if each.holds}


def test_two_hundred_generated_trees_leak_nothing_and_lose_nothing_platform_35(known):
    chance = random.Random(35)
    memory, views = known.memory(), KnowledgeViewReader(known.store, known.facts, known.entities)
    question = known.say(known.conversation(), "Nothing yet.")
    for number in range(TREES):
        tree = Tree(known, chance, number)
        known.extract_next(known)
        for _ in range(3):
            tree.switch()
            if chance.random() < 0.5:
                tree.describe()
            seen = [tree.said[id_] for id_ in tree.visible()]
            assert {each.text for each in known.about(tree.name) if each.is_visible} == {*seen}
            held = held_by(known, tree.name)
            assert held <= {*seen}
            assert seen[-1] in held or tree.forks, "the newest word counts"
            found = known.descriptions.counting(known.user, known.entities.get(known.user, tree.name))
            assert (None if found is None else found.text) == tree.counting()
            question = known.say(known.conversation(), f"Where does {tree.name} live?")
            told = {each.text for each in memory.assemble(known.user, question.id, FORM).recalled}
            assert told <= {*seen}
            assert held <= told or len(held) > 7, "what holds is told"
    assert {each.text for each in views.read(known.user).facts} == visible_facts(known)


def visible_facts(known):
    rows = known.store.read("SELECT id FROM facts WHERE owner_id = :user", {"user": known.user})
    return {fact.text for row in rows if (fact := known.facts.get(known.user, row["id"])).is_visible}

"""Any order of mutations against a plain model of the tree, with the invariants after each step (platform 12, 22)."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from aeon.platform.conversations.turns import EndedAnswer
from aeon.platform.errors import ConflictError

from .conftest import Talk


class Model:
    """What the tree should be: parents, turns and states by alternative, and the active one by turn."""

    def __init__(self):
        self.parent, self.turn, self.state, self.speaker = {}, {}, {}, {}
        self.active, self.tip = {}, None

    def add(self, id_, turn, parent, speaker, state):
        self.parent[id_], self.turn[id_], self.state[id_], self.speaker[id_] = parent, turn, state, speaker
        self.choose(id_)

    def choose(self, id_):
        above = id_
        while above is not None:
            self.active[self.turn[above]] = above
            above = self.parent[above]
        self.tip = id_
        while below := [each for each in self.shown() if self.parent[each] == self.tip]:
            (self.tip,) = below

    def shown(self):
        return list(self.active.values())

    def child_turn(self, id_):
        turns = {self.turn[each] for each, parent in self.parent.items() if parent == id_}
        assert len(turns) <= 1
        return next(iter(turns), None)

    def path(self):
        found, at = [], self.tip
        while at is not None:
            found.insert(0, at)
            at = self.parent[at]
        return found

    def stale(self):
        return {each for each, parent in self.parent.items() if parent and self.active[self.turn[parent]] != parent}


class Conversations(RuleBasedStateMachine):
    """Rules of one conversation."""

    new_talk = staticmethod(lambda: None)
    messages, answers, generating = Bundle("messages"), Bundle("answers"), Bundle("generating")

    @initialize(target=messages)
    def begin(self):
        self.talk = self.new_talk()
        self.conversation, self.model = self.talk.conversation(), Model()
        return self.remember(self.talk.say(self.conversation))

    def remember(self, made):
        self.model.add(made.id, made.turn.id, made.responds_to_id, made.turn.speaker, made.state)
        return made

    @rule(target=messages, answer=answers)
    def say(self, answer):
        turn = self.model.child_turn(answer.id)
        if self.model.state[answer.id] == "failed":
            with pytest.raises(ConflictError):
                self.talk.say(self.conversation, after=answer.id)
            return multiple()
        said = self.talk.say(self.conversation, after=answer.id)
        assert turn in (None, said.turn.id)
        return self.remember(said)

    @rule(target=messages, message=messages)
    def edit(self, message):
        return self.remember(self.talk.turns.edit(message.id, "edited", self.talk.request()))

    @rule(target=generating, message=messages)
    def answer(self, message):
        turn = self.model.child_turn(message.id)
        begun = self.talk.turns.begin_answer(message.id, self.talk.executor, self.talk.request())
        assert turn in (None, begun.turn.id)
        return self.remember(begun)

    @rule(target=generating, answer=answers)
    def regenerate(self, answer):
        parent = self.model.parent[answer.id]
        shown = self.model.active[self.model.turn[parent]]
        begun = self.talk.turns.regenerate(answer.id, self.talk.executor, self.talk.request())
        assert begun.responds_to_id == shown
        return self.remember(begun)

    @rule(target=answers, begun=consumes(generating), how=st.sampled_from(["complete", "stopped", "failed"]))
    def end(self, begun, how):
        content = None if how == "failed" else "words"
        ended = EndedAnswer(content, "broken", is_stopped=how == "stopped")
        assert self.talk.turns.end_answer(self.talk.user, begun.id, ended)
        self.model.state[begun.id] = how
        return begun

    @rule(chosen=st.one_of(messages, answers))
    def activate(self, chosen):
        self.talk.turns.activate(chosen.id, self.talk.request())
        self.model.choose(chosen.id)

    @invariant()
    def the_record_is_the_model(self):
        if not hasattr(self, "model"):
            return
        talk, model = self.talk, self.model
        tree = talk.turns.tree(talk.user, self.conversation.id, limit=10_000)
        assert {each.id: each.responds_to_id for each in tree} == model.parent
        assert {each.id: each.turn.id for each in tree} == model.turn
        assert {each.id: each.state for each in tree} == model.state
        assert {each.turn.id: each.id for each in tree if each.is_active} == model.active
        assert sum(each.is_active for each in tree) == len({each.turn.id for each in tree})
        assert {each.id for each in tree if each.is_stale} == model.stale()
        tip = talk.conversations.get(talk.user, self.conversation.id).tip_id
        assert tip == model.tip
        assert [each.id for each in talk.turns.path(talk.user, tip, 10_000)] == model.path()


def test_any_order_of_mutations_leaves_the_tree_of_the_model(new_store):
    store = new_store()
    machine = type("OnAStore", (Conversations,), {"new_talk": staticmethod(lambda: Talk(store))})
    how = settings(suppress_health_check=list(HealthCheck), deadline=None, stateful_step_count=30)
    run_state_machine_as_test(machine, settings=how)

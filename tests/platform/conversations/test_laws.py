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

from aeon.platform.conversations.erasing import ErasureRepository, ErasureTarget
from aeon.platform.conversations.model import ConversationChange
from aeon.platform.conversations.turns import EndedAnswer
from aeon.platform.errors import ConflictError

from .conftest import Talk


class Model:
    """What the tree should be: parents, turns and states by alternative, and the active one by turn.

    Beside it the origins of forks, what was erased, and the fields of the conversation that its user changes.
    """

    def __init__(self):
        self.parent, self.turn, self.state, self.speaker = {}, {}, {}, {}
        self.active, self.tip = {}, None
        self.forks, self.erased = {}, set()
        self.fields = {"title": None, "pinned": False, "tags": [], "status": "active"}

    def add(self, id_, turn, parent, speaker, state):
        self.parent[id_], self.turn[id_], self.state[id_], self.speaker[id_] = parent, turn, state, speaker
        self.fields["status"] = "active"  # what is added to an archived conversation brings it back
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

    def below(self, id_):
        """An alternative and all whose path leads through it."""
        return {id_}.union(*(self.below(each) for each, parent in self.parent.items() if parent == id_))

    def without_content(self):
        return self.erased | {each for each, state in self.state.items() if state in ("generating", "failed")}

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
        if message.id in self.model.erased:
            with pytest.raises(ConflictError):
                self.talk.turns.begin_answer(message.id, self.talk.executor, self.talk.request())
            return multiple()
        begun = self.talk.turns.begin_answer(message.id, self.talk.executor, self.talk.request())
        assert turn in (None, begun.turn.id)
        return self.remember(begun)

    @rule(target=generating, answer=answers)
    def regenerate(self, answer):
        parent = self.model.parent[answer.id]
        shown = self.model.active[self.model.turn[parent]]
        if shown in self.model.erased:
            with pytest.raises(ConflictError):
                self.talk.turns.regenerate(answer.id, self.talk.executor, self.talk.request())
            return multiple()
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

    @rule(chosen=st.one_of(messages, answers), title=st.sampled_from([None, "a fork"]))
    def fork(self, chosen, title):
        if self.model.state[chosen.id] == "failed":
            with pytest.raises(ConflictError):
                self.talk.turns.fork(chosen.id, title, self.talk.request())
            return
        made = self.talk.turns.fork(chosen.id, title, self.talk.request())
        assert (made.title, made.tip_id, made.status) == (title, None, "active")
        self.model.forks[made.id] = chosen.id

    @rule(
        change=st.one_of(
            st.fixed_dictionaries({"title": st.sampled_from([None, "one", "another"])}),
            st.fixed_dictionaries({"pinned": st.booleans()}),
            st.fixed_dictionaries({"tags": st.lists(st.sampled_from("abc"), unique=True)}),
            st.fixed_dictionaries({"status": st.sampled_from(["active", "archived"])}),
        )
    )
    def rename_pin_tag_or_archive(self, change):
        self.talk.conversations.change(self.conversation.id, ConversationChange.parsed(change), self.talk.request())
        self.model.fields |= change

    @rule(chosen=st.one_of(messages, answers))
    def forget(self, chosen):
        ledger, new_id = self.talk.world.catalog.ledger, self.talk.world.catalog.new_id
        erasures = ErasureRepository(self.talk.store, ledger, new_id)
        target = ErasureTarget(self.talk.user, self.conversation.id, chosen.id)
        if any(self.model.state[each] == "generating" for each in self.model.below(chosen.id)):
            with pytest.raises(ConflictError):
                erasures.begin(target, self.talk.request())
            return
        erasures.begin(target, self.talk.request())
        self.model.erased.add(chosen.id)

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
        assert {each.id for each in tree if each.content is None} == model.without_content()
        assert {each.id for each in tree if each.forgotten_at is not None} == model.erased
        forks = talk.conversations.list_forks(talk.user, self.conversation.id)
        assert {each.id: each.origin_alternative_id for each in forks} == model.forks
        conversation = talk.conversations.get(talk.user, self.conversation.id)
        assert {name: getattr(conversation, name) for name in model.fields} == model.fields
        tip = conversation.tip_id
        assert tip == model.tip
        assert [each.id for each in talk.turns.path(talk.user, tip, 10_000)] == model.path()


def test_any_order_of_mutations_leaves_the_tree_of_the_model(new_store):
    store = new_store()
    machine = type("OnAStore", (Conversations,), {"new_talk": staticmethod(lambda: Talk(store))})
    how = settings(suppress_health_check=list(HealthCheck), deadline=None, stateful_step_count=30)
    run_state_machine_as_test(machine, settings=how)

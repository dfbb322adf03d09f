"""What happens to Processes at once, twice, and with others' things (platform 2, 19, 20)."""

import pytest
from tests.platform.stored_processes import Storing, step

from aeon.platform.errors import ConflictError, RuleError
from aeon.platform.ledger import MutationRequest


@pytest.fixture
def storing(world):
    return Storing(world)


@pytest.fixture
def ann(world):
    return world.user("ann")


@pytest.fixture
def bob(world):
    return world.user("bob")


class Meddling:
    """A store in which something else happens between the check of a Process and its writing."""

    def __init__(self, store):
        self._store = store
        self.first = None

    def update(self, work):
        if self.first is not None:
            happens, self.first = self.first, None
            happens()
        return self._store.update(work)

    def __getattr__(self, name):
        return getattr(self._store, name)


def deleted(storing, ann, target):
    shelf = storing.world.catalog.tools if target.kind == "tool" else storing.processes
    shelf.remove(target.id, MutationRequest(ann))


def unshared(storing, ann, target):
    if target.kind == "tool":
        storing.unshare_tool(ann, target)
    else:
        storing.change(ann, target, shared=False)


def saved(storing, user, own, steps, verb):
    return storing.add(user, *steps) if verb == "add" else storing.change(user, own, steps=steps)


@pytest.mark.parametrize("happens", [deleted, unshared])
@pytest.mark.parametrize("kind", ["tool", "process"])
@pytest.mark.parametrize("verb", ["add", "change"])
def test_a_target_that_goes_between_check_and_write_leaves_no_half_process(world, ann, bob, verb, kind, happens):
    """Platform 2: guarded in the unit of work too; nothing is written, and the next attempt says what is wrong."""
    world.store = Meddling(world.store)
    world.catalog = type(world)(world.store).catalog
    storing = Storing(world)
    target = storing.tool(ann, shared=True)
    if kind == "process":
        target = storing.calling(ann, target, "inner", shared=True)
    own = storing.calling(bob, storing.tool(bob), "mine")
    before = storing.count("process_steps"), storing.count("definitions")
    world.store.first = lambda: happens(storing, ann, target)
    steps = [step("a", **{kind: target.id})]
    with pytest.raises(ConflictError, match="refers to was changed in the meantime"):
        saved(storing, bob, own, steps, verb)
    gone = kind == "process" and happens is deleted
    assert (storing.count("process_steps"), storing.count("definitions")) == (before[0] - gone, before[1])
    assert storing.processes.list_own(bob) == [own]
    with pytest.raises(RuleError, match="or you cannot see it"):
        storing.add(bob, *steps)


def test_two_who_change_at_once_and_what_was_changed_is_told(world, ann):
    world.store = Meddling(world.store)
    world.catalog = type(world)(world.store).catalog
    storing = Storing(world)
    made = storing.calling(ann, storing.tool(ann))
    world.store.first = lambda: storing.change(ann, made, description="first")
    with pytest.raises(ConflictError, match="The process 'work' was changed in the meantime"):
        storing.change(ann, made, outputTemplate="second")


def test_a_repeated_request_gets_the_first_answer_whatever_happened_since(storing, ann):
    """Platform 20: the same key and body; another body is refused."""
    tool = storing.tool(ann)
    asked = MutationRequest(ann, "key")
    made = storing.add(ann, step("a", tool=tool.id), request=asked)
    later = MutationRequest(ann, "later")
    changed = storing.change(ann, made, later, outputTemplate="x")
    storing.remove(ann, changed)
    storing.world.catalog.tools.remove(tool.id, MutationRequest(ann))
    assert storing.add(ann, step("a", tool=tool.id), request=asked) == made
    assert storing.change(ann, made, later, outputTemplate="x") == changed
    with pytest.raises(ConflictError, match="was used for another request"):
        storing.add(ann, step("b", tool=tool.id), request=asked)
    assert storing.processes.list_own(ann) == []


def test_every_use_of_another_s_thing_is_in_both_trails(storing, ann, bob):
    """Platform 19: who, what, whose, when; noted when it is first called, not with each change."""
    tool = storing.tool(ann, shared=True)
    inner = storing.calling(ann, tool, "inner", shared=True)
    made = storing.add(bob, step("a", tool=tool.id), step("b", process=inner.id))
    storing.change(bob, made, outputTemplate="x")
    storing.change(bob, made, shared=True)
    storing.change(bob, made, shared=False)
    for user in (ann, bob):
        uses = [entry for entry in storing.world.catalog.ledger.audit_log(user) if entry["action"].endswith(".use")]
        assert sorted((each["action"], each["subject"]) for each in uses) == [
            ("process.use", inner.id),
            ("tool.use", tool.id),
        ]
        assert {(each["actorId"], each["ownerId"]) for each in uses} == {(bob, ann)}
    own = [entry["action"] for entry in storing.world.catalog.ledger.audit_log(bob) if entry["subject"] == made.id]
    assert own == ["process.create", "process.change", "process.share", "process.unshare"]

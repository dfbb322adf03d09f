"""Any sequence of changes to Processes and to what they call leaves whole Processes, as a plain model has them."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule
from tests.platform.conftest import World
from tests.platform.stored_processes import Storing, step

from aeon.platform.catalog.model import ToolChange
from aeon.platform.errors import PlatformError, ReferencedError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import NewProcess, ProcessChange

OUTLINE = """
SELECT s.id AS step, t.id AS tool, p.id AS process
FROM process_steps s LEFT JOIN tools t ON t.id = s.tool_id LEFT JOIN processes p ON p.id = s.called_process_id
WHERE s.process_id = :id ORDER BY s.id
"""


class ProcessMachine(RuleBasedStateMachine):
    """Tools and Processes of two users, beside dictionaries that say what there must be."""

    tools, processes = Bundle("tools"), Bundle("processes")
    store = None

    def __init__(self):
        super().__init__()
        self.storing = Storing(World(self.store))
        self.users = [self.storing.world.user(name) for name in ("ann", "bob")]
        self.things = {}
        self.names = 0

    def attempt(self, expected, call):
        try:
            result = call()
        except PlatformError as error:
            if expected is None or not isinstance(error, expected):
                raise AssertionError(f"{error!r}, not {expected}") from error
            return None
        assert expected is None, f"it should have ended in {expected}"
        return result

    def refusal(self, user, calls, own=None):
        """Whether steps that call these must be refused (platform 2, 7): gone, not his to see, disabled, a circle."""
        found = [self.things.get(id_) for id_ in calls]
        is_wrong = any(each is None or not self.sees(user, each) or not each["enabled"] for each in found)
        return RuleError if is_wrong or own in self.reach(user, calls) else None

    def reach(self, user, calls):
        """What is called through others, as far as the user sees."""
        seen, left = set(), list(calls)
        while left:
            id_ = left.pop()
            thing = self.things.get(id_)
            if id_ not in seen and thing is not None and self.sees(user, thing):
                seen.add(id_)
                left += thing["calls"]
        return seen

    def sees(self, user, thing):
        return thing["owner"] == user or thing["shared"]

    def steps(self, calls):
        return [step(f"s{n}", **{self.things.get(id_, {"kind": "tool"})["kind"]: id_}) for n, id_ in enumerate(calls)]

    def new_name(self):
        self.names += 1
        return f"n{self.names}"

    @rule(target=tools, user=st.integers(0, 1), shared=st.booleans())
    def add_tool(self, user, shared):
        made = self.storing.tool(self.users[user], self.new_name(), shared=shared)
        self.things[made.id] = {"kind": "tool", "owner": user, "shared": shared, "enabled": True, "calls": []}
        return made.id

    @rule(id_=tools, shared=st.booleans(), enabled=st.booleans())
    def change_tool(self, id_, shared, enabled):
        if thing := self.things.get(id_):
            change = ToolChange(shared=shared, enabled=enabled)
            self.storing.world.catalog.tools.change(id_, change, MutationRequest(self.users[thing["owner"]]))
            thing.update(shared=shared, enabled=enabled)

    @rule(target=processes, user=st.integers(0, 1), calls=st.lists(tools | processes, min_size=1, max_size=3))
    def add_process(self, user, calls):
        new = NewProcess.parsed({"name": self.new_name(), "steps": self.steps(calls), "maxRecursionDepth": 10})
        add = lambda: self.storing.processes.add(new, MutationRequest(self.users[user]))  # noqa: E731  # an attempt's deed
        made = self.attempt(self.refusal(user, calls), add)
        if made is None:
            return "nothing"
        self.things[made.id] = {"kind": "process", "owner": user, "shared": False, "enabled": True, "calls": calls}
        return made.id

    @rule(id_=processes, calls=st.lists(tools | processes, min_size=1, max_size=3))
    def change_steps(self, id_, calls):
        thing = self.things.get(id_)
        if thing is None or thing["calls"] == calls:
            return
        change = ProcessChange.parsed({"steps": self.steps(calls)})
        expected = self.refusal(thing["owner"], [each for each in calls if each != id_], id_)
        expected = RuleError if id_ in calls else expected
        owner = self.users[thing["owner"]]
        if self.attempt(expected, lambda: self.storing.processes.change(id_, change, MutationRequest(owner))):
            thing["calls"] = calls

    @rule(id_=processes, shared=st.booleans(), enabled=st.booleans())
    def change_process(self, id_, shared, enabled):
        thing = self.things.get(id_)
        if thing is None:
            return
        is_enabling = enabled and not thing["enabled"]
        expected = self.refusal(thing["owner"], thing["calls"], id_) if is_enabling else None
        change = ProcessChange(shared=shared, enabled=enabled)
        owner = self.users[thing["owner"]]
        if self.attempt(expected, lambda: self.storing.processes.change(id_, change, MutationRequest(owner))):
            thing.update(shared=shared, enabled=enabled)

    @rule(id_=tools | processes)
    def delete(self, id_):
        thing = self.things.get(id_)
        if thing is None:
            return
        is_called = any(id_ in each["calls"] for other, each in self.things.items() if other != id_)
        shelf = self.storing.world.catalog.tools if thing["kind"] == "tool" else self.storing.processes
        owner = self.users[thing["owner"]]
        self.attempt(ReferencedError if is_called else None, lambda: shelf.remove(id_, MutationRequest(owner)))
        if not is_called:
            del self.things[id_]

    @invariant()
    def every_process_is_whole(self):
        """Exactly one target for each step, the one that it was saved with; nothing is left of what went."""
        for id_, thing in self.things.items():
            if thing["kind"] == "process":
                rows = self.storing.read(OUTLINE, id=id_)
                called = [(row["step"], [id_ for id_ in (row["tool"], row["process"]) if id_]) for row in rows]
                assert called == [(f"s{n}", [called]) for n, called in enumerate(thing["calls"])]

    def teardown(self):
        for user in self.users:
            assert self.storing.world.catalog.ledger.verify_audit_log(user) is None
        for id_, thing in self.things.items():
            if thing["kind"] == "process":
                found = self.storing.processes.get(self.users[thing["owner"]], id_)
                assert found.digest == found.definition.digest
                assert self.storing.processes.get_definition(found.digest).steps == found.steps


@pytest.mark.slow
def test_any_sequence_of_changes(store):
    """Platform 2, 4, 7: Processes and the tools that they call against a plain model."""

    class Machine(ProcessMachine):
        pass

    Machine.store = store
    case = Machine.TestCase
    case.settings = settings(
        max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
    )
    case().runTest()

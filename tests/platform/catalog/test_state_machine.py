"""Any sequence of mutations by three users leaves the graph as a plain model of it has it."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule
from tests.platform.conftest import World

from aeon.platform.catalog.model import ServiceChange, ToolChange
from aeon.platform.errors import ForbiddenError, NotFoundError, PlatformError, ReferencedError, RuleError
from aeon.platform.ledger import MutationRequest

NAMES = st.sampled_from(["a", "b", "c"])
USERS = st.sampled_from(["ann", "bob", "eve"])


class Thing:
    """What the model knows of one thing."""

    def __init__(self, owner, name, *, shared, uses=()):
        self.owner, self.name, self.shared, self.uses = owner, name, shared, uses


class CatalogMachine(RuleBasedStateMachine):
    """Services, secrets and tools of three users, beside dictionaries that say what there must be."""

    services, secrets, tools = Bundle("services"), Bundle("secrets"), Bundle("tools")
    store = None

    def __init__(self):
        super().__init__()
        self.world = World(self.store)
        self.users = {name: self.world.user(name) for name in ("ann", "bob", "eve")}
        self.model = {"service": {}, "secret": {}, "tool": {}}
        self.deeds = dict.fromkeys(self.users, 0)

    def attempt(self, expected, call):
        """Do it: it must end as the model says; gives what it gave."""
        try:
            result = call()
        except PlatformError as error:
            if expected is None or not isinstance(error, expected):
                raise AssertionError(f"{error!r}, not {expected}") from error
            return None
        assert expected is None, f"it should have ended in {expected}"
        return result

    def taken(self, kind, owner, name, but=None):
        things = self.model[kind].items()
        return any(each.owner == owner and each.name == name for id_, each in things if id_ != but)

    def access(self, kind, user, id_):
        """Why the user may not change a thing, if so."""
        thing = self.model[kind].get(id_)
        if thing is None or not (thing.owner == user or (thing.shared and kind != "secret")):
            return NotFoundError
        return None if thing.owner == user else ForbiddenError

    def noted(self, kind, result, thing):
        if result is not None:
            self.model[kind][result.id] = thing
            self.deeds[thing.owner] += 1
        return result.id if result is not None else "nothing"

    @rule(target=services, user=USERS, name=NAMES, shared=st.booleans())
    def add_service(self, user, name, shared):
        expected = RuleError if self.taken("service", user, name) else None
        made = self.attempt(expected, lambda: self.world.service(self.users[user], name=name, shared=shared))
        return self.noted("service", made, Thing(user, name, shared=shared))

    @rule(target=secrets, user=USERS, name=NAMES, shared=st.booleans())
    def add_secret(self, user, name, shared):
        expected = RuleError if self.taken("secret", user, name) else None
        made = self.attempt(expected, lambda: self.world.secret(self.users[user], name, shared=shared))
        return self.noted("secret", made, Thing(user, name, shared=shared))

    @rule(target=tools, user=USERS, name=NAMES, service=services, secret=st.none() | secrets, shared=st.booleans())
    def add_tool(self, user, name, service, secret, shared):
        on = self.model["service"].get(service)
        if (
            on is None
            or not (on.owner == user or on.shared)
            or (secret is not None and self.access("secret", user, secret))
        ):
            expected = NotFoundError
        else:
            expected = RuleError if self.taken("tool", user, name) else None

        class Ref:
            id = service

        fields = {"name": name, "secretId": secret, "shared": shared}
        made = self.attempt(expected, lambda: self.world.tool(self.users[user], Ref, **fields))
        if made is not None and on.owner != user:
            self.deeds[user] += 1
            self.deeds[on.owner] += 1
        return self.noted("tool", made, Thing(user, name, shared=shared, uses=(service, secret)))

    @rule(user=USERS, id_=services, name=NAMES, shared=st.booleans())
    def change_service(self, user, id_, name, shared):
        expected = self.access("service", user, id_)
        if expected is None and self.taken("service", user, name, but=id_):
            expected = RuleError
        change = ServiceChange(name=name, shared=shared)
        services = self.world.catalog.services
        if self.attempt(expected, lambda: services.change(id_, change, MutationRequest(self.users[user]))):
            self.model["service"][id_] = Thing(user, name, shared=shared)
            self.deeds[user] += 1

    @rule(user=USERS, id_=tools, name=NAMES)
    def rename_tool(self, user, id_, name):
        expected = self.access("tool", user, id_)
        if expected is None:
            thing = self.model["tool"][id_]
            on = self.model["service"][thing.uses[0]]
            lost = not (on.owner == user or on.shared)
            expected = NotFoundError if lost else RuleError if self.taken("tool", user, name, but=id_) else None
        tools = self.world.catalog.tools
        if self.attempt(expected, lambda: tools.change(id_, ToolChange(name=name), MutationRequest(self.users[user]))):
            self.model["tool"][id_].name = name
            self.deeds[user] += 1

    @rule(user=USERS, id_=services)
    def delete_service(self, user, id_):
        self._delete("service", user, id_)

    @rule(user=USERS, id_=secrets)
    def delete_secret(self, user, id_):
        self._delete("secret", user, id_)

    @rule(user=USERS, id_=tools)
    def delete_tool(self, user, id_):
        self._delete("tool", user, id_)

    def _delete(self, kind, user, id_):
        expected = self.access(kind, user, id_)
        if expected is None and any(id_ in each.uses for each in self.model["tool"].values()):
            expected = ReferencedError
        shelf = getattr(self.world.catalog, f"{kind}s")
        self.attempt(expected, lambda: shelf.remove(id_, MutationRequest(self.users[user])))
        if expected is None:
            del self.model[kind][id_]
            self.deeds[user] += 1

    @invariant()
    def everybody_sees_what_the_model_says(self):
        for name, user in self.users.items():
            for kind, things in self.model.items():
                shelf = getattr(self.world.catalog, f"{kind}s")
                own = sorted(each.name for each in things.values() if each.owner == name)
                assert [each.name for each in shelf.list_own(user)] == own

    def teardown(self):
        for name, user in self.users.items():
            assert self.world.catalog.ledger.verify_audit_log(user) is None
            assert self.world.catalog.ledger.chain_head(user).seq == self.deeds[name]
        kept = {each.key.secret_id for each in self.world.vault.list_secrets()}
        assert kept == set(self.model["secret"])


@pytest.mark.slow
def test_any_sequence_of_mutations(store):
    """Platform 2, 3, 19: the catalog against a plain model."""

    class Machine(CatalogMachine):
        pass

    Machine.store = store
    case = Machine.TestCase
    case.settings = settings(
        max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
    )
    case().runTest()

"""Accounts on both stores: one user of a name, one of an identity, and nothing left of who was disabled (platform 31)."""

import threading

import pytest

from aeon.platform.access.accounts import AccountRepository
from aeon.platform.access.model import AccountChange, Identity, NewCredential
from aeon.platform.access.repository import CredentialRepository
from aeon.platform.errors import ConflictError, ForbiddenError
from aeon.platform.ledger import Ledger, MutationRequest

DISABLED = AccountChange(enabled=False)


class Access:
    """The accounts and the credentials of one record."""

    def __init__(self, world):
        ledger = Ledger(world.store, world.clock)
        self.accounts = AccountRepository(world.store, ledger)
        self.credentials = CredentialRepository(world.store, ledger, world.catalog.new_id)


@pytest.fixture
def access(world):
    return Access(world)


def test_who_is_disabled_has_no_credential_left_and_gets_none_platform_31(world, access):
    user, by = world.user("ann"), MutationRequest(world.user("ops"))
    issued = access.credentials.issue(NewCredential("token", 1, "x"), user)
    link = access.credentials.issue(NewCredential("link", 1), user)
    assert access.credentials.is_valid(issued.credential.id)
    access.accounts.change(user, DISABLED, by)
    assert not access.credentials.is_valid(issued.credential.id)
    assert access.credentials.find(issued.secret, "token") is None
    assert access.credentials.redeem_link(link.secret, NewCredential("session", 1)) is None
    with pytest.raises(ForbiddenError, match="disabled"):
        access.credentials.issue(NewCredential("token", 1, "x"), user)
    access.accounts.change(user, AccountChange(enabled=True), by)
    assert access.credentials.find(issued.secret, "token") is None


def test_a_change_leaves_what_it_does_not_name(world, access):
    user, by = world.user("ann"), MutationRequest(world.user("ops"))
    access.accounts.change(user, AccountChange(role="operator"), by)
    disabled = access.accounts.change(user, DISABLED, by)
    assert (disabled.role, disabled.enabled, disabled.version) == ("operator", False, 2)


def test_of_many_who_add_a_name_or_link_an_identity_at_once_one_succeeds(world, access):
    by = [MutationRequest(world.user(f"ops{number}")) for number in range(6)]
    name = world.user("new") + "-made"
    made = together([lambda each=each: access.accounts.create(name, "user", each) for each in by])
    assert [each is None for each in made].count(True) == 1
    assert {type(each) for each in made} <= {type(None), ConflictError}
    identity = Identity("https://login.example.org", name)
    linked = together([lambda each=each: access.accounts.link(each.user, identity, each) for each in by])
    assert [each is None for each in linked].count(True) == 1
    assert {type(each) for each in linked} <= {type(None), ConflictError}
    assert access.accounts.user_of(identity) == by[linked.index(None)].user


def together(works):
    """What each raised, or None."""
    found = [None] * len(works)
    barrier = threading.Barrier(len(works))

    def do(number):
        barrier.wait()
        try:
            works[number]()
        except ConflictError as error:
            found[number] = error

    threads = [threading.Thread(target=do, args=(number,)) for number in range(len(works))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return found

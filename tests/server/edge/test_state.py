"""What all doors of a server share: one look at a credential for all of its streams (decision 60)."""

import asyncio
import threading
from types import SimpleNamespace

import pytest

from aeon.platform.store import StoreUnavailableError
from aeon.server.edge.state import ServerState


class Access:
    """Says of each credential, after it was let go, what it is told to say."""

    def __init__(self):
        self.says = True
        self.looks = []
        self.lets_go = threading.Event()
        self.both_look = threading.Event()

    def is_valid(self, credential):
        self.looks.append(credential)
        if len(self.looks) == 2:
            self.both_look.set()
        self.lets_go.wait(30)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


@pytest.fixture
def access():
    return Access()


@pytest.fixture
def state(access):
    opened = SimpleNamespace(access=access)
    workspaces = SimpleNamespace(opened=lambda _user: opened, own_machine=lambda _user: None, sign_in=None)
    return ServerState(workspaces, "me")


def test_a_hundred_streams_of_one_credential_look_once_also_while_the_record_is_slow(state, access):
    async def ask():
        asked = [asyncio.ensure_future(state.is_valid(each)) for each in ["a"] * 100 + ["b"] * 100]
        await asyncio.to_thread(access.both_look.wait, 30)
        asked[0].cancel()  # a stream that ends takes nothing from the others
        access.lets_go.set()
        return await asyncio.gather(*asked, return_exceptions=True)

    found = asyncio.run(ask())
    assert isinstance(found[0], asyncio.CancelledError)
    assert set(found[1:]) == {True}
    assert sorted(access.looks) == ["a", "b"]


def test_a_look_that_failed_is_told_to_all_who_waited_for_it_and_is_made_again(state, access):
    async def ask():
        access.says = StoreUnavailableError("away")
        access.lets_go.set()
        failed = await asyncio.gather(*(state.is_valid("a") for _ in range(5)), return_exceptions=True)
        access.says = False
        later = await state.is_valid("a")
        return failed, later

    failed, later = asyncio.run(ask())
    assert [type(each) for each in failed] == [StoreUnavailableError] * 5
    assert later is False
    assert access.looks == ["a", "a"]

"""What the processes of a record announce to each other over PostgreSQL (decision 84)."""

import threading
from queue import Empty, SimpleQueue

import pytest

from aeon.adapters.store.postgresql import open_postgresql
from aeon.platform.store import GuardError
from aeon.testing.store.units_of_work import ADD

from .conftest import PASSWORD

pytestmark = [pytest.mark.server, pytest.mark.slow]

PATIENCE = 30.0
END_SESSIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'aeon'"


@pytest.fixture
def other(record):
    """The same record, opened by another process, as far as stores know."""
    store = open_postgresql(record.address, PASSWORD)
    yield store
    store.close()


def announce(store, subject, *, fails=False):
    def work(unit):
        unit.write(ADD, {"name": subject, "position": 0})
        unit.announce(subject)
        if fails:
            raise GuardError

    store.update(work)


def heard_by(store):
    """A queue of what a listener hears; it hears already."""
    heard = SimpleQueue()
    store.listen(heard.put)
    until_heard(store, heard, "begin")
    return heard


def until_heard(store, heard, name):
    """Announce again and again until a listener has connected."""
    for number in range(int(PATIENCE / 0.05)):
        announce(store, f"{name}{number}")
        try:
            while not heard.get(timeout=0.05).startswith(name):
                pass
        except Empty:
            continue
        while not heard.empty():
            heard.get()
        return
    pytest.fail("nothing was heard")


def test_what_is_committed_is_heard_and_nothing_else(store, other):
    heard = heard_by(store)
    with pytest.raises(GuardError):
        announce(other, "never", fails=True)
    announce(other, "once")
    assert heard.get(timeout=PATIENCE) == "once"
    assert heard.empty()


def test_a_listener_hears_again_after_its_session_was_ended(store, postgres):
    heard = heard_by(store)
    postgres.execute(END_SESSIONS)
    until_heard(store, heard, "again")


def test_a_closed_store_has_no_thread_and_no_session_left(store, other):
    heard_by(other)
    assert [each.name for each in threading.enumerate()].count("aeon-listener") == 1
    other.close()
    other.close()
    assert [each.name for each in threading.enumerate()].count("aeon-listener") == 0
    other.listen(print)
    assert [each.name for each in threading.enumerate()].count("aeon-listener") == 0
    announce(store, "the other one still works")

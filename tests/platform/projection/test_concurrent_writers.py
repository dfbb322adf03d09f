"""On PostgreSQL the order of events is not the order in which their transactions commit; none is left out for it."""

import threading
from contextlib import ExitStack, closing, contextmanager

import pytest

from aeon.base.clock import SystemClock
from aeon.platform.projection import NodeKey, Projector, find_differences
from aeon.testing.projection import InMemoryGraph
from aeon.testing.records import RecordMutator

pytestmark = [pytest.mark.server, pytest.mark.slow]

ADD_USER = "INSERT INTO users (id, audit_seq, audit_hash, created_at) VALUES (:id, 0, '', '')"
ADD_DEFINITION = "INSERT INTO definitions (digest, text, created_at) VALUES (:id, '', '')"
SECONDS = 20


@pytest.fixture
def store(postgres_record):
    with closing(postgres_record()) as record:
        yield record


@pytest.fixture
def target():
    return InMemoryGraph()


@pytest.fixture
def projector(store, target):
    return Projector(store, target, SystemClock())


class Writer(threading.Thread):
    """A transaction that writes and commits when it is told to."""

    def __init__(self, store):
        super().__init__()
        self.store, self.orders, self.done = store, [], threading.Semaphore(0)
        self.ordered = threading.Semaphore(0)
        self.start()

    def run(self):
        def work(unit):
            while (order := self.next()) != "commit":
                unit.write(*order)
                self.done.release()

        self.store.update(work)
        self.done.release()

    def next(self):
        assert self.ordered.acquire(timeout=SECONDS)
        return self.orders.pop(0)

    def tell(self, order):
        self.orders.append(order)
        self.ordered.release()
        assert self.done.acquire(timeout=SECONDS)

    def add_user(self, name):
        self.tell((ADD_USER, {"id": name}))

    def commit(self):
        self.tell("commit")
        self.join(SECONDS)


@contextmanager
def closed(*writers):
    """Whatever happens, they end."""
    try:
        yield writers[0]
    finally:
        for writer in writers:
            if writer.is_alive():
                writer.commit()


def there(target, *names):
    return {node.key.id for node in target.fetch([NodeKey("User", name) for name in names])[0]}


def test_an_event_that_is_committed_after_later_ones_is_taken(store, target, projector):
    projector.sync()
    slow, quick = Writer(store), Writer(store)
    with closed(slow, quick):
        slow.add_user("slow")
        quick.add_user("quick")
        quick.commit()
        projector.sync(seconds=0)
        assert there(target, "quick") == set()  # it waits for the transaction whose event is before it
        assert projector.status().behind == 1
        slow.commit()
        projector.sync()
    assert there(target, "slow", "quick") == {"slow", "quick"}
    assert not list(find_differences(store, target))


def test_so_it_is_where_the_younger_transaction_has_the_earlier_event(store, target, projector):
    """The transaction ids are in the other order than the events, so that neither alone tells what is settled."""
    projector.sync()
    older, younger = Writer(store), Writer(store)
    with closed(older, younger):
        older.add_user("older")
        younger.add_user("younger")
        older.add_user("older too")
        older.commit()
        projector.sync(seconds=0.1)
        assert there(target, "older", "older too", "younger") == set()
        younger.commit()
        projector.sync()
    assert there(target, "older", "older too", "younger") == {"older", "older too", "younger"}
    assert not list(find_differences(store, target))


def test_a_sync_after_one_that_had_to_wait_reads_to_the_last_change(store, target, projector):
    projector.sync()
    slow = Writer(store)
    with closed(slow):
        slow.add_user("slow")
        store.update(lambda unit: unit.write(ADD_USER, {"id": "meanwhile"}))
        projector.sync(seconds=0)
        assert there(target, "meanwhile") == set()
        slow.commit()
    store.update(lambda unit: unit.write(ADD_USER, {"id": "after"}))
    projector.sync()
    assert there(target, "slow", "meanwhile", "after") == {"slow", "meanwhile", "after"}


def test_a_transaction_that_is_taken_back_holds_nothing_up(store, target, projector):
    projector.sync()
    with pytest.raises(ZeroDivisionError):
        store.update(lambda unit: (unit.write(ADD_USER, {"id": "never"}), 1 / 0))
    store.update(lambda unit: unit.write(ADD_USER, {"id": "ann"}))
    projector.sync()
    assert there(target, "never", "ann") == {"ann"}


def test_writers_who_never_pause_do_not_hold_it_up(store, target, projector):
    """There is always a transaction under way, and yet each one ends."""
    projector.sync()
    writer = Writer(store)
    writer.add_user("user 0")
    with ExitStack() as stack:
        for number in range(1, 11):
            following = stack.enter_context(closed(Writer(store)))
            following.add_user(f"user {number}")
            writer.commit()
            writer = following
            projector.sync(seconds=0)
        assert len(there(target, *(f"user {number}" for number in range(11)))) >= 5


def test_a_transaction_from_before_there_was_a_consumer_is_in_the_graph(store, target, projector):
    """It has noted no event, so that the graph is built after its end, and meanwhile nobody writes past it."""
    early = Writer(store)
    with closed(early):
        early.add_user("early")
        syncing = threading.Thread(target=projector.sync)
        syncing.start()
        syncing.join(0.5)
        assert syncing.is_alive()
        early.commit()
        syncing.join(SECONDS)
    assert not syncing.is_alive()
    assert there(target, "early") == {"early"}


def test_many_writers_at_once(store, target, projector):
    writers = [threading.Thread(target=RecordMutator(store, seed).make_changes, args=(60,)) for seed in range(1, 5)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        projector.sync(seconds=0)
    projector.sync()
    assert not list(find_differences(store, target))

"""The record in memory: a reader sees what was committed before it began, whatever other threads do."""

import sys
import threading
import time

import pytest

from aeon.adapters.store.sqlite.memory import MemoryStore

READERS = 4
SECONDS = 3.0


@pytest.fixture
def _switches_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.slow
@pytest.mark.usefixtures("_switches_often")
def test_no_reader_gets_a_copy_from_before_a_commit():
    """A copy that was let go during a commit was kept for the next reader: a run then failed with "There is no run"."""
    store = MemoryStore()
    store.update(lambda unit: unit.write("CREATE TABLE counter (n INTEGER)", {}))
    store.update(lambda unit: unit.write("INSERT INTO counter VALUES (0)", {}))
    ends = time.monotonic() + SECONDS
    committed, stale = 0, []

    def write():
        nonlocal committed
        while time.monotonic() < ends and not stale:
            store.update(lambda unit: unit.write("UPDATE counter SET n = n + 1", {}))
            committed += 1
            threading.Event().wait(0.002)

    def read():
        while time.monotonic() < ends and not stale:
            before = committed
            seen = store.read("SELECT n FROM counter")[0]["n"]
            if seen < before:
                stale.append((seen, before))

    threads = [threading.Thread(target=work) for work in (write, *[read] * READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    assert not stale
    assert committed

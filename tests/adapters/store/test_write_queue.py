"""Writers of a record take turns in the order in which they came; the lock is a real one, also of other processes."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from aeon.adapters.store.sqlite.write_queue import WriteQueue
from aeon.platform.store import StoreUnavailableError

HOLDER = """
import sys
from pathlib import Path
from aeon.adapters.store.sqlite.write_queue import WriteQueue
with WriteQueue(Path(sys.argv[1])).turn():
    print("holds", flush=True)
    sys.stdin.readline()
print("left", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def record(tmp_path):
    return tmp_path / "aeon.db"


@pytest.fixture
def holder(record):
    """Another process whose turn it is."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(record)], **pipes) as process:
        assert process.stdout.readline() == "holds\n"
        yield process
        process.kill()


def is_free(record):
    folder = os.open(record.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(folder)
    return True


def test_one_writer_at_a_time_and_nothing_is_left_beside_the_record(record):
    queue = WriteQueue(record)
    for _ in range(2):
        with queue.turn():
            assert not is_free(record)
        assert is_free(record)
    assert list(record.parent.iterdir()) == []


def test_turns_are_given_in_the_order_in_which_they_were_asked_for(record):
    order, waiting = [], []

    def write(number):
        with WriteQueue(record).turn():
            order.append(number)

    with WriteQueue(record).turn():
        for number in range(8):
            writer = threading.Thread(target=write, args=(number,))
            writer.start()
            waiting.append(writer)
            waits_in_kernel(number + 1)
    for writer in waiting:
        writer.join(20)
    assert sorted(order) == list(range(8))
    moved = [abs(number - place) for place, number in enumerate(order)]
    assert max(moved) <= 2, order  # the system wakes them in order, but they run side by side


def waits_in_kernel(count):
    """Wait until so many locks of this process are waited for."""
    pid = f" {os.getpid()} "
    locks = Path("/proc/locks")
    while sum("->" in line and pid in line for line in locks.read_text("ascii").splitlines()) < count:
        os.sched_yield()


def test_who_waits_writes_when_the_turn_before_ends_in_any_way(record, holder):
    entered = threading.Event()

    def write():
        with WriteQueue(record).turn():
            entered.set()

    writer = threading.Thread(target=write)
    writer.start()
    waits_in_kernel(1)
    assert not entered.is_set()
    holder.send_signal(signal.SIGKILL)
    writer.join(20)
    assert entered.is_set()


def test_a_writer_behind_a_suspended_one_is_told_and_keeps_no_place(record, holder):
    said = "Another process has been writing to .* if it was suspended"
    with pytest.raises(StoreUnavailableError, match=said), WriteQueue(record, max_wait=0.05).turn():
        pytest.fail("it is not its turn")
    holder.stdin.write("\n")
    holder.stdin.flush()
    assert holder.stdout.readline() == "left\n"
    with WriteQueue(record, max_wait=20).turn():  # whoever has given up waits no more
        assert not is_free(record)


def test_an_error_in_a_turn_ends_it(record):
    with pytest.raises(ZeroDivisionError), WriteQueue(record).turn():
        _ = 1 / 0
    assert is_free(record)

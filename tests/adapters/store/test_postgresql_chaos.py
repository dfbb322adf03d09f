"""Nothing that was acknowledged is lost, and nothing happens twice: servers are killed, replaced and cut off."""

import shutil
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from aeon.adapters.store.postgresql import open_postgresql
from aeon.testing.store.fixtures import run_in_threads
from aeon.testing.store.units_of_work import ADD_ONE

from .conftest import PASSWORD, new_record, server_folder, started
from .namespaces import Cable
from .postgres_writer import COUNTER, make_counter, write_all

pytestmark = [pytest.mark.server, pytest.mark.slow]

WRITER = Path(__file__).with_name("postgres_writer.py")
REQUESTS = "SELECT id FROM aeon.requests"
COUNTED = "SELECT position FROM aeon.consumers WHERE name = 'counter'"


HOLDER = """
import sys
from aeon.adapters.store.postgresql import open_postgresql
from aeon.testing.store.units_of_work import ADD_ONE

def work(unit):
    unit.write(ADD_ONE, {"name": "counter"})
    print("holds it", flush=True)
    unit.read("SELECT CAST(pg_sleep(2) AS text) AS slept")

open_postgresql(*sys.argv[1:]).update(work)
"""
"""Locks the counter, and is answered two seconds later."""


class Writers:
    """Threads that write until they are stopped, and what was acknowledged to them."""

    def __init__(self, store, count):
        make_counter(store)
        self._store = store
        self._stopped = threading.Event()
        self.acknowledged = []
        self.wrong = []
        self._thread = threading.Thread(target=lambda: self.wrong.extend(run_in_threads(count, self._write)))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        self._thread.join()

    def wait_for_more(self, count=50):
        """Wait until so many more units were acknowledged."""
        wanted = len(self.acknowledged) + count
        end = time.monotonic() + 30
        while len(self.acknowledged) < wanted:
            assert time.monotonic() < end, f"{len(self.acknowledged)} of {wanted}: {self.wrong}"
            time.sleep(0.01)

    def _write(self, number):
        at = 0
        while not self._stopped.is_set():
            write_all(self._store, [f"{number}-{at}"], self.acknowledged.append)
            at += 1


def test_a_server_that_is_killed_loses_nothing_that_it_acknowledged():
    with started(fsync="on") as server:
        record = new_record(server)
        with closing(open_postgresql(record.address, PASSWORD)) as store, Writers(store, 4) as writers:
            for _ in range(3):
                writers.wait_for_more()
                server.kill()
                server.start()
            writers.wait_for_more()
        assert writers.wrong == []
        check(server, record, writers.acknowledged)


@pytest.fixture
def standby(mortal):
    """A server that follows `mortal`."""
    with server_folder() as folder:
        standby = mortal.create_standby(folder)
        yield standby
        standby.kill()


def test_a_standby_that_becomes_the_primary_has_all_that_was_acknowledged(mortal, standby):
    """Replication is synchronous; the address names both hosts."""
    record = new_record(mortal)
    mortal.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
    mortal.execute("SELECT pg_reload_conf()")
    standby.start()
    with (
        closing(open_postgresql(record.address.replace("/db", f",127.0.0.1:{standby.port}/db"), PASSWORD)) as store,
        Writers(store, 4) as writers,
    ):
        writers.wait_for_more()
        mortal.kill()
        standby.execute("SELECT pg_promote()")
        standby.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
        standby.execute("SELECT pg_reload_conf()")
        writers.wait_for_more()
    assert writers.wrong == []
    check(standby, record, writers.acknowledged)


@pytest.fixture
def cable():
    """A cable between two namespaces, or the reason why there is none."""
    if shutil.which("ip") is None:
        pytest.skip("iproute2 is not installed: apt-get install iproute2")
    cable = Cable()
    try:
        cable.lay()
    except (subprocess.CalledProcessError, OSError) as error:
        cable.remove()
        said = getattr(error, "stderr", b"") or str(error).encode()
        pytest.skip(f"network namespaces cannot be made here: {said.decode().strip()}")
    yield cable
    cable.remove()


@pytest.fixture
def server_behind(cable):
    """A server in the first namespace."""
    with ExitStack() as stack:
        with cable.inside(0):
            server = stack.enter_context(started(listen=cable.addresses[0]))
        yield server


def test_writers_on_two_machines_and_a_cut_cable(cable, server_behind):
    """The one behind the cable notices, waits, and goes on; meanwhile the other one writes."""
    with cable.inside(0):
        record = new_record(server_behind)
        with closing(open_postgresql(record.address, PASSWORD)) as store:
            make_counter(store)
    with writer(cable, 0, record.address, "near", 3000) as near, writer(cable, 1, record.address, "far", 2000) as far:
        assert [each.stdout.readline() for each in (near, far)] == ["near-0\n", "far-0\n"]
        for each in (near, far):
            each.stdin.write("go on\n")
            each.stdin.flush()
        heard = [far.stdout.readline() for _ in range(20)]
        cable.cut()
        before = rows(server_behind, record)
        time.sleep(16)  # 8 seconds to notice that nothing arrives, and as long for a unit to give up
        assert rows(server_behind, record) > before
        cable.mend()
        rest = far.stdout.read()  # `communicate` would lose what `readline` has buffered
        said = [near.communicate(timeout=60), (rest, far.communicate(timeout=60)[1])]
    assert [each.returncode for each in (near, far)] == [0, 0], said
    assert [bool(complaints) for _, complaints in said] == [False, True]
    acknowledged = "".join(["near-0\n", "far-0\n", *heard, *(out for out, _ in said)]).split()
    assert len(acknowledged) == 5000
    check(server_behind, record, acknowledged)


@pytest.mark.timeout(90)
def test_a_machine_that_is_cut_off_while_it_is_answered_keeps_no_lock(cable, server_behind):
    """What is on its way to it is never acknowledged, and while that is so no keepalive is sent."""
    with cable.inside(0):
        record = new_record(server_behind)
        with closing(open_postgresql(record.address, PASSWORD)) as store:
            make_counter(store)
            with cable.inside(1):
                far = subprocess.Popen([sys.executable, "-c", HOLDER, record.address, PASSWORD], stdout=subprocess.PIPE)
            try:
                assert far.stdout.readline() == b"holds it\n"
                cable.cut()
                store.update(lambda unit: unit.write(ADD_ONE, COUNTER))
            finally:
                far.kill()
                far.communicate()


@contextmanager
def writer(cable, side, address, name, count):
    """A process in a namespace, which opens the record."""
    with cable.inside(side):
        process = subprocess.Popen(
            [sys.executable, WRITER, address, name, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    with process:
        process.stdin.write(f"{PASSWORD}\n")
        process.stdin.flush()
        try:
            yield process
        finally:
            process.kill()


def rows(server, record):
    return server.execute("SELECT count(*) FROM aeon.requests", record.database)[0][0]


def check(server, record, acknowledged):
    """All that was acknowledged is there; and each thing that is there was counted once."""
    there = {name for (name,) in server.execute(REQUESTS, record.database)}
    assert set(acknowledged) <= there
    assert len(acknowledged) == len(set(acknowledged))
    assert server.execute(COUNTED, record.database) == [(len(there),)]

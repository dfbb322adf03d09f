"""What breaks between a store and PostgreSQL: connections, servers, commits, locks (decision 30)."""

import threading
import time

import pytest

from aeon.adapters.store.postgresql import open_postgresql
from aeon.adapters.store.postgresql.pool import SIZE
from aeon.platform.store import QueryError, QueryTimeoutError, StoreUnavailableError
from aeon.testing.store.fixtures import run_in_threads
from aeon.testing.store.units_of_work import ADD, ADD_ONE, ALL, LOCKED_POSITION

from .conftest import PASSWORD, new_record
from .front import Front

pytestmark = [pytest.mark.server, pytest.mark.slow]

END_SESSIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'aeon'"
A = {"name": "a", "position": 0}


@pytest.fixture
def front(postgres):
    front = Front(postgres.port)
    yield front
    front.close()


@pytest.fixture
def fronted(front, postgres, record):
    """A store that reaches its server through `front`."""
    store = open_postgresql(record.address.replace(str(postgres.port), str(front.port)), PASSWORD)
    yield store
    store.close()


def test_a_session_that_was_ended_while_it_was_idle_is_replaced(store, postgres):
    for ask in (lambda: store.read(ALL), lambda: store.view(lambda unit: unit.read(ALL)), lambda: add(store)):
        postgres.execute(END_SESSIONS)
        ask()
    assert store.read(ALL) == [A]


def test_a_session_that_is_ended_in_a_unit_of_work_is_replaced_and_the_unit_repeated(store, postgres):
    calls = []

    def work(unit):
        unit.write(ADD, A)
        calls.append(1)
        if len(calls) < 3:
            postgres.execute(END_SESSIONS)
        return unit.read(ALL)

    assert store.update(work) == [A]
    assert len(calls) == 3
    assert store.read(ALL) == [A]


def test_a_view_whose_session_is_ended_is_not_repeated(store, postgres):
    calls = []

    def work(unit):
        calls.append(unit.read(ALL))
        postgres.execute(END_SESSIONS)
        return unit.read(ALL)

    with pytest.raises(StoreUnavailableError):
        store.view(work)
    assert len(calls) == 1
    assert store.read(ALL) == []


@pytest.mark.parametrize("is_passed_on", [True, False])
def test_a_query_that_is_cut_off_is_repeated_with_its_unit(fronted, front, is_passed_on):
    front.cut_at(b"consumers", is_passed_on=is_passed_on)
    add(fronted)
    assert fronted.read(ALL) == [A]


@pytest.mark.parametrize("is_passed_on", [True, False])
def test_a_read_that_is_cut_off_is_repeated(fronted, front, is_passed_on):
    add(fronted)
    front.cut_at(b"consumers", is_passed_on=is_passed_on)
    assert fronted.read(ALL) == [A]
    front.cut_at(b"consumers", is_passed_on=is_passed_on)
    assert fronted.read(ALL, timeout=5) == [A]


@pytest.mark.parametrize("is_passed_on", [True, False])
def test_a_commit_whose_answer_is_lost_may_have_happened(fronted, front, is_passed_on):
    """The unit is not repeated: the caller's idempotency key tells whether it was carried out."""
    front.cut_at(b"COMMIT\0", is_passed_on=is_passed_on)
    with pytest.raises(StoreUnavailableError) as raised:
        add(fronted)
    assert raised.value.may_have_happened
    expected = [A] if is_passed_on else []
    assert until(lambda: fronted.read(ALL) == expected)


def test_a_server_that_ended_the_session_before_the_commit_was_not_sent_one(store, postgres):
    """So nothing has happened, and the unit is repeated."""
    calls = []

    def work(unit):
        unit.write(ADD, A)
        calls.append(1)
        if len(calls) == 1:
            postgres.execute(END_SESSIONS)
            time.sleep(0.2)

    store.update(work)
    assert len(calls) == 2
    assert store.read(ALL) == [A]


@pytest.mark.parametrize("messages", range(20))
def test_a_session_that_is_ended_between_two_answers_is_replaced(fronted, front, messages):
    """In the middle of many rows libpq says nothing of it but "cannot exit pipeline mode while busy"."""
    rows = [{"name": str(number), "position": number} for number in range(3)]
    fronted.read(ALL)
    front.end_after(messages)
    lost = []
    try:
        fronted.update(lambda unit: unit.write_each(ADD, rows))
    except StoreUnavailableError as error:
        lost.append(error.may_have_happened)
    assert lost in ([], [True])
    assert fronted.read(ALL) in ([rows, []] if lost else [rows])


def test_threads_share_few_connections(store, postgres):
    """40 threads, each with several units of work, on SIZE connections."""
    store.update(lambda unit: unit.write(ADD, A))
    most = []

    def work(number):
        for _ in range(5):
            store.update(lambda unit: unit.write(ADD_ONE, {"name": "a"}))
            if number == 0:
                most.append(sessions(postgres))

    assert run_in_threads(40, work) == []
    assert store.read(ALL) == [{"name": "a", "position": 200}]
    assert max(most) <= SIZE


def test_threads_that_wait_for_a_connection_too_long_are_told(store, monkeypatch):
    monkeypatch.setattr("aeon.adapters.store.postgresql.pool._WAIT_SECONDS", 0.1)
    wrong = run_in_threads(SIZE + 1, lambda _: store.view(lambda unit: (unit.read(ALL), time.sleep(0.5))))
    assert [str(SIZE) in str(error) for error in wrong] == [True]
    assert store.read(ALL) == []


def test_a_lock_that_another_unit_keeps_for_too_long_is_an_error(store):
    store.update(lambda unit: unit.write(ADD, A))

    def impatient(unit):
        unit.read("SELECT set_config('lock_timeout', '100ms', true) AS now")  # a session waits for half a minute
        unit.write(ADD_ONE, {"name": "a"})

    def patient(unit):
        unit.read(LOCKED_POSITION, {"name": "a"})
        with pytest.raises(StoreUnavailableError, match="lock timeout"):
            store.update(impatient)

    store.update(patient)
    store.update(impatient)
    assert store.read(ALL) == [{"name": "a", "position": 1}]


def test_a_unit_that_goes_on_after_an_error_is_not_committed(store):
    def work(unit):
        unit.write(ADD, A)
        with pytest.raises(QueryError):
            unit.write("NONSENSE")

    with pytest.raises(QueryError, match="syntax"):
        store.update(work)
    assert store.read(ALL) == []


def test_reading_refuses_to_write(store):
    for ask in (store.read, lambda *asked: store.view(lambda unit: unit.read(*asked))):
        with pytest.raises(QueryError, match="read-only"):
            ask(ADD, A)
    with pytest.raises(QueryError, match="read-only"):
        store.read(ADD, A, timeout=5)
    assert store.read(ALL) == []


@pytest.mark.timeout(40)
def test_a_query_that_waits_is_stopped_by_its_timeout(store):
    with pytest.raises(QueryTimeoutError):
        store.read("SELECT pg_sleep(60)", timeout=0.2)


def test_commits_reach_the_disk_even_where_a_role_would_not_have_them_do_so(postgres, record):
    shown = "SELECT current_setting('synchronous_commit') AS it"
    for set_to, used in (("off", "on"), ("local", "local"), ("remote_apply", "remote_apply")):
        postgres.execute(f"ALTER ROLE aeon_app SET synchronous_commit = {set_to}")
        store = open_postgresql(record.address, PASSWORD)
        assert store.update(lambda unit: unit.read(shown)) == [{"it": used}]
        store.close()
    postgres.execute("ALTER ROLE aeon_app RESET synchronous_commit")


def test_while_the_server_is_away_work_waits_and_then_fails(mortal):
    store = open_postgresql(new_record(mortal).address, PASSWORD)
    mortal.kill()
    begin = time.monotonic()
    with pytest.raises(StoreUnavailableError) as raised:
        store.read(ALL)
    assert time.monotonic() - begin > 5
    assert not raised.value.may_have_happened
    back = threading.Timer(1, mortal.start)
    back.start()
    add(store)  # waits until the server is back
    back.join()
    assert store.read(ALL) == [A]
    store.close()


def test_an_order_to_shut_down_is_no_error_if_the_server_comes_back(mortal):
    store = open_postgresql(new_record(mortal).address, PASSWORD)
    add(store)
    stopped = threading.Event()

    def count_up(_number):
        while not stopped.is_set():
            store.update(lambda unit: unit.write(ADD_ONE, {"name": "a"}))

    writers = threading.Thread(target=lambda: wrong.extend(run_in_threads(4, count_up)))
    wrong = []
    writers.start()
    for _ in range(2):
        time.sleep(0.5)
        mortal.stop()
        mortal.start()
    time.sleep(0.5)
    stopped.set()
    writers.join()
    assert [error for error in wrong if not getattr(error, "may_have_happened", False)] == []
    store.close()


def add(store):
    store.update(lambda unit: unit.write(ADD, A))


def sessions(postgres):
    return postgres.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'aeon'")[0][0]


def until(holds):
    end = time.monotonic() + 5
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True

"""Tests of units of work: atomic, with reads of their own writes; a view sees one snapshot."""

import threading
from contextlib import suppress
from typing import Final

import pytest

from aeon.platform.store import (
    DialectQuery,
    DuplicateError,
    GuardError,
    InvariantError,
    Query,
    Row,
    Store,
    UnitOfWork,
    guard,
)
from aeon.testing.store.fixtures import StoreFixtures, run_in_threads
from aeon.testing.store.rows import insert, insertion, row_of

ADD: Final = "INSERT INTO consumers (name, position) VALUES (:name, :position)"
SET: Final = "UPDATE consumers SET position = :position WHERE name = :name"
ADD_ONE: Final = "UPDATE consumers SET position = position + 1 WHERE name = :name"
MOVE: Final = "UPDATE consumers SET position = position + 1 WHERE name = :name AND position = :seen"
REMOVE: Final = "DELETE FROM consumers WHERE position >= :position"
ALL: Final = "SELECT name, position FROM consumers ORDER BY name"
POSITION: Final = "SELECT position FROM consumers WHERE name = :name"
LOCKED_POSITION: Final = DialectQuery(POSITION, f"{POSITION} FOR UPDATE")
RETURNING: Final = f"{ADD} RETURNING name, position + 1 AS next"
UPSERT: Final = f"{ADD} ON CONFLICT (name) DO UPDATE SET position = excluded.position"

THREADS: Final = 8
STEPS: Final = 10


class _StopError(Exception):
    """Raised in the middle of a unit of work."""


class UnitOfWorkConformance(StoreFixtures):
    """Units of work are atomic."""

    def test_a_unit_returns_its_result_and_commits_its_writes(self, store: Store) -> None:
        def work(unit: UnitOfWork) -> str:
            _add(unit, "a")
            _add(unit, "b")
            return "done"

        assert store.update(work) == "done"
        assert _names(store) == ["a", "b"]

    def test_a_unit_that_raises_leaves_nothing(self, store: Store) -> None:
        def work(unit: UnitOfWork) -> None:
            _add(unit, "a")
            raise _StopError

        with pytest.raises(_StopError):
            store.update(work)
        assert _names(store) == []

    def test_a_guard_that_does_not_hold_leaves_nothing(self, store: Store) -> None:
        def work(unit: UnitOfWork) -> None:
            _add(unit, "a")
            guard(holds=unit.write(SET, {"name": "nothing", "position": 1}) == 1)

        with pytest.raises(GuardError):
            store.update(work)
        assert _names(store) == []

    def test_a_query_that_is_refused_leaves_nothing_of_its_unit(self, store: Store) -> None:
        with pytest.raises(DuplicateError):
            store.update(lambda unit: (_add(unit, "a"), _add(unit, "a")))
        with pytest.raises(GuardError):
            store.update(lambda unit: (_add(unit, "a"), _insert(unit, "secrets")))
        with pytest.raises(InvariantError):
            store.update(lambda unit: (_add(unit, "a"), _insert(unit, "users", audit_seq=-1)))
        assert _names(store) == []

    def test_the_store_works_after_refused_units(self, store: Store) -> None:
        for _ in range(30):  # more often than it has connections
            with pytest.raises(DuplicateError):
                store.update(lambda unit: (_add(unit, "a"), _add(unit, "a")))
            with pytest.raises(_StopError):
                store.view(_stop)
        store.update(lambda unit: _add(unit, "a"))
        assert _names(store) == ["a"]

    def test_writing_tells_how_many_rows_it_changed(self, store: Store) -> None:
        def work(unit: UnitOfWork) -> list[int]:
            added = [unit.write(ADD, {"name": name, "position": at}) for at, name in enumerate("abc")]
            changed = unit.write(SET, {"name": "a", "position": 9})
            missed = unit.write(SET, {"name": "nothing", "position": 9})
            return [*added, changed, missed, unit.write(REMOVE, {"position": 2})]

        assert store.update(work) == [1, 1, 1, 1, 0, 2]

    def test_a_query_that_writes_may_return_rows(self, store: Store) -> None:
        params = {"name": "a", "position": 1}
        assert store.update(lambda unit: unit.read(RETURNING, params)) == [{"name": "a", "next": 2}]
        assert _names(store) == ["a"]

    def test_inserting_again_may_update(self, store: Store) -> None:
        for position in (1, 2):
            params = {"name": "a", "position": position}
            assert store.update(lambda unit, params=params: unit.write(UPSERT, params)) == 1
        assert _rows(store) == [{"name": "a", "position": 2}]

    def test_one_query_is_run_for_many_rows(self, store: Store) -> None:
        many = [{"name": f"{at:04}", "position": at} for at in range(1000)]
        store.update(lambda unit: unit.write_each(ADD, many))
        store.update(lambda unit: unit.write_each(ADD, []))
        assert _rows(store) == many

    def test_one_row_of_many_that_is_refused_leaves_none(self, store: Store) -> None:
        many = [{"name": name, "position": 0} for name in "abca"]
        with pytest.raises(DuplicateError):
            store.update(lambda unit: unit.write_each(ADD, many))
        assert _names(store) == []

    def test_uncommitted_writes_are_visible_only_to_their_unit(self, store: Store) -> None:
        def work(unit: UnitOfWork) -> tuple[list[Row], list[str]]:
            _add(unit, "a")
            return unit.read(ALL), _names(store)

        assert store.update(work) == ([{"name": "a", "position": 0}], [])
        assert _names(store) == ["a"]

    def test_a_view_reads_one_snapshot_during_other_writes(self, store: Store) -> None:
        store.update(lambda unit: _add(unit, "a"))

        def work(unit: UnitOfWork) -> list[list[Row]]:
            before = unit.read(ALL)
            store.update(lambda other: (_add(other, "b"), other.write(SET, {"name": "a", "position": 9})))
            return [before, unit.read(ALL)]

        first, second = store.view(work)
        assert first == second == [{"name": "a", "position": 0}]
        assert _rows(store) == [{"name": "a", "position": 9}, {"name": "b", "position": 0}]

    def test_exceptions_in_a_view_are_raised(self, store: Store) -> None:
        with pytest.raises(_StopError):
            store.view(_stop)

    def test_changes_are_events_while_there_is_a_consumer(self, store: Store) -> None:
        insert(store, "users")
        store.update(lambda unit: _add(unit, "projector"))
        insert(store, "secrets")
        rename = "UPDATE secrets SET name = 'other' WHERE id = 'secret'"
        store.update(lambda unit: (unit.write(rename), unit.write("DELETE FROM secrets")))
        assert (
            store.read("SELECT label, subject FROM events ORDER BY seq")
            == [{"label": "Secret", "subject": "secret"}] * 3
        )


class ConcurrencyConformance(StoreFixtures):
    """Concurrent threads on one store."""

    def test_guarded_updates_of_one_row_are_all_there(self, store: Store) -> None:
        """A thread that was overtaken sees that its guard does not hold."""
        store.update(lambda unit: _add(unit, "a"))

        def count_up(_number: int) -> None:
            done = 0
            while done < STEPS:
                seen = store.read(POSITION, {"name": "a"})[0]["position"]
                params = {"name": "a", "seen": seen}
                done += store.update(lambda unit, params=params: unit.write(MOVE, params))

        assert run_in_threads(THREADS, count_up) == []
        assert _rows(store) == [{"name": "a", "position": THREADS * STEPS}]

    @pytest.mark.parametrize("reading", [LOCKED_POSITION, None], ids=["read for update", "one query"])
    def test_updates_of_one_row_wait_for_each_other(self, store: Store, reading: Query | None) -> None:
        store.update(lambda unit: _add(unit, "a"))

        def count_up(unit: UnitOfWork) -> None:
            if reading is None:
                unit.write(ADD_ONE, {"name": "a"})
                return
            seen = unit.read(reading, {"name": "a"})[0]["position"]
            unit.write(SET, {"name": "a", "position": seen + 1})

        assert run_in_threads(THREADS, lambda _: [store.update(count_up) for _ in range(STEPS)]) == []
        assert _rows(store) == [{"name": "a", "position": THREADS * STEPS}]

    def test_only_one_of_many_takes_a_name(self, store: Store) -> None:
        errors = run_in_threads(THREADS, lambda number: store.update(lambda unit: _add(unit, "a", number)))
        assert [type(error) for error in errors] == [DuplicateError] * (THREADS - 1)
        assert _names(store) == ["a"]

    def test_units_that_wait_for_each_other_are_repeated(self, store: Store) -> None:
        """Two units update the same rows in opposite orders: on a deadlock, one is rolled back and repeated."""
        store.update(lambda unit: (_add(unit, "a"), _add(unit, "b")))
        both_began = threading.Barrier(2)

        def count_up(number: int) -> None:
            store.update(lambda unit: [_count_and_meet(unit, name, both_began) for name in ("ab", "ba")[number]])

        assert run_in_threads(2, count_up) == []
        assert [row["position"] for row in _rows(store)] == [2, 2]

    def test_readers_see_only_complete_units(self, store: Store) -> None:
        store.update(lambda unit: (_add(unit, "a"), _add(unit, "b")))

        def act(number: int) -> None:
            for _ in range(STEPS):
                if number % 2:
                    store.update(lambda unit: [unit.write(ADD_ONE, {"name": name}) for name in "ab"])
                else:
                    assert len({row["position"] for row in _rows(store)}) == 1

        assert run_in_threads(THREADS, act) == []


def _add(unit: UnitOfWork, name: str, position: int = 0) -> None:
    unit.write(ADD, {"name": name, "position": position})


def _count_and_meet(unit: UnitOfWork, name: str, barrier: threading.Barrier) -> None:
    """Counts up and waits until the other thread has done so too, or until a timeout if it is blocked."""
    unit.write(ADD_ONE, {"name": name})
    with suppress(threading.BrokenBarrierError):
        barrier.wait(timeout=0.2)


def _insert(unit: UnitOfWork, table: str, **changes: int) -> None:
    row = row_of(table, **changes)
    unit.write(insertion(table, row), row)


def _stop(unit: UnitOfWork) -> None:
    unit.read(ALL)
    raise _StopError


def _rows(store: Store) -> list[Row]:
    return store.read(ALL)


def _names(store: Store) -> list[str]:
    return [row["name"] for row in _rows(store)]

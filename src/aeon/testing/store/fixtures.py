"""Fixtures of the suite: empty stores, a store with a row in every table, and threads."""

import threading
from collections.abc import Callable, Iterator

import pytest

from aeon.platform.store import Store
from aeon.testing.store.rows import fill

StoreFactory = Callable[[], Store]


class StoreFixtures:
    """The stores for the tests. A subclass of the suite builds the store under test."""

    @pytest.fixture(scope="class")
    @classmethod
    def new_store(cls) -> StoreFactory:
        """Returns a factory that opens a new store with the record's tables, empty except for `meta`."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, new_store: StoreFactory) -> Iterator[Store]:
        """An empty store."""
        store = new_store()
        yield store
        store.close()

    @pytest.fixture(scope="class")
    @classmethod
    def filled(cls, new_store: StoreFactory) -> Iterator[Store]:
        """A store with a row in every table, for tests that do not change it."""
        store = new_store()
        fill(store)
        yield store
        store.close()


def run_in_threads(count: int, work: Callable[[int], object]) -> list[BaseException]:
    """Runs `work` in `count` threads at once, each with its number; returns their exceptions."""
    errors: list[BaseException] = []
    start = threading.Barrier(count)

    def act(number: int) -> None:
        start.wait()
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001  # the test reports every thread's exception
            errors.append(error)

    threads = [threading.Thread(target=act, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors

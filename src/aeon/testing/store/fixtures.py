"""What the tests of the suite are given: empty stores, one with a row in every table, and threads."""

import threading
from collections.abc import Callable, Iterator

import pytest

from aeon.platform.store import Store
from aeon.testing.store.rows import fill

StoreFactory = Callable[[], Store]


class StoreFixtures:
    """How a test gets its stores: a subclass of the suite says how to build yours."""

    @pytest.fixture(scope="class")
    @classmethod
    def new_store(cls) -> StoreFactory:
        """What makes and opens a store that has the record's tables, and nothing in them but `meta`."""
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
        """A store with a row in every table, for tests that leave nothing behind."""
        store = new_store()
        fill(store)
        yield store
        store.close()


def run_in_threads(count: int, work: Callable[[int], object]) -> list[BaseException]:
    """Do the same in so many threads at once, each with its number; what they raised."""
    wrong: list[BaseException] = []
    start = threading.Barrier(count)

    def act(number: int) -> None:
        start.wait()
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001  # whatever a thread meets is told by the test
            wrong.append(error)

    threads = [threading.Thread(target=act, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong

"""The conformance suite of stores: subclass `StoreConformance`, build your store, run pytest.

    class TestMyStore(StoreConformance):
        @pytest.fixture(scope="class")
        @classmethod
        def new_store(cls, tmp_path_factory):
            return lambda: MyStore(...)

`new_store` makes a store with the record's tables, empty except for `meta`. The tests close it.
"""

from aeon.testing.store.fixtures import StoreFactory
from aeon.testing.store.queries import StoreLifecycleConformance, TextOrderConformance
from aeon.testing.store.schema import SchemaConformance
from aeon.testing.store.units_of_work import ConcurrencyConformance, UnitOfWorkConformance
from aeon.testing.store.values import ValueConformance

__all__ = ["StoreConformance", "StoreFactory"]


class StoreConformance(
    ValueConformance,
    UnitOfWorkConformance,
    ConcurrencyConformance,
    TextOrderConformance,
    SchemaConformance,
    StoreLifecycleConformance,
):
    """The contract of `Store`, and the invariants of the record's tables (decision 30)."""

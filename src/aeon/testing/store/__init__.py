"""What every store must do, as tests: subclass `StoreConformance`, say how to build yours, run pytest.

    class TestMyStore(StoreConformance):
        @pytest.fixture(scope="class")
        @classmethod
        def new_store(cls, tmp_path_factory):
            return lambda: MyStore(...)

`new_store` makes a store with the record's tables and without rows, but those of `meta`. The tests close it.
"""

from aeon.testing.store.asking import Itself, Order
from aeon.testing.store.schema import Schema
from aeon.testing.store.units import ManyAtOnce, Units
from aeon.testing.store.values import Values
from aeon.testing.store.world import NewStore

__all__ = ["NewStore", "StoreConformance"]


class StoreConformance(Values, Units, ManyAtOnce, Order, Schema, Itself):
    """The contract of `Store`, and the invariants of the record's tables (decision 30)."""

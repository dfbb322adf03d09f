"""Both stores keep the contract of `Memory` (FR-014 to FR-018, core 14), also in any order of operations."""

from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from aeon.memory.interface import prefix_upper_bound
from aeon.memory.kv_store import InMemoryKVStore
from aeon.memory.sqlite import SQLiteMemory
from aeon.testing.memory_conformance import MemoryConformance


class TestInMemoryKVStore(MemoryConformance):
    def memory(self):
        return InMemoryKVStore()


class TestSQLiteMemory(MemoryConformance):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path):
        self.folder = tmp_path
        self.opened = []
        yield
        for memory in self.opened:
            memory.close()

    def memory(self):
        self.opened.append(SQLiteMemory(self.folder / f"{len(self.opened)}.db"))
        return self.opened[-1]


KEYS = st.text(st.sampled_from("aAb%_é\ud7ff\ue000\uffff\U0010ffff\x00"), max_size=3)
VALUES = st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=2), max_leaves=3)


class AgainstADict(RuleBasedStateMachine):
    """Every store does what a dict would, whatever is asked of it in whatever order."""

    def __init__(self):
        super().__init__()
        self.folder = TemporaryDirectory()
        self.stores = [InMemoryKVStore(), SQLiteMemory(f"{self.folder.name}/memory.db")]
        self.model = {}

    def teardown(self):
        self.stores[1].close()
        self.folder.cleanup()

    @rule(key=KEYS.filter(bool), value=VALUES)
    def write(self, key, value):
        self.model[key] = value
        for store in self.stores:
            store.write(key, value)

    @rule(key=KEYS.filter(bool))
    def read(self, key):
        for store in self.stores:
            assert store.read(key) == self.model.get(key)

    @rule(key=KEYS.filter(bool))
    def delete(self, key):
        was_there = key in self.model
        self.model.pop(key, None)
        assert [store.delete(key) for store in self.stores] == [was_there] * 2

    @rule(prefix=KEYS)
    def search(self, prefix):
        expected = (
            sorted((key, value) for key, value in self.model.items() if key.startswith(prefix)) if prefix else None
        )
        for store in self.stores:
            found = store.search(prefix)
            assert [key for key, _ in found] == sorted(key for key in self.model if key.startswith(prefix))
            assert expected is None or dict(found) == dict(expected)

    @invariant()
    def all_agree(self):
        for store in self.stores:
            assert dict(store.search("")) == self.model


TestAgainstADict = AgainstADict.TestCase
TestAgainstADict.settings = settings(max_examples=30, stateful_step_count=20)


@pytest.mark.parametrize(
    ("prefix", "end"),
    [("", None), ("a", "b"), ("a\U0010ffff", "b"), ("\U0010ffff", None), ("\ud7ff", "\ue000"), ("az", "a{")],
    ids=ascii,
)
def test_the_bound_of_a_prefix(prefix, end):
    assert prefix_upper_bound(prefix) == end

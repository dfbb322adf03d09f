"""Tests of a store's text order, timeouts, query plans, name and closing."""

from typing import Final

import pytest

from aeon.platform.store import QueryTimeoutError, Store, StoreError
from aeon.testing.store.fixtures import StoreFactory, StoreFixtures
from aeon.testing.store.rows import insert

NAMES: Final = (
    "A", "B", "Z", "a", "b", "z", "aa", "a a", " a", "a ", "a-b", "a_b", "_", "1", "10", "2", "ab", "aB",
    "ä", "Ä", "á", "e\u0301", "é", "ß", "ss", "\u0131", "İ", "ﬀ", "日本", "\ue000", "\uffff", "😀", "🐉", "😀a",
)  # fmt: skip
"""Names that a locale's order or a case-insensitive order would sort differently."""

BY_NAME: Final = "SELECT name FROM services WHERE owner_id = :user ORDER BY name"
NEXT: Final = "SELECT name FROM services WHERE owner_id = :user AND name > :after ORDER BY name LIMIT :limit"
SMALLEST: Final = "SELECT min(name) AS least, max(name) AS most FROM services WHERE owner_id = :user"
SLOW_COUNT: Final = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000000000) SELECT count(*) AS v FROM n"
)


class TextOrderConformance(StoreFixtures):
    """Texts are ordered by code point."""

    @pytest.fixture
    def named(self, store: Store) -> Store:
        insert(store, "users")
        for number, name in enumerate(NAMES):
            insert(store, "services", id=str(number), name=name)
        return store

    def test_names_are_sorted_by_code_point(self, named: Store) -> None:
        assert [row["name"] for row in named.read(BY_NAME, {"user": "ann"})] == sorted(NAMES)
        assert named.read(SMALLEST, {"user": "ann"}) == [{"least": min(NAMES), "most": max(NAMES)}]

    def test_a_page_begins_where_the_last_one_ended(self, named: Store) -> None:
        names = [""]
        while page := named.read(NEXT, {"user": "ann", "after": names[-1], "limit": 3}):
            names += [row["name"] for row in page]
        assert names[1:] == sorted(NAMES)

    def test_names_that_look_alike_are_different(self, named: Store) -> None:
        query = "SELECT name FROM services WHERE owner_id = 'ann' AND name = :name"
        for name in NAMES:
            assert named.read(query, {"name": name}) == [{"name": name}]


class StoreLifecycleConformance(StoreFixtures):
    """Timeouts, plans, name, closing."""

    def test_a_query_that_takes_too_long_is_stopped(self, filled: Store) -> None:
        for _ in range(2):
            with pytest.raises(QueryTimeoutError):
                filled.read(SLOW_COUNT, timeout=0.05)
        assert filled.read("SELECT id FROM users WHERE id = 'ann'", timeout=10) == [{"id": "ann"}]

    def test_a_timeout_does_not_affect_the_next_query(self, filled: Store) -> None:
        with pytest.raises(QueryTimeoutError):
            filled.read(SLOW_COUNT, timeout=0.01)
        shorter = SLOW_COUNT.replace("1000000000", "100000")
        assert filled.read(shorter) == [{"v": 100_000}]

    def test_a_plan_names_the_index(self, filled: Store) -> None:
        plan = filled.explain("SELECT id FROM users WHERE id = :id", {"id": "ann"})
        assert "index" in plan.lower() or "search" in plan.lower()
        assert plan.strip()

    def test_explaining_writes_nothing(self, filled: Store) -> None:
        filled.explain("DELETE FROM requests WHERE id = :id", {"id": "request"})
        assert filled.read("SELECT id FROM requests") == [{"id": "request"}]

    def test_compacting_keeps_every_row(self, filled: Store) -> None:
        before = filled.read("SELECT * FROM users ORDER BY id"), filled.read("SELECT * FROM alternatives ORDER BY id")
        for _ in range(2):
            filled.compact(["users", "alternatives"])
        after = filled.read("SELECT * FROM users ORDER BY id"), filled.read("SELECT * FROM alternatives ORDER BY id")
        assert after == before

    def test_it_has_a_name_and_a_dialect(self, filled: Store) -> None:
        assert filled.name
        assert filled.dialect in ("sqlite", "postgresql")

    def test_closing_again_does_nothing_and_a_closed_store_answers_nothing(self, new_store: StoreFactory) -> None:
        store = new_store()
        store.read("SELECT id FROM users")
        for _ in range(2):
            store.close()
        query = "SELECT id FROM users"
        with pytest.raises(StoreError):
            store.read(query)
        with pytest.raises(StoreError):
            store.view(lambda unit: unit.read(query))
        with pytest.raises(StoreError):
            store.update(lambda unit: unit.read(query))

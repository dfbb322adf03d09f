"""Every mutation happens whole or not at all, and what must be unique is."""

import pytest

from aeon.base.json import Json
from aeon.platform.graph import (
    DuplicateError,
    GraphStore,
    GuardError,
    QueryError,
    QueryTimeoutError,
    Schema,
)
from aeon.testing.graph.cases import COUNT, COUNT_UP, GUARDED, LATE, MANY, PEOPLE, STEPS, THREADS, UNIQUE
from aeon.testing.graph.world import Stores, in_threads


class Mutations(Stores):
    """Whole or not at all."""

    def test_a_guard_that_holds_lets_the_query_through(self, store: GraphStore) -> None:
        store.write("CREATE (:P {name: 'ann', version: 1})")
        assert store.write(GUARDED, {"name": "ann", "version": 1}) == [{"v": 2, "guard": 1}]
        assert store.read(COUNT) == [{"nodes": 2, "edges": 1}]

    def test_a_guard_that_fails_leaves_nothing(self, store: GraphStore) -> None:
        store.write("CREATE (:P {name: 'ann', version: 1})")
        with pytest.raises(GuardError):
            store.write(GUARDED, {"name": "ann", "version": 7})
        assert store.read("MATCH (n) RETURN n") == [{"n": {"name": "ann", "version": 1}}]

    def test_a_guard_that_fails_for_one_row_of_many_leaves_nothing(self, store: GraphStore) -> None:
        query = (
            "UNWIND $rows AS row WITH row, 1/(CASE WHEN row.ok THEN 1 ELSE 0 END) AS guard "
            "CREATE (:P {name: row.name, guard: guard})"
        )
        rows: Json = [{"name": str(at), "ok": at != THREADS} for at in range(100)]
        with pytest.raises(GuardError):
            store.write(query, {"rows": rows})
        assert store.read(COUNT) == [{"nodes": 0, "edges": 0}]

    @pytest.mark.parametrize("clause", LATE)
    def test_a_query_that_failed_at_first_writes_later_what_it_says(self, store: GraphStore, clause: str) -> None:
        """Also when others have brought names of their own since."""
        query = f"MATCH (a:A) {clause} WITH a LIMIT 1 RETURN 1/(CASE WHEN a.may THEN 1 ELSE 0 END) AS guard"
        store.write("CREATE (:A {may: false})")
        with pytest.raises(GuardError):
            store.write(query)
        store.write("MATCH (a:A) SET a.may = true CREATE (:Other {here: 1, there: 2})-[:TO {away: 3}]->(:Place)")
        store.write(query)
        found = store.read("MATCH (n:Late) RETURN n") or store.read("MATCH ()-[n:LATE]->() RETURN n")
        assert found == [{"n": {"first": 1, "second": 2}}]

    def test_a_duplicate_leaves_nothing(self, store: GraphStore) -> None:
        store.ensure(UNIQUE)
        store.write(PEOPLE)
        with pytest.raises(DuplicateError) as raised:
            store.write("CREATE (:Other {x: 1}) CREATE (:P {name: 'new'}) CREATE (:P {name: $n})", {"n": "ann"})
        assert "'ann'" not in str(raised.value)
        with pytest.raises(DuplicateError):
            store.write("MATCH (n:P {name: 'bob'}) SET n.age = 99, n.name = 'ann'")
        assert store.read(COUNT) == [{"nodes": 3, "edges": 2}]
        assert store.read("MATCH (n:P {name: 'bob'}) RETURN n.age AS v") == [{"v": 32}]

    def test_a_missing_value_is_unique_to_nobody(self, store: GraphStore) -> None:
        """One active alternative: clear the old, then set the new, in one query (platform 12)."""
        store.ensure(UNIQUE)
        store.write("CREATE (:A {id: 1, active_for: 't'}), (:A {id: 2}), (:A {id: 3, active_for: null})")
        with pytest.raises(DuplicateError):
            store.write("MATCH (n:A {id: 2}) SET n.active_for = 't'")
        switch = (
            "MATCH (old:A {active_for: 't'}) SET old.active_for = null "
            "WITH old MATCH (new:A {id: 2}) SET new.active_for = 't' RETURN new.id AS v"
        )
        assert store.write(switch) == [{"v": 2}]
        assert store.read("MATCH (n:A) WHERE n.active_for = 't' RETURN n.id AS v") == [{"v": 2}]

    def test_a_schema_twice_is_once(self, store: GraphStore) -> None:
        for _ in range(2):
            store.ensure(UNIQUE)
        store.write("CREATE (:P {name: 'ann'})")
        store.ensure(Schema(unique=(("P", "name"),), indexed=(("P", "name"), ("Q", "x"))))
        with pytest.raises(DuplicateError):
            store.write("CREATE (:P {name: 'ann'})")

    def test_data_that_contradict_a_schema_are_told_and_can_be_corrected(self, store: GraphStore) -> None:
        store.write("CREATE (:P {name: 'ann', id: 1}), (:P {name: 'ann', id: 2})")
        for _ in range(2):
            with pytest.raises(DuplicateError):
                store.ensure(UNIQUE)
        store.write("MATCH (n:P {id: 2}) SET n.name = 'bob'")
        store.ensure(UNIQUE)
        with pytest.raises(DuplicateError):
            store.write("MATCH (n:P {id: 2}) SET n.name = 'ann'")

    @pytest.mark.parametrize("name", ["", "a b", "a`", "1a"])
    def test_a_schema_names_only_plain_words(self, store: GraphStore, name: str) -> None:
        with pytest.raises(QueryError):
            store.ensure(Schema(unique=((name, "x"),)))

    def test_a_slow_query_is_stopped(self, store: GraphStore) -> None:
        with pytest.raises(QueryTimeoutError):
            store.read(f"{MANY} RETURN sum(x + y + z) AS v", timeout=0.05)

    def test_a_write_that_takes_too_long_has_changed_nothing(self, people: GraphStore) -> None:
        with pytest.raises(QueryTimeoutError):
            people.write(f"{MANY} CREATE (:T {{x: x}})", timeout=0.05)
        assert people.read(COUNT) == [{"nodes": 3, "edges": 2}]


class ManyAtOnce(Stores):
    """Many at once."""

    def test_threads_that_count_up_with_guards_lose_nothing(self, store: GraphStore) -> None:
        """A guard that holds goes on to hold until its query has written, whoever else writes."""
        store.ensure(UNIQUE)
        store.write("CREATE (:P {name: 'ann', version: 0})")
        wrong: list[Exception] = []

        def count_up() -> None:
            done = 0
            while done < STEPS:
                seen = store.read("MATCH (n:P {name: 'ann'}) RETURN n.version AS v")[0]["v"]
                try:
                    assert store.write(COUNT_UP, {"seen": seen}) == [{"v": seen + 1}]
                    done += 1
                except GuardError:
                    continue
                except Exception as error:  # noqa: BLE001  # whatever a thread meets is told by the test
                    wrong.append(error)
                    return

        in_threads(count_up)
        assert wrong == []
        assert store.read("MATCH (n:P) RETURN n.version AS v") == [{"v": THREADS * STEPS}]

    def test_threads_may_share_it_while_properties_appear(self, store: GraphStore) -> None:
        """Each thread makes properties that the others have not seen, and reads everybody's."""
        wrong: list[object] = []
        numbers = iter(range(THREADS))

        def work() -> None:
            mine = next(numbers)
            for step in range(STEPS):
                name = f"p{mine}_{step}"
                store.write("CREATE (n:V) SET n += $map", {"map": {name: name}})
                nodes = [row["n"] for row in store.read("MATCH (n:V) RETURN n")]
                wrong.extend(node for node in nodes if [*node] != [*node.values()])

        in_threads(work)
        assert wrong == []
        assert store.read("MATCH (n:V) RETURN count(n) AS v") == [{"v": THREADS * STEPS}]

    def test_ensure_may_run_many_times_at_once(self, store: GraphStore) -> None:
        wrong: list[Exception] = []

        def ensure() -> None:
            try:
                store.ensure(UNIQUE)
            except Exception as error:  # noqa: BLE001  # whatever a thread meets is told by the test
                wrong.append(error)

        in_threads(ensure)
        assert wrong == []

"""Which runs' spans are to be sent stands in the graph: the same on both stores."""

from aeon.platform.processes.runs import queries


def unsent(world):
    return [row["id"] for row in world.store.read(queries.UNSENT, {"limit": 100}) if row["id"].startswith("unsent-")]


def test_marked_runs_are_found_oldest_first_given_up_beyond_the_latest_and_sent(world):
    world.store.ensure(queries.SCHEMA)
    world.store.write("MATCH (r:Run {isUnsent: 1}) REMOVE r.isUnsent RETURN count(r) AS others")
    rows = [{"id": f"unsent-{n}", "endedMicros": 100 - n, "isUnmeasured": 1} for n in range(5)]
    world.store.write(
        "UNWIND $rows AS row MERGE (r:Run {id: row.id}) SET r += row RETURN count(r) AS made", {"rows": rows}
    )
    for row in rows:
        world.store.write(queries.MEASURE, {"run": row["id"], "at": "a", "subjects": [], "now": {"isUnsent": 1}})
    assert unsent(world) == [f"unsent-{n}" for n in (4, 3, 2, 1, 0)]
    assert world.store.write(queries.GIVE_UP_UNSENT, {"limit": 3}) == [{"runs": 2}]
    assert unsent(world) == [f"unsent-{n}" for n in (2, 1, 0)]
    assert world.store.write(queries.GIVE_UP_UNSENT, {"limit": 3}) == [{"runs": 0}]
    assert world.store.write(queries.SENT, {"runs": ["unsent-1", "gone"]}) == [{"sent": 1}]
    assert unsent(world) == ["unsent-2", "unsent-0"]
    assert not [row for row in world.store.read(queries.UNMEASURED, {"limit": 100}) if row["id"].startswith("unsent-")]
    world.store.write("MATCH (r:Run) WHERE r.id STARTS WITH 'unsent-' DELETE r RETURN count(r) AS gone")

"""Which runs' spans are to be sent stands in the record: the same on both stores."""

from aeon.platform.runs import queries

ADD_DEFINITION = """
INSERT INTO definitions (digest, text, created_at) VALUES ('unsent', '{}', 'now') ON CONFLICT (digest) DO NOTHING
"""
ADD_RUN = """
INSERT INTO runs (id, owner_id, process_id, process_name, digest, plan, inputs, trigger, pins, root_id, accepted_at,
                  executor, phase, events, ended_at, ended_micros, tokens, is_unmeasured)
VALUES (:id, :owner, 'p', 'p', 'unsent', '{}', '{}', 'user', '{}', :id, 'then', '', 'completed', 0, 'now', :micros, 0, 1)
"""
NONE_OF_OTHERS = "UPDATE runs SET is_unsent = 0, is_unmeasured = 0 WHERE is_unsent = 1 OR is_unmeasured = 1"


def unsent(world):
    return [row["id"] for row in world.store.read(queries.UNSENT, {"limit": 100}) if row["id"].startswith("unsent-")]


def write(world, query, **params):
    return world.store.update(lambda unit: unit.write(query, params))


def test_marked_runs_are_found_oldest_first_given_up_beyond_the_latest_and_sent(world):
    write(world, NONE_OF_OTHERS)
    write(world, ADD_DEFINITION)
    owner = world.user("ann")
    for n in range(5):
        write(world, ADD_RUN, id=f"unsent-{n}", owner=owner, micros=100 - n)
        assert write(world, queries.MEASURE, run=f"unsent-{n}", is_unsent=True) == 1
        assert write(world, queries.MEASURE, run=f"unsent-{n}", is_unsent=True) == 0
    assert unsent(world) == [f"unsent-{n}" for n in (4, 3, 2, 1, 0)]
    assert write(world, queries.GIVE_UP_UNSENT, limit=3) == 2
    assert unsent(world) == [f"unsent-{n}" for n in (2, 1, 0)]
    assert write(world, queries.GIVE_UP_UNSENT, limit=3) == 0
    assert write(world, queries.SENT, runs=["unsent-1", "gone"]) == 1
    assert unsent(world) == ["unsent-2", "unsent-0"]
    assert not [row for row in world.store.read(queries.UNMEASURED, {"limit": 100}) if row["id"].startswith("unsent-")]
    for n in range(5):
        write(world, queries.PURGE_RUN, run=f"unsent-{n}")

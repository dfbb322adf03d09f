"""Jobs on Temporal are given out by priority, and in fair shares where its server is told to (platform 10)."""

import pytest

from aeon.adapters.engines.temporal import TemporalEngine
from aeon.platform.catalog.model import NewService, NewTool
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import NewProcess
from aeon.platform.runs.admission import NewRun
from aeon.testing.temporal_server import ONE_PARTITION, TemporalServer, missing_for_temporal

from .temporal_world import World, calls

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(240)]

FAIR = ("matching.useNewMatcher=true", "matching.enableFairness=true")
MANY = 30
HERE = {"endpoint": "http://127.0.0.1"}

SHAPE = {"type": "object", "required": ["endpoint"], "properties": {"endpoint": {"type": "string"}}}
API = {"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": SHAPE}


@pytest.fixture
def world(tmp_path):
    if missing := missing_for_temporal():
        pytest.skip(missing)
    server = TemporalServer(tmp_path / "temporal", config=FAIR + ONE_PARTITION)
    server.start()
    made = World(tmp_path / "world")
    slots = {"rest_api": 1}
    made.engine = TemporalEngine(
        server.address, "default", made.runs.repository, made.workers, made.results, slots=slots
    )
    yield made
    made.hands.go.set()
    made.engine.close()
    made.store.close()
    server.stop()


def process_of(world, user):
    """A Process of a user with one call."""
    request = MutationRequest(user)
    world.catalog.add_user(user)
    service = world.catalog.services.add(NewService.parsed(API), request)
    schema = {"type": "object", "properties": {"id": {}, "waits": {}}}
    tool = {"name": "get", "serviceId": service.id, "connectionParams": HERE, "inputSchema": schema}
    operation = {"type": "rest_request", "path": "/{id}", "query": {"waits": "{waits}"}}
    tool |= {"operation": operation, "effect": "idempotent"}
    made = world.catalog.tools.add(NewTool.parsed(tool), request)
    step = {"id": "a", "tool": made.id, "inputs": {"id": "x", "waits": "{waits}"}, "output": {"variable": "a"}}
    new = {"name": f"of {user}", "inputs": {"waits": {"type": "boolean", "default": False}}, "steps": [step]}
    return world.processes.add(NewProcess.parsed(new), request)


def start(world, process, count=1, priority="normal", *, waits=False):
    """Start runs, and wait until their jobs are queued or taken; their ids."""
    request = MutationRequest(process.owner_id)
    new = NewRun({"waits": waits}, priority=priority)
    runs = [world.runs.accept(process, new, request).id for _ in range(count)]
    for run in runs:
        world.engine.start(run)
    world.wait_until(lambda: all(len([*world.runs.list_entries(process.owner_id, run)]) > 1 for run in runs))
    return runs


def order(world, runs):
    """The positions of runs among the calls, once all of them are made."""
    world.wait_until(lambda: set(runs) <= {each.partition(":")[0] for each in calls(world.hands.file)})
    made = [each.partition(":")[0] for each in calls(world.hands.file)]
    return [made.index(run) for run in runs]


def test_a_user_with_one_job_does_not_wait_behind_another_ones_many(world):
    ann, bob = process_of(world, "ann"), process_of(world, "bob")
    start(world, ann, waits=True)
    start(world, ann, MANY)
    runs = start(world, bob)
    world.hands.go.set()
    (place,) = order(world, runs)
    assert place < MANY // 3, "a few of the others were taken before"


def test_what_is_urgent_comes_first(world):
    ann = process_of(world, "ann")
    start(world, ann, waits=True)
    start(world, ann, MANY, "low")
    runs = start(world, ann, 3, "high")
    world.hands.go.set()
    assert max(order(world, runs)) < MANY // 3

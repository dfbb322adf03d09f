"""The queues in SQL give jobs out in shares, on both databases (platform 10)."""

from collections import Counter

import pytest

from aeon.adapters.engines.sql import RunDatabase
from aeon.adapters.engines.sql.job_queue import JobQueue, QueueName
from aeon.adapters.results import FileResultStore
from aeon.platform.runs.model import Job
from aeon.platform.workers.fairness import PRIORITIES, PriorityRotation

pytestmark = pytest.mark.server


@pytest.fixture(params=["sqlite", "postgresql"])
def queue(request, tmp_path):
    address = (
        f"sqlite:///{tmp_path / 'runs.db'}" if request.param == "sqlite" else request.getfixturevalue("postgres")()
    )
    database = RunDatabase(address)
    yield JobQueue(database, FileResultStore(tmp_path))
    database.close()


def jobs(user, count, priority="normal", weight=1, begin=0):
    return [
        Job(
            id=f"{user}-{priority}-{number}:a:1",
            run_id=user,
            step="a",
            attempt=1,
            user=user,
            tool="t",
            name="t",
            owner=user,
            worker="rest_api",
            effect="pure",
            inputs={},
            timeout=9,
            priority=priority,
            weight=weight,
        )
        for number in range(begin, begin + count)
    ]


def taken(queue, count, rotation=None):
    """The users and numbers of the jobs that are taken next, one at a time."""
    rotation = rotation or PriorityRotation()
    found = []
    for _ in range(count):
        waiting = queue.queued(["rest_api", "llm_call"]).get(QueueName("rest_api"), ())
        found += queue.take("worker", {"rest_api": rotation.split(waiting, 1)} if waiting else {})
    return [each.id.partition(":")[0] for each in found]


def test_one_job_of_a_user_is_next_after_a_thousand_of_another(queue):
    queue.exchange(jobs("ann", 1000), [])
    assert taken(queue, 20) == [f"ann-normal-{number}" for number in range(20)]
    queue.exchange(jobs("bob", 1), [])
    assert "bob-normal-0" in taken(queue, 2)


def test_users_have_the_share_of_their_weight(queue):
    queue.exchange([*jobs("ann", 60), *jobs("bob", 60, weight=3)], [])
    users = Counter(each.partition("-")[0] for each in taken(queue, 40))
    assert users == {"ann": 10, "bob": 30}


def test_priorities_have_shares_and_none_starves(queue):
    queue.exchange([job for priority in PRIORITIES for job in jobs("ann", 50, priority)], [])
    assert Counter(each.split("-")[1] for each in taken(queue, 42)) == {"high": 32, "normal": 8, "low": 2}


def test_a_batch_fills_up_with_what_is_there(queue):
    queue.exchange([*jobs("ann", 1, "high"), *jobs("ann", 30)], [])
    split = PriorityRotation().split({"high", "normal"}, 20)
    assert len(queue.take("worker", {"rest_api": split})) == 20


def test_a_job_that_is_queued_again_costs_no_turn(queue):
    queue.exchange(jobs("ann", 5), [])
    for _ in range(10):
        queue.exchange(jobs("ann", 5), [])
    queue.exchange([*jobs("bob", 3), *jobs("ann", 3, begin=5)], [])
    assert len(taken(queue, 11)) == 11
    assert queue.queued(["rest_api"]) == {}
    queue.exchange([*jobs("bob", 2, begin=3), *jobs("ann", 2, begin=8)], [])
    assert Counter(each.partition("-")[0] for each in taken(queue, 2)) == {"ann": 1, "bob": 1}


VERSION_1 = (
    "DROP INDEX jobs_queued",
    "DROP TABLE turns",
    "ALTER TABLE jobs DROP COLUMN priority",
    "ALTER TABLE jobs DROP COLUMN turn",
    "DROP INDEX jobs_by_age",
    "ALTER TABLE jobs DROP COLUMN needs",
    "ALTER TABLE jobs DROP COLUMN queued_at",
    "CREATE INDEX jobs_queued ON jobs (worker, number) WHERE executor = '' AND result IS NULL",
    "ALTER TABLE attempts DROP COLUMN call",
    "UPDATE meta SET value = '1' WHERE key = 'version'",
)


def test_tables_of_version_1_are_upgraded_with_their_jobs(tmp_path):
    address = f"sqlite:///{tmp_path / 'runs.db'}"
    results = FileResultStore(tmp_path)
    old = RunDatabase(address)
    JobQueue(old, results).exchange(jobs("ann", 3), [])
    old.update(lambda unit: [unit.write(each) for each in VERSION_1])
    old.close()
    new = RunDatabase(address)
    queue = JobQueue(new, results)
    queue.exchange(jobs("bob", 1), [])
    assert len(taken(queue, 4)) == 4
    new.close()

"""The plans of foreign keys on PostgreSQL: what a row needs is found by its key, whatever tables held before."""

import pytest

from aeon.testing.store.rows import fill, insertion, row_of

pytestmark = [pytest.mark.server, pytest.mark.slow]

STEPS = 1_000
READ = """
SELECT relname AS name, seq_tup_read + coalesce(idx_tup_fetch, 0) AS rows FROM pg_stat_xact_user_tables
WHERE relname IN ('process_steps', 'step_dependencies')
"""


def add_steps(unit, count):
    """Make these the only steps of the Process, each after the one before."""
    unit.write("DELETE FROM process_steps WHERE process_id = 'process'")
    steps = [row_of("process_steps", position=n, id=f"s{n}") for n in range(count)]
    unit.write_each(insertion("process_steps", steps[0]), steps)
    needs = [row_of("step_dependencies", step=n, needs=n - 1) for n in range(1, count)]
    unit.write_each(insertion("step_dependencies", needs[0]), needs)


def rows_read(unit):
    return {row["name"]: row["rows"] for row in unit.read(READ)}


@pytest.mark.parametrize("before", [2, 50])
@pytest.mark.parametrize("analyzed", ["never", "without rows", "with rows"])
def test_each_of_many_dependencies_reads_the_steps_that_it_names(store, record, postgres, before, analyzed):
    def analyze():
        postgres.execute("VACUUM ANALYZE aeon.process_steps, aeon.step_dependencies", record.database)

    fill(store)
    store.update(lambda unit: unit.write("DELETE FROM process_steps WHERE process_id = 'process'"))
    if analyzed == "without rows":
        analyze()
    store.update(lambda unit: add_steps(unit, before))
    if analyzed == "with rows":
        analyze()

    def work(unit):
        add_steps(unit, STEPS)
        return rows_read(unit)

    read = store.update(work)
    assert read["process_steps"] < 10 * STEPS
    store.update(lambda unit: add_steps(unit, STEPS))
    assert store.update(work)["step_dependencies"] < 10 * STEPS  # of the steps that were deleted

"""The kernel benchmark does the work it times: every tool call runs, the log is written. Times are not tested."""

import sys
from pathlib import Path

import pytest

ROOM = Path(__file__).parents[2] / "benchmarks" / "kernel"
OWN = ("run", "one", "systems", "peers", "work")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOM))
    for name in OWN:
        monkeypatch.delitem(sys.modules, name, raising=False)
    import run

    yield run
    for name in OWN:
        sys.modules.pop(name, None)


@pytest.mark.slow
@pytest.mark.parametrize("system", ["tools alone", "floor", "Aeon", "Aeon, arguments in the plan"])
@pytest.mark.parametrize("size", [1, 4, 25])
def test_every_system_does_the_whole_work(run, system, size):
    import one

    found = one.measure(system, size, 1)
    assert set(found) == {"first_cpu", "cpu", "wall", "peak_mb"}


def test_work_left_out_is_noticed(run):
    import work

    work.echo("step 1")
    with pytest.raises(AssertionError, match="1 of 2 tool calls"):
        work.check_done(2)


@pytest.mark.slow
def test_the_tables_come_from_fresh_interpreters(run):
    taken = run.steps(["floor", "Aeon"], 4, 1, 1)
    rows = list(run.step_table(taken))
    assert [row.split(" | ")[0] for row in rows[2:]] == ["| floor", "| Aeon"]
    assert "skipped" not in "".join(rows)


@pytest.mark.slow
def test_a_missing_peer_is_a_skip(run, monkeypatch):
    import one

    def absent(_steps, _folder):
        raise ImportError("No module named 'peer'")

    monkeypatch.setitem(one.SYSTEMS, "peer", absent)
    found = one.measure("peer", 1, 1)
    rows = list(run.step_table({"floor": [one.measure("floor", 1, 1)], "peer": [found]}))
    assert "skipped: No module named 'peer'" in rows[-1]

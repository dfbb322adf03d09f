"""The benchmark of conversations goes with the queries that it times. Times are not tested."""

import sys
from contextlib import closing
from pathlib import Path

import pytest

ROOM = Path(__file__).parents[2] / "benchmarks" / "conversations"
OWN = ("run", "writing", "bare")


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
def test_each_part_runs_beside_the_bare_database(run, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run, "SECONDS", 0.2)
    address = str(tmp_path / "record")
    with closing(run.opened(address)) as store:
        talk, bare = run.Talk(store, "me"), run.database(address)
        run.paths(talk, bare, 2, [10, 60])
        run.cascades(talk, [10], 2)
        run.appends(talk, bare, address, 2)
    run.windows(500)
    printed = capsys.readouterr().out
    for line in ("60 turns", "| 10 |", "10 processes, ours", "500 turns"):
        assert line in printed

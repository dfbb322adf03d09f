"""The benchmark's aims hold on a few hundred cases of a seed that nothing was tuned on (core 9). Times are not tested."""

import sys
from pathlib import Path

import pytest

ROOM = Path(__file__).parents[2] / "benchmarks" / "recovery"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOM))
    own = ("run", "suite", "faults", "refusals", "documents")
    for name in own:
        monkeypatch.delitem(sys.modules, name, raising=False)
    import run

    yield run
    for name in own:
        sys.modules.pop(name, None)


def test_the_aims_hold(run):
    """Core 9: at least 99 % exact without a model, silent corruption at most 0.3 %, none for truncated text."""
    found = run.measure(12, seed=3)
    missed = [(aim, measured) for aim, measured, is_met in run.aims(found) if not is_met]
    assert not missed


def test_the_cases_are_the_same_for_the_same_seed(run):
    first, again, other = ([case.text for case in run.cases(2, seed)] for seed in (5, 5, 6))
    assert first == again
    assert first != other

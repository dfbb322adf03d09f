"""Doors stand on the application floor: none starts, follows or looks up runs by itself."""

import ast
from pathlib import Path

import pytest

import aeon

SOURCE = Path(aeon.__file__).parent
DOORS = sorted(path for door in ("cli", "server") for path in (SOURCE / door).rglob("*.py"))


def attributes(path):
    """The attributes that a module asks for, each with what it is an attribute of."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)]
    return {f"{ast.unparse(node.value).rpartition('.')[2]}.{node.attr}" for node in nodes}


@pytest.mark.parametrize("path", DOORS, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_door_reaches_into_the_repository_of_runs_or_begins_one_by_itself(path):
    assert attributes(path).isdisjoint({"runs.repository", "runs.accept", "engine.start", "engine.wait"})


BELOW = sorted(
    path for room in ("application", "bootstrap", "platform", "kernel") for path in (SOURCE / room).rglob("*.py")
)


@pytest.mark.parametrize("path", BELOW, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_below_a_door_reads_the_current_directory(path):
    assert attributes(path).isdisjoint({"Path.cwd", "os.getcwd"})

"""A program outside of this repository is checked in strict mode against the types of the installed package."""

import subprocess
import sys
from pathlib import Path

import pytest

import aeon

PROGRAM = """
import asyncio
from aeon import Plan, Project, tool

@tool
async def later(text: str) -> str:
    \"\"\"Say it later.\"\"\"
    return text

def main() -> None:
    with Project.open("x") as project:
        result = project.ask("hello", tools=[later])
        cost: str = str(result.usage.cost) if result.usage.cost else "unknown"
        run = project.runs.start("p", {"a": 1})
        tokens: int = project.runs.settle(run.id).usage.prompt_tokens
        print(cost, tokens, project.processes.get("p").name)
        project.aks("hello")
        project.ask(1)
        result.anwser

async def amain() -> str | None:
    async with Project.open("x") as project:
        return (await project.in_thread(project.ask, await later("x"))).answer
"""


@pytest.mark.slow
def test_a_foreign_program_is_checked_by_mypy_in_strict_mode(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "program.py"],
        capture_output=True, text=True, check=False, timeout=110, cwd=tmp_path,
    )  # fmt: skip
    errors = [line.rpartition("  ")[2] for line in done.stdout.splitlines() if ": error: " in line]
    assert errors == ["[attr-defined]", "[arg-type]", "[attr-defined]"], done.stdout


def test_the_package_says_that_it_is_typed():
    assert (Path(aeon.__file__).parent / "py.typed").exists()

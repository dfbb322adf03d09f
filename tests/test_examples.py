"""The programs in examples/ do what they say."""

import asyncio
import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"

PRINTED = {
    "tool_with_types": ["completed 390.0 euros", "cost: hotel=270.0 total=390.0"],
    "process_from_python": [
        "create Service record",
        "create Tool users",
        "create Process release",
        "asked: approve",
        "completed 1.2: approved",
    ],
    "own_memory": ["completed", "step/add {'result': 352}"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINTED)
def test_an_example_prints_what_it_is_for(name, tmp_path):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), str(tmp_path / "project")],
        capture_output=True, text=True, check=False, timeout=100, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == PRINTED[name]


@pytest.mark.slow
def test_the_endpoint_streams_a_run_and_cancels_it_when_the_client_leaves(tmp_path):
    pytest.importorskip("fastapi", reason="FastAPI is not installed; it is no dependency of Aeon")
    stream, process = imported("fastapi_stream"), imported("process_from_python")
    from aeon import Project

    async def left(project):
        run = await project.in_thread(project.runs.start, "release", {"version": "1.2"})
        lines = stream.events(project, run.id)
        first = json.loads(await anext(lines))
        await lines.aclose()
        return run.id, first

    with Project.open(tmp_path / "project") as project:
        project.apply(process.PROCESS)
        run, first = asyncio.run(left(project))
        assert first["event"]["event"] == "run_started"
        project.runs.settle(run, 60)
        deadline = time.monotonic() + 60
        while project.runs.view(run).run.phase != "cancelled":
            assert time.monotonic() < deadline
            time.sleep(0.05)


def imported(name):
    found = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module

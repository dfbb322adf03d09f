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
        "  run_started",
        "  step_started",
        "  step_completed",
        "  step_started",
        "asked: approve",
        "  answer_given",
        "  run_completed",
        "completed 1.2: approved",
        "used: 0 model calls, 0 tokens in, 0 out",
    ],
    "skill_from_python": [
        "sales completed",
        "success: True",
        "text: sales.csv: 3 rows, 2 columns, 2 groups; chart: sum of sold by city.",
        "rows: 3",
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

    stream.app.state.folder = tmp_path / "project"
    with Project.open(tmp_path / "project") as project:
        project.apply(process.PROCESS)
    lines = asyncio.run(left_after_the_first_line(stream.app, "/release/1.2"))
    assert lines[0]["event"]["event"] == "run_started"
    with Project.open(tmp_path / "project") as project:
        assert project.runs.view(lines[0]["run"]).run.phase == "cancelled"


async def left_after_the_first_line(app, path):
    """The lines that a client of this ASGI app got before it left; the server goes on until the run has ended."""
    lines, has_left = [], asyncio.Event()
    scope = {"type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "method": "GET"}
    scope |= {
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [],
        "root_path": "",
    }

    async def receive():
        await has_left.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        if message["type"] == "http.response.body" and message["body"] and not lines:
            lines.append(json.loads(message["body"]))
            has_left.set()

    async with app.router.lifespan_context(app):
        await app(scope, receive, send)
        project = app.state.project
        deadline = time.monotonic() + 60
        while project.runs.view(lines[0]["run"]).run.phase != "cancelled":
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)
    return lines


def imported(name):
    found = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module

"""The main job as `make demo` runs it: a sentence becomes a plan, real tools and a real model run it, the answer is right."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_demo_answers_and_leaves_logs_that_replay(tmp_path, small_model):
    aeon = str(Path(sys.executable).with_name("aeon"))
    environ = {**os.environ, "AEON_MODEL_NAME": small_model, "AEON_MODEL_SOURCES": "index"}

    done = subprocess.run(
        ["/bin/sh", str(ROOT / "examples" / "demo.sh"), aeon],
        cwd=tmp_path, env=environ, capture_output=True, text=True, check=False, timeout=800,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    answers = [line for line in done.stdout.splitlines() if line.isdigit()]
    assert answers == ["62", "355"]
    assert "calculator input" in done.stderr
    logs = sorted((tmp_path / ".aeon" / "logs").glob("*.jsonl"))
    assert len(logs) == 2
    for log in logs:
        replayed = subprocess.run([aeon, "log", "replay", str(log)], capture_output=True, text=True, check=False)
        assert "byte for byte" in replayed.stdout, replayed.stderr
    assert "The pick slips, then catches: " in done.stdout
    traces = sorted((tmp_path / ".aeon" / "logs").glob("skills-*.json"))
    assert len(traces) == 2
    for trace in traces:
        replayed = subprocess.run([aeon, "log", "replay", str(trace)], capture_output=True, text=True, check=False)
        assert "byte for byte" in replayed.stderr, replayed.stderr

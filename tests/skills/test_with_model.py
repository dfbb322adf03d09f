"""The main job on a real model in process: a sentence becomes a plan, a real process runs it (issue point 1)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

AEON = str(Path(sys.executable).with_name("aeon"))

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(600)]


def run(folder, model, *arguments):
    environ = {**os.environ, "AEON_MODEL_NAME": model, "AEON_MODEL_SOURCES": "index"}
    return subprocess.run(
        [AEON, *arguments], cwd=folder, env=environ, capture_output=True, text=True, check=False, timeout=500
    )


def test_a_sentence_becomes_a_plan_that_runs_and_replays(tmp_path, small_model):
    done = run(tmp_path, small_model, "skill", "run", "Roll 3d6", "--trace", "trace.json")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("3d6: ")
    result = json.loads((tmp_path / "trace.json").read_text())
    assert result["finalState"]["dice"]["notation"] == "3d6"
    assert result["generationMetadata"]["generationAttempt"] == 1
    replayed = run(tmp_path, small_model, "log", "replay", "trace.json")
    assert "byte for byte" in replayed.stderr


def test_the_storyteller_tells_through_the_configured_model(tmp_path, small_model):
    """Skills 11: the script has a socket of this run, and no key."""
    node = {
        "toolId": "t",
        "toolPath": "storyteller/scripts/narrate.py",
        "input": {"prompt": "You open an old door. Say what is behind it."},
    }
    (tmp_path / "plan.json").write_text(json.dumps({"tools": [node]}))
    done = run(tmp_path, small_model, "skill", "run", "plan.json", "--json")

    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["narrative"] == result["finalState"]["narrative"]
    assert len(result["narrative"].split()) > 3

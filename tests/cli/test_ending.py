"""A command that is done ends with its own code, whatever native threads are still there."""

import subprocess
import sys

import pytest

ENDING = """
import atexit, os, sys, types
sys.modules[sys.argv.pop(1)] = types.ModuleType("native")
atexit.register(os._exit, 9)  # in place of what Temporal's threads do to a Python that shuts down
sys.argv[0] = "aeon"
from aeon.cli import main
main()
"""


@pytest.mark.parametrize(("module", "code"), [("temporalio.bridge.temporal_sdk_bridge", 0), ("another", 9)])
def test_with_temporals_threads_python_is_not_shut_down(module, code):
    command = [sys.executable, "-c", ENDING, module, "--version"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)

    assert ended.stdout.startswith("aeon ")
    assert ended.returncode == code

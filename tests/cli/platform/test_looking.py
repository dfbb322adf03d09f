"""Commands that only look load what they look with: no engine, no kernel, no skills."""

import os
import subprocess
import sys

import pytest

LOOKS = ["runs list", "worker list", "schedule list", "process list", "catalog list tool", "secret list"]

LOADED = """
import sys
from aeon.cli import main
try:
    main()
finally:
    print([name for name in sys.modules if name.startswith(("aeon.adapters.engines", "aeon.bootstrap.engines",
           "aeon.bootstrap.process_runtime", "aeon.kernel.orchestrator", "aeon.skills"))], file=sys.stderr)
"""


@pytest.mark.parametrize("command", LOOKS)
def test_a_command_that_only_looks_loads_no_engine_no_kernel_and_no_skills(command, tmp_path):
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    argv = [sys.executable, "-c", LOADED, *command.split()]
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "[]"), done.stderr

"""The PATH of scripts: `python3` works below version managers too (issue S10)."""

import os
import shutil
import sys
from pathlib import Path

from aeon.skills.launch.interpreters import script_search_path


def test_shims_of_version_managers_are_left_out_and_a_python_is_left(tmp_path):
    shims = tmp_path / ".pyenv" / "shims"
    shims.mkdir(parents=True)
    (shims / "python3").write_text("#!/bin/sh\nexit 127\n")
    (shims / "python3").chmod(0o755)

    assert script_search_path(f"{shims}:/usr/bin") == (
        "/usr/bin" if shutil.which("python3", path="/usr/bin") else f"/usr/bin:{Path(sys.executable).parent}"
    )
    assert script_search_path(str(shims)) == str(Path(sys.executable).parent)
    assert os.pathsep not in script_search_path(str(shims))

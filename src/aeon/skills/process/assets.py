"""Checks the file that a script names as an asset (skills 2)."""

import os
from collections.abc import Sequence
from pathlib import Path

from aeon.skills.protocol import AssetCheck


def asset_check(cwd: Path, roots: Sequence[Path]) -> AssetCheck:
    """The check for a script that runs in `cwd` and may name files below `roots`, whatever links lead where."""

    def check(path: str) -> str | None:
        if "\0" in path:
            return f"the asset {path!r:.200} is no path"
        real = Path(os.path.realpath(cwd / path))
        if not any(real.is_relative_to(os.path.realpath(root)) for root in roots):
            return f"the asset {path!r:.200} is outside the folders that the script may read or write"
        return None if _is_readable(real) else f"the asset {path!r:.200} is no file that can be read"

    return check


def _is_readable(path: Path) -> bool:
    try:
        return path.is_file() and os.access(path, os.R_OK)
    except OSError:
        return False

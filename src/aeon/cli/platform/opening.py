"""What the platform's commands start with."""

import os
from pathlib import Path

from aeon.bootstrap.platform import Platform, open_platform


def opened(user: str) -> Platform:
    """The platform of the current folder, on a user's behalf."""
    platform = open_platform(Path.cwd(), os.environ, user)
    os.environ.pop("AEON_MASTER_KEY", None)  # no child process is to inherit it
    return platform

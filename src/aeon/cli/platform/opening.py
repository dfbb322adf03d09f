"""What the platform's commands start with."""

import os
from collections.abc import Generator
from contextlib import contextmanager

from aeon.bootstrap.platform import Platform
from aeon.cli import session


@contextmanager
def opened(user: str) -> Generator[Platform]:
    """The platform of the current folder, on a user's behalf, closed in the end."""
    with session.opened(session.settings_here(), is_quiet=True) as app:
        platform = app.platform(user)
        os.environ.pop("AEON_MASTER_KEY", None)  # no child process is to inherit it
        yield platform

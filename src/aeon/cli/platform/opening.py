"""What the platform's commands start with."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from aeon.bootstrap.platform import Platform, platform_of
from aeon.bootstrap.stores import older_record
from aeon.cli import session
from aeon.cli.say import say
from aeon.cli.text import clean


@contextmanager
def opened(user: str) -> Generator[Platform]:
    """The platform of the current folder, which knows this user from now on, closed in the end."""
    here = session.settings_here()
    session.conceal_if_set(session.MASTER_KEY)
    if (old := older_record(Path.cwd(), here.settings.store)) is not None:
        say(
            f"{clean(str(old))} holds what an older Aeon kept; this one begins an empty record. To bring it over, run "
            "`aeon graph export FILE` with the older version and `aeon store import FILE` here, before anything else.",
            "warning: ",
        )
    with platform_of(Path.cwd(), here.settings, os.environ, here.from_project) as platform:
        for notice in platform.notices:
            say(clean(notice), "note: ")
        platform.catalog.add_user(user)
        os.environ.pop(session.MASTER_KEY, None)  # no child process is to inherit it
        yield platform

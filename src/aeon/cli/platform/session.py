"""What the platform's commands start with."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from aeon.bootstrap.platform import Platform, open_project_platform
from aeon.bootstrap.stores import old_graph_record
from aeon.cli import session
from aeon.cli.console import print_message
from aeon.cli.text import printable


@contextmanager
def platform_session(user: str) -> Generator[Platform]:
    """The platform of the current folder, which knows this user from now on, closed in the end."""
    here = session.load_cli_settings()
    session.conceal_if_set(session.MASTER_KEY)
    if (old := old_graph_record(Path.cwd(), here.settings.store)) is not None:
        print_message(
            f"{printable(str(old))} holds what an older Aeon kept; this one begins an empty record. To bring it "
            "over, run `aeon graph export FILE` with the older version and `aeon store import FILE` here, before "
            "anything else.",
            "warning: ",
        )
    with open_project_platform(Path.cwd(), here.settings, os.environ, here.from_project) as platform:
        for notice in platform.notices:
            print_message(printable(notice), "note: ")
        platform.catalog.add_user(user)
        os.environ.pop(session.MASTER_KEY, None)  # no child process is to inherit it
        yield platform

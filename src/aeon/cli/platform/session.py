"""The session that every command of the platform runs in."""

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
    """Open the platform of the current folder, add this user to it, and close it at the end."""
    loaded = session.load_cli_settings()
    session.conceal_if_set(session.MASTER_KEY)
    if (old := old_graph_record(Path.cwd(), loaded.settings.store)) is not None:
        print_message(
            f"{printable(str(old))} is the record of an older Aeon; this version starts an empty one. To keep the old "
            "record, run `aeon graph export FILE` with the older version and `aeon store import FILE` here, before "
            "anything else.",
            "warning: ",
        )
    with open_project_platform(Path.cwd(), loaded.settings, os.environ, loaded.from_project) as platform:
        for notice in platform.notices:
            print_message(printable(notice), "note: ")
        platform.catalog.add_user(user)
        os.environ.pop(session.MASTER_KEY, None)  # child processes must not inherit it
        yield platform

"""The sessions that the commands of the platform run in."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from aeon.application.folder import FolderService
from aeon.application.workspace import Workspace, open_app_workspace, open_workspace
from aeon.cli import session
from aeon.cli.console import print_message
from aeon.cli.text import printable
from aeon.settings import LoadedSettings


@contextmanager
def workspace_session(user: str) -> Generator[Workspace]:
    """Open the record of the current folder for this user, without an engine, and close it at the end."""
    loaded = session.load_cli_settings()
    session.conceal_if_set(session.MASTER_KEY)
    if (old := FolderService(Path.cwd(), os.environ).old_record(loaded.settings.store)) is not None:
        print_message(
            f"{printable(str(old))} is the record of an older Aeon; this version starts an empty one. To keep the old "
            "record, run `aeon graph export FILE` with the older version and `aeon store import FILE` here, before "
            "anything else.",
            "warning: ",
        )
    with open_workspace(Path.cwd(), loaded, os.environ, user) as workspace:
        _print_notices(workspace)
        os.environ.pop(session.MASTER_KEY, None)  # child processes must not inherit it
        yield workspace


@contextmanager
def runtime_session(
    user: str, loaded: LoadedSettings | None = None, *, reads_folder: bool = False, keeps_nothing: bool = False
) -> Generator[Workspace]:
    """Open the record of the current folder with the app that runs of Processes need; close both at the end.

    `loaded` replaces the settings of the current folder. `reads_folder`: tools may read the files in it.
    `keeps_nothing`: the record is an empty one in memory, and nothing of it is written (platform 28).
    """
    settings = session.load_cli_settings() if loaded is None else loaded
    with session.app_session(settings, is_quiet=True) as app:
        if keeps_nothing:
            app.keep_nothing()
        with open_app_workspace(app, os.environ, user) as workspace:
            if reads_folder:
                app.allow_files(app.folder)
            _print_notices(workspace)
            yield workspace


def _print_notices(workspace: Workspace) -> None:
    for notice in workspace.notices:
        print_message(printable(notice), "note: ")

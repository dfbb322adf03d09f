"""What commands start with: the settings of this place, and the app they make."""

import os
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from aeon.base.hardening import make_undumpable
from aeon.base.json import Json
from aeon.cli.console import print_message
from aeon.settings import LoadedSettings, load_settings

if TYPE_CHECKING:
    from aeon.bootstrap.app import App

MASTER_KEY = "AEON_MASTER_KEY"

_NO_FLAGS: Mapping[str, tuple[str, Json]] = {}


def load_cli_settings(
    *, model: str | None = None, ttl: int | None = None, more: Mapping[str, tuple[str, Json]] = _NO_FLAGS
) -> LoadedSettings:
    """The settings of the current folder under these flags. Raises ConfigError with every mistake.

    `more` maps further keys to the flag's spelling and its value, None where it was not given.
    """
    given = {"model.name": ("--model", model), "run.ttl": ("--ttl", ttl), **more}
    return load_settings({key: flag for key, flag in given.items() if flag[1] is not None}, os.environ, Path.cwd())


def conceal_if_set(*names: str) -> None:
    """Close this process to the user's other ones where its environment holds one of these secrets."""
    if any(os.environ.get(name) for name in names):
        make_undumpable()


@contextmanager
def app_session(loaded: LoadedSettings, *, is_quiet: bool = False) -> Generator["App"]:
    """The app of these settings, closed in the end. What installed tools print goes to stderr: stdout is for data."""
    from aeon.bootstrap.app import build_app  # the most of a command's start: loaded where an app is made
    from aeon.bootstrap.model_choice import key_variables

    conceal_if_set(MASTER_KEY, *key_variables(loaded.settings))
    with redirect_stdout(sys.stderr):
        app = build_app(loaded.settings, os.environ, loaded.from_project, folder=Path.cwd())
    try:
        for warning in [] if is_quiet else app.warnings:
            print_message(warning, "warning: ", "  ")
        yield app
    finally:
        app.close()

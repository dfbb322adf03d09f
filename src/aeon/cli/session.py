"""What every command starts with: the settings of the current folder, and the app built from them."""

import os
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aeon.base.hardening import make_undumpable
from aeon.base.json import Json
from aeon.cli.console import print_message
from aeon.settings import LoadedSettings, load_settings

if TYPE_CHECKING:
    from aeon.bootstrap.app import App

MASTER_KEY = "AEON_MASTER_KEY"

_NO_FLAGS: Mapping[str, tuple[str, Json]] = {}


class FileGrants(NamedTuple):
    """The folders that a command lets tools read, and in which it lets tools and scripts write."""

    read: Sequence[Path] = ()
    write: Sequence[Path] = ()

    def settings(self) -> dict[str, tuple[str, Json]]:
        """The keys of settings that the flags override, each with its flag; a value of None leaves a key as it is."""
        read, write = ([str(each.absolute()) for each in folders] or None for folders in self)
        return {
            "tools.allow_read": ("--allow-read", read),
            "tools.allow_write": ("--allow-write", write),
            "skills.allow_write": ("--allow-write", write),
        }


def load_cli_settings(
    *, model: str | None = None, ttl: int | None = None, more: Mapping[str, tuple[str, Json]] = _NO_FLAGS
) -> LoadedSettings:
    """Load the settings of the current folder, overridden by these flags. Raises ConfigError with every mistake.

    `more` maps further keys to the flag's name and value; a value of None means that the flag is absent.
    """
    flags = {"model.name": ("--model", model), "run.ttl": ("--ttl", ttl), **more}
    return load_settings({key: flag for key, flag in flags.items() if flag[1] is not None}, os.environ, Path.cwd())


def conceal_if_set(*names: str) -> None:
    """Hide this process's memory from the user's other processes if one of these variables is set."""
    if any(os.environ.get(name) for name in names):
        make_undumpable()


@contextmanager
def app_session(loaded: LoadedSettings, *, is_quiet: bool = False) -> Generator["App"]:
    """Build the app of these settings, and close it at the end. Plugins print to stderr: stdout is for data."""
    from aeon.application.models import key_variables
    from aeon.bootstrap.app import build_app  # slow to load: only commands that need an app do

    conceal_if_set(MASTER_KEY, *key_variables(loaded.settings))
    with redirect_stdout(sys.stderr):
        app = build_app(loaded.settings, os.environ, loaded.from_project, folder=Path.cwd())
    try:
        for warning in [] if is_quiet else app.warnings:
            print_message(warning, "warning: ", "  ")
        yield app
    finally:
        app.close()

"""`aeon config get|set|edit`, and the settings file that `aeon init` makes."""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from aeon.application.settings import SettingsService, read_settings
from aeon.base.errors import InputError
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as
from aeon.cli.text import compact_json, printable


def show_setting(key: str, output: OutputFormat) -> int:
    """Print the value of a setting. Raises InputError for an unknown one."""
    value, origin = _settings().get(key)
    if not print_as(output, {"key": key, "value": value, "origin": origin}, key="key"):
        print_data(printable(value) if isinstance(value, str) else compact_json(value))
    return ExitCode.DONE


def change_settings(values: Mapping[str, str], *, is_users: bool) -> int:
    """Change settings in the project's file or the user's own. If it raises, nothing changed."""
    settings = _settings()
    file = settings.user_file if is_users else settings.project_file
    settings.set(values, file)
    print_message(f"changed {', '.join(values)} in {printable(str(file))}")
    for key in values:
        now, origin = settings.get(key)
        if origin != str(file):
            print_message(f"{printable(origin)} sets {key} to {compact_json(now)}, which overrides the file", "note: ")
    return ExitCode.DONE


def edit_settings(*, is_users: bool) -> int:
    """Open a settings file in the user's editor, and write it if it is valid. Raises ConfigError, InputError."""
    if not sys.stdin.isatty():
        raise InputError("An editor needs a terminal.", next_step="Change one setting: aeon config set KEY VALUE")
    settings = _settings()
    file = settings.user_file if is_users else settings.project_file
    if not is_users:
        settings.create()
    editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, file.name)
        copy.write_text(read_settings(file), encoding="utf-8")
        subprocess.run([*editor, str(copy)], check=True)  # noqa: S603  # the user's own editor
        text = read_settings(copy)
    settings.replace(file, text)
    print_message(f"wrote {printable(str(file))}")
    return ExitCode.DONE


def create_settings() -> None:
    """Make the project's settings file if there is none, and say so."""
    settings = _settings()
    if settings.create():
        print_message(f"made {printable(settings.project_file.name)}, with every setting as a comment")


def _settings() -> SettingsService:
    return SettingsService(Path.cwd(), os.environ)

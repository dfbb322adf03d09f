"""`aeon init` and `aeon apply`: define items in the record."""

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aeon.base.errors import InputError
from aeon.base.json import Json
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import indented_json, printable

if TYPE_CHECKING:
    from aeon.application.documents import ApplyStep, DocumentFile

_MAX_TEXT: Final = 64 * 1024 * 1024
"""Characters of a file or of stdin."""

_SUFFIXES: Final = (".yaml", ".yml", ".json")
"""How the names of files end that are read from a folder."""

SIGNS = {"create": "+", "change": "~", "keep": "="}
"""How the lines of what is created, changed and kept begin."""


def bring_up(user: str, *, as_json: bool) -> int:
    """Open the record and vault, load the defaults, remove stale values, and count what the user owns."""
    with workspace_session(user) as workspace:
        found = workspace.documents.set_up()
    changed = found.defaults_changed
    counts = {"services": found.services, "secrets": found.secrets, "tools": found.tools}
    if as_json:
        print_data(indented_json({"store": found.store, "user": user, "defaultsChanged": changed, **counts}))
    else:
        if changed:
            print_message(f"loaded the default catalog: {changed} change(s); see `aeon tool list`")
        print_data(f"{found.store}: {', '.join(f'{count} {kind}' for kind, count in counts.items())} of {user}")
    return ExitCode.DONE


def apply_files(paths: Sequence[Path], user: str, *, is_dry: bool, as_json: bool) -> int:
    """Check all files, apply them, and show what changed. Raises ApplyError with every problem."""
    files = read_files(paths)
    named = files if len(files) > 1 else [file._replace(name="") for file in files]
    with workspace_session(user) as workspace:
        steps = workspace.documents.apply_files(named, is_dry=is_dry)
    if as_json:
        print_data(indented_json({"dryRun": is_dry, "steps": [_as_data(step) for step in steps]}))
    else:
        for step in steps:
            print_data(_as_line(step))
            for detail in step.differences:
                print_data(f"    {printable(detail)}")
            _print_warnings(step)
        print_message(
            f"{sum(step.action != 'keep' for step in steps)} of {len(steps)} {'would change' if is_dry else 'changed'}"
        )
    return ExitCode.DONE


def _print_warnings(step: "ApplyStep") -> None:
    """Warn about probable mistakes, and about other users' things that a change breaks (platform 4)."""
    for each in step.warnings:
        print_message(printable(str(each)), "warning: ")
    name = printable(step.document.name)
    if step.affects:
        print_message(
            f"{name} is not shared any more; these depend on it and will fail: {', '.join(step.affects)}", "warning: "
        )
    if step.breaks:
        listed = ", ".join(map(printable, step.breaks))
        print_message(f"{name} needs a different input; these do not match it and will fail: {listed}", "warning: ")


def read_files(paths: Sequence[Path]) -> "list[DocumentFile]":
    """Return the files, and of a folder those in it, sorted; each once. Raises InputError."""
    from aeon.application.documents import DocumentFile

    found = dict.fromkeys(file for path in paths for file in _files_of(path))
    return [DocumentFile(read_text(file), str(file)) for file in found]


def _files_of(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    try:
        entries = sorted(path.iterdir())
    except OSError as error:
        step = "Name a folder that you may read."
        raise InputError(f"{path} cannot be read: {error.strerror}.", next_step=step) from None
    files = [each for each in entries if each.suffix in _SUFFIXES and each.name[0] != "." and each.is_file()]
    if not files:
        step = "Name a folder with YAML files; those in its subfolders are not read."
        raise InputError(f"{path} has no file {', '.join(f'*{each}' for each in _SUFFIXES)}.", next_step=step)
    return files


def read_text(file: Path) -> str:
    """Return the text of a file, or of stdin for `-`; what never ends is not read to its end. Raises InputError."""
    try:
        with nullcontext(sys.stdin) if str(file) == "-" else file.open(encoding="utf-8") as source:
            text = source.read(_MAX_TEXT + 1)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"{file} cannot be read: {why}.", next_step="Name a YAML file, or - for stdin.") from None
    if len(text) > _MAX_TEXT:
        raise InputError(f"{file} has more than {_MAX_TEXT:,} characters, the limit.", next_step="Divide it.")
    return text


def _as_line(step: "ApplyStep") -> str:
    fields = f": {', '.join(step.fields)}" if step.fields else ""
    return f"{SIGNS[step.action]} {step.document.kind} {printable(step.document.name)}{fields}"


def _as_data(step: "ApplyStep") -> Json:
    return {
        "verb": step.action,
        "kind": step.document.kind,
        "name": step.document.name,
        "fields": list[Json](step.fields),
        "details": list[Json](step.differences),
        "affects": list[Json](step.affects),
        "breaks": list[Json](step.breaks),
        "warnings": list[Json](f"{each.path}: {each.message}" for each in step.warnings),
    }

"""`aeon config list`: each setting, where its value comes from, and the files that were searched."""

from aeon.application.settings import settings_as_dict
from aeon.cli.console import print_data
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as
from aeon.cli.session import load_cli_settings
from aeon.cli.text import COLUMNS, compact_json, one_line
from aeon.settings import KEYS, LoadedSettings


def explain_settings(*, output: OutputFormat) -> int:
    """Print the settings of the current folder. They contain no secrets: settings only name variables."""
    loaded = load_cli_settings()
    if print_as(output, settings_as_dict(loaded)):
        return ExitCode.DONE
    for key in KEYS:
        print_data(_line(key, loaded))
    print_data("\nFlags override AEON_* variables, variables override these files, earlier files override later ones:")
    for path, is_there in loaded.files:
        print_data(f"  {'read     ' if is_there else 'not found'}  {one_line(str(path), COLUMNS - 13)}")
    return ExitCode.DONE


def _line(key: str, loaded: LoadedSettings) -> str:
    """Format one setting; its origin gets its own line if both do not fit on one."""
    value, origin = f"{key} = {compact_json(loaded.value(key))}", f"({loaded.origins[key]})"
    if len(value) + 2 + len(origin) <= COLUMNS:
        return f"{value}  {origin}"
    return f"{one_line(value, COLUMNS)}\n    {one_line(origin, COLUMNS - 4)}"

"""`aeon config explain`: each value, where it comes from, and the files that were looked for."""

from aeon.cli.console import print_data
from aeon.cli.exit_codes import ExitCode
from aeon.cli.session import load_cli_settings
from aeon.cli.text import COLUMNS, compact_json, indented_json, one_line
from aeon.settings import KEYS, LoadedSettings, environment_variable


def explain_settings(*, as_json: bool) -> int:
    """Print the settings of the current folder. No secret is among them: settings only name variables."""
    loaded = load_cli_settings()
    if as_json:
        print_data(indented_json(_as_dict(loaded)))
        return ExitCode.DONE
    for key in KEYS:
        print_data(_line(key, loaded))
    print_data("\nFlags win over AEON_* variables, those over the files, the first over the next:")
    for path, is_there in loaded.files:
        print_data(f"  {'read     ' if is_there else 'not there'}  {one_line(str(path), COLUMNS - 13)}")
    return ExitCode.DONE


def _line(key: str, loaded: LoadedSettings) -> str:
    """One setting; its origin goes to a line of its own where it does not fit."""
    value, origin = f"{key} = {compact_json(loaded.value(key))}", f"({loaded.origins[key]})"
    if len(value) + 2 + len(origin) <= COLUMNS:
        return f"{value}  {origin}"
    return f"{one_line(value, COLUMNS)}\n    {one_line(origin, COLUMNS - 4)}"


def _as_dict(loaded: LoadedSettings) -> dict[str, object]:
    return {
        "values": {
            key: {
                "value": loaded.value(key),
                "origin": loaded.origins[key],
                "variable": environment_variable(key),
                "description": description,
            }
            for key, description in KEYS.items()
        },
        "files": [{"path": str(path), "read": is_there} for path, is_there in loaded.files],
    }

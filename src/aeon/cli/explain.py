"""`aeon config explain`: each value, where it comes from, and the files that were looked for."""

from aeon.cli.codes import Code
from aeon.cli.say import put
from aeon.cli.session import settings_here
from aeon.cli.text import COLUMNS, one_line, pretty, shown
from aeon.settings import KEYS, Loaded, variable


def explain(*, as_json: bool) -> int:
    """Print the settings of the current folder. No secret is among them: settings only name variables."""
    loaded = settings_here()
    if as_json:
        put(pretty(_as_dict(loaded)))
        return Code.DONE
    for key in KEYS:
        put(_line(key, loaded))
    put("\nFlags win over AEON_* variables, those over the files, the first over the next:")
    for path, is_there in loaded.files:
        put(f"  {'read     ' if is_there else 'not there'}  {one_line(str(path), COLUMNS - 13)}")
    return Code.DONE


def _line(key: str, loaded: Loaded) -> str:
    """One setting; its origin goes to a line of its own where it does not fit."""
    value, origin = f"{key} = {shown(loaded.value(key))}", f"({loaded.origins[key]})"
    if len(value) + 2 + len(origin) <= COLUMNS:
        return f"{value}  {origin}"
    return f"{one_line(value, COLUMNS)}\n    {one_line(origin, COLUMNS - 4)}"


def _as_dict(loaded: Loaded) -> dict[str, object]:
    return {
        "values": {
            key: {
                "value": loaded.value(key),
                "origin": loaded.origins[key],
                "variable": variable(key),
                "description": description,
            }
            for key, description in KEYS.items()
        },
        "files": [{"path": str(path), "read": is_there} for path, is_there in loaded.files],
    }

"""Parameters as the engine reads them: a header before the query, and nothing in it that the engine would misread.

The engine clamps integers past 64 bits, stops at a NUL, and answers floats with 15 significant digits. What it cannot
carry is therefore refused, and floats are rounded on the way in, so that what is read equals what was written.
"""

import math
import sys
from collections.abc import Iterable

from aeon.adapters.graph.parameters import Form, Plain, RefusedValueError, formed
from aeon.platform.graph import Params


def header(params: Params | None) -> str:
    """What stands before the query, `CYPHER name=value ...`; nothing for no parameters.

    Raises QueryError that names the parameter and where in it, never its value.
    """
    if not params:
        return ""
    return f"CYPHER {' '.join(f'{name}={text}' for name, text in formed(params, _TEXT).items())} "


def _plain(value: Plain) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    return str(int(value)) if isinstance(value, int) else _float(value)


def _string(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _float(value: float) -> str:
    text = format(value, ".15g")
    if value and not sys.float_info.min <= abs(float(text)) < math.inf:
        raise RefusedValueError("is too large or too small a float")
    return text if "." in text or "e" in text else f"{text}.0"


def _list(parts: Iterable[str]) -> str:
    return f"[{','.join(parts)}]"


def _map(entries: Iterable[tuple[str, str]]) -> str:
    return f"{{{','.join(f'`{key}`:{text}' for key, text in entries)}}}"


_TEXT = Form(_plain, _list, _map)

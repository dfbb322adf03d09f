"""How commands print what they list or show: as a table, as JSON, as YAML, or only the names."""

import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias, cast

from aeon.base.json import Json, JsonObject
from aeon.cli.console import print_data, print_message

OutputFormat: TypeAlias = Literal["table", "json", "yaml", "name"]

_GAP = "  "
_LONGEST_MESSAGE = 400
"""Cells of a reason's message on a terminal."""
_LEAST_CUT = 20
"""Cells that the last column keeps on a narrow terminal."""


def print_as(output: OutputFormat, data: Json, key: str = "name") -> bool:
    """Print data as JSON, YAML or names; False for a table, which the caller prints.

    A name is the value under `key` of an item, or the item itself.
    """
    if output == "table":
        return False
    if output == "name":
        items = cast("list[Json]", data) if isinstance(data, list) else [data]
        _print_lines([_name_of(item, key) for item in items])
    elif output == "yaml":
        import yaml

        from aeon.cli.text import printable

        print_data(printable(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120).rstrip("\n")))
    else:
        from aeon.cli.text import indented_json

        print_data(indented_json(data))
    return True


class Reason(NamedTuple):
    """Why a step of a run is not complete or not trusted; `advice` is what to do about it. Without a step, the run."""

    step: str | None
    message: str
    advice: str = ""


def print_reasons(reasons: Iterable[Reason], run: str) -> None:
    """Print reasons, one below the other; a long message, such as a web page, is cut on a terminal, not in a pipe."""
    from aeon.cli.text import one_line, printable

    has_cut = False
    for step, message, advice in reasons:
        is_cut = sys.stdout.isatty() and len(message) > _LONGEST_MESSAGE
        shown = one_line(message, _LONGEST_MESSAGE) if is_cut else message
        has_cut |= is_cut
        print_data(printable(f"{step or 'run'}: {shown} {advice}".rstrip()))
    if has_cut:
        print_message(f"Long messages are cut; see them whole with: aeon log why {shlex.quote(run)} -o json", "note: ")


def print_table(titles: Sequence[str], rows: Sequence[Sequence[object]], empty: str = "") -> None:
    """Print rows under their titles; the last column is cut on a terminal, nothing in a pipe.

    Without rows, `empty` says on stderr what to do.
    """
    from aeon.cli.text import one_line

    if not rows:
        print_message(empty)
        return
    lines = [[" ".join(str("" if cell is None else cell).split()) for cell in row] for row in (titles, *rows)]
    cut = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    before = sum(widths[:-1]) + len(_GAP) * (len(widths) - 1)
    printed: list[str] = []
    for *cells, last in lines:
        begin = "".join(f"{_padded(cell, width)}{_GAP}" for cell, width in zip(cells, widths[:-1], strict=True))
        end = last if cut is None else one_line(last, max(_LEAST_CUT, cut - before))
        printed.append(f"{begin}{end}".rstrip())
    _print_lines(printed)


def _print_lines(lines: Sequence[str]) -> None:
    from aeon.cli.text import printable

    if lines:
        print_data("\n".join(map(printable, lines)))


def _name_of(item: Json, key: str) -> str:
    return str(cast(JsonObject, item).get(key)) if isinstance(item, dict) else str(item)


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))

"""What commands share: how groups of them are made, and the options that mean the same everywhere."""

from pathlib import Path
from typing import Annotated, Literal

import typer


def group(description: str) -> typer.Typer:
    return typer.Typer(
        help=description,
        rich_markup_mode=None,
        add_completion=False,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
    )


AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout, and nothing else there.")]
Model = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="standard, small, tiny, a .gguf file, or a remote model.")
]
Ttl = Annotated[int | None, typer.Option("--ttl", min=1, metavar="N", help="Steps that the run may visit.")]
NoInput = Annotated[bool, typer.Option("--no-input", help="Never ask or download: an error says what to run instead.")]
StoredTools = Annotated[
    Literal["catalog"] | None,
    typer.Option("--tools", metavar="WHICH", help='"catalog" offers the tools stored in this folder\'s record too.'),
]
User = Annotated[
    str,
    typer.Option("--user", metavar="NAME", envvar="AEON_USER", help="On whose behalf; everybody owns his own things."),
]
LogFile = Annotated[Path, typer.Argument(metavar="LOG", help="The log of a run.")]

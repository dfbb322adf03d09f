"""The options that mean the same in every command, and how command groups are created."""

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


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else.")]
Model = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="standard, small, tiny, a .gguf file, or a remote model.")
]
Ttl = Annotated[int | None, typer.Option("--ttl", min=1, metavar="N", help="The most steps that the run may execute.")]
NoInput = Annotated[bool, typer.Option("--no-input", help="Never prompt, download, or read stdin unless it is named.")]
StoredTools = Annotated[
    Literal["catalog"] | None,
    typer.Option("--tools", metavar="WHICH", help='"catalog" also offers the tools stored in this folder\'s record.'),
]
User = Annotated[
    str,
    typer.Option(
        "--user", metavar="NAME", envvar="AEON_USER", help="Act as this user; each user owns their own items."
    ),
]
Files = Annotated[
    list[str] | None,
    typer.Option("--file", "-f", metavar="FILE", help="Give the model this file or page; - is stdin. Repeatable."),
]
AllowRead = Annotated[
    list[Path] | None,
    typer.Option("--allow-read", metavar="DIR", help="Also let tools read this folder's files. May be repeated."),
]
AllowWrite = Annotated[
    list[Path] | None,
    typer.Option("--allow-write", metavar="DIR", help="Let tools and scripts write in this folder. May be repeated."),
]
LogFile = Annotated[Path, typer.Argument(metavar="LOG", help="The log of a run.")]

"""The options that mean the same in every command, and how command groups are created."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from aeon.cli.command_class import CommandGroup
from aeon.cli.output import OutputFormat
from aeon.cli.stored_names import complete_conversation, complete_model, complete_process, complete_run, complete_stored


def group(description: str) -> typer.Typer:
    return typer.Typer(
        cls=CommandGroup,
        help=description,
        rich_markup_mode=None,
        add_completion=False,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
    )


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else.")]
Output = Annotated[
    OutputFormat, typer.Option("--output", "-o", metavar="FORMAT", help="table, json (or --json), yaml or name.")
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="standard, small, tiny, a .gguf file, or a remote model.",
        autocompletion=complete_model,
    ),
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
Images = Annotated[
    list[Path] | None,
    typer.Option("--image", metavar="FILE", help="Show the model this image, if it can see. Repeatable."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the answer, and what is wrong; nothing else.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Also print which tools the planner is offered.")]
AllowRead = Annotated[
    list[Path] | None,
    typer.Option("--allow-read", metavar="DIR", help="Also let tools read this folder's files. May be repeated."),
]
AllowWrite = Annotated[
    list[Path] | None,
    typer.Option("--allow-write", metavar="DIR", help="Let tools and scripts write in this folder. May be repeated."),
]
RunName = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="An id or the beginning of one, a log's path, or last for the newest.",
        autocompletion=complete_run,
    ),
]
Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="Its name; its id if another user owns it.", autocompletion=complete_stored),
]
MAX_LISTED = 1000
ProcessToStart = Annotated[
    str,
    typer.Argument(metavar="PROCESS", help="The process to start: its name or id.", autocompletion=complete_process),
]
Priority = Annotated[
    Literal["high", "normal", "low"], typer.Option("--priority", help="Which runs busy workers work on first.")
]
Limit = Annotated[int, typer.Option("--limit", min=1, max=MAX_LISTED, metavar="N", help="At most N.")]
After = Annotated[
    str | None, typer.Option("--after", metavar="CURSOR", help="Continue the list that printed this cursor.")
]
Expect = Annotated[
    int | None,
    typer.Option("--expect", min=1, metavar="VERSION", help="Refuse if its version, as `show` prints it, is another."),
]
Prefix = Annotated[str, typer.Option("--prefix", metavar="TEXT", help="Only names that begin with this text.")]
Owner = Annotated[
    Literal["own", "shared", "all"], typer.Option("--owner", help="Only your own items, or only shared ones.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask; needed without a terminal.")]
UserFile = Annotated[
    bool, typer.Option("--user-file/--project", help="Your own file for all projects, or this project's (default).")
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="30m, 24h or 7d ago, a date, or a time: 2026-11-27T23:00.")
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="NAME=VALUE",
        help="An input: JSON, or text where it takes a text. NAME@FILE takes it from a file; @FILE has a JSON object of"
        " inputs. May be repeated.",
    ),
]

ConversationName = Annotated[
    str,
    typer.Argument(
        metavar="CONVERSATION",
        help="An id or the beginning of one, or last for the newest.",
        autocompletion=complete_conversation,
    ),
]

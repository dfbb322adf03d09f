"""What a shell offers for a name: runs, stored things, skills and models. Each imports what it needs when it runs."""

import os
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import typer

if TYPE_CHECKING:
    from aeon.application.stored_names import NameKind, NameService, StoredName

_Name = TypeVar("_Name")

_KINDS: Final["dict[tuple[str, ...], NameKind]"] = {
    ("process",): "process",
    ("process", "alert"): "alert",
    ("process", "schedule"): "schedule",
    ("process", "webhook"): "webhook",
    ("secret",): "secret",
    ("tool",): "tool",
    ("tool", "service"): "service",
    ("tool", "service", "template"): "service template",
    ("tool", "template"): "tool template",
}
"""What a name is in a group of commands."""

_MARKS: Final = frozenset(".,-_/+?!")
"""What is shown of a user's text beside letters and digits."""

_NOTE_WIDTH: Final = 50
"""The most characters of a note beside an id."""


def complete_run(ctx: typer.Context, incomplete: str) -> list[str]:
    """`last` and the ids of what ran."""
    return _names(ctx, lambda names: names.list_runs(incomplete))


def complete_stored(ctx: typer.Context, incomplete: str) -> list[str]:
    """The names of stored things, of the kind that the group of the command is about."""
    kind = _KINDS.get(tuple(ctx.command_path.split()[1:-1]))
    return [] if kind is None else _names(ctx, lambda names: names.list_stored(kind, incomplete))


def complete_process(ctx: typer.Context, incomplete: str) -> list[str]:
    """The names of Processes."""
    return _names(ctx, lambda names: names.list_stored("process", incomplete))


def complete_skill(ctx: typer.Context, incomplete: str) -> list[str]:
    """The names of skills, after a slash where the user wrote one."""
    slash = "/" if incomplete.startswith("/") else ""
    return [slash + name for name in _names(ctx, lambda names: names.list_skills(incomplete.removeprefix("/")))]


def complete_model(ctx: typer.Context, incomplete: str) -> list[str]:
    """The names of models."""
    return _names(ctx, lambda names: names.list_models(incomplete))


def complete_conversation(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """`last` and the ids of conversations, with their titles."""
    return _with_notes(_names(ctx, lambda names: names.list_conversations(incomplete)))


def complete_message(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """`last` and the ids of messages and answers, with their beginnings."""
    return _with_notes(_names(ctx, lambda names: names.list_messages(incomplete)))


def complete_conversation_or_message(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """What a name of either can be."""
    return _with_notes(_names(ctx, lambda names: names.list_conversations_and_messages(incomplete)))


def _with_notes(names: "Sequence[StoredName]") -> list[tuple[str, str]]:
    """Ids with what a shell shows beside them; none that a shell could read as more than a word."""
    return [(name, _plain(note)) for name, note in names if name.replace("-", "").isalnum() and name.isascii()]


def _plain(note: str) -> str:
    """A text of a user's on one line, of letters, digits and a few marks: shells evaluate what they are given."""
    kept = (each if unicodedata.category(each)[0] in "LNM" or each in _MARKS else " " for each in note)
    line = " ".join("".join(kept).split())
    return line if len(line) <= _NOTE_WIDTH else f"{line[:_NOTE_WIDTH].rstrip()}..."


def _names(ctx: typer.Context, choose: "Callable[[NameService], list[_Name]]") -> list[_Name]:
    """The names that `choose` takes; none where anything is wrong: the command itself says what."""
    try:
        from aeon.application.stored_names import NameService
        from aeon.cli.session import load_cli_settings

        user = str(ctx.params.get("user") or os.environ.get("AEON_USER") or "me")
        return choose(NameService(Path.cwd(), load_cli_settings().settings, os.environ, user))
    except Exception:  # noqa: BLE001  # a trace would end up in the line that the user types
        return []

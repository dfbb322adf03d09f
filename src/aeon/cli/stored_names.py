"""What a shell offers for a name: runs, stored things, skills and models. Each imports what it needs when it runs."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from aeon.application.stored_names import NameKind, NameService

_KINDS: Final["dict[tuple[str, ...], NameKind]"] = {
    ("process",): "process",
    ("process", "schedule"): "schedule",
    ("secret",): "secret",
    ("tool",): "tool",
    ("tool", "service"): "service",
    ("tool", "service", "template"): "service template",
    ("tool", "template"): "tool template",
}
"""What a name is in a group of commands."""


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


def _names(ctx: typer.Context, choose: "Callable[[NameService], list[str]]") -> list[str]:
    """The names that `choose` takes; none where anything is wrong: the command itself says what."""
    try:
        from aeon.application.stored_names import NameService
        from aeon.cli.session import load_cli_settings

        user = str(ctx.params.get("user") or os.environ.get("AEON_USER") or "me")
        return choose(NameService(Path.cwd(), load_cli_settings().settings, os.environ, user))
    except Exception:  # noqa: BLE001  # a trace would end up in the line that the user types
        return []

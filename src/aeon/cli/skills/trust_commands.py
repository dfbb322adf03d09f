"""`aeon skills trust` and `distrust`: permanent grants for skills."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import typer

from aeon.base.errors import InputError
from aeon.bootstrap.app import App
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.session import app_session, load_cli_settings
from aeon.cli.skills.library_commands import find_skill
from aeon.cli.text import printable
from aeon.skills.launch.grants import MODEL, NETWORK, Grants


def trust_skill(name: str, *, network: bool, model: bool, write: Sequence[Path]) -> int:
    """Grants a skill what it declares and what the flags add.

    Raises InputError for an unknown name or folder.
    """
    folders = tuple(map(Path, writable_folders(write)))
    with app_session(load_cli_settings()) as app:
        skill = find_skill(app, name)
        capabilities = skill.capabilities
        grants = Grants(network or NETWORK in capabilities, model or MODEL in capabilities, folders)
        app.skills.trusted.trust(skill, grants)
    print_message(f"folder: {printable(str(skill.directory_path))}")
    print_data(f"trusted {printable(name)} with its current files, granting {_grants_text(grants)}")
    return ExitCode.DONE


def ask_for_trust(app: App, tool_paths: Iterable[str]) -> None:
    """On a terminal, asks about each untrusted skill of the plan.

    A declined one fails when it runs.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    skills = [each[0] for path in tool_paths if (each := app.skills.catalog.find_script(path)) is not None]
    for skill in {skill.name: skill for skill in skills if not app.skills.is_trusted(skill)}.values():
        requested = _grants_text(Grants(NETWORK in skill.capabilities, MODEL in skill.capabilities))
        print_message(
            f"The skill {printable(skill.name)} came with the project: {printable(str(skill.directory_path))}"
        )
        if typer.confirm(f"Trust this skill with its current files, granting {requested}?", default=False, err=True):
            app.skills.trusted.trust(skill, Grants(NETWORK in skill.capabilities, MODEL in skill.capabilities))


def distrust_skill(name: str) -> int:
    """Revokes the trust. Raises InputError for an unknown name."""
    with app_session(load_cli_settings()) as app:
        app.skills.trusted.revoke(find_skill(app, name))
    print_data(f"{printable(name)} is no longer trusted")
    return ExitCode.DONE


def writable_folders(folders: Sequence[Path]) -> list[str]:
    """Returns the resolved folders.

    Raises InputError if one is not a folder: a grant must name an existing folder.
    """
    invalid = [str(folder) for folder in folders if not folder.is_dir()]
    if invalid:
        raise InputError(
            f"--allow-write needs a folder, but these are not folders: {', '.join(invalid)}.",
            next_step="Make the folder first, or name another one.",
        )
    return [str(folder.resolve()) for folder in folders]


def _grants_text(grants: Grants) -> str:
    parts = ["the network"] if grants.network else []
    parts += ["the model"] if grants.model else []
    parts += [f"write access to {folder}" for folder in grants.write]
    return ", ".join(parts) or "nothing beyond its own folders"

"""`aeon skills trust` and `distrust`: what single skills may use for good."""

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
    """Grant a skill what it declares and what is given. Raises InputError for an unknown name and for no folder."""
    folders = tuple(map(Path, writable_folders(write)))
    with app_session(load_cli_settings()) as app:
        skill = find_skill(app, name)
        asks = skill.capabilities
        grants = Grants(network or NETWORK in asks, model or MODEL in asks, folders)
        app.skills.trusted.trust(skill, grants)
    print_message(f"folder: {printable(str(skill.directory_path))}")
    print_data(f"trusted {printable(name)} as it is now, with {_grants_text(grants)}")
    return ExitCode.DONE


def ask_for_trust(app: App, tool_paths: Iterable[str]) -> None:
    """On a terminal, ask about each skill of a plan that came with the project; who declines is told when it is run."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    found = [each[0] for path in tool_paths if (each := app.skills.catalog.find_script(path)) is not None]
    for skill in {skill.name: skill for skill in found if not app.skills.is_trusted(skill)}.values():
        asks = _grants_text(Grants(NETWORK in skill.capabilities, MODEL in skill.capabilities))
        print_message(
            f"The skill {printable(skill.name)} came with the project: {printable(str(skill.directory_path))}"
        )
        if typer.confirm(f"Trust this skill, as it is now, with {asks}?", default=False, err=True):
            app.skills.trusted.trust(skill, Grants(NETWORK in skill.capabilities, MODEL in skill.capabilities))


def distrust_skill(name: str) -> int:
    """Take it back. Raises InputError for an unknown name."""
    with app_session(load_cli_settings()) as app:
        app.skills.trusted.revoke(find_skill(app, name))
    print_data(f"{printable(name)} is not trusted any more")
    return ExitCode.DONE


def writable_folders(places: Sequence[Path]) -> list[str]:
    """The folders, whole. Raises InputError for what is no folder: a grant must mean what its user sees."""
    wrong = [str(place) for place in places if not place.is_dir()]
    if wrong:
        raise InputError(
            f"--allow-write names no folder: {', '.join(wrong)}.", next_step="Make it first, or name another."
        )
    return [str(place.resolve()) for place in places]


def _grants_text(grants: Grants) -> str:
    named = ["the network"] if grants.network else []
    named += ["the model"] if grants.model else []
    named += [f"{folder} to write to" for folder in grants.write]
    return ", ".join(named) or "nothing beyond its own folders"

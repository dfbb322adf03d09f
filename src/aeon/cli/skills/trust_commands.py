"""`aeon skill trust` and `distrust`: permanent grants for skills."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import typer

from aeon.application.skills import Grants, SkillService
from aeon.base.errors import InputError
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.session import app_session, load_cli_settings
from aeon.cli.text import printable
from aeon.skills.plan_json import PlanJson


class SkillGrantFlags(NamedTuple):
    """The user's grants to scripts, for one run or to a trusted skill."""

    network: bool
    model: bool
    write: Sequence[Path]
    install: bool
    packages: Sequence[str]


def trust_skill(name: str, flags: SkillGrantFlags) -> int:
    """Grants a skill what it declares and what the flags add.

    Raises InputError for an unknown name or folder.
    """
    folders = tuple(map(Path, writable_folders(flags.write)))
    with app_session(load_cli_settings()) as app:
        skills = SkillService(app.skills)
        skill = skills.find_to_trust(name)
        added = Grants(flags.network, flags.model, folders, install=flags.install, packages=tuple(flags.packages))
        granted = skills.trust(skill, added)
    print_message(f"folder: {printable(str(skill.directory_path))}")
    print_data(f"trusted {printable(name)} with its current files, granting {grants_text(granted)}")
    return ExitCode.DONE


def ask_for_trust(skills: SkillService, plan: PlanJson) -> None:
    """On a terminal, asks about each untrusted skill of the plan.

    A declined one fails when it runs.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    for skill in skills.list_untrusted(plan):
        requested = grants_text(skills.declared_grants(skill))
        print_message(
            f"The skill {printable(skill.name)} came with the project: {printable(str(skill.directory_path))}"
        )
        if typer.confirm(f"Trust this skill with its current files, granting {requested}?", default=False, err=True):
            skills.trust(skill)


def distrust_skill(name: str) -> int:
    """Revokes the trust. Raises InputError for an unknown name."""
    with app_session(load_cli_settings()) as app:
        SkillService(app.skills).distrust(name)
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


def trust_words(name: str, grants: Grants) -> list[str]:
    """Returns the words after `aeon skill trust` that grant this to a skill."""
    words = ["--allow-network"] if grants.network else []
    words += ["--allow-model"] if grants.model else []
    words += ["--allow-install"] if grants.install else []
    words += [word for each in grants.packages for word in ("--with", each)]
    words += [word for folder in grants.write for word in ("--allow-write", str(folder))]
    return [shlex.quote(printable(word)) for word in (name, *words)]


def grants_text(grants: Grants) -> str:
    """Returns what is granted, in words."""
    parts = ["the network"] if grants.network else []
    parts += ["the model"] if grants.model else []
    parts += ["the installation of its packages"] if grants.install else []
    parts += [f"the package {each}" for each in grants.packages]
    parts += [f"write access to {folder}" for folder in grants.write]
    return ", ".join(parts) or "nothing beyond its own folders"

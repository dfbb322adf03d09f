"""`aeon skill install`, `update`, `pin`, `unpin` and `remove`."""

from collections.abc import Sequence

from aeon.application.skills import SkillService
from aeon.base.errors import AeonError, InputError
from aeon.cli.confirmation import confirm
from aeon.cli.console import print_data, print_error, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.session import app_session, load_cli_settings
from aeon.cli.skills.trust_commands import grants_text, trust_words
from aeon.cli.text import printable

_DIGEST_SHOWN = 12


def install_skills(source: str, names: Sequence[str], commit: str, *, in_project: bool) -> int:
    """Installs skills and prints their folders. Raises InputError, SkillError."""
    with app_session(load_cli_settings()) as app:
        for skill in SkillService(app.skills).install(source, names, commit, in_project=in_project):
            print_data(printable(str(skill.directory_path)))
            print_message(f"installed {printable(skill.name)}: {printable(skill.description[:200])}")
    return ExitCode.DONE


def update_skills(names: Sequence[str], ref: str, *, is_confirmed: bool) -> int:
    """Fetches installed skills again, all that are not pinned by default, and prints what changed.

    Of several, those that cannot be updated do not keep the others from it. Raises InputError, SkillError for one.
    """
    if ref and len(names) != 1:
        raise InputError("--commit is for one skill.", next_step="Name it: aeon skill update NAME --commit REF")
    with app_session(load_cli_settings()) as app:
        skills = SkillService(app.skills)
        chosen = names or skills.list_updatable()
        if len(chosen) == 1:
            _update(skills, chosen[0], ref, is_confirmed=is_confirmed)
            return ExitCode.DONE
        updated = [_is_updated(skills, name, is_confirmed=is_confirmed) for name in chosen]
    return ExitCode.DONE if all(updated) else ExitCode.FAILED


def _is_updated(skills: SkillService, name: str, *, is_confirmed: bool) -> bool:
    """Updates one of several skills; prints why it could not."""
    try:
        _update(skills, name, "", is_confirmed=is_confirmed)
    except AeonError as error:
        print_error(error)
        return False
    return True


def _update(skills: SkillService, name: str, ref: str, *, is_confirmed: bool) -> None:
    installer = skills.installer_of(name)
    if installer.has_changes(name):
        confirm(
            f"The files of the skill {name} in {installer.folder / name} were changed since it was installed. "
            "This discards the changes.",
            is_confirmed=is_confirmed,
        )
    before, after, ended = skills.update(name, ref)
    at = f" (at {printable(after.ref)})" if after.ref else ""
    print_data(f"{printable(name)} {_change(before.digest, after.digest)}{at}")
    if ended is not None:
        print_message(
            f"You trusted the old files of {printable(name)}, granting {grants_text(ended)}; that has "
            f"ended. To grant it again: aeon skill trust {' '.join(trust_words(name, ended))}",
            "note: ",
        )


def _change(before: str, after: str) -> str:
    if before == after:
        return "is unchanged"
    return f"changed: {before[:_DIGEST_SHOWN]} -> {after[:_DIGEST_SHOWN]}"


def pin_skill(name: str, *, is_pinned: bool) -> int:
    """Keeps an installed skill as it is, or lets it be updated again. Raises InputError."""
    with app_session(load_cli_settings()) as app:
        SkillService(app.skills).installer_of(name).pin(name, is_pinned=is_pinned)
    print_data(f"{printable(name)} is {'pinned' if is_pinned else 'no longer pinned'}")
    return ExitCode.DONE


def remove_skill(name: str, *, is_confirmed: bool) -> int:
    """Removes an installed skill. Raises InputError if data of the user would be lost without a confirmation."""
    with app_session(load_cli_settings()) as app:
        installer = SkillService(app.skills).installer_of(name)
        if installer.has_user_files(name):
            confirm(f"This deletes your data and settings of the skill {name}.", is_confirmed=is_confirmed)
        installer.remove(name)
    print_data(f"removed {printable(name)}")
    return ExitCode.DONE

"""`aeon skill install`, `update`, `pin`, `unpin` and `remove`."""

from collections.abc import Sequence

from aeon.application.skills import SkillService
from aeon.cli.confirmation import confirm
from aeon.cli.console import print_data, print_message
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


def update_skills(names: Sequence[str]) -> int:
    """Fetches installed skills again, all that are not pinned by default, and prints what changed."""
    with app_session(load_cli_settings()) as app:
        for before, after, ended in SkillService(app.skills).update(names):
            change = "is unchanged"
            if before.digest != after.digest:
                change = f"changed: {before.digest[:_DIGEST_SHOWN]} -> {after.digest[:_DIGEST_SHOWN]}"
            print_data(f"{printable(after.name)} {change}")
            if ended is not None:
                print_message(
                    f"You trusted the old files of {printable(after.name)}, granting {grants_text(ended)}; that has "
                    f"ended. To grant it again: aeon skill trust {' '.join(trust_words(after.name, ended))}",
                    "note: ",
                )
    return ExitCode.DONE


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

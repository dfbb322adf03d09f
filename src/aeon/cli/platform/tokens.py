"""`aeon serve token`: makes, lists and revokes the tokens of programs."""

from aeon.application.access import Credential
from aeon.base.errors import InputError
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import printable
from aeon.platform.access.model import Scope


def create_token(name: str, scope: Scope, days: float, user: str) -> int:
    """Make a token and print its secret, which nobody can read again. Raises RuleError."""
    with workspace_session(user) as workspace:
        issued = workspace.access.new_token(user, name, scope=scope, days=days)
    print_data(issued.secret)
    print_message("it is not shown again; programs send it as: Authorization: Bearer TOKEN", "note: ")
    return ExitCode.DONE


def list_tokens(user: str, *, output: OutputFormat) -> int:
    """Print the user's tokens without their secrets."""
    with workspace_session(user) as workspace:
        found = workspace.access.list_tokens(user)
    if print_as(output, [each.as_dict() for each in found], key="id"):
        return ExitCode.DONE
    rows = [
        (printable(each.name or ""), each.scope, each.expires_at, each.used_at or "never", each.id) for each in found
    ]
    print_table(("NAME", "SCOPE", "EXPIRES", "USED", "ID"), rows)
    return ExitCode.DONE


def delete_token(name: str, user: str) -> int:
    """Revoke a token, given by its name or its id. Raises NotFoundError, and InputError if several have the name."""
    with workspace_session(user) as workspace:
        named = [each for each in workspace.access.list_tokens(user) if name in (each.name, each.id)]
        workspace.access.revoke(_single(name, named), user)
    print_message("revoked")
    return ExitCode.DONE


def _single(name: str, found: list[Credential]) -> str:
    if len(found) > 1:
        ids = ", ".join(each.id for each in found)
        raise InputError(f"{len(found)} tokens have the name {name!r}.", next_step=f"Name one by its id: {ids}.")
    return found[0].id if found else name

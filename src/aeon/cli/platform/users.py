"""`aeon serve user`: the users of a project's record, their roles, and the identities by which they sign in."""

from shlex import quote

from aeon.application.users import Account, AccountChange, Identity, Role
from aeon.base.errors import InputError
from aeon.cli import session
from aeon.cli.confirmation import confirm
from aeon.cli.console import print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.listing import print_whether_more
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import printable


def list_users(user: str, *, after: str | None, limit: int, output: OutputFormat) -> int:
    """Print the users by name. Raises RuleError for an invalid cursor."""
    with workspace_session(user) as workspace:
        page = workspace.users.list(after=after, limit=limit)
    print_whether_more(page)
    if print_as(output, [each.as_dict() for each in page.items]):
        return ExitCode.DONE
    rows = [(printable(each.name), each.role, _state(each), each.created_at[:19]) for each in page.items]
    print_table(("NAME", "ROLE", "STATE", "SINCE"), rows)
    return ExitCode.DONE


def show_user(name: str, user: str, *, output: OutputFormat) -> int:
    """Print a user with their identities. Raises UnknownUserError."""
    with workspace_session(user) as workspace:
        account, identities = workspace.users.get(name), workspace.users.list_identities(name)
    if print_as(output, {**account.as_dict(), "identities": [each.as_dict() for each in identities]}):
        return ExitCode.DONE
    rows = [
        ("name", printable(name)),
        ("role", account.role),
        ("state", _state(account)),
        ("weight", str(account.weight)),
    ]
    rows += [("signs in as", printable(f"{each.subject} of {each.issuer}")) for each in identities]
    print_table(("WHAT", "VALUE"), rows)
    return ExitCode.DONE


def create_user(name: str, role: Role, user: str) -> int:
    """Add a user. Raises RuleError, and ConflictError if there is one of that name."""
    with workspace_session(user) as workspace:
        workspace.users.create(name, role)
    print_message(f"added; print a link that signs them in: aeon serve link --user {printable(quote(name))}")
    return ExitCode.DONE


def disable_user(name: str, user: str, *, is_confirmed: bool) -> int:
    """Let a user in no longer. Raises UnknownUserError, and RuleError for a user who would lock themself out."""
    with workspace_session(user) as workspace:
        workspace.users.get(name)
    confirm(f"All sessions and tokens of {printable(name)} end for good.", is_confirmed=is_confirmed)
    return change_user(name, AccountChange(enabled=False), user)


def change_user(name: str, change: AccountChange, user: str) -> int:
    """Change a user.

    Raises InputError if nothing is to change, UnknownUserError, and RuleError for a user who would lock themself out.
    """
    if change == AccountChange():
        raise InputError("There is nothing to change.", next_step="Give --role or --weight.")
    with workspace_session(user) as workspace:
        account = workspace.users.change(name, change)
    weight = f", weight {account.weight}" if account.weight != 1 else ""
    print_message(f"{printable(name)}: {account.role}, {_state(account)}{weight}")
    return ExitCode.DONE


def link_user(name: str, subject: str, issuer: str | None, user: str) -> int:
    """Let a user sign in as an identity of a provider. Raises UnknownUserError, ConflictError and InputError."""
    identity = Identity(_issuer(issuer), subject)
    with workspace_session(user) as workspace:
        workspace.users.link(name, identity)
    print_message("linked")
    return ExitCode.DONE


def unlink_user(name: str, subject: str, issuer: str | None, user: str) -> int:
    """Let a user no longer sign in as an identity of a provider. Raises NotFoundError and InputError."""
    identity = Identity(_issuer(issuer), subject)
    with workspace_session(user) as workspace:
        workspace.users.unlink(name, identity)
    print_message("unlinked; their sessions go on: `aeon serve user disable` ends them")
    return ExitCode.DONE


def _issuer(given: str | None) -> str:
    found = given or session.load_cli_settings().settings.server.oidc_issuer
    if found is None:
        raise InputError("No provider is set.", next_step="Give --issuer URL, or set server.oidc_issuer.")
    return found


def _state(account: Account) -> str:
    return "enabled" if account.enabled else "disabled"

"""`aeon uses` and `aeon audit`: who depends on what, and who did what."""

import re

from aeon.base.errors import InputError
from aeon.base.json import Json
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.entities import repository_of
from aeon.cli.platform.session import platform_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable
from aeon.platform.ledger import ChainHead


def show_uses(kind: str, name: str, user: str, *, as_json: bool) -> int:
    """What uses a thing, one a line. Raises InputError for an unknown kind, NotFoundError."""
    with platform_session(user) as platform:
        shelf = repository_of(platform, kind)
        found = shelf.find(user, name)
        found_uses = shelf.list_uses(user, found.id)
    if as_json:
        print_data(indented_json([use._asdict() for use in found_uses]))
        return ExitCode.DONE
    for use in found_uses:
        print_data(printable(f"{use.kind} {use.name or '(not shared)'} of {use.owner_id or 'another user'}"))
    print_message(f"{len(found_uses)} use(s)")
    return ExitCode.DONE


def list_audit_entries(user: str, *, as_json: bool) -> int:
    """The user's audit entries, oldest first."""
    with platform_session(user) as platform:
        entries: list[Json] = list(platform.catalog.ledger.audit_log(user))
    if as_json:
        print_data(indented_json(entries))
        return ExitCode.DONE
    for entry in entries:
        said = f"{entry['seq']} {entry['at'][:19]} {entry['action']} by {entry['actorId']} {entry['details']}"
        print_data(one_line(printable(said), COLUMNS))
    return ExitCode.DONE


def verify_audit_log(user: str, since: str | None, *, as_json: bool) -> int:
    """Whether the user's trail is whole; exit code 1 when it is not. Raises InputError for a `since` that is none."""
    noted = _parse_checkpoint(since) if since else None
    with platform_session(user) as platform:
        head = platform.catalog.ledger.chain_head(user)
        problem = platform.catalog.ledger.verify_audit_log(user, noted)
    end = f"{head.seq}:{head.hash}"
    if as_json:
        print_data(indented_json({"user": user, "whole": problem is None, "problem": problem, "head": end}))
    elif problem is None:
        print_data(f"the trail of {printable(user)} is whole")
        print_message(f"it ends at {end}; noted elsewhere, --since tells one day whether its end was taken off")
    else:
        print_data(f"the trail of {printable(user)}: {problem}")
    return ExitCode.DONE if problem is None else ExitCode.FAILED


def _parse_checkpoint(text: str) -> ChainHead:
    seq, _, hash_ = text.partition(":")
    if not seq.isdecimal() or not re.fullmatch(r"[0-9a-f]{64}", hash_):
        raise InputError(f"{text!r} is not the end of a trail.", next_step="Give SEQ:HASH, as this command says it.")
    return ChainHead(int(seq), hash_)

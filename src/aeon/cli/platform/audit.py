"""`aeon tool uses` and `aeon store audit`: what depends on an item, and who did what."""

import re

from aeon.application.audit import ChainHead
from aeon.base.errors import InputError
from aeon.base.json import Json
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.listing import print_whether_more
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable


def show_uses(kind: str, name: str, user: str, *, as_json: bool) -> int:
    """Print what uses an item, one per line. Raises InputError for an unknown kind, NotFoundError."""
    with workspace_session(user) as workspace:
        references = workspace.catalog.of_kind(kind).list_uses(name)
    if as_json:
        print_data(indented_json([reference._asdict() for reference in references]))
        return ExitCode.DONE
    for reference in references:
        owner = reference.owner_id or "another user"
        print_data(printable(f"{reference.kind} {reference.name or '(not shared)'} of {owner}"))
    print_message(f"{len(references)} use(s)")
    return ExitCode.DONE


def list_audit_entries(user: str, *, after: str | None, limit: int, as_json: bool) -> int:
    """Print the user's audit entries, oldest first. Raises RuleError for an invalid cursor."""
    with workspace_session(user) as workspace:
        page = workspace.audit.list_entries(after=after, limit=limit)
    print_whether_more(page)
    if as_json:
        print_data(indented_json(list[Json](page.items)))
        return ExitCode.DONE
    for entry in page.items:
        line = f"{entry['seq']} {entry['at'][:19]} {entry['action']} by {entry['actorId']} {entry['details']}"
        print_data(one_line(printable(line), COLUMNS))
    return ExitCode.DONE


def verify_audit_log(user: str, since: str | None, *, as_json: bool) -> int:
    """Verify the user's audit log; exit code 1 if it was changed. Raises InputError for an invalid `since`."""
    checkpoint = _parse_checkpoint(since) if since else None
    with workspace_session(user) as workspace:
        head, problem = workspace.audit.verify(checkpoint)
    end = f"{head.seq}:{head.hash}"
    if as_json:
        print_data(indented_json({"user": user, "whole": problem is None, "problem": problem, "head": end}))
    elif problem is None:
        print_data(f"the audit log of {printable(user)} is intact")
        print_message(f"it ends at {end}; keep it elsewhere, and give it to --since later to detect a truncated log")
    else:
        print_data(f"the audit log of {printable(user)}: {problem}")
    return ExitCode.DONE if problem is None else ExitCode.FAILED


def _parse_checkpoint(text: str) -> ChainHead:
    seq, _, hash_ = text.partition(":")
    if not seq.isdecimal() or not re.fullmatch(r"[0-9a-f]{64}", hash_):
        raise InputError(
            f"{text!r} is not the end of an audit log.",
            next_step="Give SEQ:HASH, as `aeon store audit verify` prints it.",
        )
    return ChainHead(int(seq), hash_)

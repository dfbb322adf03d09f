"""`aeon tool uses` and `aeon store audit`: what depends on an item, and who did what."""

import re

from aeon.application.audit import ChainHead
from aeon.base.errors import InputError
from aeon.base.json import parse_strict, readable_json
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.listing import print_whether_more
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import indented_json, printable


def show_uses(kind: str, name: str, user: str, *, output: OutputFormat) -> int:
    """Print what uses an item, one per line. Raises InputError for an unknown kind, NotFoundError."""
    with workspace_session(user) as workspace:
        references = workspace.catalog.of_kind(kind).list_uses(name)
    if print_as(output, [reference._asdict() for reference in references]):
        return ExitCode.DONE
    rows = [(each.kind, each.name or "(not shared)", each.owner_id or "another user") for each in references]
    print_table(("KIND", "NAME", "OWNER"), rows, f"nothing uses {printable(name)}")
    return ExitCode.DONE


def list_audit_entries(user: str, *, after: str | None, limit: int, output: OutputFormat) -> int:
    """Print the user's audit entries, newest first. Raises RuleError for an invalid cursor."""
    with workspace_session(user) as workspace:
        page = workspace.audit.page_newest(after=after, limit=limit)
    print_whether_more(page)
    entries = [{**each, "details": parse_strict(each["details"])} for each in page.items]
    if print_as(output, entries, key="seq"):
        return ExitCode.DONE
    rows = [(e["seq"], e["at"][:19], e["action"], e["actorId"], readable_json(e["details"])) for e in entries]
    print_table(("NUMBER", "AT", "ACTION", "BY", "DETAILS"), rows, "nothing of yours was changed yet")
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

"""`aeon uses` and `aeon audit`: who depends on what, and who did what."""

import re

from aeon.base.errors import InputError
from aeon.base.json import Json
from aeon.cli.codes import Code
from aeon.cli.platform.kinds import shelf_of
from aeon.cli.platform.opening import opened
from aeon.cli.say import put, say
from aeon.cli.text import COLUMNS, clean, one_line, pretty
from aeon.platform.audit import Head


def show_uses(kind: str, name: str, user: str, *, as_json: bool) -> int:
    """What uses a thing, one a line. Raises InputError for an unknown kind, NotFoundError."""
    with opened(user) as platform:
        shelf = shelf_of(platform, kind)
        found = shelf.find(user, name)
        found_uses = shelf.users_of(user, found.id)
    if as_json:
        put(pretty([use._asdict() for use in found_uses]))
        return Code.DONE
    for use in found_uses:
        put(clean(f"{use.kind} {use.name or '(not shared)'} of {use.owner_id or 'another user'}"))
    say(f"{len(found_uses)} use(s)")
    return Code.DONE


def list_trail(user: str, *, as_json: bool) -> int:
    """The user's audit entries, oldest first."""
    with opened(user) as platform:
        entries: list[Json] = list(platform.catalog.ledger.trail(user))
    if as_json:
        put(pretty(entries))
        return Code.DONE
    for entry in entries:
        said = f"{entry['seq']} {entry['at'][:19]} {entry['action']} by {entry['actorId']} {entry['details']}"
        put(one_line(clean(said), COLUMNS))
    return Code.DONE


def verify_trail(user: str, since: str | None, *, as_json: bool) -> int:
    """Whether the user's trail is whole; exit code 1 when it is not. Raises InputError for a `since` that is none."""
    noted = _noted(since) if since else None
    with opened(user) as platform:
        head = platform.catalog.ledger.head(user)
        problem = platform.catalog.ledger.verify(user, noted)
    end = f"{head.seq}:{head.hash}"
    if as_json:
        put(pretty({"user": user, "whole": problem is None, "problem": problem, "head": end}))
    elif problem is None:
        put(f"the trail of {clean(user)} is whole")
        say(f"it ends at {end}; noted elsewhere, --since tells one day whether its end was taken off")
    else:
        put(f"the trail of {clean(user)}: {problem}")
    return Code.DONE if problem is None else Code.FAILED


def _noted(text: str) -> Head:
    seq, _, hash_ = text.partition(":")
    if not seq.isdecimal() or not re.fullmatch(r"[0-9a-f]{64}", hash_):
        raise InputError(f"{text!r} is not the end of a trail.", next_step="Give SEQ:HASH, as this command says it.")
    return Head(int(seq), hash_)

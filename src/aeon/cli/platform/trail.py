"""`aeon uses` and `aeon audit`: who depends on what, and who did what."""

from typing import Any

from aeon.base.errors import InputError
from aeon.base.json import Json
from aeon.cli.codes import Code
from aeon.cli.platform.opening import opened
from aeon.cli.say import put, say
from aeon.cli.text import COLUMNS, clean, one_line, pretty
from aeon.platform.catalog.catalog import Catalog


def show_uses(kind: str, name: str, user: str, *, as_json: bool) -> int:
    """What uses a thing, one a line. Raises InputError for an unknown kind, NotFoundError."""
    with opened(user) as platform:
        shelf = _shelf(platform.catalog, kind)
        found = shelf.by_name(user, name) or shelf.get(user, name)
        found_uses = shelf.users_of(user, found.id)
    if as_json:
        put(pretty([use._asdict() for use in found_uses]))
        return Code.DONE
    for use in found_uses:
        put(clean(f"{use.kind} {use.name or '(not shared)'} of {use.owner_id}"))
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


def verify_trail(user: str, *, as_json: bool) -> int:
    """Whether the user's trail is whole; exit code 1 when it is not."""
    with opened(user) as platform:
        problem = platform.catalog.ledger.verify(user)
    if as_json:
        put(pretty({"user": user, "whole": problem is None, "problem": problem}))
    else:
        put(f"the trail of {clean(user)} is whole" if problem is None else f"the trail of {clean(user)}: {problem}")
    return Code.DONE if problem is None else Code.FAILED


def _shelf(catalog: Catalog, kind: str) -> Any:
    shelves = {
        "service": catalog.services,
        "secret": catalog.secrets,
        "tool": catalog.tools,
        "serviceTemplate": catalog.service_templates,
        "toolTemplate": catalog.tool_templates,
    }
    if kind not in shelves:
        raise InputError(f"There is no kind {kind!r}.", next_step=f"Name one of {', '.join(shelves)}.")
    return shelves[kind]

"""The page of the audit log: newest first, by kind and by words, and whether any entry was changed (platform 19)."""

from typing import Annotated, Final, NamedTuple, cast

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from aeon.base.json import JsonObject, parse_strict
from aeon.server.auth.caller import SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.pages import page

router = APIRouter(route_class=QuickRoute, include_in_schema=False)

_PAGE: Final = 50

KINDS: Final = (
    "alert",
    "conversation",
    "credential",
    "entity",
    "fact",
    "knowledge",
    "link",
    "metric",
    "note",
    "process",
    "request",
    "run",
    "schedule",
    "secret",
    "service",
    "serviceTemplate",
    "session",
    "summary",
    "token",
    "tool",
    "toolTemplate",
    "user",
    "webhook",
    "worker",
)
"""What entries are about: the first word of their actions."""


class ShownEntry(NamedTuple):
    """An entry of the log: what was done with which thing, by whom, from where, and what else is known."""

    number: int
    at: str
    action: str
    name: str
    subject: str
    actor: str
    owner: str
    origin: JsonObject
    details: JsonObject
    hash: str


@router.get("/audit")
async def list_entries(
    caller: SignedIn,
    request: Request,
    kind: Annotated[str, Query(max_length=40)] = "",
    words: Annotated[str, Query(max_length=200)] = "",
    before: Annotated[int | None, Query(ge=1, le=10**15)] = None,
    verify: bool = False,
) -> Response:
    """The user's audit log; the address says which part of it. With `verify`, whether any entry was changed."""
    audit = caller.workspace.audit

    def read() -> dict[str, object]:
        found = audit.list_newest(kind=kind, words=words, before=before, limit=_PAGE)
        return {
            "rows": [_shown(each) for each in found.entries],
            "before": found.before,
            "is_newest": before is None and not verify,
            "kinds": KINDS,
            "chosen": {"kind": kind, "words": words},
            "verdict": audit.verify() if verify else None,
        }

    return await page(caller, request, "audit.html", await caller.state.call(read))


def _shown(entry: JsonObject) -> ShownEntry:
    known = cast(JsonObject, parse_strict(entry["details"]))
    origin = cast(JsonObject, known.pop("origin", {}))
    return ShownEntry(
        entry["seq"],
        entry["at"],
        entry["action"],
        str(known.pop("name", None) or ""),
        entry["subject"],
        entry["actorId"],
        entry["ownerId"],
        origin,
        known,
        entry["hash"],
    )

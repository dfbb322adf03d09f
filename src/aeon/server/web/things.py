"""Lists of stored things, and what can be done with each: rename, share, enable, delete (platform 1 to 7)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, NamedTuple, cast

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from aeon.application.catalog import AnyEntities
from aeon.application.entities import DEFAULTS_OWNER
from aeon.application.entity_texts import save_text, write_text
from aeon.application.text_faults import CheckedText, InvalidTextError
from aeon.application.workspace import Workspace
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.platform.catalog.model import OwnedEntity, Secret, Service
from aeon.server.auth.caller import Caller, SignedIn
from aeon.server.edge.problems import status_of
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.errors import shown_error
from aeon.server.web.forms import Key, Version, key_of, normalized
from aeon.server.web.pages import go_to, language_of, page
from aeon.server.web.texts import text

_PAGE: Final = 50

_MAX_TEXT: Final = 1_000_000

_EDITED: Final = ("tools", "services")
"""The kinds that this module has an editor for."""


@dataclass(frozen=True)
class ThingKind:
    """A kind of stored things: the first part of its addresses, and the service for it."""

    path: str
    service: Callable[[Workspace], AnyEntities]


KINDS: Final = (
    ThingKind("processes", lambda own: own.processes),
    ThingKind("tools", lambda own: own.tools),
    ThingKind("services", lambda own: own.services),
    ThingKind("secrets", lambda own: own.secrets),
)


class ListedThing(NamedTuple):
    """A thing in a list; `source` says whose it is, and is empty for the user's own."""

    id: str
    name: str
    about: str
    source: str
    status: str
    is_enabled: bool
    is_shared: bool


def _things_router() -> APIRouter:
    """What all kinds have: a list, changes, deletion."""
    router = APIRouter(route_class=QuickRoute, include_in_schema=False)
    for kind in KINDS:
        _add_list(router, kind)
        _add_changes(router, kind)
    for kind in KINDS:
        if kind.path in _EDITED:
            _add_editor(router, kind)
    return router


def source_of(owner: str, user: str) -> str:
    """Whose a thing is: empty for the user's own, else the name of its owner."""
    return "" if owner == user else "Aeon" if owner == DEFAULTS_OWNER else owner


def _add_list(router: APIRouter, kind: ThingKind) -> None:
    async def list_things(
        caller: SignedIn,
        request: Request,
        q: Annotated[str, Query(max_length=200)] = "",
        owner: Literal["all", "own", "shared"] = "all",
        after: str | None = None,
    ) -> Response:
        service = kind.service(caller.workspace)
        found = await caller.state.call(lambda: service.list(owner=owner, prefix=q, after=after, limit=_PAGE))
        rows = [_listed(each, caller.user) for each in found.items]
        values = {"kind": kind, "rows": rows, "prefix": q, "owner": owner, "next": found.next_cursor}
        return await page(caller, request, "things.html", values)

    router.add_api_route(f"/{kind.path}", list_things, methods=["GET"])


def _add_changes(router: APIRouter, kind: ThingKind) -> None:
    async def change(
        thing: str,
        caller: SignedIn,
        version: Version,
        key: Key,
        name: Annotated[str | None, Form(max_length=200)] = None,
        shared: Annotated[bool | None, Form()] = None,
        enabled: Annotated[bool | None, Form()] = None,
    ) -> Response:
        given: JsonObject = {"name": name, "shared": shared, "enabled": enabled}
        wanted: JsonObject = {field: value for field, value in given.items() if value is not None}
        service = kind.service(caller.workspace)
        once = key_of(key, str(wanted))
        changed = await caller.state.call(lambda: service.change(thing, wanted, key=once, expected_version=version))
        return go_to(f"/{kind.path}/{changed.id}")

    async def ask_to_delete(thing: str, caller: SignedIn, request: Request) -> Response:
        language, service = language_of(request), kind.service(caller.workspace)

        def read() -> dict[str, object]:
            found = service.get(thing)
            uses = [f"{each.kind} {each.name or ''}".strip() for each in service.list_uses(thing)]
            return {
                "heading": text(language, "delete_this", name=found.name),
                "lines": [text(language, "used_by", names=", ".join(uses))] if uses else [],
                "action": f"/{kind.path}/{found.id}/delete",
                "button": text(language, "delete"),
                "back": f"/{kind.path}/{found.id}",
                "version": found.version,
            }

        return await page(caller, request, "confirm.html", await caller.state.call(read))

    async def delete(thing: str, caller: SignedIn, version: Version, key: Key) -> Response:
        service = kind.service(caller.workspace)
        await caller.state.call(lambda: service.remove(thing, key=key_of(key), expected_version=version))
        return go_to(f"/{kind.path}")

    router.add_api_route(f"/{kind.path}/{{thing}}/change", change, methods=["POST"])
    router.add_api_route(f"/{kind.path}/{{thing}}/delete", ask_to_delete, methods=["GET"])
    router.add_api_route(f"/{kind.path}/{{thing}}/delete", delete, methods=["POST"])


def _add_editor(router: APIRouter, kind: ThingKind) -> None:
    async def show(caller: Caller, request: Request, sent: "_Sent", problem: AeonError | None) -> Response:
        values = {
            "thing": sent.thing,
            "base": f"/{kind.path}/{sent.thing.id}",
            "text": sent.text,
            "version": sent.version,
            "checked": CheckedText(problem.faults) if isinstance(problem, InvalidTextError) else None,
            "problem": None if problem is None else shown_error(problem),
        }
        return await page(caller, request, "text-editor.html", values, 200 if problem is None else status_of(problem))

    async def edit(thing: str, caller: SignedIn, request: Request) -> Response:
        service = kind.service(caller.workspace)
        found = await caller.state.call(lambda: service.get(thing))
        return await show(caller, request, _Sent(found, write_text(found), found.version), None)

    async def save(
        thing: str,
        caller: SignedIn,
        request: Request,
        version: Version,
        key: Key,
        content: Annotated[str, Form(max_length=_MAX_TEXT)] = "",
    ) -> Response:
        service, typed = kind.service(caller.workspace), normalized(content)
        found = await caller.state.call(lambda: service.get(thing))
        once = key_of(key, typed)
        try:
            await caller.state.call(lambda: save_text(service, found.id, typed, key=once, expected_version=version))
        except AeonError as error:
            return await show(caller, request, _Sent(found, typed, found.version), error)
        return go_to(f"/{kind.path}/{found.id}")

    router.add_api_route(f"/{kind.path}/{{thing}}/edit", edit, methods=["GET"])
    router.add_api_route(f"/{kind.path}/{{thing}}/edit", save, methods=["POST"])


class _Sent(NamedTuple):
    """A thing, the text of the editor's form, and the version that saving it again would replace."""

    thing: OwnedEntity
    text: str
    version: int


def _listed(found: OwnedEntity, user: str) -> ListedThing:
    about = found.type if isinstance(found, Service | Secret) else cast(Any, found).description
    is_enabled, status = getattr(found, "enabled", True), getattr(found, "status", "")
    if getattr(found, "is_unchecked", False):
        status = "unchecked"
    return ListedThing(
        found.id, found.name, about, source_of(found.owner_id, user), status, is_enabled, is_shared=found.shared
    )


router: Final = _things_router()

"""The pages of secrets: written and rotated, and never read again (platform 3)."""

from typing import Annotated, Final
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from aeon.application.input_fields import read_fields
from aeon.application.secrets import SECRET_FIELDS, SecretType, value_fields
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.platform.catalog.model import Secret
from aeon.server.auth.caller import Caller, SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.errors import ShownError, shown_error
from aeon.server.web.forms import Key, Typed, Version, key_of, shown_fields
from aeon.server.web.pages import go_to, page
from aeon.server.web.things import source_of

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/secrets")

_DEFAULT: Final = "api_key"


@router.get("/new")
async def begin(caller: SignedIn, request: Request, kind: SecretType = _DEFAULT) -> Response:
    """The form for a secret of a type."""
    return await _form(caller, request, kind)


@router.post("/new")
async def create(
    caller: SignedIn,
    request: Request,
    kind: Annotated[SecretType, Form()],
    name: Annotated[str, Form(max_length=200)],
    key: Key,
    typed: Typed,
) -> Response:
    """Create a secret; on an error the form comes back with its name, and without its values."""
    new: JsonObject = {"name": name, "type": kind, "value": _value(kind, typed)}
    try:
        made = await caller.state.call(lambda: caller.workspace.secrets.add(new, key=key_of(key)))
    except AeonError as error:
        return await _form(caller, request, kind, name, shown_error(error))
    return go_to(f"/secrets/{made.id}")


@router.get("/{secret}")
async def show(secret: str, caller: SignedIn, request: Request) -> Response:
    """What is known of a secret, which tools use it, and the form for another value."""
    return await _show(caller, request, secret)


@router.post("/{secret}/rotate")
async def rotate(secret: str, caller: SignedIn, request: Request, version: Version, key: Key, typed: Typed) -> Response:
    """Give a secret another value."""
    secrets = caller.workspace.secrets

    def work() -> Secret:
        value = _value(secrets.get(secret).type, typed)
        return secrets.rotate(secret, value, key=key_of(key), expected_version=version)

    try:
        await caller.state.call(work)
    except AeonError as error:
        return await _show(caller, request, secret, shown_error(error))
    return go_to(f"/secrets/{quote(secret, safe='')}")


async def _form(
    caller: Caller, request: Request, kind: SecretType, name: str = "", problem: ShownError | None = None
) -> Response:
    fields = shown_fields(value_fields(kind))
    values = {"kinds": list(SECRET_FIELDS), "kind": kind, "name": name, "fields": fields, "problem": problem}
    return await page(caller, request, "secret-new.html", values, 200 if problem is None else problem.status)


async def _show(caller: Caller, request: Request, secret: str, problem: ShownError | None = None) -> Response:
    secrets = caller.workspace.secrets

    def read() -> dict[str, object]:
        found = secrets.get(secret)
        return {
            "secret": found,
            "source": source_of(found.owner_id, caller.user),
            "uses": secrets.list_uses(secret),
            "fields": shown_fields(value_fields(found.type)),
            "problem": problem,
        }

    status = 200 if problem is None else problem.status
    return await page(caller, request, "secret.html", await caller.state.call(read), status)


def _value(kind: SecretType, typed: dict[str, str]) -> JsonObject:
    """The value that was typed; what an empty field is worth, its type says."""
    return read_fields(value_fields(kind), typed).values

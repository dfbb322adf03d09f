"""The pages of tools and services: health, a test call, the secret that a tool uses, trust (platform 3 to 6)."""

from typing import Annotated, Final
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from aeon.application.input_fields import fields_of_schema, read_fields
from aeon.application.workspace import Workspace
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.platform.catalog.model import Secret, Tool
from aeon.platform.errors import NotFoundError
from aeon.server.auth.caller import Caller, SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.errors import shown_error
from aeon.server.web.forms import Key, Typed, Version, key_of, shown_fields
from aeon.server.web.pages import go_to, page
from aeon.server.web.things import source_of

router = APIRouter(route_class=QuickRoute, include_in_schema=False)

_INVALID: Final = 422
_CHOICES: Final = 200
"""The most secrets that can be chosen from."""


@router.post("/tools/health")
async def check_health(caller: SignedIn) -> Response:
    """Check the services of the user's tools now."""
    await caller.state.call(caller.workspace.health.check)
    return go_to("/tools")


@router.get("/tools/{tool}")
async def show_tool(tool: str, caller: SignedIn, request: Request) -> Response:
    """A tool: what it does, its health, its secret, and a form that calls it."""
    return await _show(caller, request, tool, {})


@router.post("/tools/{tool}/call")
async def call(tool: str, caller: SignedIn, request: Request, typed: Typed) -> Response:
    """Call a tool with what was typed, with its effects; the page shows what it returned."""
    tools = caller.workspace.tools
    fields = fields_of_schema((await caller.state.call(lambda: tools.get(tool))).input_schema)
    arguments, faults = read_fields(fields, typed)
    sent: dict[str, object] = {"fields": shown_fields(fields, typed, faults)}
    if faults:
        return await _show(caller, request, tool, sent, _INVALID)
    try:
        result = await caller.state.call(lambda: tools.call(tool, arguments))
    except AeonError as error:
        problem = shown_error(error)
        return await _show(caller, request, tool, {**sent, "problem": problem}, problem.status)
    return await _show(caller, request, tool, {**sent, "result": result})


@router.post("/tools/{tool}/secret")
async def choose_secret(
    tool: str, caller: SignedIn, version: Version, key: Key, secret: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """Let a tool use a secret of the user for their calls, or none any more."""
    tools, secrets = caller.workspace.tools, caller.workspace.secrets
    once = key_of(key, secret)

    def work() -> None:
        found = tools.get(tool)
        if found.owner_id == caller.user:
            change: JsonObject = {"secretId": secrets.get_own(secret).id if secret else None}
            tools.change(tool, change, key=once, expected_version=version)
        elif secret:
            tools.bind(found.id, secret, key=once)
        else:
            tools.unbind(found.id, key=once)

    await caller.state.call(work)
    return go_to(f"/tools/{quote(tool, safe='')}")


@router.post("/tools/{tool}/trust")
async def trust(tool: str, caller: SignedIn, version: Version, key: Key) -> Response:
    """Allow another user's tool, in the version that the page showed, in the user's plans."""
    tools = caller.workspace.tools
    await caller.state.call(lambda: tools.trust(tool, key=key_of(key), expected_version=version))
    return go_to(f"/tools/{quote(tool, safe='')}")


@router.post("/tools/{tool}/distrust")
async def distrust(tool: str, caller: SignedIn, key: Key) -> Response:
    """Remove another user's tool from the user's plans."""
    await caller.state.call(lambda: caller.workspace.tools.distrust(tool, key=key_of(key)))
    return go_to(f"/tools/{quote(tool, safe='')}")


@router.get("/services/{service}")
async def show_service(service: str, caller: SignedIn, request: Request) -> Response:
    """A service: its connection, its limits, its health, the tools that use it."""
    services = caller.workspace.services

    def read() -> dict[str, object]:
        found = services.get(service)
        source = source_of(found.owner_id, caller.user)
        return {"service": found, "source": source, "uses": services.list_uses(service)}

    return await page(caller, request, "service.html", await caller.state.call(read))


async def _show(caller: Caller, request: Request, tool: str, sent: dict[str, object], status: int = 200) -> Response:
    """The page of a tool; `sent` has the fields of a call as they were sent, and its result or problem."""
    own = caller.workspace

    def read() -> dict[str, object]:
        found = own.tools.get(tool)
        consent = None if found.owner_id == caller.user else own.tools.consent(found)
        return {
            "tool": found,
            "source": source_of(found.owner_id, caller.user),
            "service": _service_name(own, found),
            "consent": consent,
            "secret": _own_secret(own, found) if consent is None else consent.secret,
            "secrets": [each.name for each in own.secrets.list(owner="own", limit=_CHOICES).items],
            "uses": own.tools.list_uses(tool),
            "totals": own.tools.token_totals(found) if found.operation.type == "llm_call" else None,
            "fields": shown_fields(fields_of_schema(found.input_schema)),
            "result": None,
            "problem": None,
            **sent,
        }

    return await page(caller, request, "tool.html", await caller.state.call(read), status)


def _service_name(own: Workspace, tool: Tool) -> str | None:
    """The name of a tool's service; None if the user may not see it."""
    try:
        return own.services.get(tool.service_id).name
    except NotFoundError:
        return None


def _own_secret(own: Workspace, tool: Tool) -> Secret | None:
    """The secret that a tool of the user's own uses."""
    return own.secrets.get(tool.secret_id) if tool.secret_id else None

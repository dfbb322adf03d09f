"""What tools have besides other stored things: calls, bindings, trust, health (platform 3 to 6)."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from aeon.server.auth.caller import SignedIn
from aeon.server.rest.answers import PREFIX, PROBLEM, Asked, EachTime, listed, thing
from aeon.server.rest.route import RestRoute

router = APIRouter(route_class=RestRoute, prefix=PREFIX, tags=["tools"], responses=dict(PROBLEM))


class Call(BaseModel):
    """What a tool gets."""

    model_config = ConfigDict(extra="forbid")

    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])


class SecretChoice(BaseModel):
    """Which secret of yours another user's tool uses for you."""

    model_config = ConfigDict(extra="forbid")

    secret: str = Field(min_length=1, max_length=200)


class OpenApiImportBody(BaseModel):
    """An OpenAPI document as a text, and how it is imported; `isDry` changes nothing."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=1_000_000)
    name: str | None = Field(default=None, max_length=200, description="The service's; by default from the title.")
    server: str | None = Field(default=None, max_length=2000, description="Replaces the servers of the document.")
    only: list[str] = Field(default_factory=list[str], description="Patterns of names and paths of operations.")
    tags: list[str] = Field(default_factory=list[str])
    secret: str | None = Field(default=None, max_length=200, description="The name of one of your secrets.")
    pages: int | None = Field(default=None, ge=1, le=1000, description="The most pages that a tool for a list gets.")
    allow_private: bool = Field(default=False, alias="allowPrivate")
    allow_insecure: bool = Field(default=False, alias="allowInsecure")
    is_dry: bool = Field(default=False, alias="isDry")


@router.post("/tools/import")
async def import_openapi(document: OpenApiImportBody, caller: SignedIn) -> JSONResponse:
    """Make a service and a tool for each operation of an OpenAPI document, or update them.

    All faults of the document are reported at once, and nothing is changed then. `skipped` has the operations that
    cannot be tools, with the reason; `needs` the secrets that are missing; `vanished` the tools that the document does
    not have any more.
    """
    tools = caller.workspace.tools
    done = await caller.state.call(lambda: tools.import_openapi(**document.model_dump()))
    return thing(done.as_dict())


@router.post("/tools/{name}/call", dependencies=[EachTime])
async def call(name: str, given: Call, caller: SignedIn) -> JSONResponse:
    """Call a tool, with its effects; the call is in the audit log."""
    done = await caller.state.call(lambda: caller.workspace.tools.call(name, given.arguments))
    return thing({**done._asdict(), "usage": None if done.usage is None else done.usage._asdict()})


@router.put("/tools/{tool}/binding")
async def bind(tool: str, binding: SecretChoice, caller: SignedIn, asked: Asked) -> JSONResponse:
    """Use your own secret for another user's shared tool."""
    bound = await caller.state.call(lambda: caller.workspace.tools.bind(tool, binding.secret, key=asked.key))
    return thing(bound.as_dict(), bound.version, change=asked)


@router.delete("/tools/{tool}/binding", status_code=204)
async def unbind(tool: str, caller: SignedIn, asked: Asked) -> Response:
    """Take your secret away from another user's tool."""
    await caller.state.call(lambda: caller.workspace.tools.unbind(tool, key=asked.key))
    return Response(status_code=204, headers=asked.headers)


@router.put("/tools/{name}/trust")
async def trust(name: str, caller: SignedIn, asked: Asked) -> JSONResponse:
    """Allow another user's tool, as it is now, in your plans."""
    tools = caller.workspace.tools
    await caller.state.call(lambda: tools.trust(name, key=asked.key, expected_version=asked.expected))
    found = await caller.state.call(lambda: tools.get(name))
    return thing(found.as_dict(), found.version, change=asked)


@router.delete("/tools/{name}/trust", status_code=204)
async def distrust(name: str, caller: SignedIn, asked: Asked) -> Response:
    """Remove another user's tool from your plans."""
    await caller.state.call(lambda: caller.workspace.tools.distrust(name, key=asked.key))
    return Response(status_code=204, headers=asked.headers)


@router.post("/tools/health")
async def check_health(caller: SignedIn) -> JSONResponse:
    """Check the services of your tools now; all tools with their health."""
    found = await caller.state.call(caller.workspace.health.check)
    return listed(
        [
            {
                "tool": each.tool.name,
                "id": each.tool.id,
                "status": each.tool.status,
                "error": each.tool.error_message,
                "service": None if each.service is None else each.service.name,
                "since": each.since,
            }
            for each in found
        ]
    )

"""What webhooks have besides other stored things: a secret that is shown once (platform 47)."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from aeon.application.webhooks import CreatedWebhook
from aeon.base.json import JsonObject
from aeon.platform.runs.model import Priority
from aeon.platform.webhooks.model import SigningScheme
from aeon.server.auth.caller import SignedIn
from aeon.server.rest.answers import PREFIX, PROBLEM, Asked, thing
from aeon.server.rest.route import RestRoute

router = APIRouter(route_class=RestRoute, prefix=PREFIX, tags=["webhooks"], responses=dict(PROBLEM))


class WebhookStart(BaseModel):
    """A webhook to create. `process` and `secret` are names or ids; without a secret, one is generated."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200)
    process: str = Field(min_length=1, max_length=200)
    scheme: SigningScheme = "standard"
    secret: str | None = Field(default=None, max_length=200)
    input: str | None = Field(default=None, max_length=200, description="The input that gets the whole event.")
    enabled: bool = True
    priority: Priority = "normal"


class Rotation(BaseModel):
    """How a secret is replaced; the old one counts for a day if `keepOld`."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    keeps_old: bool = Field(default=True, alias="keepOld")


@router.post("/webhooks", status_code=201)
async def create(new: WebhookStart, caller: SignedIn, asked: Asked) -> JSONResponse:
    """Create a webhook. The answer alone has the secret that was generated; events go to its `path`."""
    webhooks = caller.workspace.webhooks
    made = await caller.state.call(lambda: webhooks.create(new.model_dump(), key=asked.key))
    location = f"/webhooks/{made.webhook.id}"
    return thing(_with_secret(made), made.webhook.version, status=201, location=location, change=asked)


@router.post("/webhooks/{name}/rotate")
async def rotate(name: str, caller: SignedIn, asked: Asked, wish: Rotation | None = None) -> JSONResponse:
    """Generate a new secret, which the answer alone has."""
    webhooks, keeps_old = caller.workspace.webhooks, wish is None or wish.keeps_old
    made = await caller.state.call(
        lambda: webhooks.rotate(name, keeps_old=keeps_old, key=asked.key, expected_version=asked.expected)
    )
    return thing(_with_secret(made), made.webhook.version, change=asked)


def _with_secret(made: CreatedWebhook) -> JsonObject:
    return {**made.webhook.as_dict(), "path": made.webhook.path, "secret": made.secret}

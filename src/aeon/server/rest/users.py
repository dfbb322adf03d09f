"""The users of the record, for operators: their roles, whether they are let in, and their identities (platform 31)."""

from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from aeon.application.users import Account, AccountChange, Identity
from aeon.base.json import Json, JsonObject
from aeon.server.auth.caller import Caller, UserOperator
from aeon.server.rest.answers import PREFIX, PROBLEM, Asked, Cursor, Limit, page, thing
from aeon.server.rest.route import RestRoute

router = APIRouter(route_class=RestRoute, prefix=PREFIX, tags=["users"], responses=dict(PROBLEM))


class NewUser(BaseModel):
    """A user to add."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200)
    role: Literal["user", "operator"] = "user"


class UserChange(BaseModel):
    """What to change of a user. A disabled one is not let in: their sessions, links and tokens end for good."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "operator"] | None = None
    enabled: bool | None = None
    weight: int | None = Field(default=None, ge=1, le=100, description="the share of the jobs that busy workers take")


class UserIdentity(BaseModel):
    """As whom an OpenID provider knows a user: its issuer, and the `sub` that it gives them."""

    model_config = ConfigDict(extra="forbid")

    issuer: str = Field(min_length=1, max_length=1000)
    subject: str = Field(min_length=1, max_length=255)


@router.get("/users")
async def list_users(caller: UserOperator, cursor: Cursor = None, limit: Limit = 50) -> JSONResponse:
    """All users by name."""
    users = caller.workspace.users
    return page(await caller.state.call(lambda: users.list(after=cursor, limit=limit)), _as_json)


@router.post("/users", status_code=201)
async def create_user(new: NewUser, caller: UserOperator, asked: Asked) -> JSONResponse:
    """Add a user."""
    users = caller.workspace.users
    made = await caller.state.call(lambda: users.create(new.name, new.role, key=asked.key))
    return thing(made.as_dict(), made.version, status=201, location=f"/users/{quote(made.name, safe='')}", change=asked)


@router.get("/users/{user}")
async def get_user(user: str, caller: UserOperator) -> JSONResponse:
    """One user, with the identities by which they sign in."""
    account = await caller.state.call(lambda: caller.workspace.users.get(user))
    return thing(await caller.state.call(lambda: _described(caller, account)), account.version)


@router.patch("/users/{user}")
async def change_user(user: str, change: UserChange, caller: UserOperator, asked: Asked) -> JSONResponse:
    """Change a user's role, whether they are let in, or their share of busy workers."""
    users, wanted = caller.workspace.users, AccountChange(change.role, change.enabled, change.weight)
    changed = await caller.state.call(
        lambda: users.change(user, wanted, key=asked.key, expected_version=asked.expected)
    )
    return thing(changed.as_dict(), changed.version, change=asked)


@router.post("/users/{user}/identities", status_code=201)
async def link_user(user: str, identity: UserIdentity, caller: UserOperator, asked: Asked) -> JSONResponse:
    """Let a user sign in as an identity of a provider."""
    users, found = caller.workspace.users, Identity(identity.issuer, identity.subject)
    await caller.state.call(lambda: users.link(user, found, key=asked.key))
    return thing(found.as_dict(), status=201, change=asked)


@router.delete("/users/{user}/identities", status_code=204)
async def unlink_user(
    user: str,
    issuer: Annotated[str, Query(min_length=1, max_length=1000)],
    subject: Annotated[str, Query(min_length=1, max_length=255)],
    caller: UserOperator,
    asked: Asked,
) -> Response:
    """Let a user no longer sign in as an identity; their sessions go on."""
    users, found = caller.workspace.users, Identity(issuer, subject)
    await caller.state.call(lambda: users.unlink(user, found, key=asked.key))
    return Response(status_code=204, headers=asked.headers)


def _described(caller: Caller, account: Account) -> JsonObject:
    identities = caller.workspace.users.list_identities(account.name)
    return {**account.as_dict(), "identities": list[Json](each.as_dict() for each in identities)}


def _as_json(account: Account) -> Json:
    return account.as_dict()

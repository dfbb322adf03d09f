"""The page of the users of the record, for operators: who there is, added, let in or not, with their role."""

from typing import Annotated, Final

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from aeon.application.users import AccountChange, Role
from aeon.base.errors import AeonError
from aeon.server.auth.caller import Caller, UserOperator
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.errors import ShownError, shown_error
from aeon.server.web.forms import Key, Version, key_of
from aeon.server.web.pages import go_to, page

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/users")

_PAGE: Final = 50

UserName = Annotated[str, Form(max_length=200)]


@router.get("")
async def list_users(caller: UserOperator, request: Request, after: str | None = None) -> Response:
    """All users by name, and the form for another one."""
    return await _show(caller, request, after=after)


@router.post("")
async def create(
    caller: UserOperator, request: Request, name: UserName, key: Key, role: Annotated[Role, Form()] = "user"
) -> Response:
    """Add a user."""
    users = caller.workspace.users
    try:
        await caller.state.call(lambda: users.create(name, role, key=key_of(key, f"{role} {name}")))
    except AeonError as error:
        return await _show(caller, request, problem=shown_error(error))
    return go_to("/users")


@router.post("/change")
async def change(
    caller: UserOperator,
    request: Request,
    user: UserName,
    version: Version,
    key: Key,
    enabled: Annotated[bool | None, Form()] = None,
    role: Annotated[Role | None, Form()] = None,
) -> Response:
    """Let a user in or not, or change their role. A disabled user's sessions, links and tokens end for good."""
    users, wanted = caller.workspace.users, AccountChange(role, enabled)
    once = key_of(key, f"{user} {wanted}")
    try:
        await caller.state.call(lambda: users.change(user, wanted, key=once, expected_version=version))
    except AeonError as error:
        return await _show(caller, request, problem=shown_error(error))
    return go_to("/users")


@router.get("/change")
async def go_back(_: UserOperator) -> Response:
    """Lead to the list: a refused form leaves this address in the browser."""
    return go_to("/users")


async def _show(
    caller: Caller, request: Request, *, after: str | None = None, problem: ShownError | None = None
) -> Response:
    users = caller.workspace.users
    found = await caller.state.call(lambda: users.list(after=after, limit=_PAGE))
    values = {"owner": caller.state.owner, "users": found.items, "next": found.next_cursor, "problem": problem}
    return await page(caller, request, "users.html", values, 200 if problem is None else problem.status)

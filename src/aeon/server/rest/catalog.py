"""Stored things of every kind, from services and secrets to schedules, alerts and webhooks (platform 1 to 7)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict

from aeon.application.catalog import AnyEntities
from aeon.application.workspace import Workspace
from aeon.base.json import Json, JsonObject
from aeon.platform.alerts.model import Alert, AlertChange, NewAlert
from aeon.platform.catalog import model
from aeon.platform.processes.model import NewProcess, Process, ProcessChange
from aeon.platform.schedules.model import NewSchedule, ProcessSchedule, ScheduleChange
from aeon.platform.webhooks.model import NewWebhook, Webhook, WebhookChange
from aeon.server.auth.caller import SignedIn
from aeon.server.rest.answers import PREFIX, PROBLEM, Asked, Cursor, Limit, listed, page, thing
from aeon.server.rest.route import RestRoute

Name = Annotated[str, Query(max_length=200, description="Only names that begin with it.")]


@dataclass(frozen=True)
class Kind:
    """A kind of stored things: its path, what is kept of one, and how it is created and changed."""

    path: str
    title: str
    record: type[model.OwnedEntity]
    service: Callable[[Workspace], AnyEntities]
    new: type[BaseModel]
    change: type[BaseModel]
    has_own_creation: bool = False
    """Whether another module creates it, with an answer of its own."""

    @property
    def one(self) -> str:
        """One of the kind in a sentence: a tool, an alert."""
        return f"{'an' if self.title[0] in 'aeiou' else 'a'} {self.title}"


KINDS = (
    Kind("services", "service", model.Service, lambda own: own.services, model.NewService, model.ServiceChange),
    Kind("secrets", "secret", model.Secret, lambda own: own.secrets, model.NewSecret, model.SecretChange),
    Kind("tools", "tool", model.Tool, lambda own: own.tools, model.NewTool, model.ToolChange),
    Kind(
        "service-templates",
        "service template",
        model.ServiceTemplate,
        lambda own: own.catalog.of_kind("serviceTemplate"),
        model.NewServiceTemplate,
        model.TemplateChange,
    ),
    Kind(
        "tool-templates",
        "tool template",
        model.ToolTemplate,
        lambda own: own.catalog.of_kind("toolTemplate"),
        model.NewToolTemplate,
        model.TemplateChange,
    ),
    Kind("processes", "Process", Process, lambda own: own.processes, NewProcess, ProcessChange),
    Kind("schedules", "schedule", ProcessSchedule, lambda own: own.schedules, NewSchedule, ScheduleChange),
    Kind("alerts", "alert", Alert, lambda own: own.alerts, NewAlert, AlertChange),
    Kind("webhooks", "webhook", Webhook, lambda own: own.webhooks, NewWebhook, WebhookChange, has_own_creation=True),
)


def _catalog_router() -> APIRouter:
    """The operations that all kinds have: list, create, read, change, delete, uses."""
    router = APIRouter(route_class=RestRoute, prefix=PREFIX, responses=dict(PROBLEM))
    for kind in KINDS:
        _add_reading(router, kind)
        _add_changing(router, kind)
    return router


def _add_reading(router: APIRouter, kind: Kind) -> None:
    async def list_things(
        caller: SignedIn,
        owner: Literal["all", "own", "shared"] = "all",
        prefix: Name = "",
        archived: Annotated[bool, Query(description="Archived templates, too.")] = False,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> JSONResponse:
        service = kind.service(caller.workspace)
        return page(
            await caller.state.call(
                lambda: service.list(owner=owner, prefix=prefix, archived=archived, after=cursor, limit=limit)
            ),
            _as_json,
        )

    async def get_thing(name: str, caller: SignedIn) -> JSONResponse:
        return _one(await caller.state.call(lambda: kind.service(caller.workspace).get(name)))

    async def list_uses(name: str, caller: SignedIn) -> JSONResponse:
        found = await caller.state.call(lambda: kind.service(caller.workspace).list_uses(name))
        return listed([{"kind": e.kind, "ownerId": e.owner_id, "id": e.id, "name": e.name} for e in found])

    path, tags = f"/{kind.path}", [kind.path]
    own = f"Your own by name, then those that others share, of the kind {kind.title}."
    _add(router, "GET", path, list_things, f"List: {kind.title}", own, tags)
    _add(router, "GET", path + "/{name}", get_thing, f"Read {kind.one}", "By its name or its id.", tags)
    _add(
        router,
        "GET",
        path + "/{name}/uses",
        list_uses,
        f"What uses {kind.one}",
        "What you may not see has no name.",
        tags,
    )


def _add_changing(router: APIRouter, kind: Kind) -> None:
    async def create(new: Any, caller: SignedIn, asked: Asked) -> JSONResponse:
        made = await caller.state.call(lambda: kind.service(caller.workspace).add(new, key=asked.key))
        return thing(made.as_dict(), made.version, status=201, location=f"/{kind.path}/{made.id}", change=asked)

    async def change(name: str, change: Any, caller: SignedIn, asked: Asked) -> JSONResponse:
        service = kind.service(caller.workspace)
        changed = await caller.state.call(
            lambda: service.change(name, change, key=asked.key, expected_version=asked.expected)
        )
        return thing(changed.as_dict(), changed.version, change=asked)

    async def delete(name: str, caller: SignedIn, asked: Asked) -> Response:
        service = kind.service(caller.workspace)
        await caller.state.call(lambda: service.remove(name, key=asked.key, expected_version=asked.expected))
        return Response(status_code=204, headers=asked.headers)

    create.__annotations__["new"] = _body(kind.new)
    change.__annotations__["change"] = _body(kind.change)
    path, tags = f"/{kind.path}", [kind.path]
    if not kind.has_own_creation:
        _add(router, "POST", path, create, f"Create {kind.one}", "All faults are reported at once.", tags, status=201)
    _add(router, "PATCH", path + "/{name}", change, f"Change {kind.one}", "Fields that are not given stay.", tags)
    _add(
        router,
        "DELETE",
        path + "/{name}",
        delete,
        f"Delete {kind.one}",
        "409 says what still uses it.",
        tags,
        status=204,
    )


def _body(record: type[BaseModel]) -> type[BaseModel]:
    """A record as a body: built at once, else pydantic warns of the alias that FastAPI gives a body."""
    return type(record.__name__, (record,), {"model_config": ConfigDict(defer_build=False), "__doc__": record.__doc__})


def _add(  # an operation has as many parts
    router: APIRouter,
    method: str,
    path: str,
    endpoint: Callable[..., Any],
    summary: str,
    description: str,
    tags: list[str],
    *,
    status: int = 200,
) -> None:
    operation = (
        f"{method.lower()}_{path.strip('/').replace('/', '_').replace('-', '_').replace('{', '').replace('}', '')}"
    )
    router.add_api_route(
        path,
        endpoint,
        methods=[method],
        summary=summary,
        description=description,
        operation_id=operation,
        status_code=status,
        tags=list(tags),
        response_model=None,
    )


def _as_json(found: model.OwnedEntity) -> Json:
    return found.as_dict()


def _one(found: model.OwnedEntity) -> JSONResponse:
    data: JsonObject = found.as_dict()
    return thing(data, found.version)


router: Final = _catalog_router()

"""Adds the page to a server."""

from typing import Final

from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from aeon.server.edge.routes import add_routes
from aeon.server.web import (
    access,
    active_entities,
    audit,
    charts,
    conversations,
    documents,
    erasing,
    jobs,
    knowledge,
    knowledge_changes,
    messages,
    models,
    processes,
    runs,
    secrets,
    settings,
    skills,
    things,
    tokens,
    tools,
    triggers,
    users,
)
from aeon.server.web.errors import show_errors_as_pages
from aeon.server.web.pages import FOLDER

_PAGES: Final = (
    access,
    conversations,
    active_entities,
    erasing,
    knowledge,
    knowledge_changes,
    messages,
    runs,
    processes,
    triggers,
    tools,
    secrets,
    documents,
    models,
    settings,
    skills,
    audit,
    charts,
    tokens,
    users,
    jobs,
    things,
)


def mount_web(app: FastAPI) -> None:
    """Add the page to an application whose errors are handled already."""
    for each in _PAGES:
        add_routes(app, each.router)
    app.add_api_route("/favicon.ico", _icon, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=FOLDER / "static"))
    show_errors_as_pages(app)


async def _icon() -> FileResponse:
    """The icon, for answers without HTML that could name it."""
    return FileResponse(FOLDER / "static" / "icon.svg")

"""A web endpoint that streams the events of a run, and cancels it when the client leaves.

It needs FastAPI (pip install fastapi uvicorn) and the Process of process_from_python.py:
`uvicorn examples.fastapi_stream:app`, then `curl -N localhost:8000/release/1.2`.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from aeon import Project
from aeon.application.run_follower import EntryUpdate


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
    """The project of the current folder, open while the server runs."""
    async with Project.open(getattr(app.state, "folder", ".")) as project:
        app.state.project = project
        yield


app = FastAPI(lifespan=lifespan)


@app.get("/release/{version}")
async def release(version: str) -> StreamingResponse:
    """Start a run of the Process `release`; its events come as JSON lines."""
    project: Project = app.state.project
    run = await project.in_thread(project.runs.start, "release", {"version": version})
    return StreamingResponse(events(project, run.id), media_type="application/x-ndjson")


async def events(project: Project, run: str) -> AsyncGenerator[str]:
    """The events of a run, a JSON line each.

    The run is cancelled when the reader leaves before the last event.
    """
    is_over = False
    try:
        async for update in project.stream(project.runs.follow(run)):
            if isinstance(update, EntryUpdate):
                yield json.dumps({"run": update.run, **update.entry.as_dict()}) + "\n"
        is_over = True
    finally:
        if not is_over:  # not awaited: this task is cancelled itself
            asyncio.get_running_loop().run_in_executor(None, project.runs.cancel, run)

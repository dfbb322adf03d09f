"""The record as a whole: search, documents to apply, jobs, workers, metrics, the audit log (platform 10, 17 to 19)."""

from collections.abc import AsyncGenerator
from typing import Annotated, Literal, cast

import anyio
from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from aeon.application.documents import ApplyStep
from aeon.application.jobs import DeadJob, OpenJob
from aeon.base.json import Json, JsonObject
from aeon.server.auth.caller import Caller, RecordReader, SignedIn, WorkerReader
from aeon.server.edge.streams import CHECK_EVERY, StreamEvent, resume_point, stream
from aeon.server.rest.answers import PREFIX, PROBLEM, Asked, Cursor, Limit, listed, page, thing
from aeon.server.rest.route import RestRoute

router = APIRouter(route_class=RestRoute, prefix=PREFIX, responses=dict(PROBLEM))

Words = Annotated[str, Query(min_length=1, max_length=1000, description="Words of what is searched.")]


class Documents(BaseModel):
    """YAML documents, as `aeon apply` reads them; `isDry` changes nothing."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=1_000_000)
    is_dry: bool = Field(default=False, alias="isDry")


@router.get("/search", tags=["search"])
async def search(q: Words, caller: SignedIn, kind: Annotated[str | None, Query(max_length=40)] = None) -> JSONResponse:
    """Stored things whose names or descriptions have the words, best first."""
    found = await caller.state.call(lambda: caller.workspace.catalog.search(q, kind))
    return listed(
        [
            {
                "kind": each.kind,
                "id": each.id,
                "name": each.name,
                "ownerId": each.owner_id,
                "description": each.description,
                "score": each.score,
            }
            for each in found
        ]
    )


@router.get("/search/messages", tags=["search"])
async def search_messages(q: Words, caller: SignedIn, limit: Limit = 20) -> JSONResponse:
    """Titles, messages and answers that have the words, on every branch (platform 26)."""
    found = await caller.state.call(lambda: caller.workspace.conversations.search(q, limit=limit))
    return listed([each.as_dict() for each in found])


@router.post("/apply", tags=["record"])
async def apply(documents: Documents, caller: SignedIn) -> JSONResponse:
    """Create and change what documents describe: all of it, or nothing if there is any fault."""
    service = caller.workspace.documents
    steps = await caller.state.call(lambda: service.apply(documents.text, is_dry=documents.is_dry))
    return listed([_step(each) for each in steps])


@router.get("/jobs", tags=["jobs"])
async def list_jobs(
    caller: RecordReader,
    queue: Annotated[str | None, Query(max_length=40)] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> JSONResponse:
    """What your open runs wait for, the longest wait first."""
    jobs, queues = caller.workspace.jobs, [] if queue is None else [queue]
    return page(await caller.state.call(lambda: jobs.list_open(queues, after=cursor, limit=limit)), OpenJob._asdict)


@router.get("/jobs/dead", tags=["jobs"])
async def list_dead_jobs(caller: RecordReader, cursor: Cursor = None, limit: Limit = 50) -> JSONResponse:
    """Your jobs that failed permanently, newest first."""
    runs = caller.workspace.past_runs
    return page(await caller.state.call(lambda: runs.list_dead_jobs(after=cursor, limit=limit)), DeadJob.as_dict)


@router.post("/jobs/dead/{job}/retry", tags=["jobs"], status_code=202)
async def retry_dead_job(job: str, caller: SignedIn, asked: Asked) -> JSONResponse:
    """Retry the run of a dead job."""
    own = caller.workspace
    dead = await caller.state.call(lambda: own.jobs.find_retryable(job))
    again = await caller.state.call(lambda: own.runs.retry(dead.run_id, key=asked.key))
    return thing(again.as_dict(), status=202, location=f"/runs/{again.id}", change=asked)


@router.get("/workers", tags=["jobs"])
async def list_workers(caller: WorkerReader) -> JSONResponse:
    """All workers, for operators; those without a recent heartbeat are offline."""
    return listed([each.as_dict() for each in await caller.state.call(caller.workspace.jobs.list_workers)])


@router.get("/metrics", tags=["metrics"])
async def list_metrics(caller: SignedIn) -> JSONResponse:
    """All metrics."""
    return listed([each.as_dict() for each in await caller.state.call(caller.workspace.metrics.list_all)])


@router.get("/metrics/{name}", tags=["metrics"])
async def summarize_metric(
    name: str,
    caller: RecordReader,
    scope: Literal["service", "tool", "process"] | None = None,
    entity: Annotated[str | None, Query(max_length=200)] = None,
    since: Annotated[str | None, Query(max_length=40)] = None,
    by: Annotated[str | None, Query(max_length=100)] = None,
) -> JSONResponse:
    """A metric's values, aggregated; `by` divides them by a dimension."""
    metrics = caller.workspace.metrics
    found = await caller.state.call(lambda: metrics.summarize(name, scope, entity=entity, since=since, by=by))
    return thing(found.as_dict())


@router.get("/audit", tags=["audit"])
async def list_audit_entries(caller: RecordReader, cursor: Cursor = None, limit: Limit = 50) -> JSONResponse:
    """All changes to your things, and your changes to other users' things, oldest first."""
    audit = caller.workspace.audit
    return page(await caller.state.call(lambda: audit.list_entries(after=cursor, limit=limit)), _same)


@router.get("/audit/events", tags=["audit"], response_class=Response)
async def follow_changes(
    request: Request, caller: SignedIn, after: Annotated[int | None, Query(ge=0)] = None
) -> Response:
    """Each change to your things as it happens, from whatever process: for lists that stay current (platform 32).

    An event is an entry of the audit log under its number. `after` or `Last-Event-ID` resumes, `after=0` begins with
    the first change; without either, the stream begins now. It ends when its reader is signed out or the server stops.
    """
    newest = await caller.state.call(caller.workspace.audit.last_number) if after is None else after
    return stream(caller.state, caller.reader, _changes(caller, resume_point(request, newest)))


@router.get("/audit/verify", tags=["audit"])
async def verify_audit_log(caller: RecordReader) -> JSONResponse:
    """Whether any entry of your audit log was changed."""
    verdict = await caller.state.call(caller.workspace.audit.verify)
    return thing({"seq": verdict.head.seq, "hash": verdict.head.hash, "problem": verdict.problem})


async def _changes(caller: Caller, after: int) -> AsyncGenerator[StreamEvent | None]:
    audit = caller.workspace.audit
    while True:
        found = await caller.state.call(lambda place=after: audit.read_on(place))
        for entry in found:
            after = cast(int, entry["seq"])
            yield StreamEvent("change", entry, after)
        if not found:
            yield None
            await anyio.sleep(CHECK_EVERY)


def _same(entry: JsonObject) -> Json:
    return entry


def _step(step: ApplyStep) -> JsonObject:
    return {
        "action": step.action,
        "kind": step.document.kind,
        "name": step.document.name,
        "fields": [*step.fields],
        "affects": [*step.affects],
        "differences": [*step.differences],
        "breaks": [*step.breaks],
        "warnings": [f"{each.path}: {each.message}" for each in step.warnings],
    }

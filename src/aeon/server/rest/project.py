"""What only operators may do: skills, models and settings of the project's folder (platform 31)."""

from collections.abc import AsyncGenerator
from typing import Any, Final

import anyio
from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from aeon.application.models import WeightsDownload
from aeon.application.skills import Cancellation, UntrustedSkillError
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.server.auth.caller import Caller, FolderOperator
from aeon.server.edge.problems import HttpError, problem_of
from aeon.server.edge.stopping import cancelled_at_stop
from aeon.server.edge.streams import END, StreamEvent, stream
from aeon.server.rest.answers import PREFIX, PROBLEM, EachTime, listed, thing
from aeon.server.rest.route import RestRoute

router = APIRouter(route_class=RestRoute, prefix=PREFIX, responses=dict(PROBLEM))

_LOOK_EVERY: Final = 0.2
"""Seconds between two looks at a download."""


class ScriptInput(BaseModel):
    """What a script gets: the fields of its `inputSchema`, or the arguments of one without a schema."""

    model_config = ConfigDict(extra="forbid")

    input: dict[str, Any] = Field(default_factory=dict[str, Any])
    args: list[str] = Field(default_factory=list[str], max_length=1000)


class NewSettings(BaseModel):
    """Settings to write into the project's file, by their keys, such as `run.ttl`."""

    model_config = ConfigDict(extra="forbid")

    values: dict[str, Any] = Field(min_length=1, max_length=200)


@router.get("/skills", tags=["skills"])
async def list_skills(caller: FolderOperator) -> JSONResponse:
    """All skills of the project, each with its trust, its grants, and why it cannot be used."""
    skills = caller.state.owned.skills
    return listed(await caller.state.call(lambda: [skills.describe(each) for each in skills.catalog.skills]))


@router.get("/skills/{skill}", tags=["skills"])
async def get_skill(skill: str, caller: FolderOperator) -> JSONResponse:
    """One skill with its scripts and what they take."""
    return thing(await caller.state.call(lambda: _described(caller, skill)))


@router.put("/skills/{skill}/trust", tags=["skills"])
async def trust_skill(skill: str, caller: FolderOperator) -> JSONResponse:
    """Trust a skill with its current files, and grant it what it declares."""
    skills = caller.state.owned.skills
    _require_skill(caller, skill)
    await caller.state.call(lambda: skills.trust(skills.find(skill)))
    return thing(await caller.state.call(lambda: _described(caller, skill)))


@router.delete("/skills/{skill}/trust", tags=["skills"], status_code=204)
async def distrust_skill(skill: str, caller: FolderOperator) -> Response:
    """Trust a skill no longer."""
    _require_skill(caller, skill)
    await caller.state.call(lambda: caller.state.owned.skills.distrust(skill))
    return Response(status_code=204)


@router.post("/skills/{skill}/scripts/{script}/run", tags=["skills"], dependencies=[EachTime])
async def run_script(skill: str, script: str, given: ScriptInput, caller: FolderOperator) -> JSONResponse:
    """Run a script of a skill, isolated as always; the answer is its trace. 409 for a skill that is not trusted."""
    _require_skill(caller, skill)
    async with cancelled_at_stop(caller.state) as cancellation:
        return thing(await caller.state.call(lambda: _run(caller, skill, script, given, cancellation)))


@router.get("/models", tags=["models"])
async def get_models(caller: FolderOperator) -> JSONResponse:
    """Which model is configured and whether it is here; and the models that can be fetched."""
    return thing(await caller.state.call(caller.state.owned.models.describe))


@router.post("/models/{model}/fetch", tags=["models"], response_class=Response)
async def fetch_model(model: str, caller: FolderOperator) -> Response:
    """Fetch the weights of a model; its progress as a stream, then `end`, or `failed` with the problem.

    It goes on if the reader goes away. Nothing is fetched twice: the weights are named by their hash.
    """
    models = caller.state.owned.models
    try:
        download = await caller.state.call(lambda: models.begin_fetch(model))
    except InputError as error:
        raise HttpError(404, error.message, next_step="See GET /api/v1/models.") from None
    return stream(caller.state, caller.reader, _progress(download))


@router.get("/settings", tags=["settings"])
async def get_settings(caller: FolderOperator) -> JSONResponse:
    """Each setting, its value and where it comes from. Settings only name the variables that hold secrets."""
    return thing(await caller.state.call(caller.state.owned.settings.describe))


@router.patch("/settings", tags=["settings"])
async def change_settings(new: NewSettings, caller: FolderOperator) -> JSONResponse:
    """Change the project's file, all or nothing. The server uses the settings once it is started again."""
    settings = caller.state.owned.settings
    await caller.state.call(lambda: settings.set_values(new.values, settings.project_file))
    return thing(await caller.state.call(settings.describe))


def _require_skill(caller: Caller, skill: str) -> None:
    """Raises HttpError if the skill does not exist."""
    if skill not in caller.state.owned.skills.catalog.by_name:
        raise HttpError(404, f"There is no skill {skill[:100]!r}.", next_step="See GET /api/v1/skills.")


def _described(caller: Caller, skill: str) -> JsonObject:
    _require_skill(caller, skill)
    skills = caller.state.owned.skills
    return skills.describe(skills.find(skill))


def _run(caller: Caller, skill: str, script: str, given: ScriptInput, cancellation: Cancellation) -> JsonObject:
    """The trace of a script's run. Raises HttpError if the skill has no such script, or is not trusted."""
    skills = caller.state.owned.skills
    try:
        found = skills.find_script(f"{skill}/{script}")
    except InputError as error:
        raise HttpError(404, error.message) from None
    try:
        result = skills.run_script(found, given.input, given.args, cancellation)
    except UntrustedSkillError:
        advice = "Look at its files, then PUT its trust."
        raise HttpError(409, f"The skill {skill!r} is not trusted.", next_step=advice) from None
    return result.model_dump(mode="json", by_alias=True)


async def _progress(fetch: WeightsDownload) -> AsyncGenerator[StreamEvent | None]:
    shown = None
    while not fetch.is_over:
        latest = fetch.latest
        if latest is not None and latest is not shown:
            shown = latest
            data: dict[str, Json] = {"phase": latest.phase, "done": latest.done, "total": latest.total}
            yield StreamEvent("progress", {**data, "source": latest.source, "reason": latest.reason})
        else:
            yield None
        await anyio.sleep(_LOOK_EVERY)
    if fetch.path is not None:
        yield StreamEvent(END, {"path": str(fetch.path)})
    elif fetch.error is not None:
        yield StreamEvent("failed", problem_of(fetch.error, ""))

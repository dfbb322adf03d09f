"""The page of the model: which one answers, fetching one with its progress, and how to use a model server."""

from collections.abc import Mapping
from typing import Annotated, Final, NamedTuple

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from aeon.application.models import ModelObstacle, ModelService, StoredModel, WeightsDownload, WeightsPhase
from aeon.server.auth.caller import FolderOperator
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.errors import ShownError, shown_error
from aeon.server.web.pages import go_to, page

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/model")

_MEGABYTE: Final = 1_000_000

_PHASES: Final[Mapping[WeightsPhase, str]] = {
    WeightsPhase.WAITING: "fetch_waiting",
    WeightsPhase.TRYING: "fetch_trying",
    WeightsPhase.DOWNLOADING: "fetch_downloading",
    WeightsPhase.JOINING: "fetch_joining",
    WeightsPhase.VERIFYING: "fetch_verifying",
    WeightsPhase.REJECTED: "fetch_rejected",
    WeightsPhase.SOURCE_FAILED: "fetch_source_failed",
    WeightsPhase.DONE: "fetch_verifying",
}
"""The word of each phase of a download."""


class ShownModel(NamedTuple):
    """A model of the catalogue, and its download in this server, if there was one.

    `phase` is the key of a word; `done` and `total` are megabytes, both 0 in phases without a number.
    """

    stored: StoredModel
    size: int
    is_chosen: bool
    is_fetched_now: bool
    phase: str
    source: str
    done: int
    total: int
    problem: ShownError | None


@router.get("")
async def show(caller: FolderOperator, request: Request) -> Response:
    """The model that answers, or why none does; the models of the catalogue, and their downloads."""
    models = caller.state.owned.models

    def read() -> dict[str, object]:
        described, obstacle = models.describe(), models.find_obstacle()
        shown = [_shown(models, each, obstacle) for each in models.list_stored()]
        return {
            "chosen": described["chosen"],
            "obstacle": obstacle,
            "problem": None if obstacle is None else shown_error(obstacle.error),
            "models": shown,
            "is_fetching": any(each.is_fetched_now for each in shown),
            "was_fetched": obstacle is None and any(models.download_of(each.stored.weights.name) for each in shown),
        }

    return await page(caller, request, "model.html", await caller.state.call(read))


@router.post("/fetch")
async def fetch(caller: FolderOperator, model: Annotated[str, Form(max_length=100)]) -> Response:
    """Begin to fetch a model; the page of the model shows its progress. Sending the form twice fetches once."""
    await caller.state.call(lambda: caller.state.owned.models.begin_fetch(model))
    return go_to("/model")


def _shown(models: ModelService, stored: StoredModel, obstacle: ModelObstacle | None) -> ShownModel:
    is_chosen = obstacle is not None and obstacle.missing == stored
    download = models.download_of(stored.weights.name)
    latest = None if download is None else download.latest
    return ShownModel(
        stored,
        stored.weights.size // _MEGABYTE,
        is_chosen,
        download is not None and not download.is_over,
        "fetch_trying" if latest is None else _PHASES[latest.phase],
        "" if latest is None else latest.source,
        0 if latest is None else latest.done // _MEGABYTE,
        0 if latest is None else latest.total // _MEGABYTE,
        _problem_of(download),
    )


def _problem_of(download: WeightsDownload | None) -> ShownError | None:
    return None if download is None or download.error is None else shown_error(download.error)

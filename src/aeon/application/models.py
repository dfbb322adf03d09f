"""`ModelService`: the embedded models of this machine, and their weights."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aeon.base.errors import AeonError, InputError, MissingExtraError, WeightsError
from aeon.base.json import Json, JsonObject
from aeon.base.next_steps import NextStep
from aeon.bootstrap.embedded_models import StoredModel, WeightsPhase, WeightsProgress, stored_models
from aeon.bootstrap.model_choice import ModelChoice, key_variables

if TYPE_CHECKING:
    from aeon.bootstrap.app import App

__all__ = [
    "ModelChoice",
    "ModelObstacle",
    "ModelService",
    "StoredModel",
    "WeightsDownload",
    "WeightsPhase",
    "WeightsProgress",
    "find_runtime_fault",
    "key_variables",
    "stored_models",
]


class ModelObstacle(NamedTuple):
    """Why no model can answer: what is wrong, and the model of the catalogue whose weights have to be fetched first.

    `missing` is None where fetching does not help.
    """

    error: AeonError
    missing: StoredModel | None


def find_runtime_fault() -> MissingExtraError | None:
    """Why no embedded model can run on this machine, whatever its weights; None if one can."""
    from aeon.llm.adapters.llama_runtime import load_llama

    try:
        load_llama()
    except MissingExtraError as error:
        return error
    return None


class WeightsDownload:
    """A fetch of a model's weights in a thread of its own: it goes on if its reader goes away."""

    def __init__(self, fetch: Callable[[Callable[[WeightsProgress], None]], Path], name: str) -> None:
        """Begins `fetch`, which gets the function to report its progress to."""
        self.latest: WeightsProgress | None = None
        """The last progress that was reported."""
        self.path: Path | None = None
        """Where the weights are, once they are there."""
        self.error: AeonError | None = None
        """Why the fetch failed, if it did."""
        self._fetch = fetch
        self._thread = threading.Thread(target=self._run, name=f"fetch {name}", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether there is a path or an error."""
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self.path = self._fetch(self._report)
        except AeonError as error:
            self.error = error

    def _report(self, progress: WeightsProgress) -> None:
        self.latest = progress


class ModelService:
    """The models that can run in this process. They belong to the user of the machine. Threads may share it."""

    def __init__(self, app: "App", environ: Mapping[str, str]) -> None:
        """The caller closes `app`."""
        self._app = app
        self._environ = environ
        self._beginning = threading.Lock()
        self._downloads: dict[str, WeightsDownload] = {}

    def list_stored(self) -> list[StoredModel]:
        """Every model of the catalogue, and whether its weights are on this machine."""
        return stored_models(self._environ)

    def describe(self) -> JsonObject:
        """The model of the settings, or why there is none, and the models of the catalogue; without any key."""
        chosen: JsonObject | None = None
        problem: str | None = None
        try:
            choice = self._app.model_choice()
            chosen = {
                "name": choice.name,
                "provider": choice.provider,
                "baseUrl": choice.base_url,
                "why": choice.why,
                "isEmbedded": choice.is_embedded,
                "isThere": self._is_there(choice),
            }
        except AeonError as error:
            problem = error.message
        stored: list[Json] = [each.as_dict() for each in self.list_stored()]
        return {"chosen": chosen, "problem": problem, "stored": stored}

    def find_obstacle(self) -> ModelObstacle | None:
        """Why no model can answer; None if one can. A model on a server is not asked, and weights are not verified."""
        if self._app.has_own_model:
            return None
        try:
            choice = self._app.model_choice()
        except AeonError as error:
            return ModelObstacle(error, None)
        if self._is_there(choice) is not False:
            return None
        if choice.file is not None:
            return ModelObstacle(WeightsError(f"{choice.file} does not exist.", next_step="Check model.name."), None)
        missing = next(each for each in self.list_stored() if each.weights == choice.weights)
        problem = f"The weights of the model {choice.name!r} are not on this machine."
        return ModelObstacle(
            WeightsError(problem, next_step=NextStep("models.fetch_again", model=choice.name)), missing
        )

    def _is_there(self, choice: ModelChoice) -> bool | None:
        """Whether the weights of an embedded model are here; None for a remote one, which is not asked."""
        if not choice.is_embedded:
            return None
        if choice.weights is None:
            return choice.file is not None and choice.file.is_file()
        return any(each.is_there for each in self.list_stored() if each.weights == choice.weights)

    def fetch(self, name: str | None, report: Callable[[WeightsProgress], None]) -> Path:
        """The path of a model's weights, fetched if they are missing; None is the model of the settings.

        `report` gets the progress. Raises WeightsError, ConfigError.
        """
        return self._app.fetch_weights(name, report)

    def begin_fetch(self, name: str) -> WeightsDownload:
        """Begin to fetch a model of the catalogue; the download that is under way in this process, if there is one.

        Raises InputError for an unknown model.
        """
        if name not in [each.weights.name for each in self.list_stored()]:
            raise InputError(f"There is no model {name[:100]!r} to fetch.", next_step="Choose one of the catalogue.")
        with self._beginning:
            under_way = self._downloads.get(name)
            if under_way is None or under_way.is_over:
                self._downloads[name] = WeightsDownload(lambda report: self.fetch(name, report), name)
            return self._downloads[name]

    def download_of(self, name: str) -> WeightsDownload | None:
        """The last download of a model that this process began."""
        return self._downloads.get(name)

    def get_path(self, name: str | None) -> Path:
        """The path of a model's weights. Raises WeightsError if they are missing, ConfigError."""
        path = self._app.weights_path(name)
        if not path.is_file():
            raise WeightsError(
                f"{path} does not exist.", next_step=NextStep("models.fetch", name=f" {name}" if name else "")
            )
        return path

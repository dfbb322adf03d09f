"""`ModelService`: the embedded models of this machine, and their weights."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from aeon.base.errors import AeonError, WeightsError
from aeon.base.json import Json, JsonObject
from aeon.base.next_steps import NextStep
from aeon.bootstrap.embedded_models import StoredModel, WeightsPhase, WeightsProgress, stored_models
from aeon.bootstrap.model_choice import ModelChoice, key_variables

if TYPE_CHECKING:
    from aeon.bootstrap.app import App

__all__ = [
    "ModelChoice",
    "ModelService",
    "StoredModel",
    "WeightsPhase",
    "WeightsProgress",
    "key_variables",
    "stored_models",
]


class ModelService:
    """The models that can run in this process. They belong to the user of the machine."""

    def __init__(self, app: "App", environ: Mapping[str, str]) -> None:
        """The caller closes `app`."""
        self._app = app
        self._environ = environ

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

    def get_path(self, name: str | None) -> Path:
        """The path of a model's weights. Raises WeightsError if they are missing, ConfigError."""
        path = self._app.weights_path(name)
        if not path.is_file():
            raise WeightsError(
                f"{path} does not exist.", next_step=NextStep("models.fetch", name=f" {name}" if name else "")
            )
        return path

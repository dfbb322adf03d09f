"""`ModelService`: the embedded models of this machine, and their weights."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from aeon.base.errors import WeightsError
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

    def __init__(self, app: "App") -> None:
        """The caller closes `app`."""
        self._app = app

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

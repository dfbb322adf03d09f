"""The composition root: from settings to an `App`. The only room that names adapters."""

from aeon.adapters.weights import Phase, Progress
from aeon.bootstrap.app import App, build
from aeon.bootstrap.choice import ModelChoice, choose_model
from aeon.bootstrap.stored import StoredModel, stored_models

__all__ = ["App", "ModelChoice", "Phase", "Progress", "StoredModel", "build", "choose_model", "stored_models"]

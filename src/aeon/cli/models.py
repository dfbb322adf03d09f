"""`aeon model`: lists the embedded models, downloads their weights, and prints where they are."""

import os

from aeon.application.models import ModelService, StoredModel, stored_models
from aeon.cli.console import print_data
from aeon.cli.exit_codes import ExitCode
from aeon.cli.progress import FetchProgress
from aeon.cli.session import app_session, load_cli_settings
from aeon.cli.text import COLUMNS, indented_json, wrap


def list_models(*, as_json: bool) -> int:
    """Print each model with its size, whether it is fetched, and what it is for."""
    stored = stored_models(os.environ)
    if as_json:
        print_data(indented_json([_as_dict(model) for model in stored]))
        return ExitCode.DONE
    for model in stored:
        state = "fetched" if model.is_there else "not fetched"
        print_data(f"{model.weights.name:<9} {model.weights.size / 1e6:>6,.0f} MB  {state:<12} {model.weights.title}")
        print_data("\n".join(wrap(model.weights.summary, COLUMNS, " " * 10, " " * 10)))
    return ExitCode.DONE


def fetch_model(name: str | None, *, as_json: bool) -> int:
    """Fetch a model's weights if they are missing, and print their path."""
    with app_session(load_cli_settings(), is_quiet=True) as app, FetchProgress() as progress:
        path = ModelService(app).fetch(name, progress)
    print_data(indented_json({"path": str(path)}) if as_json else str(path))
    return ExitCode.DONE


def print_path(name: str | None) -> int:
    """Print the path of a model's weights. Raises WeightsError if they are missing."""
    with app_session(load_cli_settings(), is_quiet=True) as app:
        path = ModelService(app).get_path(name)
    print_data(str(path))
    return ExitCode.DONE


def _as_dict(model: StoredModel) -> dict[str, object]:
    weights = model.weights
    return {
        "name": weights.name,
        "title": weights.title,
        "bytes": weights.size,
        "memory": weights.memory,
        "licence": weights.licence,
        "sha256": weights.sha256,
        "file": str(model.file),
        "fetched": model.is_there,
        "summary": weights.summary,
    }

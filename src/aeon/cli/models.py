"""`aeon model`: lists the embedded models, downloads their weights, and prints where they are."""

import os

from aeon.application.models import ModelService, StoredModel, stored_models
from aeon.base.errors import InputError
from aeon.cli.confirmation import confirm
from aeon.cli.console import print_data
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.progress import FetchProgress
from aeon.cli.session import app_session, load_cli_settings
from aeon.cli.text import indented_json


def list_models(*, output: OutputFormat) -> int:
    """Print each model with its size, whether it is fetched, and what it is for."""
    stored = stored_models(os.environ)
    if print_as(output, [_as_dict(model) for model in stored]):
        return ExitCode.DONE
    rows = [
        (
            model.weights.name,
            f"{model.weights.size / 1e6:,.0f} MB",
            "fetched" if model.is_there else "not fetched",
            f"{model.weights.title}. {model.weights.summary}",
        )
        for model in stored
    ]
    print_table(("NAME", "SIZE", "STATE", "WHAT"), rows)
    return ExitCode.DONE


def fetch_model(name: str | None, *, as_json: bool) -> int:
    """Fetch a model's weights if they are missing, and print their path."""
    with app_session(load_cli_settings(), is_quiet=True) as app, FetchProgress() as progress:
        path = ModelService(app).fetch(name, progress)
    print_data(indented_json({"path": str(path)}) if as_json else str(path))
    return ExitCode.DONE


def remove_model(name: str, *, is_confirmed: bool) -> int:
    """Delete a model's weights from this machine. Raises InputError for an unknown model or one that is not there."""
    by_name = {model.weights.name: model for model in stored_models(os.environ)}
    model = by_name.get(name)
    if model is None or not model.file.exists():
        fetched = [each for each, stored in by_name.items() if stored.is_there]
        raise InputError(
            f"No weights of a model {name!r} are here.", next_step=f"Fetched are: {', '.join(fetched) or 'none'}."
        )
    confirm(f"This deletes {model.file} ({model.weights.size / 1e6:,.0f} MB).", is_confirmed=is_confirmed)
    model.file.unlink()
    print_data(f"deleted {model.file}")
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

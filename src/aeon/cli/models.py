"""`aeon model`: which models can run in this process, getting their weights, finding them."""

import os
from pathlib import Path

from aeon.base.errors import WeightsError
from aeon.bootstrap.stored import StoredModel, stored_models
from aeon.cli.codes import Code
from aeon.cli.progress import FetchProgress
from aeon.cli.say import put
from aeon.cli.session import opened, settings_here
from aeon.cli.text import COLUMNS, pretty, wrapped


def list_models(*, as_json: bool) -> int:
    """The catalogue: size, whether it is fetched, what it is for."""
    stored = stored_models(os.environ)
    if as_json:
        put(pretty([_as_dict(model) for model in stored]))
        return Code.DONE
    for model in stored:
        state = "fetched" if model.is_there else "not fetched"
        put(f"{model.weights.name:<9} {model.weights.size / 1e6:>6,.0f} MB  {state:<12} {model.weights.title}")
        put("\n".join(wrapped(model.weights.summary, COLUMNS, " " * 10, " " * 10)))
    return Code.DONE


def fetch_model(name: str | None, *, as_json: bool) -> int:
    """Fetch the weights of a model unless they are there, and print where they are."""
    with opened(settings_here(), is_quiet=True) as app, FetchProgress() as progress:
        path = app.fetch(name, progress)
    put(pretty({"path": str(path)}) if as_json else str(path))
    return Code.DONE


def print_path(name: str | None) -> int:
    """Print where a model's weights are. Raises WeightsError when they are not there."""
    with opened(settings_here(), is_quiet=True) as app:
        path: Path = app.path_of(name)
    if not path.is_file():
        raise WeightsError(f"{path} is not there.", next_step=f"Fetch it: aeon model fetch{f' {name}' if name else ''}")
    put(str(path))
    return Code.DONE


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

"""`aeon model`: lists models, chooses one, downloads weights, and prints where they are."""

import os

from aeon.application.models import ModelChoice, ModelService, StoredModel, find_runtime_fault, stored_models
from aeon.base.errors import AeonError, InputError
from aeon.cli.confirmation import confirm
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.progress import FetchProgress
from aeon.cli.session import app_session, load_cli_settings
from aeon.cli.settings_changes import change_settings
from aeon.cli.text import indented_json


def list_models(*, output: OutputFormat) -> int:
    """Print each embedded model: its size, whether it is fetched, what it is for; and the remote one that is chosen."""
    stored, remote = stored_models(os.environ), _chosen_remote()
    if print_as(output, [*map(StoredModel.as_dict, stored), *map(_remote_as_dict, remote)]):
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
    rows += [(choice.name, "", "chosen", f"At {choice.base_url}; {choice.why}.") for choice in remote]
    print_table(("NAME", "SIZE", "STATE", "WHAT"), rows)
    return ExitCode.DONE


def _chosen_remote() -> list[ModelChoice]:
    """The remote model of the settings; nothing if they name none, or are incomplete."""
    with app_session(load_cli_settings(), is_quiet=True) as app:
        try:
            choice = app.model_choice()
        except AeonError:
            return []
    return [] if choice.is_embedded else [choice]


def use_model(name: str, base_url: str | None, provider: str | None, *, is_users: bool) -> int:
    """Set the model in a settings file. Raises InputError for an address in place of a name."""
    if name.startswith(("http://", "https://")):
        raise InputError(
            f"{name} is an address, not the name of a model.",
            next_step=f"Name the model: aeon model use NAME --at {name}",
        )
    chosen = {"model.name": name, "model.base_url": base_url, "model.provider": provider}
    return change_settings({key: value for key, value in chosen.items() if value}, is_users=is_users)


def fetch_model(name: str | None, *, as_json: bool) -> int:
    """Fetch a model's weights if they are missing, and print their path. Say first if they cannot be used here."""
    if fault := find_runtime_fault():
        print_message(fault.message, "warning: ")
        print_message(fault.advice, "next: ")
    with app_session(load_cli_settings(), is_quiet=True) as app, FetchProgress() as progress:
        path = ModelService(app, os.environ).fetch(name, progress)
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
        path = ModelService(app, os.environ).get_path(name)
    print_data(str(path))
    return ExitCode.DONE


def _remote_as_dict(choice: ModelChoice) -> dict[str, object]:
    return {"name": choice.name, "provider": choice.provider, "base_url": choice.base_url, "summary": choice.why}

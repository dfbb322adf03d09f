"""The commands of `aeon model` and their options. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from aeon.cli.options import AsJson, Output, group

model = group("Models: embedded ones and their weights, remote ones and their keys.")

ModelName = Annotated[str | None, typer.Argument(metavar="NAME", help="standard, small or tiny.")]


@model.command("list")
def model_list(output: Output = "table") -> int:
    """List the models that can run in this process."""
    from aeon.cli.models import list_models

    return list_models(output=output)


@model.command("fetch")
def model_fetch(name: ModelName = None, as_json: AsJson = False) -> int:
    """Download a model's weights, verified by hash; can be continued."""
    from aeon.cli.models import fetch_model

    return fetch_model(name, as_json=as_json)


@model.command("path")
def model_path(name: ModelName = None) -> int:
    """Print the path of a model's weights."""
    from aeon.cli.models import print_path

    return print_path(name)

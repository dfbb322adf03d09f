"""The commands of `aeon model` and their options. Each imports what it needs when it runs."""

from typing import Annotated, Literal

import typer

from aeon.cli.options import AsJson, Output, UserFile, Yes, group
from aeon.cli.stored_names import complete_model

model = group("Embedded models and their weights; the choice of a model.")

ModelName = Annotated[
    str | None, typer.Argument(metavar="NAME", help="standard, small or tiny.", autocompletion=complete_model)
]


@model.command("list")
def model_list(output: Output = "table") -> int:
    """List the embedded models, and the remote one that is chosen."""
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


@model.command("use")
def model_use(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="standard, small, tiny, a .gguf file, or a remote model.",
            autocompletion=complete_model,
        ),
    ],
    at: Annotated[
        str | None, typer.Option("--at", metavar="URL", help="The root of the HTTP API that serves a remote model.")
    ] = None,
    provider: Annotated[
        Literal["auto", "embedded", "openai", "anthropic", "vllm"] | None,
        typer.Option("--provider", help="The API that the remote server speaks; default: openai."),
    ] = None,
    user_file: UserFile = False,
) -> int:
    """Choose the model of this project, or of all your projects."""
    from aeon.cli.models import use_model

    return use_model(name, at, provider, is_users=user_file)


@model.command("remove")
def model_remove(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="standard, small or tiny.", autocompletion=complete_model)
    ],
    yes: Yes = False,
) -> int:
    """Delete a model's downloaded weights; `fetch` gets them again."""
    from aeon.cli.models import remove_model

    return remove_model(name, is_confirmed=yes)

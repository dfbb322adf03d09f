"""Completion of commands and options for bash, zsh and fish."""

import os
from collections.abc import Mapping

import typer
from typer._completion_classes import completion_init
from typer._completion_shared import get_completion_script
from typer.completion import shell_complete

VARIABLE = "_AEON_COMPLETE"
"""The variable by which a shell asks for completions."""


def completion_script(shell: str) -> str:
    """The script that a shell reads at its start to complete `aeon`."""
    return get_completion_script(prog_name="aeon", complete_var=VARIABLE, shell=shell)


def whole_words(environ: Mapping[str, str]) -> list[str]:
    """The words after `aeon` that stand before the one that is completed, as bash, zsh and fish pass the line."""
    line = environ.get("COMP_WORDS") or environ.get("_TYPER_COMPLETE_ARGS", "")
    words = line.split()[1:]
    return words if line[-1:].isspace() else words[:-1]


def complete(app: typer.Typer) -> int:
    """Print what may come next, as the shell in the environment asks; returns the exit code."""
    completion_init()
    command = typer.main.get_command(app)
    return shell_complete(command, {}, "aeon", VARIABLE, os.environ[VARIABLE])

"""`aeon skill config`: shows settings without secrets, sets them, prompts for missing ones."""

import os
import sys
from collections.abc import Sequence

import typer

from aeon.application.skill_settings import SettingPrompt, ShownSettings, SkillSettingsService
from aeon.application.skills import SkillService
from aeon.base.errors import InputError
from aeon.base.json import JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.session import app_session, load_cli_settings
from aeon.cli.text import compact_json, indented_json, printable


def configure_skill(name: str, assignments: Sequence[str], *, as_json: bool, may_ask: bool) -> int:
    """Sets the given values, prompts for missing ones, prints all.

    Raises InputError, ConfigError with all problems.
    """
    with app_session(load_cli_settings()) as app:
        skill = SkillService(app.skills).find(name)
    if skill.config_schema is None:
        raise InputError(f"The skill {name!r} has no settings.", next_step=f"See `aeon skill show {name}`.")
    settings = SkillSettingsService(skill, os.environ)
    assigned = _parse_assignments(assignments)
    if may_ask and sys.stdin.isatty():
        assigned |= _prompt_for([each for each in settings.list_missing() if each.key not in assigned])
    if assigned:
        settings.change(assigned)
    return _show(name, settings.show(), as_json=as_json)


def _parse_assignments(assignments: Sequence[str]) -> dict[str, str]:
    invalid = [text for text in assignments if not text.partition("=")[1]]
    if invalid:
        raise InputError(
            f"Not KEY=VALUE: {', '.join(map(repr, invalid))}.", next_step="Write --set KEY=VALUE, once per value."
        )
    return {key.strip(): value for key, _, value in (text.partition("=") for text in assignments)}


def _prompt_for(prompts: Sequence[SettingPrompt]) -> dict[str, str]:
    answers: dict[str, str] = {}
    for key, description, is_secret in prompts:
        if description is not None:
            print_message(description)
        answers[key] = typer.prompt(printable(key), hide_input=is_secret, err=True)
    return answers


def _show(name: str, shown: ShownSettings, *, as_json: bool) -> int:
    keys, values, defaults, problems = shown
    if as_json:
        faults = [{"path": problem.path, "message": problem.message} for problem in problems]
        print_data(indented_json({"skill": name, "values": values, "defaults": defaults, "problems": faults}))
    else:
        for key in keys:
            print_data(printable(f"{key} {_value(key, values, defaults)}"))
        for problem in problems:
            print_message(str(problem), "error: ", "  ")
    return ExitCode.FAILED if problems else ExitCode.DONE


def _value(key: str, values: JsonObject, defaults: JsonObject) -> str:
    if key in values:
        return f"= {compact_json(values[key])}"
    return f"= {compact_json(defaults[key])} (default)" if key in defaults else "is not set"

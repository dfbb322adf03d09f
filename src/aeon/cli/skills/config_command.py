"""`aeon skills config`: shows settings without secrets, sets them, prompts for missing ones."""

import os
import sys
from collections.abc import Sequence

import typer

from aeon.base.errors import InputError
from aeon.base.json import JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.session import app_session, load_cli_settings
from aeon.cli.skills.library_commands import find_skill
from aeon.cli.text import compact_json, indented_json, printable
from aeon.skills.config.setting_schema import is_secret, property_schemas, with_defaults
from aeon.skills.config.skill_settings import missing_required_fields, read_config, set_config
from aeon.skills.config.skill_settings import redact_config as shown_config
from aeon.skills.models import Skill


def configure_skill(name: str, assignments: Sequence[str], *, as_json: bool, may_ask: bool) -> int:
    """Sets the given values, prompts for missing ones, prints all.

    Raises InputError, ConfigError with all problems.
    """
    with app_session(load_cli_settings()) as app:
        skill = find_skill(app, name)
    if skill.config_schema is None:
        raise InputError(f"The skill {name!r} has no settings.", next_step=f"See `aeon skills show {name}`.")
    assigned = _parse_assignments(assignments)
    if may_ask and sys.stdin.isatty():
        assigned |= _prompt_for(
            skill, [key for key in missing_required_fields(skill, os.environ) if key not in assigned]
        )
    if assigned:
        set_config(skill, assigned, os.environ)
    return _show(skill, as_json=as_json)


def _parse_assignments(assignments: Sequence[str]) -> dict[str, str]:
    invalid = [text for text in assignments if not text.partition("=")[1]]
    if invalid:
        raise InputError(
            f"Not KEY=VALUE: {', '.join(map(repr, invalid))}.", next_step="Write --set KEY=VALUE, once per value."
        )
    return {key.strip(): value for key, _, value in (text.partition("=") for text in assignments)}


def _prompt_for(skill: Skill, keys: Sequence[str]) -> dict[str, str]:
    schema = skill.config_schema or {}
    named = property_schemas(schema, schema)
    answers: dict[str, str] = {}
    for key in keys:
        fields = named.get(key, [])
        description = next((field["description"] for field in fields if field.get("description")), None)
        if description is not None:
            print_message(str(description))
        is_hidden = any(is_secret(field, schema) for field in fields)
        answers[key] = typer.prompt(printable(key), hide_input=is_hidden, err=True)
    return answers


def _show(skill: Skill, *, as_json: bool) -> int:
    report = read_config(skill, os.environ)
    schema = skill.config_schema or {}
    values = shown_config(report.written, schema)
    whole = shown_config(with_defaults({}, schema, schema), schema)
    defaults = {key: value for key, value in whole.items() if key not in values}
    if as_json:
        problems = [{"path": problem.path, "message": problem.message} for problem in report.problems]
        print_data(indented_json({"skill": skill.name, "values": values, "defaults": defaults, "problems": problems}))
    else:
        for key in dict.fromkeys([*values, *property_schemas(schema, schema)]):
            print_data(printable(f"{key} {_value(key, values, defaults)}"))
        for problem in report.problems:
            print_message(str(problem), "error: ", "  ")
    return ExitCode.FAILED if report.problems else ExitCode.DONE


def _value(key: str, values: JsonObject, defaults: JsonObject) -> str:
    if key in values:
        return f"= {compact_json(values[key])}"
    return f"= {compact_json(defaults[key])} (default)" if key in defaults else "is not set"

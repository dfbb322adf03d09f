"""`aeon skills config`: a skill's settings shown without secrets, set, and asked for where one is missing."""

import os
import sys
from collections.abc import Sequence

import typer

from aeon.base.errors import InputError
from aeon.base.json import JsonObject
from aeon.cli.codes import Code
from aeon.cli.say import put, say
from aeon.cli.session import opened, settings_here
from aeon.cli.skills.library import found_skill
from aeon.cli.text import clean, pretty, shown
from aeon.skills.config.report import missing_required, report_config, set_values
from aeon.skills.config.report import shown as shown_config
from aeon.skills.config.setting_schema import is_secret, properties, with_defaults
from aeon.skills.models import Skill


def configure(name: str, assignments: Sequence[str], *, as_json: bool, may_ask: bool) -> int:
    """Set what is given, ask for what is missing, print the rest. Raises InputError, ConfigError with every problem."""
    with opened(settings_here()) as app:
        skill = found_skill(app, name)
    if skill.config_schema is None:
        raise InputError(f"The skill {name!r} has no settings.", next_step=f"See `aeon skills show {name}`.")
    given = _assigned(assignments)
    if may_ask and sys.stdin.isatty():
        given |= _asked(skill, [key for key in missing_required(skill, os.environ) if key not in given])
    if given:
        set_values(skill, given, os.environ)
    return _show(skill, as_json=as_json)


def _assigned(assignments: Sequence[str]) -> dict[str, str]:
    wrong = [text for text in assignments if not text.partition("=")[1]]
    if wrong:
        raise InputError(
            f"Not KEY=VALUE: {', '.join(map(repr, wrong))}.", next_step="Write --set key=value, once for each."
        )
    return {key.strip(): value for key, _, value in (text.partition("=") for text in assignments)}


def _asked(skill: Skill, keys: Sequence[str]) -> dict[str, str]:
    schema = skill.config_schema or {}
    named = properties(schema, schema)
    answers: dict[str, str] = {}
    for key in keys:
        fields = named.get(key, [])
        description = next((field["description"] for field in fields if field.get("description")), None)
        if description is not None:
            say(str(description))
        is_hidden = any(is_secret(field, schema) for field in fields)
        answers[key] = typer.prompt(clean(key), hide_input=is_hidden, err=True)
    return answers


def _show(skill: Skill, *, as_json: bool) -> int:
    report = report_config(skill, os.environ)
    schema = skill.config_schema or {}
    values = shown_config(report.written, schema)
    whole = shown_config(with_defaults({}, schema, schema), schema)
    defaults = {key: value for key, value in whole.items() if key not in values}
    if as_json:
        problems = [{"path": problem.path, "message": problem.message} for problem in report.problems]
        put(pretty({"skill": skill.name, "values": values, "defaults": defaults, "problems": problems}))
    else:
        for key in dict.fromkeys([*values, *properties(schema, schema)]):
            put(clean(f"{key} {_value(key, values, defaults)}"))
        for problem in report.problems:
            say(str(problem), "error: ", "  ")
    return Code.FAILED if report.problems else Code.DONE


def _value(key: str, values: JsonObject, defaults: JsonObject) -> str:
    if key in values:
        return f"= {shown(values[key])}"
    return f"= {shown(defaults[key])} (default)" if key in defaults else "is not set"

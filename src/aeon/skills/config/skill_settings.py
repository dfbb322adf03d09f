"""A skill's settings: `config.json`, checked against its schema (skills 10, 11).

Placeholders are filled in when a script starts.
"""

import difflib
import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from aeon.base.errors import ConfigError
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.json_schema import ValidationProblem, compile_schema
from aeon.base.next_steps import NextStep
from aeon.base.project_folder import make_folder
from aeon.skills.bounded_files import UnreadableFileError, read_json_object
from aeon.skills.config.placeholders import PlaceholderSubstitution, allowed_variables, has_placeholder
from aeon.skills.config.setting_schema import (
    HIDDEN,
    hide_paths,
    item_schemas,
    parse_typed,
    property_schemas,
    secret_paths,
    subschemas,
    with_defaults,
)
from aeon.skills.models import ErrorState, Skill, SkillNote

CONFIG_JSON = "config.json"


@dataclass(frozen=True)
class SkillConfig:
    """A skill's settings at one moment.

    `values` is complete and contains secrets: never print it.
    """

    path: Path
    written: JsonObject
    values: JsonObject
    problems: tuple[ValidationProblem, ...] = ()
    line: int | None = None
    """The line of the fault if the file cannot be parsed."""

    def __repr__(self) -> str:
        return f"SkillConfig(path={str(self.path)!r}, problems={self.problems!r})"


def read_config(skill: Skill, environ: Mapping[str, str]) -> SkillConfig:
    """Reads and checks a skill's settings, with all problems at once.

    A skill without a schema has no settings.
    """
    path = skill.data_home / CONFIG_JSON
    if skill.config_schema is None:
        return SkillConfig(path, {}, {})
    try:
        written = _read_file(path)
    except UnreadableFileError as error:
        return SkillConfig(path, {}, {}, (ValidationProblem("$", error.message),), error.line)
    values, problems, unset = _check(written, skill.config_schema, environ, skill.withheld_variables)
    return SkillConfig(path, written, values, (*problems, *unset))


def resolve_config(skill: Skill, environ: Mapping[str, str]) -> JsonObject:
    """Returns the settings for the skill's scripts. Raises ConfigError with every problem."""
    report = read_config(skill, environ)
    if report.problems:
        raise _config_error(skill, report.path, report.problems)
    return report.values


def with_config(skill: Skill, environ: Mapping[str, str]) -> Skill:
    """Returns the skill with its settings.

    If they are invalid, it is `degraded`, with a note per problem (skills 10).
    """
    if skill.config_schema is None:
        return skill
    report = read_config(skill, environ)
    notes = tuple(
        SkillNote(report.path, report.line, _problem_text(problem), is_skip=False) for problem in report.problems
    )
    is_invalid = notes and skill.error_state is ErrorState.HEALTHY
    return replace(
        skill,
        user_config=report.written,
        error_state=ErrorState.DEGRADED if is_invalid else skill.error_state,
        notes=(*skill.notes, *notes),
    )


def setting_faults(skill: Skill) -> tuple[str, ...]:
    """Returns what `with_config` found wrong with the settings of a skill."""
    path = skill.data_home / CONFIG_JSON
    return tuple(note.message for note in skill.notes if note.path == path)


def redact_config(config: JsonObject, schema: JsonObject | None) -> JsonObject:
    """Returns the settings with secret fields hidden, safe to print, log or send (skills 10)."""
    return cast(JsonObject, hide_paths(config, secret_paths(config, schema or {}, schema or {})))


def secret_values(skill: Skill, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the secrets to mask in all output of the skill's scripts, longest first.

    The result is empty for a skill without settings.
    """
    if skill.config_schema is None:
        return ()
    values = read_config(skill, environ).values
    secret = secret_paths(values, skill.config_schema, skill.config_schema)
    return tuple(sorted({text for value in secret.values() for text in _leaf_texts(value)}, key=lambda t: (-len(t), t)))


def missing_required_fields(skill: Skill, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the required fields that have neither a value nor a default."""
    schema = skill.config_schema
    if schema is None:
        return ()
    values = read_config(skill, environ).values
    required = [name for layer in subschemas(schema, schema) for name in _names(layer.get("required"))]
    return tuple(name for name in dict.fromkeys(required) if name not in values)


def set_config(skill: Skill, texts: Mapping[str, str], environ: Mapping[str, str]) -> SkillConfig:
    """Sets fields from text, typed by the schema.

    Checks all, then writes the file atomically, for the user only. Dots name nested fields. Raises ConfigError with
    every problem and then writes nothing.
    """
    schema = skill.config_schema
    if schema is None:
        raise ConfigError(
            f"The skill {skill.name!r} has no settings.",
            next_step="Add a config-schema.json to the skill to define some.",
        )
    path = skill.data_home / CONFIG_JSON
    try:
        written = _read_file(path)
    except UnreadableFileError as error:
        raise _config_error(skill, path, [ValidationProblem("$", error.message)]) from None
    problems: list[ValidationProblem] = []
    for key, text in texts.items():
        _set_field(written, key.split("."), text, schema, problems)
    values, wrong, unset = _check(written, schema, environ, skill.withheld_variables)
    if problems or wrong:
        raise _config_error(skill, path, [*problems, *wrong])
    write_private_file(path, canonical_json(written).encode() + b"\n")
    return SkillConfig(path, written, values, tuple(unset))


def write_private_file(path: Path, data: bytes) -> None:
    """Writes a file atomically, readable by its owner only. Raises ConfigError if that fails."""
    try:
        make_folder(path.parent, 0o700)
        _replace(path, data)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {error.strerror or error}.", next_step="Make its folder writable."
        ) from None


def _replace(path: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _read_file(path: Path) -> JsonObject:
    """Returns the user's settings; empty if the file does not exist. Raises UnreadableFileError."""
    if not os.path.lexists(path):
        return {}
    if path.is_symlink() and not _is_inside(path, path.parent):
        raise UnreadableFileError(None, "leads out of the skill's folder by a symbolic link, perhaps to secrets")
    return read_json_object(path)


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False


def _check(
    written: JsonObject, schema: JsonObject, environ: Mapping[str, str], withheld: Collection[str]
) -> tuple[JsonObject, list[ValidationProblem], list[ValidationProblem]]:
    """Returns the filled and typed values, their problems, and the unset variables."""
    substitution = PlaceholderSubstitution(environ, allowed_variables(schema), withheld)
    complete = with_defaults(written, schema, schema)
    filled = substitution.fill(complete)
    values = cast(JsonObject, _retype(complete, filled, [schema], schema))
    unfilled = {problem.path for problem in (*substitution.unset, *substitution.forbidden)}
    problems = [problem for problem in compile_schema(schema).problems(values) if problem.path not in unfilled]
    hidden = secret_paths(values, schema, schema)
    return values, [*substitution.forbidden, *(_without(problem, hidden) for problem in problems)], substitution.unset


def _retype(before: Json, after: Json, schemas: Sequence[JsonObject], root: JsonObject) -> Json:
    """Converts filled-in texts to their fields' types.

    `${PORT}` in a number field becomes a number.
    """
    if isinstance(after, str):
        return parse_typed(after, {"allOf": list(schemas)}, root) if has_placeholder(before) and schemas else after
    if isinstance(after, dict):
        named: dict[str, list[JsonObject]] = {}
        for schema in schemas:
            for name, fields in property_schemas(schema, root).items():
                named.setdefault(name, []).extend(fields)
        old = cast(JsonObject, before)
        return {k: _retype(old[k], v, named.get(k, []), root) for k, v in cast(JsonObject, after).items()}
    if isinstance(after, list):
        items = [item for schema in schemas for item in item_schemas(schema, root)]
        pairs = zip(cast(list[Json], before), cast(list[Json], after), strict=True)
        return [_retype(old, new, items, root) for old, new in pairs]
    return after


def _without(problem: ValidationProblem, hidden: Mapping[str, Json]) -> ValidationProblem:
    """Returns the problem without secrets, since the validator's messages quote the value."""
    if any(problem.path == path or problem.path.startswith((f"{path}.", f"{path}[")) for path in hidden):
        return ValidationProblem(problem.path, "does not fit the schema (the value is hidden)")
    message = problem.message
    for text in (text for value in hidden.values() for text in _leaf_texts(value)):
        message = message.replace(text, HIDDEN)
    return ValidationProblem(problem.path, message)


def _leaf_texts(value: Json) -> list[str]:
    if isinstance(value, dict):
        return [text for item in cast(JsonObject, value).values() for text in _leaf_texts(item)]
    if isinstance(value, list):
        return [text for item in cast(list[Json], value) for text in _leaf_texts(item)]
    if isinstance(value, bool) or value is None:
        return []
    return [text] if (text := str(value)) else []


def _names(required: Json) -> list[str]:
    return [name for name in cast(list[Json], required) if isinstance(name, str)] if isinstance(required, list) else []


def _set_field(
    target: JsonObject, parts: Sequence[str], text: str, schema: JsonObject, problems: list[ValidationProblem]
) -> None:
    """Sets one field of the object, found through the schemas of its parents."""
    schemas: list[JsonObject] = [schema]
    path = "$"
    for index, part in enumerate(parts):
        named = property_schemas({"allOf": schemas}, schema)
        if part not in named:
            problems.append(ValidationProblem(f"{path}.{part}", _unknown(part, named)))
            return
        schemas, path = named[part], f"{path}.{part}"
        if index < len(parts) - 1:
            inner = target.setdefault(part, {})
            if not isinstance(inner, dict):
                problems.append(ValidationProblem(path, "is not an object, so no field can be set inside it"))
                return
            target = cast(JsonObject, inner)
    target[parts[-1]] = text if has_placeholder(text) else parse_typed(text, {"allOf": schemas}, schema)


def _unknown(part: str, named: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(part, named, n=1)
    if near:
        return f"is not a setting of this skill; did you mean {near[0]!r}?"
    return "is not a setting of this skill; it has " + (", ".join(sorted(named)) or "none")


def _problem_text(problem: ValidationProblem) -> str:
    return str(problem) if problem.path != "$" else problem.message


def _config_error(skill: Skill, path: Path, problems: Sequence[ValidationProblem]) -> ConfigError:
    problem_list = "; ".join(_problem_text(problem) for problem in problems)
    return ConfigError(
        f"The settings of the skill {skill.name!r} ({path}) are invalid: {problem_list}.",
        next_step=NextStep("skills.configure", skill=skill.name),
        problems=[{"path": problem.path, "message": problem.message} for problem in problems],
    )

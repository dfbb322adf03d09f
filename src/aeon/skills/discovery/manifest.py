"""Reads skill.json (skills 8), a skill's declarations to Aeon.

Reports all errors at once, with their paths.
"""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from aeon.base.json import JsonObject, json_problems, parse_strict
from aeon.base.json_schema import ValidationProblem, schema_problem
from aeon.skills.plan_json import MAX_BACKOFF_MS, MAX_RETRIES

NAME_PATTERN = r"^[a-z0-9-]+$"
SEMVER_PATTERN = (
    r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$"
)
MAX_TIMEOUT_MS = 24 * 60 * 60 * 1000
"""Milliseconds."""

_Line = Annotated[str, Field(max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*$")]
_Text = Annotated[str, Field(min_length=1, max_length=100_000, pattern=r"\S")]
_RelativePath = Annotated[str, Field(min_length=1, max_length=1000)]


class _ManifestModel(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True, alias_generator=to_camel, hide_input_in_errors=True)


class ManifestScript(_ManifestModel):
    """One declared script. `timeout` is in milliseconds."""

    name: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\s/\\{}\x00-\x1f\x7f]+$")]
    path: _RelativePath
    description: str = ""
    input_schema: JsonObject | str | None = None
    """The schema, or its path in the skill's folder."""
    output_schema: JsonObject | str | None = None
    timeout: Annotated[int, Field(ge=1, le=MAX_TIMEOUT_MS)] = 30_000
    required: bool = True


class ManifestRetryPolicy(_ManifestModel):
    max_retries: Annotated[int, Field(ge=0, le=MAX_RETRIES)] = 3
    backoff_ms: Annotated[int, Field(ge=0, le=MAX_BACKOFF_MS)] = 100


class Manifest(_ManifestModel):
    """The fields of rule 8. `unknown_fields` lists all others, for the linter."""

    name: Annotated[str, Field(min_length=1, max_length=64, pattern=NAME_PATTERN)]
    version: Annotated[str, Field(max_length=200, pattern=SEMVER_PATTERN)]
    description: _Text
    display_name: _Line | None = None
    author: _Line | None = None
    license: _Line | None = None
    homepage: _Line | None = None
    prompt: _RelativePath = "prompt.md"
    config_schema: _RelativePath = "config-schema.json"
    scripts: list[ManifestScript] = []
    capabilities: list[_Line] = []
    dependencies: list[_Line] = []
    priority: Annotated[int, Field(ge=0, le=100)] = 50
    retry_policy: ManifestRetryPolicy | None = None

    def unknown_fields(self) -> list[str]:
        """Returns the paths of fields that are not in rule 8."""
        paths = [f"$.{field}" for field in self.model_extra or {} if not field.startswith("$")]
        for index, script in enumerate(self.scripts):
            paths.extend(f"$.scripts[{index}].{field}" for field in script.model_extra or {})
        retries = self.retry_policy.model_extra if self.retry_policy else None
        return paths + [f"$.retryPolicy.{field}" for field in retries or {}]


@dataclass(frozen=True, slots=True)
class ManifestReading:
    """A manifest, or all its problems."""

    manifest: Manifest | None
    problems: tuple[ValidationProblem, ...] = ()
    declares_scripts: bool = False
    """Whether an invalid manifest lists scripts with paths: it is Aeon's, and broken."""


def read_manifest(data: bytes) -> ManifestReading:
    """Reads skill.json. Returns a manifest or problems for any bytes; never raises."""
    try:
        value: Any = parse_strict(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return ManifestReading(None, (ValidationProblem("$", "is not UTF-8"),))
    except ValueError as error:
        return ManifestReading(None, (ValidationProblem("$", f"is not valid JSON: {error}"),))
    if not isinstance(value, dict):
        return ManifestReading(None, (ValidationProblem("$", "must be a JSON object"),))
    if deep := json_problems(value):
        return ManifestReading(None, tuple(ValidationProblem("$", fault) for fault in deep))
    return _validate(cast(JsonObject, value))


def _validate(value: JsonObject) -> ManifestReading:
    problems: list[ValidationProblem] = []
    manifest: Manifest | None = None
    try:
        manifest = Manifest.model_validate(value)
    except ValidationError as error:
        problems = [ValidationProblem(_path(e["loc"]), e["msg"]) for e in error.errors(include_url=False)]
    problems += _script_problems(value)
    return ManifestReading(None if problems else manifest, tuple(problems), _declares_scripts(value))


def _declares_scripts(value: JsonObject) -> bool:
    scripts: Any = value.get("scripts")
    listed = cast("list[Any]", scripts) if isinstance(scripts, list) else []
    objects = [cast(JsonObject, script) for script in listed if isinstance(script, dict)]
    return any(isinstance(script.get("path"), str) for script in objects)


def _script_problems(value: JsonObject) -> list[ValidationProblem]:
    """Finds problems between scripts and in their schemas, also if other fields are invalid."""
    problems: list[ValidationProblem] = []
    names: set[str] = set()
    files: set[str] = set()
    listed: Any = value.get("scripts")
    for index, script in enumerate(cast("list[Any]", listed) if isinstance(listed, list) else []):
        if not isinstance(script, dict):
            continue
        fields = cast(JsonObject, script)
        if isinstance(name := fields.get("name"), str):
            if name in names:
                problems.append(
                    ValidationProblem(f"$.scripts[{index}].name", f"an earlier script has the name {name!r} too")
                )
            names.add(name)
        if isinstance(path := fields.get("path"), str):
            if posixpath.normpath(path) in files:
                message = "is the file of an earlier script; plans name scripts by file, so each needs its own"
                problems.append(ValidationProblem(f"$.scripts[{index}].path", message))
            files.add(posixpath.normpath(path))
        problems += _schema_problems(fields, f"$.scripts[{index}]")
    return problems


def _schema_problems(script: JsonObject, path: str) -> Iterator[ValidationProblem]:
    for field in ("inputSchema", "outputSchema"):
        schema: Any = script.get(field)
        if isinstance(schema, dict) and (problem := schema_problem(cast(JsonObject, schema))):
            yield ValidationProblem(f"{path}.{field}", f"is not a valid JSON Schema: {problem[:300]}")


def _path(parts: tuple[int | str, ...]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)

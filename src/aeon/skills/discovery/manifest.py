"""skill.json (skills 8): what a skill says about itself to Aeon. Every error at once, each with its path."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from aeon.base.json import JsonObject, faults, parse_strict
from aeon.base.json_schema import Problem, schema_problem
from aeon.skills.plan_json import LONGEST_BACKOFF, MOST_RETRIES

NAME_PATTERN = r"^[a-z0-9-]+$"
SEMVER_PATTERN = (
    r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$"
)
LONGEST_TIMEOUT = 24 * 60 * 60 * 1000
"""Milliseconds."""

_Line = Annotated[str, Field(max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*$")]
_Text = Annotated[str, Field(min_length=1, max_length=100_000, pattern=r"\S")]
_RelativePath = Annotated[str, Field(min_length=1, max_length=1000)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True, alias_generator=to_camel, hide_input_in_errors=True)


class ManifestScript(_Model):
    """One declared script. `timeout` is in milliseconds."""

    name: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\s/\\{}\x00-\x1f\x7f]+$")]
    path: _RelativePath
    description: str = ""
    input_schema: JsonObject | None = None
    output_schema: JsonObject | None = None
    timeout: Annotated[int, Field(ge=1, le=LONGEST_TIMEOUT)] = 30_000
    required: bool = True


class ManifestRetries(_Model):
    max_retries: Annotated[int, Field(ge=0, le=MOST_RETRIES)] = 3
    backoff_ms: Annotated[int, Field(ge=0, le=LONGEST_BACKOFF)] = 100


class Manifest(_Model):
    """The fields of rule 8; unknown ones are kept apart in `unknown_fields`, for whoever checks a skill."""

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
    retry_policy: ManifestRetries = ManifestRetries()

    def unknown_fields(self) -> list[str]:
        """Paths of the fields that rule 8 does not know."""
        found = [f"$.{field}" for field in self.model_extra or {} if not field.startswith("$")]
        for index, script in enumerate(self.scripts):
            found.extend(f"$.scripts[{index}].{field}" for field in script.model_extra or {})
        return found + [f"$.retryPolicy.{field}" for field in self.retry_policy.model_extra or {}]


@dataclass(frozen=True, slots=True)
class ManifestReading:
    """A manifest, or everything that is wrong with it."""

    manifest: Manifest | None
    problems: tuple[Problem, ...] = ()


def read_manifest(data: bytes) -> ManifestReading:
    """Read skill.json. Whatever the bytes are, the answer is a manifest or problems, never an exception."""
    try:
        value: Any = parse_strict(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return ManifestReading(None, (Problem("$", "is not UTF-8"),))
    except ValueError as error:
        return ManifestReading(None, (Problem("$", f"is no JSON: {error}"),))
    if not isinstance(value, dict):
        return ManifestReading(None, (Problem("$", "must be a JSON object"),))
    if deep := faults(value):
        return ManifestReading(None, tuple(Problem("$", fault) for fault in deep))
    return _checked(cast(JsonObject, value))


def _checked(value: JsonObject) -> ManifestReading:
    problems: list[Problem] = []
    manifest: Manifest | None = None
    try:
        manifest = Manifest.model_validate(value)
    except ValidationError as error:
        problems = [Problem(_path(e["loc"]), e["msg"]) for e in error.errors(include_url=False)]
    problems += _script_problems(value)
    return ManifestReading(None if problems else manifest, tuple(problems))


def _script_problems(value: JsonObject) -> list[Problem]:
    """What is wrong between scripts and inside their schemas, found also where other fields are wrong."""
    problems: list[Problem] = []
    names: set[str] = set()
    files: set[str] = set()
    listed: Any = value.get("scripts")
    for index, script in enumerate(cast("list[Any]", listed) if isinstance(listed, list) else []):
        if not isinstance(script, dict):
            continue
        fields = cast(JsonObject, script)
        if isinstance(name := fields.get("name"), str):
            if name in names:
                problems.append(Problem(f"$.scripts[{index}].name", f"a script above is called {name!r} too"))
            names.add(name)
        if isinstance(path := fields.get("path"), str):
            if posixpath.normpath(path) in files:
                said = "is a script above already; a plan names scripts by their files, so each needs its own"
                problems.append(Problem(f"$.scripts[{index}].path", said))
            files.add(posixpath.normpath(path))
        problems += _schema_problems(fields, f"$.scripts[{index}]")
    return problems


def _schema_problems(script: JsonObject, path: str) -> Iterator[Problem]:
    for field in ("inputSchema", "outputSchema"):
        schema: Any = script.get(field)
        if isinstance(schema, dict) and (said := schema_problem(cast(JsonObject, schema))):
            yield Problem(f"{path}.{field}", f"is no valid JSON Schema: {said[:300]}")


def _path(parts: tuple[int | str, ...]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)

"""Checks and renders output templates: Handlebars over inputs and variables (platform 6)."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from aeon.base.errors import InputError, MissingExtraError
from aeon.base.json import Json, JsonObject, readable_json
from aeon.platform.processes.expressions.handlebars import (
    MAX_STEPS,
    EndlessTemplateError,
    as_plain,
    render_template,
)
from aeon.platform.processes.text import join_names

if TYPE_CHECKING:
    from pydantic_handlebars import HandlebarsEnvironment

MAX_OUTPUT_CHARS = 1_000_000
"""Maximum length of a rendered template."""

_HELPERS = {"json"}
"""Helpers that templates may call besides Handlebars' own."""

_BARE_HELPER = re.compile(r"(?<!\\)\{\{\{?~?\s*(if|unless|each|with|lookup|log|json)\s*~?\}")
"""A helper without arguments renders nothing: the author meant an input of that name."""

_ANY: JsonObject = {"$ref": "#/$defs/any"}
_DEFINITIONS: JsonObject = {"any": {"type": "object", "additionalProperties": _ANY}}
"""The schema of an unknown value.

Without a shape the library would not check `../` inside of its loops.
"""


class TemplateError(InputError):
    """The output template cannot be used."""

    next_step = "Correct the outputTemplate."


def check_template(template: str, inputs: Iterable[str], variables: Iterable[str]) -> list[str]:
    """Return every problem of a template over these names, empty if it can be used (platform 6)."""
    _environment()
    from pydantic_handlebars import HandlebarsError, check_template_compatibility

    input_names, variable_names = sorted(inputs), sorted(variables)
    try:
        compatibility = check_template_compatibility(template, _schema(input_names, variable_names), helpers=_HELPERS)
    except HandlebarsError as error:
        return [f"it is not a valid template: {error}"]
    except RecursionError:
        return ["its blocks are nested too deeply"]
    unknown = dict.fromkeys(issue.field_path for issue in compatibility.issues)
    named = join_names([*input_names, *(f"step.{name}" for name in variable_names)])
    bare = dict.fromkeys(_BARE_HELPER.findall(template))
    return [
        *(f"{{{{{path}}}}} does not exist; there are {named}" for path in unknown),
        *(f"{{{{{name}}}}} is a Handlebars helper; an input of that name is {{{{@root.{name}}}}}" for name in bare),
    ]


def render_output(template: str, values: Mapping[str, Json], *, most: int = MAX_OUTPUT_CHARS) -> str:
    """Render a template over inputs by name, and under `step` the variables (platform 6).

    Nothing is escaped, null is empty, objects and lists are JSON, and values are never templates themselves. Raises
    TemplateError if a name does not exist, if the text is longer than `most` characters, and if the template takes
    too many steps.
    """
    environment = _environment(most)
    from pydantic_handlebars import HandlebarsError

    context = {**values, "step": dict(cast(Mapping[str, Json], values.get("step", {})))}
    try:
        return render_template(environment, template, context)
    except (HandlebarsError, RecursionError, EndlessTemplateError) as error:
        raise TemplateError(f"The output template cannot be rendered: {_describe_error(error, most)}.") from None


def _describe_error(error: Exception, most: int) -> str:
    if isinstance(error, RecursionError):
        return "its blocks are nested too deeply"
    if isinstance(error, EndlessTemplateError):
        return f"it takes more than {MAX_STEPS:,} steps, with loops inside of loops"
    text = str(error).removeprefix("Strict mode: ")
    return f"the result is longer than {most} characters" if text.startswith("Output size") else text


def _schema(inputs: list[str], variables: list[str]) -> JsonObject:
    return _object({**dict.fromkeys(inputs, _ANY), "step": _object(dict.fromkeys(variables, _ANY))}) | {
        "$defs": _DEFINITIONS
    }


def _object(fields: JsonObject) -> JsonObject:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


@lru_cache(maxsize=8)
def _environment(most: int = MAX_OUTPUT_CHARS) -> "HandlebarsEnvironment":
    try:
        from pydantic_handlebars import HandlebarsEnvironment
    except ImportError as missing:
        raise MissingExtraError(
            "Output templates need pydantic-handlebars.", next_step="Install aeon-orchestrator[platform]."
        ) from missing
    environment = HandlebarsEnvironment(strict=True, auto_escape=False, max_output_size=most)
    environment.helper("json")(_as_json)
    # The library's own helper would warn every user who runs the Process.
    environment.helper("log")(_do_nothing)
    # The library's own helper returns nothing for a missing value, strict or not.
    environment.helper("lookup")(_strict_lookup)
    return environment


def _as_json(*values: object, options: object) -> str:  # noqa: ARG001  # how the library calls helpers
    return " ".join(readable_json(as_plain(cast(Json, value))) for value in values)


def _strict_lookup(value: object, key: object, *, options: object) -> object:  # noqa: ARG001  # as for the others
    from pydantic_handlebars import HandlebarsRuntimeError

    try:
        if isinstance(value, list):
            return cast(list[Json], value)[int(str(key))]
        return cast(JsonObject, value)[str(key)]
    except (LookupError, TypeError, ValueError):
        raise HandlebarsRuntimeError(f"lookup does not find {str(key)[:80]!r}") from None


def _do_nothing(*values: object, options: object) -> str:  # noqa: ARG001  # how the library calls helpers
    return ""

"""Output templates: Handlebars over the inputs and the steps' variables, every name checked when saved (platform 6)."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from aeon.base.errors import InputError, MissingExtraError
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.platform.processes.expressions.handlebars import MAX_STEPS, EndlessTemplateError, render_template
from aeon.platform.processes.text import join_names

if TYPE_CHECKING:
    from pydantic_handlebars import HandlebarsEnvironment

MAX_OUTPUT_CHARS = 1_000_000
"""Of what a template may come to."""

_HELPERS = {"json"}
"""What templates may call besides Handlebars' own."""

_BARE_HELPER = re.compile(r"(?<!\\)\{\{\{?~?\s*(if|unless|each|with|lookup|log|json)\s*~?\}")
"""A helper that is given nothing, which renders nothing: meant was an input of that name."""

_ANY: JsonObject = {"$ref": "#/$defs/any"}
_DEFINITIONS: JsonObject = {"any": {"type": "object", "additionalProperties": _ANY}}
"""A value of which nothing is known. Without a shape the library would not look at `../` inside of its loops."""


class TemplateError(InputError):
    """The output template cannot be used."""

    next_step = "Correct the outputTemplate."


def check_template(template: str, inputs: Iterable[str], variables: Iterable[str]) -> list[str]:
    """Everything wrong with a template over these names, empty when it can be used (platform 6)."""
    _environment()
    from pydantic_handlebars import HandlebarsError, check_template_compatibility

    given, made = sorted(inputs), sorted(variables)
    try:
        found = check_template_compatibility(template, _schema(given, made), helpers=_HELPERS)
    except HandlebarsError as error:
        return [f"it is no valid template: {error}"]
    except RecursionError:
        return ["its blocks are nested too deeply"]
    unknown = dict.fromkeys(issue.field_path for issue in found.issues)
    named = join_names([*given, *(f"step.{name}" for name in made)])
    bare = dict.fromkeys(_BARE_HELPER.findall(template))
    return [
        *(f"{{{{{path}}}}} names nothing; there are {named}" for path in unknown),
        *(f"{{{{{name}}}}} is a word of Handlebars; an input of that name is {{{{@root.{name}}}}}" for name in bare),
    ]


def render_output(template: str, values: Mapping[str, Json], *, most: int = MAX_OUTPUT_CHARS) -> str:
    """The text of a template over inputs by name, and under `step` the steps' variables (platform 6).

    Nothing is escaped, null is empty, objects and lists are JSON, and values are never templates themselves. Raises
    TemplateError where a name leads nowhere, where the text is longer than `most` characters, and where it takes more
    steps than any template should.
    """
    environment = _environment(most)
    from pydantic_handlebars import HandlebarsError

    context = {**values, "step": dict(cast(Mapping[str, Json], values.get("step", {})))}
    try:
        return render_template(environment, template, context)
    except (HandlebarsError, RecursionError, EndlessTemplateError) as error:
        raise TemplateError(f"The output template cannot be rendered: {_in_words(error, most)}.") from None


def _in_words(error: Exception, most: int) -> str:
    if isinstance(error, RecursionError):
        return "its blocks are nested too deeply"
    if isinstance(error, EndlessTemplateError):
        return f"it takes more than {MAX_STEPS:,} steps, with loops inside of loops"
    said = str(error).removeprefix("Strict mode: ")
    return f"it comes to more than {most} characters" if said.startswith("Output size") else said


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
    # The library's own would write a warning for everybody who runs the Process.
    environment.helper("log")(_silent)
    # The library's own gives nothing for what is not there, strict or not.
    environment.helper("lookup")(_strict_lookup)
    return environment


def _as_json(*values: object, options: object) -> str:  # noqa: ARG001  # how the library calls helpers
    return " ".join(canonical_json(value) for value in values)


def _strict_lookup(value: object, key: object, *, options: object) -> object:  # noqa: ARG001  # as for the others
    from pydantic_handlebars import HandlebarsRuntimeError

    try:
        if isinstance(value, list):
            return cast(list[Json], value)[int(str(key))]
        return cast(JsonObject, value)[str(key)]
    except (LookupError, TypeError, ValueError):
        raise HandlebarsRuntimeError(f"lookup finds no {str(key)[:80]!r}") from None


def _silent(*values: object, options: object) -> str:  # noqa: ARG001  # how the library calls helpers
    return ""

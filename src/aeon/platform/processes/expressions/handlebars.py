"""Renders Handlebars templates over JSON, with a limit that ends every template."""

# ruff: noqa: SLF001  # see `render_template`
# pyright: reportPrivateUsage=false

from typing import TYPE_CHECKING, cast

from aeon.base.json import Json, JsonObject, readable_json

if TYPE_CHECKING:
    from pydantic_handlebars import HandlebarsEnvironment
    from pydantic_handlebars._ast_nodes import Program, SubExpression
    from pydantic_handlebars._compiler import Compiler, Scope

MAX_STEPS = 1_000_000
"""Steps of one template, which take about 2 s."""
_CHARACTERS_PER_STEP = 100


class _Object(dict[str, Json]):
    """An object whose nulls are `_Null` in a loop, and null at the end of a path such as `{{order.note}}`."""

    def __str__(self) -> str:
        return readable_json(as_plain(self))

    def get(self, key: str, default: Json = None) -> Json:
        """Return a field as a path reads it: loops take the fields themselves."""
        value = super().get(key, default)
        return None if isinstance(value, _Null) else value


class _List(list[Json]):
    def __str__(self) -> str:
        return readable_json(as_plain(self))


class _Null(list[Json]):
    """A null in a list or an object: false, without parts, and printed as nothing.

    For a null, the library's loops would show what surrounds the list or object.
    """

    def __str__(self) -> str:
        return ""


class EndlessTemplateError(Exception):
    """A template takes too many steps, such as nested loops over large values."""


def render_template(environment: "HandlebarsEnvironment", template: str, values: JsonObject) -> str:
    """Render a template within MAX_STEPS.

    Raises HandlebarsError, EndlessTemplateError, and RecursionError for blocks nested too deeply. Steps are counted
    instead of seconds, so that the same values always give the same result. The library's public function converts
    all values to plain objects first, which print as Python does, and counts nothing; this calls the same private
    functions. The tests of templates fail if the library removes them.
    """
    from pydantic_handlebars._compiler import Compiler
    from pydantic_handlebars._parser import parse

    compiler = Compiler(
        helpers=dict(environment._helpers),
        auto_escape=environment._auto_escape,
        max_output_size=environment._max_output_size,
        strict=environment._strict,
    )
    _count_steps(compiler)
    return compiler.render(parse(template), _printable(values))


def _count_steps(compiler: "Compiler") -> None:
    """Count steps while the compiler renders.

    Each part of a block is a step each time the block runs, and so are 100 characters from a helper.
    """
    render_program, call_helper, steps = compiler._render_program, compiler._eval_subexpression, 0

    def count(more: int) -> None:
        nonlocal steps
        steps += more
        if steps > MAX_STEPS:
            raise EndlessTemplateError

    def counted_block(program: "Program", scope: "Scope") -> str:
        count(1 + len(program.body))
        return render_program(program, scope)

    def counted_helper(expr: "SubExpression", scope: "Scope") -> object:
        result = call_helper(expr, scope)
        count(len(result) // _CHARACTERS_PER_STEP if isinstance(result, str) else 0)
        return result

    compiler._render_program, compiler._eval_subexpression = counted_block, counted_helper


def _printable(value: Json) -> Json:
    if isinstance(value, dict):
        return _Object({key: _printable(item) for key, item in cast(JsonObject, value).items()})
    if isinstance(value, list):
        return _List(map(_printable, cast(list[Json], value)))
    return _Null() if value is None else value


def as_plain(value: Json) -> Json:
    """Return the JSON data of a value that a template sees."""
    if isinstance(value, _Null):
        return None
    if isinstance(value, dict):
        return {key: as_plain(item) for key, item in cast(JsonObject, value).items()}
    return [as_plain(item) for item in cast(list[Json], value)] if isinstance(value, list) else value

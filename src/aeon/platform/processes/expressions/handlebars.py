"""Handlebars over JSON: objects and lists are printed as JSON, and every template ends."""

# ruff: noqa: SLF001  # see `rendered`
# pyright: reportPrivateUsage=false

from typing import TYPE_CHECKING, cast

from aeon.base.json import Json, JsonObject, canonical_json

if TYPE_CHECKING:
    from pydantic_handlebars import HandlebarsEnvironment
    from pydantic_handlebars._ast_nodes import Program, SubExpression
    from pydantic_handlebars._compiler import Compiler, Scope

MAX_STEPS = 1_000_000
"""Of one template, 2 s or so."""
_CHARACTERS_A_STEP = 100


class _Object(dict[str, Json]):
    def __str__(self) -> str:
        return canonical_json(self)


class _List(list[Json]):
    def __str__(self) -> str:
        return canonical_json(self)


class EndlessTemplateError(Exception):
    """A template takes more steps than any should: loops in loops over what it was given."""


def render_template(environment: "HandlebarsEnvironment", template: str, values: JsonObject) -> str:
    """The text of a template. Raises HandlebarsError, EndlessTemplateError, RecursionError for blocks too deep.

    Steps are counted, not seconds, so that the same values always give the same. The library's public way makes plain
    objects of all values first, which it prints as Python does, and counts nothing; what it calls then is called here.
    The tests of templates would notice its loss.
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
    """A step is a part of a block, each time the block is carried out, and some characters that a helper makes."""
    carry_out, ask_helper, steps = compiler._render_program, compiler._eval_subexpression, 0

    def count(more: int) -> None:
        nonlocal steps
        steps += more
        if steps > MAX_STEPS:
            raise EndlessTemplateError

    def counted_block(program: "Program", scope: "Scope") -> str:
        count(1 + len(program.body))
        return carry_out(program, scope)

    def counted_helper(expr: "SubExpression", scope: "Scope") -> object:
        made = ask_helper(expr, scope)
        count(len(made) // _CHARACTERS_A_STEP if isinstance(made, str) else 0)
        return made

    compiler._render_program, compiler._eval_subexpression = counted_block, counted_helper


def _printable(value: Json) -> Json:
    if isinstance(value, dict):
        return _Object({key: _printable(item) for key, item in cast(JsonObject, value).items()})
    return _List(map(_printable, cast(list[Json], value))) if isinstance(value, list) else value

"""Handlebars over JSON: objects and lists are printed as JSON."""

from typing import TYPE_CHECKING, cast

from aeon.base.json import Json, JsonObject, canonical

if TYPE_CHECKING:
    from pydantic_handlebars import HandlebarsEnvironment


class _Object(dict[str, Json]):
    def __str__(self) -> str:
        return canonical(self)


class _List(list[Json]):
    def __str__(self) -> str:
        return canonical(self)


def rendered(environment: "HandlebarsEnvironment", template: str, values: JsonObject) -> str:
    """The text of a template. Raises HandlebarsError.

    The library's public way makes plain objects of all values first, which it prints as Python does; what it calls
    then is called here. The tests of templates would notice its loss.
    """
    compiled = environment._compile_fn(template)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
    return compiled(_printable(values))


def _printable(value: Json) -> Json:
    if isinstance(value, dict):
        return _Object({key: _printable(item) for key, item in cast(JsonObject, value).items()})
    return _List(map(_printable, cast(list[Json], value))) if isinstance(value, list) else value

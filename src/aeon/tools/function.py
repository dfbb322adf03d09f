"""The decorator `@tool`: makes a tool from a typed function, with schemas from its types (core 15)."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import isfinite
from typing import Annotated, Any, Generic, ParamSpec, TypeVar, cast, get_type_hints, overload

from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo

from aeon.base.errors import ToolDefinitionError, ToolError
from aeon.base.json import Json, JsonObject
from aeon.tools.async_call import run_async
from aeon.tools.docstrings import docstring_of, parameter_descriptions, unknown_parameter_problems
from aeon.tools.interface import DEFAULT_TIMEOUT, Tool, timeout_problems

P = ParamSpec("P")
R = TypeVar("R")

_UNSUPPORTED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)


class FunctionTool(Tool, Generic[P, R]):
    """A tool made from a function. Calling it calls the function; `invoke` checks and converts the arguments first.

    A result that is not an object is returned as `{"result": value}`. `invoke` runs an async function to its end, on
    the loop that `aeon.tools.async_call` names.
    """

    def __init__(self, function: Callable[P, R], name: str, description: str, timeout: float | None) -> None:
        self.function = function
        self.name = name
        self.description = description
        self.timeout = timeout
        _check_definition(function, name, description, timeout)
        try:
            self._arguments, self._result = _models(function, name)
            self.input_schema = self._arguments.model_json_schema()
            result_schema = self._result.json_schema(mode="serialization")
        except PydanticUserError as error:
            problems = [*_types_without_json(function)] or [_first_line(error)]
            raise ToolDefinitionError(
                f"The tool {name!r} has a type without a JSON form: {'; '.join(problems)}.", problems=problems
            ) from error
        self._is_object = result_schema.get("type") == "object"
        self.output_schema = result_schema if self._is_object else _wrapped(result_schema)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError if the arguments cannot be converted or the result does not fit the annotation."""
        try:
            arguments = self._arguments.model_validate(kwargs)
        except ValidationError as error:
            raise ToolError(f"The arguments do not fit: {_first_line(error)}.") from error
        values = {field.alias or name: getattr(arguments, name) for name, field in type(arguments).model_fields.items()}
        result = self._called(values)
        try:
            checked = self._result.validate_python(result)
            _refuse_numbers_beyond_json(self._result.dump_python(checked))
            plain: Json = self._result.dump_python(checked, mode="json", by_alias=True)
        except (ValidationError, ValueError) as error:
            raise ToolError(
                f"{self.name} returned a result that does not fit its annotation: {_first_line(error)}."
            ) from error
        return cast(JsonObject, plain) if self._is_object else {"result": plain}

    def _called(self, values: JsonObject) -> object:
        call = partial(cast(Callable[..., Any], self.function), **values)
        return run_async(call) if inspect.iscoroutinefunction(_code(self.function)) else call()


def _refuse_numbers_beyond_json(value: object) -> None:
    """Raise ValueError for a NaN or an infinity in plain data, which would become null without a word."""
    if isinstance(value, float) and not isfinite(value):
        raise ValueError("NaN and infinity are not JSON; return None or a text in their place")
    if isinstance(value, Mapping):
        value = list(cast(Mapping[object, object], value).values())
    if isinstance(value, (list, tuple, set, frozenset)):
        for part in cast(Iterable[object], value):
            _refuse_numbers_beyond_json(part)


@overload
def tool(function: Callable[P, R], /) -> FunctionTool[P, R]: ...
@overload
def tool(
    *, name: str | None = None, description: str | None = None, timeout: float | None = DEFAULT_TIMEOUT
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...
def tool(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = DEFAULT_TIMEOUT,
) -> FunctionTool[P, R] | Callable[[Callable[P, R]], FunctionTool[P, R]]:
    """Makes a tool from a typed function: its name, the first paragraph of its docstring, its annotations.

    What the docstring says of the parameters (Google style, reStructuredText, NumPy style) describes them in the schema
    that the model reads; `Annotated[type, Field(description=...)]` wins. An async function becomes an async tool.
    `timeout` is in seconds. Raises ToolDefinitionError, which lists everything that the function lacks, and each name
    in the docstring that is not a parameter. An object whose class has a typed `__call__` becomes a tool, too.
    """

    def decorate(function: Callable[P, R]) -> FunctionTool[P, R]:
        text = description or docstring_of(function).partition("\n\n")[0].replace("\n", " ")
        return FunctionTool(function, name or getattr(function, "__name__", type(function).__name__), text, timeout)

    return decorate if function is None else decorate(function)


def _check_definition(function: Callable[..., Any], name: str, description: str, timeout: float | None) -> None:
    """Raises ToolDefinitionError, which lists everything that the function lacks."""
    if _code(function) is None:
        raise ToolDefinitionError(
            f"The tool {name!r} cannot be made: it is of the type {type(function).__name__}.",
            next_step="Make it of a function, of a method, or of an object whose class has a typed __call__.",
        )
    problems: list[str] = []
    try:
        hints = _hints(function)
    except Exception as error:  # noqa: BLE001  # an annotation is an expression of the author's: it may raise anything
        hints = dict[str, Any].fromkeys([*inspect.signature(function).parameters, "return"])
        problems.append(f"it has an annotation that cannot be read: {type(error).__name__}: {error}")
    problems += [problem for p in _parameters(function) for problem in _parameter_problems(p, hints)]
    if "return" not in hints:
        problems.append("it has no return type")
    problems += unknown_parameter_problems(
        parameter_descriptions(function), [parameter.name for parameter in _parameters(function)]
    )
    if inspect.isasyncgenfunction(function):
        problems.append("it is an async generator; return the whole result instead of yielding its parts")
    problems += timeout_problems(timeout)
    if not description.strip():
        problems.append("it has no docstring; describe in one what it does, the model reads it")
    if problems:
        raise ToolDefinitionError(f"The tool {name!r} cannot be made: {'; '.join(problems)}.", problems=problems)


def _parameter_problems(parameter: inspect.Parameter, hints: dict[str, Any]) -> list[str]:
    named = f"the parameter {parameter.name!r}"
    if parameter.name == "self" and parameter.name not in hints:
        return ["it is a method without its object: make the tool of one, as tool(shop.price), not in the class"]
    return [
        *([f"{named} has no type"] if parameter.name not in hints else []),
        *([f"{named} must be an ordinary named parameter"] if parameter.kind in _UNSUPPORTED else []),
        *([f"{named} has a Field as default; write Annotated[type, Field(...)]"] if _has_field(parameter) else []),
    ]


def _has_field(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.default, FieldInfo)


def _models(function: Callable[..., Any], name: str) -> tuple[type[BaseModel], TypeAdapter[Any]]:
    hints, described = _hints(function), parameter_descriptions(function)
    # Fields have generated names, so that a parameter may be called `schema`, `copy` or `_x`.
    fields: dict[str, Any] = {
        f"argument_{index}": (_annotated(hints[p.name], described.get(p.name)), _field(p))
        for index, p in enumerate(_parameters(function))
    }
    arguments = create_model(f"{name}_arguments", __config__=ConfigDict(extra="forbid"), **fields)
    return arguments, TypeAdapter(hints["return"])


def _annotated(hint: Any, description: str | None) -> Any:
    """The type with the description that the docstring has for it; one in the type's own Field wins."""
    own = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, FieldInfo)]
    is_described = description is None or any(each.description for each in own)
    return hint if is_described else Annotated[hint, Field(description=description)]


def _field(parameter: inspect.Parameter) -> Any:
    return Field(... if parameter.default is parameter.empty else parameter.default, alias=parameter.name)


def _types_without_json(function: Callable[..., Any]) -> Iterator[str]:
    for name, hint in _hints(function).items():
        try:
            TypeAdapter(hint).json_schema()
        except PydanticUserError as error:
            what = "what it returns" if name == "return" else f"the parameter {name!r}"
            advice = f" ({_first_line(error).rstrip('.')})" if error.code == "typed-dict-version" else ""
            yield f"{what} is {inspect.formatannotation(hint)}{advice}"


def _code(function: object) -> Callable[..., Any] | None:
    """The function whose annotations count: of an object, that of its class's `__call__`. None without one."""
    if inspect.isroutine(function):
        return function
    call = None if inspect.isclass(function) else getattr(function, "__call__", None)  # noqa: B004  # it is used
    return call if inspect.ismethod(call) else None


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(_code(function), include_extras=True)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def _wrapped(schema: JsonObject) -> JsonObject:
    definitions = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    inner = {key: value for key, value in schema.items() if key != "$defs"}
    return {"type": "object", "properties": {"result": inner}, "required": ["result"], **definitions}


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, e['loc'])) or 'value'}: {e['msg']}" for e in error.errors()[:5])
    return str(error).partition("\n")[0]

"""Core 15: `@tool` makes a tool of a typed function."""

import functools
import math
import subprocess
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from aeon.base.errors import ToolDefinitionError, ToolError
from aeon.tools.function import FunctionTool, tool
from aeon.tools.invocation import ToolInvoker
from aeon.tools.registry import ToolRegistry


class Address(BaseModel):
    street: str
    number: int = 1


class Person(BaseModel):
    name: str
    homes: list[Address] = []


class Invoice(BaseModel):
    total_amount: float = Field(alias="totalAmount")
    paid_by: list[Person] = Field(default=[], serialization_alias="paidBy")


class Total(TypedDict):
    total: float


@dataclass
class Point:
    x: int
    y: int


def call(made, **arguments):
    """Through registry and caller, as the kernel does."""
    registered = ToolRegistry([made]).lookup(made.name)
    assert registered.input.problems(arguments) == []
    return ToolInvoker().invoke(registered, arguments)


@pytest.mark.parametrize("kind", [Invoice, list[Invoice]])
def test_a_result_has_the_names_of_its_schema_where_a_model_has_aliases(kind):
    invoice = Invoice(totalAmount=2.5, paid_by=[Person(name="Ann")])

    @tool
    def total() -> kind:
        """The invoice."""
        return invoice if kind is Invoice else [invoice]

    expected = {"totalAmount": 2.5, "paidBy": [{"name": "Ann", "homes": []}]}
    assert call(total) == (expected if kind is Invoice else {"result": [expected]})


def test_name_description_and_schemas_come_from_the_function():
    @tool
    def greet(name: str, times: int = 1, mood: Literal["warm", "cold"] = "warm") -> str:
        """Greet somebody
        by name.

        More than the model needs.
        """
        return f"{mood} hello {name} " * times

    assert (greet.name, greet.description) == ("greet", "Greet somebody by name.")
    properties = greet.input_schema["properties"]
    assert properties["name"]["type"] == "string"
    assert (properties["times"]["type"], properties["times"]["default"]) == ("integer", 1)
    assert properties["mood"]["enum"] == ["warm", "cold"]
    assert greet.input_schema["required"] == ["name"]
    assert greet.input_schema["additionalProperties"] is False
    assert call(greet, name="Ann", times=2) == {"result": "warm hello Ann warm hello Ann "}
    assert greet("Bo", mood="cold") == "cold hello Bo "


def test_options_win_over_the_function():
    @tool(name="other", description="Does.", timeout=3)
    def made(x: int) -> int:
        return x

    assert (made.name, made.description, made.timeout) == ("other", "Does.", 3)


@pytest.mark.parametrize(
    ("annotation", "given", "result"),
    [
        (int, 5, {"result": 5}),
        (float, 2.5, {"result": 2.5}),
        (str, "x", {"result": "x"}),
        (bool, True, {"result": True}),
        (None, None, {"result": None}),
        (str | None, None, {"result": None}),
        (list[int], [1, 2], {"result": [1, 2]}),
        (list[Person], [Person(name="A")], {"result": [{"name": "A", "homes": []}]}),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (Person, Person(name="A", homes=[Address(street="B")]), {"name": "A", "homes": [{"street": "B", "number": 1}]}),
        (Total, {"total": 1.5}, {"total": 1.5}),
        (Point, Point(1, 2), {"x": 1, "y": 2}),
        (tuple[int, str], (1, "a"), {"result": [1, "a"]}),
        (Literal["a", "b"], "b", {"result": "b"}),
        (Any, [1], {"result": [1]}),
    ],
    ids=str,
)
def test_results_of_every_type_fit_the_output_schema(annotation, given, result):
    def made():
        """Return it."""
        return given

    made.__annotations__["return"] = annotation
    assert call(tool(made)) == result


@pytest.mark.parametrize("timeout", [-1, 0, float("nan"), "1"])
def test_a_timeout_that_is_none_of_seconds_is_refused_where_the_tool_is_made(timeout):
    with pytest.raises(ToolDefinitionError, match="its timeout must be a positive number of seconds or None"):

        @tool(timeout=timeout)
        def one() -> int:
            """Return one."""
            return 1


def test_nested_models_and_lists_arrive_as_what_they_are():
    @tool
    def homes(people: list[Person], where: Address, point: Point, extra: dict[str, list[int]] | None = None) -> int:
        """Count the homes."""
        assert isinstance(where, Address)
        assert isinstance(point, Point)
        assert extra is None
        return sum(len(person.homes) for person in people)

    given = [{"name": "A", "homes": [{"street": "x"}, {"street": "y", "number": 2}]}]
    assert call(homes, people=given, where={"street": "z"}, point={"x": 1, "y": 2}) == {"result": 2}


def test_constraints_stand_in_the_schema():
    @tool
    def made(size: Annotated[int, Field(ge=1, description="metres")] = 3) -> int:
        """Made."""
        return size

    assert made.input_schema["properties"]["size"] | {"title": ""} == {
        "type": "integer",
        "minimum": 1,
        "default": 3,
        "description": "metres",
        "title": "",
    }
    assert call(made) == {"result": 3}


def test_parameters_may_have_any_name():
    """Also those that pydantic keeps for itself."""

    @tool
    def made(
        json: str, schema: int, copy: bool, model_config: str, _x: int, class_: str = "c", self_: str = "s"
    ) -> str:
        """Made."""
        return f"{json}{schema}{copy}{model_config}{_x}{class_}{self_}"

    assert list(made.input_schema["properties"]) == ["json", "schema", "copy", "model_config", "_x", "class_", "self_"]
    assert call(made, json="a", schema=1, copy=True, model_config="m", _x=2, class_="d") == {"result": "a1Truem2ds"}


def test_arguments_that_do_not_convert_are_named():
    @tool
    def made(schema: int, b: list[int]) -> int:
        """Made."""
        return schema

    with pytest.raises(ToolError, match=r"schema: .*; b\.0: .*"):
        made.invoke(schema="x", b=["y"])
    with pytest.raises(ToolError, match="c: Extra inputs"):
        made.invoke(schema=1, b=[], c=1)


@pytest.mark.parametrize("value", [math.nan, math.inf, {"mean": math.nan}, [{"max": (1.0, -math.inf)}]])
def test_a_number_that_is_not_json_is_a_tool_error_and_not_null(value):
    @tool
    def measured() -> Any:
        """Measures."""
        return value

    with pytest.raises(ToolError, match="NaN and infinity are not JSON"):
        measured.invoke()


def test_a_function_that_breaks_its_own_promise_is_a_tool_error():
    @tool
    def made() -> int:
        """Made."""
        return "text"  # type: ignore[return-value]

    with pytest.raises(ToolError, match="made returned a result that does not fit its annotation"):
        made.invoke()


def problems_of(function, **options):
    with pytest.raises(ToolDefinitionError) as raised:
        tool(**options)(function) if options else tool(function)
    assert raised.value.advice
    assert f"The tool '{function.__name__}' " in str(raised.value)
    return raised.value.details.get("problems", [str(raised.value)])


def test_core_15_everything_a_function_lacks_is_told_at_once():
    async def made(a, *args, b: int = 1, **kwargs):
        return a

    assert problems_of(made) == [
        "the parameter 'a' has no type",
        "the parameter 'args' has no type",
        "the parameter 'args' must be an ordinary named parameter",
        "the parameter 'kwargs' has no type",
        "the parameter 'kwargs' must be an ordinary named parameter",
        "it has no return type",
        "it has no docstring; describe in one what it does, the model reads it",
    ]


def positional_only(a: int, /) -> int:
    """Made."""
    return a


async def async_generator() -> Any:
    """Made."""
    yield 1


def without_docstring(a: int) -> int:
    return a


def field_default(a: int = Field(3, ge=1)) -> int:
    """Made."""
    return a


def unknown_name(a: "Nowhere") -> "AlsoNowhere":  # noqa: F821
    """Made."""


def no_expression(a: "1 +") -> int:  # noqa: F722
    """Made."""


def no_attribute(a: "functools.nothing", *args) -> int:
    """Made."""


def callback(a: Callable[[int], int]) -> int:
    """Made."""


def callback_result() -> Callable[[int], int]:
    """Made."""


def any_object(a: ToolInvoker) -> int:
    """Made."""


class Shop:
    """A shop."""

    def __init__(self, factor):
        self.factor = factor

    def price(self, weight: int) -> int:
        """The price."""
        return self.factor * weight

    def __call__(self, weight: int) -> int:
        return self.factor * weight


class Later(Shop):
    """A shop that answers later."""

    async def __call__(self, weight: int) -> int:
        return self.factor * weight


@pytest.mark.parametrize("function", [Shop(2).price, Shop(2), Later(2)])
def test_a_tool_is_made_of_a_method_of_an_object_and_of_an_object_that_is_called(function):
    assert tool(function).invoke(weight=3) == {"result": 6}


class Rate:
    def __call__(self, weight: int) -> int:
        """What it costs to send.

        Args:
            weight: in grams
        """
        return weight


class Silent:
    def __call__(self, weight: int) -> int:
        return weight


def test_an_object_may_say_in_its_call_what_it_does():
    rate = tool(Rate())
    assert rate.description == "What it costs to send."
    assert rate.input_schema["properties"]["weight"]["description"] == "in grams"
    with pytest.raises(ToolDefinitionError, match="it has no docstring"):
        tool(Silent())


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python 3.12 has what pydantic needs")
def test_a_typed_dict_that_pydantic_cannot_read_says_which_one_it_can():
    class Old(typing.TypedDict):
        x: int

    def total(a: Old) -> int:
        """Made."""

    with pytest.raises(ToolDefinitionError, match=r"'a' is .*Old \(Please use `typing_extensions.TypedDict`"):
        tool(total)


@pytest.mark.parametrize("function", [5, "price", Shop, functools.partial(without_docstring, 1)])
def test_what_has_no_typed_signature_is_refused_with_its_type(function):
    message = f"it is of the type {type(function).__name__}. Make it of a function, of a method, or of an object"
    with pytest.raises(ToolDefinitionError, match=message):
        tool(function)


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (positional_only, "'a' must be an ordinary named parameter"),
        (async_generator, "it is an async generator"),
        (without_docstring, "it has no docstring"),
        (field_default, "'a' has a Field as default; write Annotated"),
        (unknown_name, "an annotation that cannot be read: NameError: name 'Nowhere'"),
        (no_expression, "an annotation that cannot be read: SyntaxError"),
        (no_attribute, "an annotation that cannot be read: AttributeError"),
        (callback, "the parameter 'a' is collections.abc.Callable[[int], int]"),
        (callback_result, "what it returns is collections.abc.Callable[[int], int]"),
        (any_object, "the parameter 'a' is aeon.tools.invocation.ToolInvoker"),
        (Shop.price, "it is a method without its object: make the tool of one, as tool(shop.price)"),
    ],
    ids=lambda value: getattr(value, "__name__", "-"),
)
def test_core_15_each_thing_a_function_may_lack(function, problem):
    assert problem in problems_of(function)[0]


def test_an_annotation_that_cannot_be_read_hides_no_other_problem():
    assert len(problems_of(no_attribute)) == 2


def test_a_description_stands_in_for_a_docstring():
    assert tool(description="Does.")(without_docstring).description == "Does."


def test_a_callable_without_a_name_is_refused_in_words():
    with pytest.raises(ToolDefinitionError, match="The tool 'partial' cannot be made"):
        tool(functools.partial(without_docstring, 1))


def test_a_wrapped_function_keeps_its_signature():
    def twice(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return 2 * function(*args, **kwargs)

        return wrapper

    @tool
    @twice
    def made(a: int) -> int:
        """Made."""
        return a

    assert call(made, a=4) == {"result": 8}


LATER = '''
from __future__ import annotations
from pydantic import BaseModel
from aeon.tools.function import tool

class Town(BaseModel):
    name: str
    twin: Town | None = None

@tool
def rename(town: Town, to: str = "X") -> Town | None:
    """Rename a town."""
    return Town(name=to, twin=town)

assert rename.invoke(town={"name": "A"}) == {"result": {"name": "X", "twin": {"name": "A", "twin": None}}}
assert rename.validate_output(rename.invoke(town={"name": "A"}))
'''


def test_it_works_with_postponed_annotations():
    names = {"__name__": "later"}
    sys.modules["later"] = type(sys)("later")
    sys.modules["later"].__dict__.update(names)
    try:
        exec(compile(LATER, "later.py", "exec"), sys.modules["later"].__dict__)  # noqa: S102  # a module of its own
    finally:
        del sys.modules["later"]


TYPED = '''
from aeon.tools.function import FunctionTool, tool

@tool
def add(a: int, b: int = 1) -> str:
    """Add."""
    return str(a + b)

@tool(name="other")
def other() -> list[int]:
    """Other."""
    return []

good: str = add(1, b=2)
also: list[int] = other()
made: FunctionTool[..., str] = add
add("x")
wrong: int = add(1)
'''


@pytest.mark.slow
def test_the_types_of_the_function_stay_known_to_the_checker(tmp_path):
    sample = tmp_path / "typed.py"
    sample.write_text(TYPED)
    checked = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, sample],
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line.split(":")[1] for line in checked.stdout.splitlines() if " - error" in line] == ["17", "18"]


def test_it_is_a_tool():
    assert isinstance(tool(description="Does.")(without_docstring), FunctionTool)

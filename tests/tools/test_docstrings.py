"""What a docstring says of the parameters reaches the schema that the model reads."""

from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from aeon.base.errors import ToolDefinitionError
from aeon.tools.function import tool


class Place(BaseModel):
    name: str


def google(km: float, unit: str = "mile", place: Place | None = None) -> float:
    """Convert kilometres.

    It is exact.

    Args:
        km: The distance,
            in kilometres.
        unit (str, optional): What to convert to.
        place: Where.

    Returns:
        The distance.

    Raises:
        ValueError: If it is negative.
    """
    return km


def rest(km: float, unit: str = "mile", place: Place | None = None) -> float:
    """Convert kilometres.

    :param km: The distance, in kilometres.
    :param str unit: What to convert to.
    :param place: Where.
    :returns: The distance.
    """
    return km


def numpy(km: float, unit: str = "mile", place: Place | None = None) -> float:
    """Convert kilometres.

    Parameters
    ----------
    km : float
        The distance, in kilometres.
    unit : str, optional
        What to convert to.
    place : Place
        Where.

    Returns
    -------
    float
        The distance.
    """
    return km


def described(made):
    return {name: field.get("description") for name, field in made.input_schema["properties"].items()}


@pytest.mark.parametrize("function", [google, rest, numpy])
def test_the_descriptions_of_each_style_are_in_the_schema(function):
    made = tool(function)
    assert made.description == "Convert kilometres."
    assert described(made) == {"km": "The distance, in kilometres.", "unit": "What to convert to.", "place": "Where."}
    assert made.input_schema["required"] == ["km"]
    assert made.invoke(km=2.0) == {"result": 2.0}


def test_an_async_function_has_them_too():
    @tool
    async def later(a: int) -> int:
        """Wait.

        Args:
            a: Seconds.
        """
        return a

    assert described(later) == {"a": "Seconds."}


def test_two_parameters_may_share_a_description():
    @tool
    def add(a: int, b: int) -> int:
        """Add.

        Parameters
        ----------
        a, b : int
            A summand.
        """
        return a + b

    assert described(add) == {"a": "A summand.", "b": "A summand."}


def test_a_description_in_the_annotation_wins():
    @tool
    def made(a: Annotated[int, Field(description="its own", ge=1)], b: Annotated[int, Field(ge=1)]) -> int:
        """Make.

        Args:
            a: from the docstring
            b: from the docstring
        """
        return a

    assert described(made) == {"a": "its own", "b": "from the docstring"}
    assert made.input_schema["properties"]["b"]["minimum"] == 1


def test_a_name_that_is_no_parameter_is_named_at_the_definition():
    def made(amount: int) -> int:
        """Make.

        Args:
            amuont: how many
            price: how much
        """
        return amount

    with pytest.raises(ToolDefinitionError) as raised:
        tool(made)
    assert raised.value.details["problems"] == [
        "its docstring describes 'amuont', which is not a parameter; did you mean 'amount'?",
        "its docstring describes 'price', which is not a parameter",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Make: this and that.\n\nNote: it is odd.\n\nExample:\n    >>> made(1)\n    1",
        "Make.\n\n:param broken",
        "Make.\n\nArgs:\n  nothing here",
        "Make.\n\nAttributes:\n    other: something else",
        "Make.\n\nReturns:\n    a: not a parameter",
        "Make.",
    ],
)
def test_other_text_describes_no_parameter(text):
    def made(a: int) -> int:
        return a

    made.__doc__ = text
    assert described(tool(made)) == {"a": None}

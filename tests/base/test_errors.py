"""One error tree: message, next step, data (style.md 9)."""

import copy
import inspect
import pickle

import pytest

from aeon.base import errors
from aeon.base.errors import (
    AeonError,
    InputError,
    MemoryStoreError,
    PlanError,
    RequestError,
    ToolDefinitionError,
    ToolError,
)
from aeon.base.json import canonical_json

TREE = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, AeonError)]


@pytest.mark.parametrize("kind", TREE, ids=lambda kind: kind.__name__)
def test_every_error_says_something_without_being_told(kind):
    error = kind()
    assert error.message.endswith(".")
    assert str(error) == f"{error.message} {error.advice}".strip()
    assert error.as_dict() == {"type": kind.__name__, "message": error.message, "next_step": kind.next_step}


def test_the_docstring_is_the_message():
    assert str(RequestError()) == "The request cannot be planned. Say in a sentence or two what you want done."


def test_message_advice_and_details_are_given():
    error = ToolError("It broke.", next_step="Mend it.", tool="saw", code=3)
    assert str(error) == "It broke. Mend it."
    assert error.as_dict() == {
        "type": "ToolError",
        "message": "It broke.",
        "next_step": "Mend it.",
        "tool": "saw",
        "code": 3,
    }
    assert canonical_json(error.as_dict())


def test_an_advice_of_its_own_wins_over_the_class():
    assert PlanError("No.", next_step="Do this.").advice == "Do this."
    assert PlanError("No.").advice == PlanError.next_step


@pytest.mark.parametrize("kind", [AeonError, MemoryError])
def test_core_14_a_memory_store_error_is_both(kind):
    with pytest.raises(kind):
        raise MemoryStoreError


def test_core_15_a_tool_definition_error_is_a_value_error():
    assert issubclass(ToolDefinitionError, ValueError)
    assert issubclass(ToolDefinitionError, InputError)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])  # noqa: S301  # its own pickle
def test_errors_survive_copying(again):
    error = again(ToolError("It broke.", next_step="Mend it.", code=3))
    assert (str(error), error.details) == ("It broke. Mend it.", {"code": 3})

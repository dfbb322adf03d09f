"""One error tree: message, next step, data (style.md 9)."""

import copy
import inspect
import pickle

import pytest

from aeon.base import errors
from aeon.base.errors import (
    AeonError,
    InputError,
    LLMError,
    LLMRequestError,
    MemoryStoreError,
    PlanError,
    RequestError,
    ToolDefinitionError,
    ToolError,
    error_code,
)
from aeon.base.json import canonical_json
from aeon.platform.catalog.operations import OperationError
from aeon.platform.errors import RuleError
from aeon.platform.store import StoreUnavailableError

TREE = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, AeonError)]


@pytest.mark.parametrize("kind", TREE, ids=lambda kind: kind.__name__)
def test_every_error_says_something_without_being_told(kind):
    error = kind()
    assert error.message.endswith(".")
    assert str(error) == f"{error.message} {error.advice}".strip()
    assert error.as_dict() == {"type": kind.__name__, "message": error.message, "next_step": str(kind.next_step)}


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
    plan = again(PlanError("It has no steps."))
    assert (str(plan), plan.advice) == ("It has no steps. Correct the plan and run it again.", PlanError.next_step)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("RuleError", "rule"),
        ("NotFoundError", "not_found"),
        ("LLMRequestError", "llm_request"),
        ("UsageError", "usage"),
        ("AeonError", "internal"),
        ("", "internal"),
    ],
)
def test_the_code_of_an_error_is_its_name(kind, code):
    assert error_code(kind) == code


def test_an_error_is_answered_with_the_members_of_platform_2():
    """Measured P12: errors had no code, no correlation id and no time."""
    error = RuleError("It does not fit.", rule="schema", field="$.name", next_step="Mend it.")
    told = error.report("c-1", "2026-01-01T00:00:00.000000+00:00")
    details = {"rule": "schema", "field": "$.name", "retryable": False}
    assert {name: told[name] for name in ("code", "message", "correlationId", "timestamp", "details")} == {
        "code": "rule",
        "message": "It does not fit.",
        "correlationId": "c-1",
        "timestamp": "2026-01-01T00:00:00.000000+00:00",
        "details": details,
    }
    assert told["next_step"] == "Mend it."


@pytest.mark.parametrize(
    ("error", "details"),
    [
        (OperationError("busy", is_transient=True, retry_after=7.0), {"retryable": True, "retryAfter": 7.0}),
        (OperationError("refused"), {"retryable": False}),
        (LLMError(), {"retryable": True}),
        (LLMRequestError(), {"retryable": False}),
        (StoreUnavailableError("gone"), {"retryable": True, "may_have_happened": False}),
    ],
)
def test_an_error_says_whether_the_same_request_may_succeed_later(error, details):
    assert error.report("c", "t")["details"] == details

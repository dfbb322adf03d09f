"""One error tree. A class's docstring is its message, data are attributes, and the text ends with what to do next."""

import inspect
import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from aeon.base.json import Json, JsonObject, json_problems
from aeon.base.next_steps import NextStep, words_of

MAX_MESSAGE = 2000
"""Characters that are kept of error messages from other code."""


class AeonError(Exception):
    """Aeon could not continue."""

    next_step: ClassVar[str | NextStep] = ""
    is_retryable: ClassVar[bool] = False
    """Whether the same request may succeed later, unless the error's details say otherwise."""
    is_wrong_input: ClassVar[bool] = False
    """Whether what the user gave cannot be used or does not exist; commands then end with exit code 2."""

    def __init__(self, message: str = "", *, next_step: str | NextStep = "", **details: Json) -> None:
        """`next_step` is a text, or a `NextStep` if doors word it: `next` keeps it, `advice` is its text."""
        self.message = message or inspect.cleandoc(type(self).__doc__ or "").partition("\n")[0]
        self.next: str | NextStep = next_step or type(self).next_step
        self.advice = str(self.next)
        self.details = details
        super().__init__(f"{self.message} {self.advice}".strip())

    def __reduce__(self) -> tuple[Any, ...]:
        """The same error in a copy and in another process: without `__init__`, which would add the next step again."""
        return _restored, (type(self), self.args), self.__dict__

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed later."""
        return bool(self.details.get("retryable", self.is_retryable))

    def as_dict(self) -> JsonObject:
        """The error as data, for logs and results: `type`, `message`, `next_step` and its details."""
        return {"type": type(self).__name__, "message": self.message, "next_step": self.advice, **self.details}

    def report(self, correlation_id: str, timestamp: str, words: Mapping[str, str] | None = None) -> JsonObject:
        """The error as data for a client: `as_dict`, its next step in a door's `words`, and what `error_report` adds.

        `next` is the step's code and what it is about, None for a plain text.
        """
        record = {**self.as_dict(), "next_step": words_of(self.next, words or {}), "retryable": self.may_pass}
        step = self.next
        code = {"code": step.code, **step.params} if isinstance(step, NextStep) else None
        return {**error_report(record, correlation_id, timestamp), "next": code}


def _restored(kind: type[AeonError], args: tuple[str, ...]) -> AeonError:
    return kind.__new__(kind, *args)


class InputError(AeonError):
    """The input to Aeon cannot be used."""

    is_wrong_input = True


class RequestError(InputError):
    """The request cannot be planned."""

    next_step = "Say in a sentence or two what you want done."


class PlanError(InputError):
    """The plan is not valid."""

    next_step = "Correct the plan and run it again."


class ConfigError(InputError):
    """The configuration is not valid."""

    next_step = NextStep("config.explain")


class BindingError(InputError):
    """A reference to an earlier step's result cannot be resolved."""

    next_step = "Refer to a step that ran before, as {step.<step_id>.<path>}."


class ToolDefinitionError(InputError, ValueError):
    """The tool cannot be registered."""

    next_step = "Correct the tool's definition."


class MissingExtraError(AeonError):
    """An optional part of Aeon is not installed."""


class LLMError(AeonError):
    """The language model did not answer."""

    is_retryable = True
    next_step = NextStep("models.check")


class LLMRequestError(LLMError):
    """The language model refused the request, and a retry would not help."""

    is_retryable = False


class ToolError(AeonError):
    """The tool failed."""


class SupervisorError(AeonError):
    """The output could not be repaired within its limits."""


class ExecutionError(AeonError):
    """The step could not be run."""


class OrchestrationError(AeonError):
    """The run could not be executed."""


class MemoryStoreError(AeonError, MemoryError):
    """The memory store failed."""


class LogError(AeonError):
    """The run's log cannot be used."""


class WeightsError(AeonError):
    """The model's weights are not available."""


class SkillError(AeonError):
    """The skill cannot be used."""

    next_step = NextStep("skills.check")


class SandboxError(AeonError):
    """Scripts cannot be isolated as strictly as required."""

    next_step = "Install bubblewrap, use a kernel with Landlock, or lower the requirement with --sandbox auto."


_WORD_BOUNDARY: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OWN_MEMBERS: Final = ("type", "message", "next_step")


def error_report(record: JsonObject, correlation_id: str, timestamp: str) -> JsonObject:
    """An error's record, as `as_dict` gives it, with the members that every reported error has (platform 2).

    Those are `code`, `message`, `correlationId`, `timestamp` and `details`. The details are the record's members other
    than `type`, `message` and `next_step`, and `retryable`. The record's own members stay beside them.
    """
    details = {name: value for name, value in record.items() if name not in _OWN_MEMBERS}
    return {
        **record,
        "code": error_code(str(record.get("type") or "")),
        "correlationId": correlation_id,
        "timestamp": timestamp,
        "details": {"retryable": False, **details},
    }


def error_code(class_name: str) -> str:
    """The code of a class of errors: its name in snake case without `Error`, `internal` for an unexpected error."""
    words = _WORD_BOUNDARY.split(class_name.removesuffix("Error"))
    return "_".join(words).lower() if words not in (["Aeon"], [""]) else "internal"


def exception_text(error: BaseException) -> str:
    """The exception's type and message; some exceptions cannot even be rendered as text."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001  # external code
        message = "(without a readable message)"
    return f"{type(error).__name__}: {message}"[:MAX_MESSAGE]


def exception_message(error: BaseException) -> str:
    """The message of one of Aeon's errors, else the `exception_text`."""
    message: Json = getattr(error, "message", None) if isinstance(error, AeonError) else None
    return message[:MAX_MESSAGE] if isinstance(message, str) else exception_text(error)


def is_recordable(error: AeonError) -> bool:
    """Whether a log can keep `error` and a replay can raise it again: its record is JSON with the same text."""
    try:
        record = error.as_dict()
        texts: list[Json] = [record["message"], record["next_step"], record["type"]]
        is_same = str(error) == f"{error.message} {error.advice}".strip()
        return is_same and all(isinstance(text, str) for text in texts) and not json_problems(record)
    except Exception:  # noqa: BLE001  # external subclasses
        return False

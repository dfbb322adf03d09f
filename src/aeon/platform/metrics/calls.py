"""What is recorded of calls of tools, failures too; and what records each call that no run makes."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.platform.catalog.calling import Called, OperationError
from aeon.platform.catalog.tools import Tools
from aeon.platform.catalog.usage import Usage
from aeon.platform.errors import PlatformError, RuleError
from aeon.platform.metrics.model import NewValue
from aeon.platform.metrics.rules import USER
from aeon.platform.metrics.values import Values
from aeon.platform.store import StoreError
from aeon.platform.workers.calling import CallsTools

MOST_DURATIONS = 5000
"""Of one batch. Of more, as many are recorded, from beginning to end: their average is what is asked for."""

SERVICE_FAILED = frozenset({"OperationError", "timed_out"})
"""Why a call failed, where that was on the service's side."""


class Call(NamedTuple):
    """A call of a tool. `code` is why it failed; `service` where it was made, if that is known."""

    tool: str
    service: str | None = None
    code: str | None = None
    milliseconds: int | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0


def values_of(calls: Iterable[Call], user: str) -> list[NewValue]:
    """The values of a user's calls: what is added up is one value for a tool, each duration is its own. Pure."""
    sums: Counter[tuple[str, str, str]] = Counter()
    durations: list[NewValue] = []
    whose = {USER: user}
    for call in calls:
        sums["tool.calls", call.tool, ""] += 1
        sums["tool.tokens_prompt", call.tool, ""] += call.prompt_tokens
        sums["tool.tokens_completion", call.tool, ""] += call.completion_tokens
        if call.code is not None:
            sums["tool.errors", call.tool, call.code] += 1
        if call.code in SERVICE_FAILED and call.service is not None:
            sums["service.errors", call.service, ""] += 1
        if call.milliseconds is not None:
            durations.append(NewValue("tool.duration_ms", call.tool, call.milliseconds, whose))
    counted = [
        NewValue(metric, entity, count, {**whose, "code": code} if code else whose)
        for (metric, entity, code), count in sums.items()
        if count
    ]
    return [*counted, *durations[:: len(durations) // MOST_DURATIONS + 1]]


class MeasuredCaller:
    """Calls stored tools, and records every call. One that could not be recorded is no failure."""

    def __init__(self, caller: CallsTools, tools: Tools, values: Values) -> None:
        self._caller = caller
        self._tools = tools
        self._values = values

    def call(self, user: str, tool_id: str, given: JsonObject, key: str | None = None) -> Called:
        """As `ToolCaller.call`, with a warning more where the call was not recorded."""
        try:
            called = self._caller.call(user, tool_id, given, key)
        except AeonError as error:
            usage = error.usage if isinstance(error, OperationError) else None
            self._record(user, _with_usage(Call(tool_id, code=code_of(error)), usage))
            raise
        warning = self._record(user, _with_usage(Call(tool_id, milliseconds=called.milliseconds), called.usage))
        return called._replace(warnings=[*called.warnings, warning]) if warning else called

    def _record(self, user: str, call: Call) -> str:
        try:
            service = self._tools.get(user, call.tool).service_id if call.code in SERVICE_FAILED else None
            self._values.record(values_of([call._replace(service=service)], user))
        except (StoreError, PlatformError) as error:  # as for a tool that there is not
            return f"The call was not recorded: {error.message}"
        return ""


def code_of(error: AeonError) -> str:
    """Why a call failed, in a word."""
    return error.rule if isinstance(error, RuleError) else type(error).__name__


def _with_usage(call: Call, usage: Usage | None) -> Call:
    if usage is None:
        return call
    return call._replace(prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens)

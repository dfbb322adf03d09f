"""Metric values of tool calls, and a caller that records calls outside of runs."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.platform.catalog.operations import TokenUsage
from aeon.platform.catalog.tool_calls import OperationError, ToolCallPort, ToolCallResult
from aeon.platform.catalog.tools import ToolRepository
from aeon.platform.errors import PlatformError, RuleError
from aeon.platform.metrics.model import NewMetricValue
from aeon.platform.metrics.rules import USER_DIMENSION
from aeon.platform.metrics.values import MetricValueRepository
from aeon.platform.store import StoreError

MAX_DURATIONS = 5000
"""The maximum number of durations in a batch. Larger batches are sampled evenly, which preserves the average."""

SERVICE_FAILURE_CODES = frozenset({"OperationError", "timed_out"})
"""Failure codes of calls that failed because of the service."""


class CallMeasurement(NamedTuple):
    """A call of a tool.

    `code` is its failure code; `service` the service that it used, if known.
    """

    tool: str
    service: str | None = None
    code: str | None = None
    milliseconds: int | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0


def call_values(calls: Iterable[CallMeasurement], user: str) -> list[NewMetricValue]:
    """Returns the values of a user's calls. Pure.

    Sums are one value per tool; each duration is a value.
    """
    sums: Counter[tuple[str, str, str]] = Counter()
    durations: list[NewMetricValue] = []
    user_dimension = {USER_DIMENSION: user}
    for call in calls:
        sums["tool.calls", call.tool, ""] += 1
        sums["tool.tokens_prompt", call.tool, ""] += call.prompt_tokens
        sums["tool.tokens_completion", call.tool, ""] += call.completion_tokens
        if call.code is not None:
            sums["tool.errors", call.tool, call.code] += 1
        if call.code in SERVICE_FAILURE_CODES and call.service is not None:
            sums["service.errors", call.service, ""] += 1
        if call.milliseconds is not None:
            durations.append(NewMetricValue("tool.duration_ms", call.tool, call.milliseconds, user_dimension))
    counted = [
        NewMetricValue(metric, entity, count, {**user_dimension, "code": code} if code else user_dimension)
        for (metric, entity, code), count in sums.items()
        if count
    ]
    return [*counted, *durations[:: len(durations) // MAX_DURATIONS + 1]]


class MeasuringToolCaller:
    """Calls stored tools, and records every call.

    A call that could not be recorded does not fail.
    """

    def __init__(self, caller: ToolCallPort, tools: ToolRepository, values: MetricValueRepository) -> None:
        self._caller = caller
        self._tools = tools
        self._values = values

    def call(self, user: str, tool_id: str, arguments: JsonObject, key: str | None = None) -> ToolCallResult:
        """Like `StoredToolCaller.call`, with an additional warning if the call was not recorded."""
        try:
            result = self._caller.call(user, tool_id, arguments, key)
        except AeonError as error:
            usage = error.usage if isinstance(error, OperationError) else None
            self._record(user, _with_usage(CallMeasurement(tool_id, code=failure_code(error)), usage))
            raise
        warning = self._record(
            user, _with_usage(CallMeasurement(tool_id, milliseconds=result.milliseconds), result.usage)
        )
        return result._replace(warnings=[*result.warnings, warning]) if warning else result

    def _record(self, user: str, call: CallMeasurement) -> str:
        try:
            service = self._tools.get(user, call.tool).service_id if call.code in SERVICE_FAILURE_CODES else None
            self._values.record(call_values([call._replace(service=service)], user))
        except (StoreError, PlatformError) as error:  # such as a tool that does not exist
            return f"The call was not recorded: {error.message}"
        return ""


def failure_code(error: AeonError) -> str:
    """Returns the failure code of an error."""
    return error.rule if isinstance(error, RuleError) else type(error).__name__


def _with_usage(call: CallMeasurement, usage: TokenUsage | None) -> CallMeasurement:
    if usage is None:
        return call
    return call._replace(prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens)

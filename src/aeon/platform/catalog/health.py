"""Health checks of services on a schedule, less often after failures (platform 5)."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple, Protocol

from aeon.base.clock import Clock
from aeon.base.json import JsonObject
from aeon.platform.catalog import queries
from aeon.platform.catalog.model import HealthStatus, Service, Tool
from aeon.platform.catalog.rules import check_connection
from aeon.platform.catalog.services import ServiceRepository
from aeon.platform.catalog.tools import ToolRepository
from aeon.platform.catalog.trust import everybody
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.queries import USERS
from aeon.platform.records import replace_unstorable
from aeon.platform.store import Store, UnitOfWork

MIN_CHECK_INTERVAL, CHECK_INTERVAL, MAX_CHECK_INTERVAL = (
    timedelta(seconds=30),
    timedelta(minutes=2),
    timedelta(minutes=5),
)
"""The delay until the next check: minimum, normal while healthy, and maximum (platform 5)."""

_MAX_TOOLS = 10_000
"""The number of tools that are checked for one user."""


class HealthProbe(Protocol):
    """Checks whether services of one type respond."""

    def problem(self, protocol: str, connection: JsonObject, *, allow_private: bool) -> str | None:
        """Returns why the service does not respond.

        Returns None if it does. Does not raise for a missing service. Without `allow_private`, a private address counts
        as unreachable, as it is for a call.
        """
        ...


class HealthVerdict(NamedTuple):
    """The outcome of a check."""

    status: HealthStatus
    reason: str | None


class HealthCheckResult(NamedTuple):
    """A tool and its service after a check."""

    tool: Tool
    service: Service | None
    """None if the service is not shared with the tool's owner any more."""
    since: str | None


def judge(problem: str | None, failures: int) -> HealthVerdict:
    """Returns the verdict: one failure means degraded, a second in a row means down."""
    if problem is None:
        return HealthVerdict("healthy", None)
    return HealthVerdict("degraded" if failures == 1 else "down", problem)


def next_check_delay(failures: int) -> timedelta:
    """Returns the delay until the next check: short after the first failure, then growing."""
    if failures == 0:
        return CHECK_INTERVAL
    return min(MIN_CHECK_INTERVAL * 2 ** (failures - 1), MAX_CHECK_INTERVAL)


def is_due(last_check: str | None, failures: int, now: str) -> bool:
    """Returns whether a check is due; a clock that was set back does not delay it."""
    if last_check is None:
        return True
    passed = datetime.fromisoformat(now) - datetime.fromisoformat(last_check)
    return passed < timedelta() or passed >= next_check_delay(failures)


class HealthChecks:
    """Checks the services of users' tools, and stores the outcome with both."""

    def __init__(
        self,
        store: Store,
        tools: ToolRepository,
        services: ServiceRepository,
        probes: Mapping[str, HealthProbe],
        clock: Clock,
        *,
        may_use_machine: Callable[[str], bool] = everybody,
    ) -> None:
        """`probes` are by type of service; services without a probe are not checked.

        `may_use_machine` returns whether a user's tools may call private addresses (platform 31).
        """
        self._may_use_machine = may_use_machine
        self._store = store
        self._tools = tools
        self._services = services
        self._probes = probes
        self._clock = clock

    def run(self, user: str, *, only_due: bool) -> Iterator[HealthCheckResult]:
        """Checks the user's enabled tools one after another, and yields the result of each."""
        for tool in self._tools.list_own(user, limit=_MAX_TOOLS):
            service = self._service_of(tool)
            state = self._state(tool)
            if service is not None and service.enabled and tool.enabled and service.type in self._probes:
                now = self._clock.now()
                if not only_due or is_due(tool.last_health_check, state["failures"], now):
                    state = self._check(tool, service, state, now)
            yield HealthCheckResult(self._tools.get(user, tool.id), service, state["since"])

    def run_due(self) -> Iterator[Tool]:
        """Runs all due checks of all users, and yields the tools whose status has changed."""
        for row in self._store.read(USERS):
            before = {tool.id: tool.status for tool in self._tools.list_own(row["id"], limit=_MAX_TOOLS)}
            if before:
                checked = (each.tool for each in self.run(row["id"], only_due=True))
                yield from (tool for tool in checked if tool.status != before.get(tool.id))

    def _service_of(self, tool: Tool) -> Service | None:
        try:
            return self._services.get(tool.owner_id, tool.service_id)
        except NotFoundError:
            return None

    def _check(self, tool: Tool, service: Service, state: JsonObject, now: str) -> JsonObject:
        misfit = _misfit(tool, service)
        allow_private = tool.operation.allow_private and self._may_use_machine(tool.owner_id)
        problem = misfit or self._probes[service.type].problem(
            service.protocol, tool.connection_params, allow_private=allow_private
        )
        failures = 0 if problem is None else state["failures"] + 1
        verdict = HealthVerdict("down", misfit) if misfit else judge(problem, failures)
        since = state["since"] if verdict.status == state["status"] and state["since"] else now
        after: JsonObject = {"status": verdict.status, "failures": failures, "since": since}
        health = {
            **after,
            "tool": tool.id,
            "error_message": verdict.reason and replace_unstorable(verdict.reason),
            "at": now,
        }
        self._store.update(partial(_write_health, health=health))
        return after

    def _state(self, tool: Tool) -> JsonObject:
        (row,) = self._store.read(queries.HEALTH_STATE, {"tool": tool.id})
        return row


def _misfit(tool: Tool, service: Service) -> str | None:
    """Returns why a tool does not fit its service's changed schema.

    Retrying does not help.
    """
    try:
        check_connection(tool, service)
    except RuleError as error:
        return error.message
    return None


def _write_health(unit: UnitOfWork, health: JsonObject) -> None:
    """Writes the health of a tool and its service, unless the tool was disabled meanwhile."""
    if unit.write(queries.NOTE_HEALTH, health):
        unit.write(queries.NOTE_SERVICE_HEALTH, health)

"""Whether what tools reach answers: checked on schedule, later where it fails (platform 5)."""

from collections.abc import Iterator, Mapping
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
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.queries import USERS
from aeon.platform.records import replace_unstorable
from aeon.platform.store import Store, UnitOfWork

MIN_CHECK_INTERVAL, CHECK_INTERVAL, MAX_CHECK_INTERVAL = (
    timedelta(seconds=30),
    timedelta(minutes=2),
    timedelta(minutes=5),
)
"""How long until the next check: at least, while all is well, and at most (platform 5)."""

_MOST = 10_000
"""Tools of one user that are checked."""


class HealthProbe(Protocol):
    """Finds out whether a service of one type answers."""

    def problem(self, protocol: str, connection: JsonObject, *, allow_private: bool) -> str | None:
        """Why it does not; None when it does. Raises nothing for what is not there.

        Without `allow_private` a private address is one that no call would reach.
        """
        ...


class HealthVerdict(NamedTuple):
    """What a check came to."""

    status: HealthStatus
    reason: str | None


class HealthCheckResult(NamedTuple):
    """A tool with its service as they are now."""

    tool: Tool
    service: Service | None
    """None where it is not shared with the tool's owner any more."""
    since: str | None


def judge(problem: str | None, failures: int) -> HealthVerdict:
    """One failure degrades, the second in a row means down."""
    if problem is None:
        return HealthVerdict("healthy", None)
    return HealthVerdict("degraded" if failures == 1 else "down", problem)


def next_check_delay(failures: int) -> timedelta:
    """Until the next check: soon after the first failure, then later and later."""
    if failures == 0:
        return CHECK_INTERVAL
    return min(MIN_CHECK_INTERVAL * 2 ** (failures - 1), MAX_CHECK_INTERVAL)


def is_due(last_check: str | None, failures: int, now: str) -> bool:
    """Whether it is time to check again; a clock that went back does not put it off."""
    if last_check is None:
        return True
    passed = datetime.fromisoformat(now) - datetime.fromisoformat(last_check)
    return passed < timedelta() or passed >= next_check_delay(failures)


class HealthChecks:
    """Checks what a user's tools reach, and keeps what came of it with each tool and its service."""

    def __init__(
        self,
        store: Store,
        tools: ToolRepository,
        services: ServiceRepository,
        probes: Mapping[str, HealthProbe],
        clock: Clock,
    ) -> None:
        """`probes` are by type of service; what has none is left as it is."""
        self._store = store
        self._tools = tools
        self._services = services
        self._probes = probes
        self._clock = clock

    def run(self, user: str, *, only_due: bool) -> Iterator[HealthCheckResult]:
        """Check the user's tools that are enabled, one after another, and say how each is now."""
        for tool in self._tools.list_own(user, limit=_MOST):
            service = self._service_of(tool)
            state = self._state(tool)
            if service is not None and service.enabled and tool.enabled and service.type in self._probes:
                now = self._clock.now()
                if not only_due or is_due(tool.last_health_check, state["failures"], now):
                    state = self._check(tool, service, state, now)
            yield HealthCheckResult(self._tools.get(user, tool.id), service, state["since"])

    def run_due(self) -> Iterator[Tool]:
        """Check what is due of all users' tools; those whose status is another one than before, as they are now."""
        for row in self._store.read(USERS):
            before = {tool.id: tool.status for tool in self._tools.list_own(row["id"], limit=_MOST)}
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
        problem = misfit or self._probes[service.type].problem(
            service.protocol, tool.connection_params, allow_private=tool.operation.allow_private
        )
        failures = 0 if problem is None else state["failures"] + 1
        found = HealthVerdict("down", misfit) if misfit else judge(problem, failures)
        since = state["since"] if found.status == state["status"] and state["since"] else now
        after: JsonObject = {"status": found.status, "failures": failures, "since": since}
        noted = {
            **after,
            "tool": tool.id,
            "error_message": found.reason and replace_unstorable(found.reason),
            "at": now,
        }
        self._store.update(partial(_note, noted=noted))
        return after

    def _state(self, tool: Tool) -> JsonObject:
        (row,) = self._store.read(queries.HEALTH_STATE, {"tool": tool.id})
        return row


def _misfit(tool: Tool, service: Service) -> str | None:
    """Why a tool cannot be called since its service changed what it asks for; waiting mends nothing."""
    try:
        check_connection(tool, service)
    except RuleError as error:
        return error.message
    return None


def _note(unit: UnitOfWork, noted: JsonObject) -> None:
    """Write a tool's health, and its service's; a tool that was disabled meanwhile stays as it is."""
    if unit.write(queries.NOTE_HEALTH, noted):
        unit.write(queries.NOTE_SERVICE_HEALTH, noted)

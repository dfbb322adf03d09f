"""Looks up the targets of steps as one user sees them.

Visibility follows platform 2 and 3.
"""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, cast

from aeon.base.json import Json, JsonObject, parse_strict
from aeon.platform.catalog.operations import parse_operation
from aeon.platform.processes import queries
from aeon.platform.processes.checks.recursion import find_callees
from aeon.platform.processes.checks.targets import Callee, ProcessTarget, ToolTarget
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.store import Query, Row, Store

_BATCH_SIZE = 1000
"""Ids in one query."""


class CheckedVersion(NamedTuple):
    """The version of a tool or Process that a check has seen."""

    kind: str
    id: str
    name: str
    owner_id: str
    version: int


class CatalogTargetLookup:
    """Finds the targets of steps for one check; make a new one for each check.

    Each target is read once, so that the whole check sees the same versions.
    """

    def __init__(self, store: Store, user: str) -> None:
        self._store = store
        self._user = user
        self._tools: dict[str, ToolTarget | None] = {}
        self._processes: dict[str, ProcessTarget | None] = {}
        self._expected: dict[str, None] = {}
        self.checked: dict[str, CheckedVersion] = {}

    def prefetch(self, definition: ProcessDefinition) -> None:
        """Read everything that a definition calls, in as few queries as possible."""
        self._read_tools(dict.fromkeys(step.tool for step in definition.all_steps if step.tool))
        self._expected |= dict.fromkeys(find_callees(definition))

    def tool(self, identity: str) -> ToolTarget | None:
        """Return a tool that the user sees; it counts as enabled if its service is enabled, too."""
        if identity not in self._tools:
            self._read_tools([identity])
        return self._tools[identity]

    def process(self, identity: str) -> ProcessTarget | None:
        """Return a Process that the user sees."""
        if identity not in self._processes:
            self._read_processes(self._expected | {identity: None})
        return self._processes[identity]

    def _read_tools(self, ids: Iterable[str]) -> None:
        self._tools |= dict.fromkeys(ids)
        for row in self._rows(queries.TOOLS_CALLED, ids):
            self._record_checked("tool", row)
            self._tools[row["id"]] = _tool(row)

    def _read_processes(self, ids: Iterable[str]) -> None:
        """Read Processes; their callees are read together when the first of them is needed."""
        self._expected = {}
        self._processes |= dict.fromkeys(ids)
        for _, group in groupby(self._rows(queries.PROCESSES_CALLED, ids), itemgetter("id")):
            rows = list(group)
            target = _process(rows)
            self._record_checked("process", rows[0])
            self._processes[rows[0]["id"]] = target
            self._expected |= dict.fromkeys(
                callee.process for callee in target.callees if callee.process not in self._processes
            )

    def _record_checked(self, kind: str, row: Row) -> None:
        self.checked[row["id"]] = CheckedVersion(kind, row["id"], row["name"], row["owner_id"], row["version"])

    def _rows(self, query: Query, ids: Iterable[str]) -> Iterable[Row]:
        remaining = list(ids)
        while remaining:
            batch, remaining = remaining[:_BATCH_SIZE], remaining[_BATCH_SIZE:]
            yield from self._store.read(query, {"ids": list[Json](batch), "user": self._user})


def _tool(row: Row) -> ToolTarget:
    return ToolTarget(
        name=row["name"],
        service_type=row["service_type"],
        input_schema=cast(JsonObject, parse_strict(row["input_schema"])),
        output_schema=cast(JsonObject, parse_strict(row["output_schema"])),
        enabled=bool(row["enabled"]),
        has_access=bool(row["is_reachable"] and (row["has_secret"] or not row["needs_secret"])),
        timeout=parse_operation(row["operation"]).timeout,
    )


def _process(rows: list[Row]) -> ProcessTarget:
    first = rows[0]
    context = cast(list[str], parse_strict(first["initial_context"]))
    typed = cast(dict[str, JsonObject], parse_strict(first["typed_inputs"] or "{}"))
    required = [*context, *(name for name, schema in typed.items() if "default" not in schema)]
    callees = tuple(Callee(row["callee"], bool(row["is_conditional"])) for row in rows if row["callee"] is not None)
    return ProcessTarget(
        first["name"],
        (*context, *typed),
        first["digest"],
        callees,
        bool(first["enabled"]),
        tuple(required),
    )

"""Runs a stored tool: who may, with whose secret, on what input, and what of its output is kept."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from aeon.base.clock import Clock
from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import Problem, schema_check
from aeon.base.masking import Mask
from aeon.platform.audit import Deed
from aeon.platform.catalog import queries
from aeon.platform.catalog.catalog import Catalog
from aeon.platform.catalog.model import Tool
from aeon.platform.catalog.operations import Operation
from aeon.platform.catalog.tools import Usable
from aeon.platform.errors import PlatformError, RuleError
from aeon.platform.ledger import Request
from aeon.platform.vault import Revealed


class OperationError(PlatformError):
    """The tool's operation failed. `is_transient` says whether the same call may succeed later."""

    status = 502

    def __init__(self, message: str, *, next_step: str = "", is_transient: bool = False) -> None:
        super().__init__(message, next_step=next_step, retryable=is_transient)
        self.is_transient = is_transient


class Work(NamedTuple):
    """One operation to carry out, everything checked. `output_schema` is what its result will be held against."""

    user: str
    operation: Operation
    protocol: str
    connection: JsonObject
    given: JsonObject
    secret: Revealed | None
    output_schema: JsonObject


class Executor(Protocol):
    """Carries out operations of one type. Threads may share one."""

    def execute(self, work: Work) -> Json:
        """The result. Raises OperationError, with nothing of the secret in it."""
        ...


class Called(NamedTuple):
    """What a call came to."""

    output: Json
    warnings: list[str]
    milliseconds: int


class ToolCaller:
    """Calls stored tools for their users."""

    def __init__(self, catalog: Catalog, executors: Mapping[str, Executor], clock: Clock) -> None:
        """`executors` are by the type of operation."""
        self._catalog = catalog
        self._executors = executors
        self._clock = clock

    def call(self, user: str, tool_id: str, given: JsonObject) -> Called:
        """Run a tool that the user may see, with a secret of his own where it needs one (platform 3, 4).

        Raises NotFoundError, RuleError for what is disabled, down, or given or answered wrongly, OperationError.
        """
        usable = self._catalog.tools.usable(user, tool_id)
        warnings = _health_warnings(usable.tool)
        _refuse_misfit(usable.tool.input_schema, given, "input", usable.tool)
        secret = self._catalog.secrets.reveal(user, usable.secret.id) if usable.secret else None
        self._record_use(usable, user)
        began = self._clock.monotonic()
        output = self._carried_out(usable, user, given, secret)
        spent = round((self._clock.monotonic() - began) * 1000)
        _refuse_misfit(usable.tool.output_schema, output, "output", usable.tool)
        return Called(output, warnings, spent)

    def _carried_out(self, usable: Usable, user: str, given: JsonObject, secret: Revealed | None) -> Json:
        tool, service, _ = usable
        mask = Mask(secret.words() if secret else ())
        connection = {**_defaults(service.connection_schema), **tool.connection_params}
        work = Work(user, tool.operation, service.protocol, connection, given, secret, tool.output_schema)
        try:
            return mask.value(self._executors[tool.operation.type].execute(work))
        except OperationError as error:
            raise OperationError(
                mask.text(f"The tool {tool.name!r} failed: {error.message}"),
                next_step=error.advice,
                is_transient=error.is_transient,
            ) from None

    def _record_use(self, usable: Usable, user: str) -> None:
        """Every use of what is another's, in both trails, before it happens (platform 19)."""
        tool = usable.tool
        if tool.owner_id != user:
            deed = Deed("tool.use", tool.id, user, tool.owner_id, {"name": tool.name})
            self._catalog.ledger.commit(queries.USE_TOOL, {"id": tool.id, "user": user}, Request(user), [deed], {})


def _health_warnings(tool: Tool) -> list[str]:
    """Down blocks, degraded runs with a warning (platform 5)."""
    if tool.status == "down":
        raise RuleError(
            f"The tool {tool.name!r} is down: {tool.error_message}",
            rule="healthy",
            next_step="See `aeon health` for since when and why.",
        )
    return [f"The tool {tool.name!r} is degraded: {tool.error_message}"] if tool.status == "degraded" else []


def _refuse_misfit(schema: JsonObject, value: Json, which: str, tool: Tool) -> None:
    problems: list[Problem] = schema_check(schema).problems(value)
    if problems:
        raise RuleError(
            f"The {which} of the tool {tool.name!r} does not fit its schema: {'; '.join(map(str, problems))}.",
            rule=f"{which}_valid",
            field=problems[0].path,
        )


def _defaults(schema: JsonObject) -> JsonObject:
    """The defaults that a connection schema gives its parameters."""
    properties: Mapping[str, Json] = schema.get("properties") or {}
    return {
        name: field["default"] for name, field in properties.items() if isinstance(field, dict) and "default" in field
    }

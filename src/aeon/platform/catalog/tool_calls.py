"""Runs a stored tool: who may, with whose secret, on what input, and what of its output is kept."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol

from aeon.base.clock import Clock
from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject, json_problems
from aeon.base.json_schema import ValidationProblem, compile_schema
from aeon.base.masking import Mask
from aeon.platform.catalog import queries
from aeon.platform.catalog.model import Tool
from aeon.platform.catalog.oauth_tokens import OAuthTokens
from aeon.platform.catalog.operations import Operation, OperationError, TokenUsage
from aeon.platform.catalog.result_cache import ResultCache, cache_key
from aeon.platform.catalog.service import Catalog
from aeon.platform.catalog.tools import ResolvedTool
from aeon.platform.catalog.trust import (
    StdioProgram,
    appearance_digest,
    is_fully_owned,
    started_program,
    tool_changed_error,
)
from aeon.platform.errors import RuleError
from aeon.platform.ledger import AuditAction, MutationRequest
from aeon.platform.store import StoreError, guard
from aeon.platform.vault import SecretValue

__all__ = [
    "CachedCallPort",
    "DefectError",
    "OperationError",
    "OperationExecutor",
    "OperationRequest",
    "OperationResult",
    "StoredToolCaller",
    "ToolCallPort",
    "ToolCallResult",
]


def skip_confirmation() -> None:
    """Confirms a call that nobody else can be making."""


class OperationRequest(NamedTuple):
    """One operation to carry out, everything checked. `output_schema` is what its result will be held against.

    `key` is the same whenever the same call is repeated, for peers that can tell by it (platform 10). `confirm` raises
    when the call may be made no more (platform 43): an executor asks it as late as it can.
    """

    user: str
    operation: Operation
    protocol: str
    connection: JsonObject
    arguments: JsonObject
    secret: SecretValue | None
    output_schema: JsonObject
    key: str | None = None
    confirm: Callable[[], None] = skip_confirmation


class OperationResult(NamedTuple):
    """What an operation came to, and the tokens that it used, where a model was asked and counted them."""

    output: Json
    usage: TokenUsage | None = None


class OperationExecutor(Protocol):
    """Carries out operations of one type. Threads may share one."""

    def execute(self, work: OperationRequest) -> OperationResult:
        """The result. Raises OperationError, with nothing of the secret in it."""
        ...


class ProgramPolicy(Protocol):
    """Which programs this machine's user allows to be started for tools that others have a say in."""

    def allows(self, program: StdioProgram) -> bool: ...


class ToolCallRequest(NamedTuple):
    """Who calls, with what input, under which key."""

    user: str
    arguments: JsonObject
    key: str | None
    confirm: Callable[[], None] = skip_confirmation


class ToolCallResult(NamedTuple):
    """What a call came to, or what an equal one of a pure tool came to before (`cached`)."""

    output: Json
    warnings: list[str]
    milliseconds: int
    usage: TokenUsage | None = None
    cached: bool = False


class DefectError(Exception):
    """An executor failed as none should. Its text holds no secret; its trace leads to the mistake."""


class ToolCallPort(Protocol):
    """What calls stored tools: `StoredToolCaller`."""

    def call(
        self,
        user: str,
        tool_id: str,
        given: JsonObject,
        key: str | None = None,
        *,
        confirm: Callable[[], None] = skip_confirmation,
    ) -> ToolCallResult: ...


class CachedCallPort(Protocol):
    """What knows what calls of pure tools came to: `StoredToolCaller`."""

    def find_cached(self, user: str, tool_id: str, given: JsonObject) -> ToolCallResult | None: ...


class StoredToolCaller:
    """Calls stored tools for their users."""

    def __init__(
        self,
        catalog: Catalog,
        executors: Mapping[str, OperationExecutor],
        tokens: OAuthTokens,
        clock: Clock,
        cache: ResultCache | None = None,
        programs: ProgramPolicy | None = None,
    ) -> None:
        """`executors` are by the type of operation; without a `cache` every call is made.

        Without `programs` none is started that another user named.
        """
        self._programs = programs
        self._cache = cache
        self._catalog = catalog
        self._executors = executors
        self._tokens = tokens
        self._clock = clock

    def with_cache(self, cache: ResultCache) -> "StoredToolCaller":
        """The same, which gives what an equal call of a pure tool came to before, where the cache has it."""
        return StoredToolCaller(self._catalog, self._executors, self._tokens, self._clock, cache, self._programs)

    def call(
        self,
        user: str,
        tool_id: str,
        given: JsonObject,
        key: str | None = None,
        *,
        trusted: str | None = None,
        confirm: Callable[[], None] = skip_confirmation,
    ) -> ToolCallResult:
        """Run a tool that the user may see, with a secret of his own where it needs one (platform 3, 4).

        `key` goes with the call to where it can be told by it that this is a repetition. `trusted` is the digest of
        the tool that the caller means: one that was changed since is not called. What `confirm` raises right before the
        call, this raises (platform 43).

        Raises NotFoundError, RuleError for what is disabled, down, changed, not allowed to start its program, or given
        or answered wrongly, OperationError.
        """
        usable, warnings = self._checked(user, tool_id, given, trusted)
        self._record_use(usable, user)
        found = self._cached(usable, user, given, warnings)
        return self._made(usable, ToolCallRequest(user, given, key, confirm), warnings) if found is None else found

    def find_cached(self, user: str, tool_id: str, given: JsonObject) -> ToolCallResult | None:
        """What an equal call came to before, if that is kept; nothing is called. Raises as `call`.

        All that is checked before a call is checked before each use, too (platform 4).
        """
        usable, warnings = self._checked(user, tool_id, given)
        found = self._cached(usable, user, given, warnings)
        if found is not None:
            self._record_use(usable, user)
        return found

    def _checked(
        self, user: str, tool_id: str, given: JsonObject, trusted: str | None = None
    ) -> tuple[ResolvedTool, list[str]]:
        """The tool, fit to be called. An attempt on another's that is refused stands in both trails (platform 19)."""
        try:
            usable = self._catalog.tools.resolve(user, tool_id)
            if trusted is not None and appearance_digest(usable.tool, usable.service) != trusted:
                raise tool_changed_error(usable.tool, "let it into your plans", "aeon tool trust")
            self._require_program(usable, user)
            warnings = _health_warnings(usable.tool)
            _refuse_misfit(usable.tool.input_schema, given, "input", usable.tool)
        except RuleError as error:
            self._record_refusal(user, tool_id, error.rule)
            raise
        return usable, warnings

    def _require_program(self, usable: ResolvedTool, user: str) -> None:
        """A program that another user named starts on this machine only if its user has allowed it (measured P4)."""
        program = started_program(usable.tool, usable.service)
        if program is None or is_fully_owned(usable.tool, usable.service, user) or self._allows(program):
            return
        raise RuleError(
            f"The tool {usable.tool.name!r} of {usable.tool.owner_id} would start a program on this machine that you "
            f"have not allowed: {program}",
            rule="program_allowed",
            next_step=f"If you trust it, run `aeon tool trust {usable.tool.id}`.",
        )

    def _allows(self, program: StdioProgram) -> bool:
        return self._programs is not None and self._programs.allows(program)

    def _cached(self, usable: ResolvedTool, user: str, given: JsonObject, warnings: list[str]) -> ToolCallResult | None:
        key = cache_key(usable, user, given)
        kept = self._cache.get(key) if self._cache is not None and key is not None else None
        return None if kept is None else ToolCallResult(kept.output, warnings, 0, cached=True)

    def _made(self, usable: ResolvedTool, asked: ToolCallRequest, warnings: list[str]) -> ToolCallResult:
        user = asked.user
        began = self._clock.monotonic()
        try:
            outcome = self._carried_out(usable, asked)
        except OperationError as error:
            self._note_tokens(usable.tool, user, error.usage)
            raise
        spent = round((self._clock.monotonic() - began) * 1000)
        warnings += self._note_tokens(usable.tool, user, outcome.usage)
        _refuse_misfit(usable.tool.output_schema, outcome.output, "output", usable.tool)
        key = cache_key(usable, user, asked.arguments)
        if self._cache is not None and key is not None:
            self._cache.put(key, outcome.output)
        return ToolCallResult(outcome.output, warnings, spent, outcome.usage)

    def _carried_out(self, usable: ResolvedTool, asked: ToolCallRequest) -> OperationResult:
        """Nothing of any secret that was used is in what comes of it (platform 3)."""
        used: list[SecretValue] = []
        try:
            outcome = self._with_secret(usable, asked, used)
            _refuse_other_than_json(outcome.output)
            mask = _mask(used)
            return outcome._replace(output=mask.value(outcome.output), usage=_masked(outcome.usage, mask))
        except OperationError as error:
            mask = _mask(used)
            raise OperationError(
                mask.text(f"The tool {usable.tool.name!r} failed: {error.message}"),
                next_step=mask.text(error.advice),
                is_transient=error.is_transient,
                is_unauthorized=error.is_unauthorized,
                usage=_masked(error.usage, mask),
                retry_after=error.retry_after,
            ) from None
        except AeonError:
            raise
        except Exception as error:  # noqa: BLE001  # whatever an executor raises may hold what it was given
            said = _mask(used).text(f"{type(error).__name__}: {error}")
            raise DefectError(said).with_traceback(error.__traceback__) from None

    def _with_secret(self, usable: ResolvedTool, asked: ToolCallRequest, used: list[SecretValue]) -> OperationResult:
        """Carried out, once more where the peer refused a token that can be refreshed. `used` gets every secret."""
        tool, service, secret = usable
        user, given, key, confirm = asked
        work = OperationRequest(
            user, tool.operation, service.protocol, usable.connection, given, None, tool.output_schema, key, confirm
        )
        execute, allow_private = self._confirmed(tool.operation), tool.operation.allow_private
        if secret is None:
            return execute(work)
        used.append(self._tokens.get_fresh(user, secret.id, allow_private=allow_private))
        try:
            return execute(work._replace(secret=used[-1]))
        except OperationError as error:
            if not error.is_unauthorized:
                raise
            renewed = self._tokens.refresh_rejected(user, secret.id, used[-1], allow_private=allow_private)
            if renewed is None:
                raise
        used.append(renewed)
        return execute(work._replace(secret=renewed))

    def _confirmed(self, operation: Operation) -> Callable[[OperationRequest], OperationResult]:
        """What carries the operation out, once it is confirmed that it may."""
        execute = self._executors[operation.type].execute

        def confirmed(work: OperationRequest) -> OperationResult:
            work.confirm()
            return execute(work)

        return confirmed

    def _note_tokens(self, tool: Tool, user: str, usage: TokenUsage | None) -> list[str]:
        """Tokens are spent whatever came of them. An answer that was paid for is not lost for want of a note."""
        if usage is None:
            return []
        try:
            self._catalog.tools.record_tokens(user, tool.id, usage)
        except StoreError as error:
            return [f"The tokens that the tool {tool.name!r} used were not recorded: {error.message}"]
        return []

    def _record_use(self, usable: ResolvedTool, user: str) -> None:
        """Every use of what is another's, in both trails, before it happens (platform 19)."""
        given: JsonObject = {"id": usable.tool.id, "user": user}
        if deeds := _uses(usable, user):
            use = MutationRequest(user).mutation("tool.use", usable.tool.id)
            self._catalog.ledger.commit(
                lambda unit: guard(holds=bool(unit.read(queries.USE_TOOL, given))), use, deeds, {}
            )

    def _record_refusal(self, user: str, tool_id: str, rule: str) -> None:
        """An attempt to use another's tool, which its owner shall see too."""
        tool = self._catalog.tools.get(user, tool_id)
        if tool.owner_id != user:
            deed = AuditAction("tool.refuse", tool.id, user, tool.owner_id, {"name": tool.name, "rule": rule})
            self._catalog.ledger.commit(
                lambda _unit: None, MutationRequest(user).mutation("tool.refuse", tool.id), [deed], {}
            )


def _uses(usable: ResolvedTool, user: str) -> list[AuditAction]:
    """What of a call is another's: the tool, and a service whose owner has not made the tool."""
    tool, service = usable.tool, usable.service
    deeds: list[AuditAction] = []
    if tool.owner_id != user:
        deeds.append(AuditAction("tool.use", tool.id, user, tool.owner_id, {"name": tool.name}))
    if service.owner_id not in (user, tool.owner_id):
        details: JsonObject = {"name": service.name, "tool": tool.name}
        deeds.append(AuditAction("service.use", service.id, user, service.owner_id, details))
    return deeds


def _mask(used: Iterable[SecretValue]) -> Mask:
    """A name that is a secret's own word too, such as a user name that is the password, is hidden as that."""
    names = [name for secret in used for name in secret.public_strings()]
    return Mask((word for secret in used for word in secret.secret_strings()), names)


def _masked(usage: TokenUsage | None, mask: Mask) -> TokenUsage | None:
    """What a server calls its model is the server's own text."""
    if usage is None or usage.model is None:
        return usage
    return usage._replace(model=mask.text(usage.model))


def _health_warnings(tool: Tool) -> list[str]:
    """Down blocks, degraded runs with a warning (platform 5)."""
    if tool.status == "down":
        raise RuleError(
            f"The tool {tool.name!r} is down: {tool.error_message}",
            rule="healthy",
            next_step="See `aeon health` for since when and why.",
        )
    return [f"The tool {tool.name!r} is degraded: {tool.error_message}"] if tool.status == "degraded" else []


def _refuse_other_than_json(output: Json) -> None:
    """A peer's NaN is a failure of the call there and then, and not of whatever keeps or reads it later."""
    if problems := json_problems(output):
        raise OperationError(f"it answered with what is no JSON: {'; '.join(problems[:3])}")


def _refuse_misfit(schema: JsonObject, value: Json, which: str, tool: Tool) -> None:
    problems: list[ValidationProblem] = compile_schema(schema).problems(value)
    if problems:
        raise RuleError(
            f"The {which} of the tool {tool.name!r} does not fit its schema: {'; '.join(map(str, problems))}.",
            rule=f"{which}_valid",
            field=problems[0].path,
        )

"""Calls stored tools: checks permission, secret and input, and masks secrets in the output."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol, TypeAlias

from aeon.base.clock import Clock
from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject, json_problems
from aeon.base.json_schema import ValidationProblem, compile_schema
from aeon.base.masking import Mask
from aeon.base.next_steps import NextStep
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
    everybody,
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
    """Confirms a call that no other process can be making."""


def wait_for_nothing(_seconds: float) -> None:
    """Allows each further request at once, for calls that no limit of the service counts."""


AwaitTurn: TypeAlias = Callable[[float], None]


class OperationRequest(NamedTuple):
    """One checked operation to execute. Its result is later validated against `output_schema`.

    `key` names one attempt at a step, `RUN:STEP:ATTEMPT`; peers detect repetitions of a call by its `call_key`
    (platform 10). `confirm` raises if the call may no longer be made (platform 43): an executor calls it as late as
    possible. `await_turn` waits until the limits of the service allow one more request of this call, at most the given
    seconds (platform 10).
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
    await_turn: AwaitTurn = wait_for_nothing
    call_key: str | None = None


class OperationResult(NamedTuple):
    """The output of an operation, its tokens if a model was called and counted them, and what the output leaves out."""

    output: Json
    usage: TokenUsage | None = None
    warnings: tuple[str, ...] = ()


class OperationExecutor(Protocol):
    """Executes operations of one type. Threads may share one."""

    def execute(self, work: OperationRequest) -> OperationResult:
        """Returns the result. Raises OperationError, which contains no part of the secret."""
        ...


class ProgramPolicy(Protocol):
    """Decides which programs that other users have specified may start on this machine."""

    def allows(self, program: StdioProgram) -> bool: ...


class ToolCallRequest(NamedTuple):
    """A call of a tool: the user, the input, the id of the job, and what all attempts at the call have in common."""

    user: str
    arguments: JsonObject
    key: str | None
    confirm: Callable[[], None] = skip_confirmation
    await_turn: AwaitTurn = wait_for_nothing
    call_key: str | None = None


class ToolCallResult(NamedTuple):
    """The result of a call, or of an earlier equal call of a pure tool (`cached`)."""

    output: Json
    warnings: list[str]
    milliseconds: int
    usage: TokenUsage | None = None
    cached: bool = False


class DefectError(Exception):
    """An executor has a defect. Its text contains no secret; its traceback leads to the mistake."""


class ToolCallPort(Protocol):
    """Calls stored tools; implemented by `StoredToolCaller`."""

    def call(
        self,
        user: str,
        tool_id: str,
        arguments: JsonObject,
        key: str | None = None,
        *,
        call_key: str | None = None,
        confirm: Callable[[], None] = skip_confirmation,
        await_turn: AwaitTurn = wait_for_nothing,
    ) -> ToolCallResult: ...


class CachedCallPort(Protocol):
    """Finds results of earlier calls of pure tools; implemented by `StoredToolCaller`."""

    def find_cached(self, user: str, tool_id: str, arguments: JsonObject) -> ToolCallResult | None: ...


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
        *,
        may_use_machine: Callable[[str], bool] = everybody,
    ) -> None:
        """`executors` are by the type of operation; without a `cache` every call is executed.

        Without `programs`, no program that another user has specified is started. `may_use_machine` returns whether a
        user's tools may start programs on this machine, and call private addresses from it (platform 31).
        """
        self._programs = programs
        self._may_use_machine = may_use_machine
        self._cache = cache
        self._catalog = catalog
        self._executors = executors
        self._tokens = tokens
        self._clock = clock

    def with_cache(self, cache: ResultCache) -> "StoredToolCaller":
        """Returns the same caller with a cache for results of equal calls of pure tools."""
        return StoredToolCaller(
            self._catalog,
            self._executors,
            self._tokens,
            self._clock,
            cache,
            self._programs,
            may_use_machine=self._may_use_machine,
        )

    def call(
        self,
        user: str,
        tool_id: str,
        arguments: JsonObject,
        key: str | None = None,
        *,
        call_key: str | None = None,
        trusted: str | None = None,
        confirm: Callable[[], None] = skip_confirmation,
        await_turn: AwaitTurn = wait_for_nothing,
    ) -> ToolCallResult:
        """Calls a visible tool, with the user's own secret if it needs one (platform 3, 4).

        `key` is the job's id. `call_key` goes to the peer, which can detect a repetition by it. `trusted` is the digest
        of the tool that the caller means: a tool that has changed since then is not called. `confirm` runs right before
        the call, and what it raises is raised (platform 43). `await_turn` runs before each further request of a call
        that makes several.

        Raises NotFoundError; RuleError for a tool that is disabled, down, changed or may not start its program, and for
        an invalid input or output; OperationError.
        """
        resolved, warnings = self._resolve(user, tool_id, arguments, trusted)
        self._record_use(resolved, user)
        cached = self._find_result(resolved, user, arguments, warnings)
        return (
            self._execute(resolved, ToolCallRequest(user, arguments, key, confirm, await_turn, call_key), warnings)
            if cached is None
            else cached
        )

    def find_cached(self, user: str, tool_id: str, arguments: JsonObject) -> ToolCallResult | None:
        """Returns the cached result of an equal call, if any, without calling anything.

        Raises like `call`. The checks are the same as before a call (platform 4).
        """
        resolved, warnings = self._resolve(user, tool_id, arguments)
        cached = self._find_result(resolved, user, arguments, warnings)
        if cached is not None:
            self._record_use(resolved, user)
        return cached

    def _resolve(
        self, user: str, tool_id: str, arguments: JsonObject, trusted: str | None = None
    ) -> tuple[ResolvedTool, list[str]]:
        """Resolves and checks a tool.

        A refusal of another user's tool is recorded in both audit logs (platform 19).
        """
        try:
            resolved = self._catalog.tools.resolve(user, tool_id)
            if trusted is not None and appearance_digest(resolved.tool, resolved.service) != trusted:
                raise tool_changed_error(resolved.tool, "let it into your plans", "tools.trust_again")
            self._require_program(resolved, user)
            self._require_reach(resolved.tool, user)
            warnings = _health_warnings(resolved.tool)
            _refuse_misfit(resolved.tool.input_schema, arguments, "input", resolved.tool)
        except RuleError as error:
            self._record_refusal(user, tool_id, error.rule)
            raise
        return resolved, warnings

    def _require_program(self, resolved: ResolvedTool, user: str) -> None:
        """Raises RuleError for a program that is not allowed on this machine."""
        program = started_program(resolved.tool, resolved.service)
        is_own = is_fully_owned(resolved.tool, resolved.service, user)
        if program is None or (is_own and self._may_use_machine(user)) or self._allows(program):
            return
        if is_own:
            raise RuleError(
                f"The tool {resolved.tool.name!r} would start a program on the machine of this server, which only the "
                f"tools of operators may: {program}",
                rule="program_allowed",
                next_step="Ask an operator to share such a tool.",
            )
        raise RuleError(
            f"The tool {resolved.tool.name!r} of {resolved.tool.owner_id} would start a program on this machine that "
            f"you have not allowed: {program}",
            rule="program_allowed",
            next_step=NextStep("tools.trust", tool=resolved.tool.id),
        )

    def _require_reach(self, tool: Tool, user: str) -> None:
        """Raises RuleError for a call of a private address from this machine, if neither owner nor caller may."""
        if tool.operation.allow_private and not any(map(self._may_use_machine, (tool.owner_id, user))):
            raise RuleError(
                f"The tool {tool.name!r} has allowPrivate, and only operators and their tools may call private "
                "addresses from the machine of this server.",
                rule="private_allowed",
                next_step="Remove allowPrivate, or ask an operator to share such a tool.",
            )

    def _allows(self, program: StdioProgram) -> bool:
        return self._programs is not None and self._programs.allows(program)

    def _find_result(
        self, resolved: ResolvedTool, user: str, arguments: JsonObject, warnings: list[str]
    ) -> ToolCallResult | None:
        key = cache_key(resolved, user, arguments)
        cached = self._cache.get(key) if self._cache is not None and key is not None else None
        return None if cached is None else ToolCallResult(cached.output, warnings, 0, cached=True)

    def _execute(self, resolved: ResolvedTool, request: ToolCallRequest, warnings: list[str]) -> ToolCallResult:
        user = request.user
        began = self._clock.monotonic()
        try:
            outcome = self._execute_masked(resolved, request)
        except OperationError as error:
            self._record_tokens(resolved.tool, user, error.usage)
            raise
        spent = round((self._clock.monotonic() - began) * 1000)
        warnings += [*outcome.warnings, *self._record_tokens(resolved.tool, user, outcome.usage)]
        _refuse_misfit(resolved.tool.output_schema, outcome.output, "output", resolved.tool)
        key = cache_key(resolved, user, request.arguments)
        if self._cache is not None and key is not None:
            self._cache.put(key, outcome.output)
        return ToolCallResult(outcome.output, warnings, spent, outcome.usage)

    def _execute_masked(self, resolved: ResolvedTool, request: ToolCallRequest) -> OperationResult:
        """Executes the operation, and masks every used secret in its result and errors (platform 3)."""
        used: list[SecretValue] = []
        try:
            outcome = self._execute_with_secret(resolved, request, used)
            _refuse_other_than_json(outcome.output)
            mask = _mask(used)
            return OperationResult(
                mask.value(outcome.output), _masked(outcome.usage, mask), tuple(map(mask.text, outcome.warnings))
            )
        except OperationError as error:
            mask = _mask(used)
            raise OperationError(
                mask.text(f"The tool {resolved.tool.name!r} failed: {error.message}"),
                next_step=mask.text(error.advice),
                is_transient=error.is_transient,
                is_unauthorized=error.is_unauthorized,
                is_refused=error.is_refused,
                usage=_masked(error.usage, mask),
                retry_after=error.retry_after,
            ) from None
        except AeonError:
            raise
        except Exception as error:  # noqa: BLE001  # an executor's exception may contain its input
            text = _mask(used).text(f"{type(error).__name__}: {error}")
            raise DefectError(text).with_traceback(error.__traceback__) from None

    def _execute_with_secret(
        self, resolved: ResolvedTool, request: ToolCallRequest, used: list[SecretValue]
    ) -> OperationResult:
        """Executes the operation, again if the peer rejected a refreshable token.

        `used` collects every secret.
        """
        tool, service, secret = resolved
        user, arguments, key, confirm, await_turn, call_key = request
        work = OperationRequest(
            user,
            tool.operation,
            service.protocol,
            resolved.connection,
            arguments,
            None,
            tool.output_schema,
            key,
            confirm,
            await_turn,
            call_key,
        )
        execute, allow_private = self._confirming_executor(tool.operation), tool.operation.allow_private
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

    def _confirming_executor(self, operation: Operation) -> Callable[[OperationRequest], OperationResult]:
        """Returns the operation's executor, which first confirms that the call may be made."""
        execute = self._executors[operation.type].execute

        def confirmed(work: OperationRequest) -> OperationResult:
            work.confirm()
            return execute(work)

        return confirmed

    def _record_tokens(self, tool: Tool, user: str, usage: TokenUsage | None) -> list[str]:
        """Records tokens, also of failed calls.

        Returns a warning if that fails, so that the answer is not lost.
        """
        if usage is None:
            return []
        try:
            self._catalog.tools.record_tokens(user, tool.id, usage)
        except StoreError as error:
            return [f"The tokens that the tool {tool.name!r} used were not recorded: {error.message}"]
        return []

    def _record_use(self, resolved: ResolvedTool, user: str) -> None:
        """Records uses of other users' things in both audit logs in advance (platform 19)."""
        params: JsonObject = {"id": resolved.tool.id, "user": user}
        if actions := _uses(resolved, user):
            use = MutationRequest(user).mutation("tool.use", resolved.tool.id)
            self._catalog.ledger.commit(
                lambda unit: guard(holds=bool(unit.read(queries.USE_TOOL, params))), use, actions, {}
            )

    def _record_refusal(self, user: str, tool_id: str, rule: str) -> None:
        """Records a refused use of another user's tool, which its owner sees too."""
        tool = self._catalog.tools.get(user, tool_id)
        if tool.owner_id != user:
            action = AuditAction("tool.refuse", tool.id, user, tool.owner_id, {"name": tool.name, "rule": rule})
            self._catalog.ledger.commit(
                lambda _unit: None, MutationRequest(user).mutation("tool.refuse", tool.id), [action], {}
            )


def _uses(resolved: ResolvedTool, user: str) -> list[AuditAction]:
    """Returns the uses of other users' things.

    These are the tool, and a service that the tool's owner does not own.
    """
    tool, service = resolved.tool, resolved.service
    actions: list[AuditAction] = []
    if tool.owner_id != user:
        actions.append(AuditAction("tool.use", tool.id, user, tool.owner_id, {"name": tool.name}))
    if service.owner_id not in (user, tool.owner_id):
        details: JsonObject = {"name": service.name, "tool": tool.name}
        actions.append(AuditAction("service.use", service.id, user, service.owner_id, details))
    return actions


def _mask(used: Iterable[SecretValue]) -> Mask:
    """Returns a mask of all used secrets.

    A public name that equals a secret string is masked too.
    """
    names = [name for secret in used for name in secret.public_strings()]
    return Mask((word for secret in used for word in secret.secret_strings()), names)


def _masked(usage: TokenUsage | None, mask: Mask) -> TokenUsage | None:
    """Masks the model's name, which is text from the server."""
    if usage is None or usage.model is None:
        return usage
    return usage._replace(model=mask.text(usage.model))


def _health_warnings(tool: Tool) -> list[str]:
    """Refuses a tool that is down, and returns a warning for one that failed a check (platform 5)."""
    if tool.status == "down":
        raise RuleError(
            f"The tool {tool.name!r} is down: {tool.error_message}",
            rule="healthy",
            next_step=NextStep("tools.health"),
        )
    is_impaired = tool.status == "degraded" and not tool.is_unchecked
    return [f"The tool {tool.name!r} is degraded: {tool.error_message}"] if is_impaired else []


def _refuse_other_than_json(output: Json) -> None:
    """Raises OperationError for values that are not JSON, such as NaN."""
    if problems := json_problems(output):
        raise OperationError(f"its output is not JSON: {'; '.join(problems[:3])}")


def _refuse_misfit(schema: JsonObject, value: Json, which: str, tool: Tool) -> None:
    problems: list[ValidationProblem] = compile_schema(schema).problems(value)
    if problems:
        raise RuleError(
            f"The {which} of the tool {tool.name!r} does not fit its schema: {'; '.join(map(str, problems))}.",
            rule=f"{which}_valid",
            field=problems[0].path,
        )

"""The repository of tools: their service, secrets, bindings, trust and use."""

from collections.abc import Callable
from typing import NamedTuple

from aeon.base.json import JsonObject
from aeon.base.next_steps import NextStep
from aeon.platform.catalog import queries
from aeon.platform.catalog.model import (
    UNCHECKED,
    HealthStatus,
    NewTool,
    Secret,
    Service,
    Tool,
    ToolChange,
    ToolTemplate,
    health_of_new,
)
from aeon.platform.catalog.operations import TokenTotals, TokenUsage
from aeon.platform.catalog.repository import EntityQueries, EntityRepository, apply_change, audit_change, update_row
from aeon.platform.catalog.rules import check_connection, check_tool, check_tool_against_service
from aeon.platform.catalog.secrets import SecretRepository
from aeon.platform.catalog.services import ServiceRepository
from aeon.platform.catalog.templates import refuse_archived
from aeon.platform.catalog.trust import (
    appearance_digest,
    destination_digest,
    refuse_foreign_self_call,
    tool_changed_error,
    with_defaults,
)
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.ledger import AuditAction, Ledger, Mutation, MutationRequest
from aeon.platform.records import KEY_SEPARATOR, replace_unstorable
from aeon.platform.store import GuardError, Query, Row, Store, write_one

QUERIES = EntityQueries(
    queries.TOOL,
    queries.TOOL_NAMED,
    queries.OWN_TOOLS,
    queries.SHARED_TOOLS,
    queries.VISIBLE_TOOLS,
    queries.USERS_OF_TOOL,
)

_SEVERITY: dict[HealthStatus, int] = {"healthy": 0, "degraded": 1, "down": 2}


class ResolvedTool(NamedTuple):
    """A tool that its caller may call, with its service and secret."""

    tool: Tool
    service: Service
    secret: Secret | None

    @property
    def connection(self) -> JsonObject:
        """The tool's own connection parameters; the owner of its service cannot change them."""
        return self.tool.connection_params


class ToolRepository(EntityRepository[Tool]):
    """The tools of all users, as far as the caller may see them."""

    kind = "tool"

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        services: ServiceRepository,
        secrets: SecretRepository,
        new_id: Callable[[], str],
    ) -> None:
        super().__init__(store, ledger, _read, QUERIES)
        self._ledger = ledger
        self._services = services
        self._secrets = secrets
        self._new_id = new_id

    def add(self, new: NewTool, request: MutationRequest, template: ToolTemplate | None = None) -> Tool:
        """Creates a tool on a service that the caller owns or that is shared.

        Raises NotFoundError for a service or secret that the caller may not see, and RuleError for a broken rule.
        """
        check_tool(new)
        refuse_archived(template)
        service = self._service(request.user, new.service_id)
        self._check_secret(request.user, new.secret_id)
        connection = with_defaults(new.connection_params, service.connection_schema)
        check_tool_against_service(new.model_copy(update={"connection_params": connection}), service)
        at = self._ledger.now()
        tool = Tool.model_validate(
            new.as_dict()
            | {"connectionParams": connection}
            | {"id": self._new_id(), "ownerId": request.user, "createdAt": at, "updatedAt": at}
            | _health_of_new(service)
            | {"toolTemplateId": template.id if template else None, "needsSecret": new.secret_id is not None}
        )
        work = write_one(queries.CREATE_TOOL, {**tool.as_row(), "service_version": service.version})
        mutation = request.mutation("tool.create", parameters={**new.as_dict(), "template": template and template.id})
        return self.create(work, tool, mutation, _uses(service, tool, request.user))

    def change(self, id_: str, change: ToolChange, request: MutationRequest) -> Tool:
        """Changes the caller's tool.

        Its service never changes; its connection parameters and its secret may. A tool that breaks a rule by now can
        still be renamed, described, disabled and unshared.
        """
        before = self.get_own(request.user, id_)
        service = self._service(request.user, before.service_id)
        changes = change.requested_fields()
        if "secretId" in changes:
            changes |= {"needsSecret": True} if change.secret_id else {"needsSecret": False, "secretScope": None}
        if change.connection_params is not None:
            changes["connectionParams"] = with_defaults(change.connection_params, service.connection_schema)
        after = _with_health(before, apply_change(before, changes, self._ledger.now()))
        self._check_secret(request.user, change.secret_id)
        if _extends_behavior_or_reach(before, after):
            check_tool(after)
            check_tool_against_service(after, service)
        actions = audit_change(before, after, request.user)
        work = write_one(queries.CHANGE_TOOL, {**update_row(before, after), "service_version": service.version})
        return self.replace(work, after, request.mutation("tool.change", id_, change.requested_fields()), actions)

    def remove(self, id_: str, request: MutationRequest) -> None:
        """Deletes the caller's tool. Raises ReferencedError while a step of a process calls it."""
        self.delete(queries.DELETE_TOOL, request.mutation("tool.delete", id_))

    def bind(self, tool_id: str, secret_id: str, request: MutationRequest) -> None:
        """Binds a secret to another user's shared tool, for the caller's calls (platform 3).

        The binding covers the secret's present destination. It is suspended if the tool's owner changes that.
        """
        tool = self.get(request.user, tool_id)
        if tool.owner_id == request.user:
            raise RuleError("To set the secret of your own tool, change the tool.", rule="binding_is_for_others")
        secret = self._secrets.get_own(request.user, secret_id)
        digest = destination_digest(tool, self._service_of(tool, request.user))
        action = AuditAction("tool.bind", tool_id, request.user, tool.owner_id, {"name": tool.name})
        params: JsonObject = {"tool": tool_id, "secret": secret.id, "digest": digest, "version": tool.version}
        self._commit_consent(
            queries.BIND_SECRET, params, tool, request.mutation("tool.bind", tool_id, secret_id), action
        )

    def unbind(self, tool_id: str, request: MutationRequest) -> None:
        """Removes the binding of a secret."""
        tool = self._consented_tool(queries.BOUND_TOOL, request.user, tool_id)
        action = AuditAction("tool.unbind", tool_id, request.user, tool.owner_id, {"name": tool.name})
        self._commit_consent(queries.UNBIND_SECRET, {}, tool, request.mutation("tool.unbind", tool_id), action)

    def bound_secret(self, user: str, tool_id: str) -> Secret | None:
        """Returns the user's secret that is bound to another user's tool, if there is one."""
        rows = self._store.read(queries.BOUND_SECRET, {"id": _consent_id(user, tool_id), "user": user})
        return self._secrets.get_own(user, rows[0]["secret_id"]) if rows else None

    def trust(self, tool_id: str, request: MutationRequest) -> str:
        """Adds another user's shared tool to the caller's kernel, and returns its digest.

        The tool stops being offered once its owner changes what it does or anything that a model reads of it.
        """
        tool = self.get(request.user, tool_id)
        if tool.owner_id == request.user:
            raise RuleError("Your own tools are always in your kernel.", rule="trust_is_for_others")
        digest = appearance_digest(tool, self._service_of(tool, request.user))
        action = AuditAction("tool.trust", tool_id, request.user, tool.owner_id, {"name": tool.name})
        params: JsonObject = {"tool": tool_id, "digest": digest, "version": tool.version}
        self._commit_consent(queries.TRUST_TOOL, params, tool, request.mutation("tool.trust", tool_id), action)
        return digest

    def distrust(self, tool_id: str, request: MutationRequest) -> None:
        """Stops trusting another user's tool, and removes it from the caller's kernel."""
        tool = self._consented_tool(queries.TRUSTED_TOOL, request.user, tool_id)
        action = AuditAction("tool.distrust", tool_id, request.user, tool.owner_id, {"name": tool.name})
        self._commit_consent(queries.DISTRUST_TOOL, {}, tool, request.mutation("tool.distrust", tool_id), action)

    def list_trusted(self, user: str) -> dict[str, str]:
        """Returns the digests of trusted tools by tool id, also of tools changed since."""
        rows = self._store.read(queries.TRUSTED, {"user": user})
        return {row["tool_id"]: row["digest"] for row in rows}

    def resolve(self, user: str, id_: str) -> ResolvedTool:
        """Resolves a tool for a call; every call checks anew (platform 3, 4).

        Raises NotFoundError; RuleError, which names the tool, its owner and what to do, if access was withdrawn, the
        tool or its service is disabled, its connection no longer fits its service, the caller has no secret for it, or
        it was changed since the caller bound one.
        """
        tool = self.get(user, id_)
        service = self._service_of(tool, user)
        for thing in (tool, service):
            if not thing.enabled:
                raise RuleError(
                    f"The {thing.kind} {thing.name!r} of {thing.owner_id} is disabled.",
                    rule="enabled",
                    next_step="Enable it, or ask its owner to.",
                )
        check_connection(tool, service)
        refuse_foreign_self_call(tool, service, user)
        return ResolvedTool(tool, service, self._secret_for(tool, service, user))

    def get_service(self, user: str, tool: Tool) -> Service:
        """Returns the service of a visible tool.

        Raises RuleError if the tool's owner may no longer use it.
        """
        return self._service_of(tool, user)

    def record_tokens(self, user: str, id_: str, usage: TokenUsage) -> None:
        """Records the tokens of one call of the user."""
        use: JsonObject = {
            "id": self._new_id(),
            "user": user,
            "tool": id_,
            "at": self._ledger.now(),
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "model": usage.model and replace_unstorable(usage.model),
        }
        self._store.update(write_one(queries.ADD_TOKEN_USE, use))

    def token_totals(self, user: str, id_: str) -> TokenTotals:
        """Returns the tokens of all the user's own calls of a tool."""
        (row,) = self._store.read(queries.TOKENS_OF, {"user": user, "tool": id_})
        return TokenTotals(row["calls"], row["prompt"], row["completion"])

    def _service_of(self, tool: Tool, user: str) -> Service:
        """Returns the tool's service as its owner may use it.

        Sharing a tool shares this access.
        """
        try:
            return self._services.get(tool.owner_id, tool.service_id)
        except NotFoundError:
            owner = "you" if tool.owner_id == user else tool.owner_id
            raise RuleError(
                f"The tool {tool.name!r} cannot run: its service is no longer shared with {owner}.",
                rule="service_access",
                next_step="Ask the service's owner to share it again, or use a tool on another service.",
            ) from None

    def _secret_for(self, tool: Tool, service: Service, user: str) -> Secret | None:
        """Returns the caller's secret: of their own tool, or the bound one (platform 3)."""
        if tool.owner_id == user:
            return self._secrets.get_own(user, tool.secret_id) if tool.secret_id else None
        rows = self._store.read(queries.BOUND_SECRET, {"id": _consent_id(user, tool.id), "user": user})
        if rows and rows[0]["digest"] != destination_digest(tool, service):
            raise tool_changed_error(tool, "bound a secret to it", "tools.bind_again")
        if rows:
            return self._secrets.get_own(user, rows[0]["secret_id"])
        if service.requires_secret or tool.needs_secret:
            raise RuleError(
                f"The tool {tool.name!r} of {tool.owner_id} needs a secret; you can use only your own.",
                rule="own_secret",
                next_step=NextStep("secrets.create_and_bind"),
            )
        return None

    def _service(self, user: str, id_: str) -> Service:
        try:
            return self._services.get(user, id_)
        except NotFoundError:
            raise NotFoundError(f"There is no service with the id {id_!r} that you may use.") from None

    def _check_secret(self, user: str, id_: str | None) -> None:
        if id_ is not None:
            self._secrets.get_own(user, id_)

    def _consented_tool(self, query: Query, user: str, tool_id: str) -> "_ToolReference":
        """Returns a tool that the user has bound or trusts, even if unshared; else a visible one."""
        rows = self._store.read(query, {"id": _consent_id(user, tool_id), "user": user})
        if rows:
            return _ToolReference(**rows[0])
        tool = self.get(user, tool_id)
        return _ToolReference(tool.id, tool.name, tool.owner_id, tool.version)

    def _commit_consent(
        self, query: str, params: JsonObject, tool: "Tool | _ToolReference", mutation: Mutation, action: AuditAction
    ) -> None:
        """Writes or removes a user's consent to another user's tool: a binding or a trust."""
        if self._ledger.earlier_answer(mutation) is not None:
            return
        row = {**params, "id": _consent_id(mutation.user, tool.id), "user": mutation.user}
        work = mutation.expecting(lambda _unit: tool.version, write_one(query, row))
        try:
            self._ledger.commit(work, mutation, [action], {})
        except GuardError:
            raise ConflictError(f"The tool {tool.name!r} or the secret was changed in the meantime.") from None


class _ToolReference(NamedTuple):
    """The known facts of a tool that its user may no longer see."""

    id: str
    name: str
    owner_id: str
    version: int


def _health_of_new(service: Service) -> JsonObject:
    """Returns the health of a new tool, which is never better than that of its service (platform 5)."""
    is_certain = service.status == "healthy"
    return health_of_new(service.connection_schema) if is_certain else {"errorMessage": UNCHECKED}


def _with_health(before: Tool, after: Tool) -> Tool:
    """Returns the tool with its status after a change (platform 5).

    It is down if disabled. It is degraded if it was just enabled, or if it was down and its connection changed.
    """
    if not after.enabled:
        return after.model_copy(update={"status": "down", "error_message": "It is disabled."})
    if not before.enabled:
        return _unchecked(after, "enabled")
    if before.status == "down" and after.connection_params != before.connection_params:
        return _unchecked(after, "connected in another way")
    return after


def _unchecked(tool: Tool, since: str) -> Tool:
    """Returns the tool as degraded until it is checked (platform 5)."""
    return tool.model_copy(update={"status": "degraded", "error_message": f"It was not checked since it was {since}."})


def _extends_behavior_or_reach(before: Tool, after: Tool) -> bool:
    """Returns whether a change affects what the tool does, or makes it usable where it was not."""
    names = ("connection_params", "operation", "input_schema", "output_schema", "secret_id", "secret_scope", "effect")
    does_more = any(getattr(before, name) != getattr(after, name) for name in names)
    return does_more or after.enabled > before.enabled or after.shared > before.shared


def _uses(service: Service, tool: Tool, user: str) -> list[AuditAction]:
    """Returns the use of another user's service, for both audit logs (platform 19)."""
    if service.owner_id == user:
        return []
    details: JsonObject = {"name": service.name, "tool": tool.name}
    return [AuditAction("service.use", service.id, user, service.owner_id, details)]


def _consent_id(user: str, tool_id: str) -> str:
    return f"{user}{KEY_SEPARATOR}{tool_id}"


def _read(row: Row) -> Tool:
    """Returns the tool of a row, never healthier than its service (platform 5)."""
    tool = Tool.from_row(row)
    service_status: HealthStatus = row["service_status"]
    if _SEVERITY[service_status] <= _SEVERITY[tool.status]:
        return tool
    return tool.model_copy(update={"status": service_status, "error_message": f"Its service is {service_status}."})

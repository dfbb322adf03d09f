"""Tools: bound to a service for ever, to a secret of their owner's, and used by whoever may see them."""

from collections.abc import Callable
from typing import NamedTuple

from aeon.base.json import JsonObject
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
    queries.TOOL, queries.TOOL_NAMED, queries.OWN_TOOLS, queries.SHARED_TOOLS, queries.USERS_OF_TOOL
)

_SEVERITY: dict[HealthStatus, int] = {"healthy": 0, "degraded": 1, "down": 2}


class ResolvedTool(NamedTuple):
    """A tool that its caller may run, with what it takes to."""

    tool: Tool
    service: Service
    secret: Secret | None

    @property
    def connection(self) -> JsonObject:
        """What it takes to connect. The tool keeps all of it; its service's owner has no say in it any more."""
        return self.tool.connection_params


class ToolRepository(EntityRepository[Tool]):
    """The tools of all users, each as its caller may see them."""

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
        """Create a tool on a service that the caller owns or that is shared with him.

        Raises NotFoundError for a service or secret that he may not see, RuleError for every rule of its kind.
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
            | {"errorMessage": UNCHECKED}
            | {"toolTemplateId": template.id if template else None, "needsSecret": new.secret_id is not None}
        )
        work = write_one(queries.CREATE_TOOL, {**tool.as_row(), "service_version": service.version})
        asked = request.mutation("tool.create", parameters={**new.as_dict(), "template": template and template.id})
        return self.create(work, tool, asked, _uses(service, tool, request.user))

    def change(self, id_: str, change: ToolChange, request: MutationRequest) -> Tool:
        """Change the caller's tool. Its service never changes; its connection parameters and its secret may.

        What holds no more can be renamed, described, disabled and unshared all the same.
        """
        before = self.get_own(request.user, id_)
        service = self._service(request.user, before.service_id)
        asked = change.requested_fields()
        if "secretId" in asked:
            asked |= {"needsSecret": True} if change.secret_id else {"needsSecret": False, "secretScope": None}
        if change.connection_params is not None:
            asked["connectionParams"] = with_defaults(change.connection_params, service.connection_schema)
        after = _with_health(before, apply_change(before, asked, self._ledger.now()))
        self._check_secret(request.user, change.secret_id)
        if _does_or_reaches_more(before, after):
            check_tool(after)
            check_tool_against_service(after, service)
        deeds = audit_change(before, after, request.user)
        work = write_one(queries.CHANGE_TOOL, {**update_row(before, after), "service_version": service.version})
        return self.replace(work, after, request.mutation("tool.change", id_, change.requested_fields()), deeds)

    def remove(self, id_: str, request: MutationRequest) -> None:
        """Delete the caller's tool. Raises ReferencedError while a step of a process calls it."""
        self.delete(queries.DELETE_TOOL, request.mutation("tool.delete", id_))

    def bind(self, tool_id: str, secret_id: str, request: MutationRequest) -> None:
        """Have another's shared tool run with a secret of the caller's own when they call it (platform 3).

        The secret goes where the tool sends it today. Once its owner changes that, the binding is suspended.
        """
        tool = self.get(request.user, tool_id)
        if tool.owner_id == request.user:
            raise RuleError("A secret of your own tool is set by changing the tool.", rule="binding_is_for_others")
        secret = self._secrets.get_own(request.user, secret_id)
        digest = destination_digest(tool, self._service_of(tool, request.user))
        deed = AuditAction("tool.bind", tool_id, request.user, tool.owner_id, {"name": tool.name})
        params: JsonObject = {"tool": tool_id, "secret": secret.id, "digest": digest, "version": tool.version}
        self._commit_consent(queries.BIND_SECRET, params, tool, request.mutation("tool.bind", tool_id, secret_id), deed)

    def unbind(self, tool_id: str, request: MutationRequest) -> None:
        """Take that secret away again."""
        tool = self._consented_tool(queries.BOUND_TOOL, request.user, tool_id)
        deed = AuditAction("tool.unbind", tool_id, request.user, tool.owner_id, {"name": tool.name})
        self._commit_consent(queries.UNBIND_SECRET, {}, tool, request.mutation("tool.unbind", tool_id), deed)

    def trust(self, tool_id: str, request: MutationRequest) -> str:
        """Let another's shared tool into the caller's kernel as it is now; its digest (measured P4).

        Once its owner changes anything that a model reads of it or that it does, it is not offered any more.
        """
        tool = self.get(request.user, tool_id)
        if tool.owner_id == request.user:
            raise RuleError("Your own tools are in your kernel anyway.", rule="trust_is_for_others")
        digest = appearance_digest(tool, self._service_of(tool, request.user))
        deed = AuditAction("tool.trust", tool_id, request.user, tool.owner_id, {"name": tool.name})
        params: JsonObject = {"tool": tool_id, "digest": digest, "version": tool.version}
        self._commit_consent(queries.TRUST_TOOL, params, tool, request.mutation("tool.trust", tool_id), deed)
        return digest

    def distrust(self, tool_id: str, request: MutationRequest) -> None:
        """Stop trusting another's tool: it leaves the caller's kernel."""
        tool = self._consented_tool(queries.TRUSTED_TOOL, request.user, tool_id)
        deed = AuditAction("tool.distrust", tool_id, request.user, tool.owner_id, {"name": tool.name})
        self._commit_consent(queries.DISTRUST_TOOL, {}, tool, request.mutation("tool.distrust", tool_id), deed)

    def list_trusted(self, user: str) -> dict[str, str]:
        """The digests of others' tools that the user trusts, by the tools' ids; also of those that were changed."""
        rows = self._store.read(queries.TRUSTED, {"user": user})
        return {row["tool_id"]: row["digest"] for row in rows}

    def resolve(self, user: str, id_: str) -> ResolvedTool:
        """What it takes to run a tool, checked anew before every run (platform 3, 4).

        Raises NotFoundError; RuleError that names the tool, its owner and what to do where access was taken back, it is
        disabled, its connection does not fit its service any more, it has no secret of the caller's, or was changed
        since the caller bound one.
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
        """The service of a tool that the user may see. Raises RuleError where its owner may not use it any more."""
        return self._service_of(tool, user)

    def record_tokens(self, user: str, id_: str, usage: TokenUsage) -> None:
        """Keep what one call of the user's used."""
        use: JsonObject = {
            "id": self._new_id(),
            "user": user,
            "tool": id_,
            "at": self._ledger.now(),
            **usage._asdict(),
            "model": usage.model and replace_unstorable(usage.model),
        }
        self._store.update(write_one(queries.ADD_TOKEN_USE, use))

    def token_totals(self, user: str, id_: str) -> TokenTotals:
        """What the user's own calls of a tool used in all."""
        (row,) = self._store.read(queries.TOKENS_OF, {"user": user, "tool": id_})
        return TokenTotals(row["calls"], row["prompt"], row["completion"])

    def _service_of(self, tool: Tool, user: str) -> Service:
        """The tool's service as its owner may use it: sharing the tool lets others reach it through the tool."""
        try:
            return self._services.get(tool.owner_id, tool.service_id)
        except NotFoundError:
            owner = "you" if tool.owner_id == user else tool.owner_id
            raise RuleError(
                f"The tool {tool.name!r} cannot run: its service is not shared with {owner} any more.",
                rule="service_access",
                next_step="Ask the service's owner to share it again, or use a tool on another service.",
            ) from None

    def _secret_for(self, tool: Tool, service: Service, user: str) -> Secret | None:
        """The caller's own secret: the tool's where he owns it, else the one that he bound to it (platform 3)."""
        if tool.owner_id == user:
            return self._secrets.get_own(user, tool.secret_id) if tool.secret_id else None
        rows = self._store.read(queries.BOUND_SECRET, {"id": _consent_id(user, tool.id), "user": user})
        if rows and rows[0]["digest"] != destination_digest(tool, service):
            raise tool_changed_error(tool, "bound a secret to it", "aeon tool bind")
        if rows:
            return self._secrets.get_own(user, rows[0]["secret_id"])
        if service.requires_secret or tool.needs_secret:
            raise RuleError(
                f"The tool {tool.name!r} of {tool.owner_id} needs a secret, and another's never runs for you.",
                rule="own_secret",
                next_step="Create a secret of your own and bind it: `aeon tool bind`.",
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

    def _consented_tool(self, query: Query, user: str, tool_id: str) -> "_Named":
        """A tool that the user has bound or trusts, also where it is not shared any more; else one that they see."""
        rows = self._store.read(query, {"id": _consent_id(user, tool_id), "user": user})
        if rows:
            return _Named(**rows[0])
        tool = self.get(user, tool_id)
        return _Named(tool.id, tool.name, tool.owner_id, tool.version)

    def _commit_consent(
        self, query: str, params: JsonObject, tool: "Tool | _Named", mutation: Mutation, deed: AuditAction
    ) -> None:
        """Write or remove a user's consent to another's tool: a binding or a trust."""
        if self._ledger.earlier_answer(mutation) is not None:
            return
        given = {**params, "id": _consent_id(mutation.user, tool.id), "user": mutation.user}
        work = mutation.expecting(lambda _unit: tool.version, write_one(query, given))
        try:
            self._ledger.commit(work, mutation, [deed], {})
        except GuardError:
            raise ConflictError(f"The tool {tool.name!r} or the secret was changed in the meantime.") from None


class _Named(NamedTuple):
    """What is told of a tool that its user may not see any more."""

    id: str
    name: str
    owner_id: str
    version: int


def _with_health(before: Tool, after: Tool) -> Tool:
    """A tool that is disabled is down; one that is enabled, or reaches another place, is so until it is checked."""
    if not after.enabled:
        return after.model_copy(update={"status": "down", "error_message": "It is disabled."})
    if not before.enabled:
        return _unchecked(after, "enabled")
    if before.status == "down" and after.connection_params != before.connection_params:
        return _unchecked(after, "connected in another way")
    return after


def _unchecked(tool: Tool, since: str) -> Tool:
    """A tool of which nobody knows yet whether it works (platform 5)."""
    return tool.model_copy(update={"status": "degraded", "error_message": f"It was not checked since it was {since}."})


def _does_or_reaches_more(before: Tool, after: Tool) -> bool:
    """Whether a change is about what the tool does, or lets it be used where it was not."""
    told = ("connection_params", "operation", "input_schema", "output_schema", "secret_id", "secret_scope", "effect")
    is_other = any(getattr(before, name) != getattr(after, name) for name in told)
    return is_other or after.enabled > before.enabled or after.shared > before.shared


def _uses(service: Service, tool: Tool, user: str) -> list[AuditAction]:
    """The use of another's service, for both trails (platform 19)."""
    if service.owner_id == user:
        return []
    details: JsonObject = {"name": service.name, "tool": tool.name}
    return [AuditAction("service.use", service.id, user, service.owner_id, details)]


def _consent_id(user: str, tool_id: str) -> str:
    return f"{user}{KEY_SEPARATOR}{tool_id}"


def _read(row: Row) -> Tool:
    """The tool, never healthier than its service (platform 5)."""
    tool = Tool.from_row(row)
    of_service: HealthStatus = row["service_status"]
    if _SEVERITY[of_service] <= _SEVERITY[tool.status]:
        return tool
    return tool.model_copy(update={"status": of_service, "error_message": f"Its service is {of_service}."})

"""`ToolService`: the stored tools of one user: call, bind, trust, discover."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

from aeon.application.argument_types import require_json
from aeon.application.entities import EntityService
from aeon.base.json import JsonObject
from aeon.base.next_steps import NextStep
from aeon.bootstrap.platform import Platform
from aeon.platform.catalog.model import NewTool, Secret, Tool, ToolChange
from aeon.platform.catalog.operations import Effect, TokenTotals
from aeon.platform.catalog.trust import StdioProgram, appearance_digest, started_program
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest

if TYPE_CHECKING:
    from aeon.application.discovery import DiscoveryRequest
    from aeon.application.openapi import OpenApiImport
    from aeon.platform.catalog.kernel_tool import StoredTool
    from aeon.platform.catalog.tool_calls import ToolCallResult
    from aeon.platform.workers.result_cache.repository import SqlResultCache

__all__ = ["Effect", "OpenApiOptions", "ToolConsent", "ToolService"]


class OpenApiOptions(TypedDict, total=False):
    """How `import_openapi` imports; see `OpenApiRequest` in `aeon.application.openapi`, whose fields these are."""

    address: str | None
    name: str | None
    server: str | None
    only: Sequence[str]
    tags: Sequence[str]
    secret: str | None
    pages: int | None
    allow_private: bool
    allow_insecure: bool


class ToolConsent(NamedTuple):
    """What a user allowed another user's tool: the secret that it uses for them, and whether it is in their plans.

    `is_outdated`: its owner changed it since, so that it is not offered until the user trusts it again.
    """

    secret: Secret | None
    is_trusted: bool
    is_outdated: bool


class ToolService(EntityService[Tool, NewTool, ToolChange]):
    """The tools that a user owns or sees."""

    def __init__(self, platform: Platform, user: str, cache: "Callable[[], SqlResultCache]") -> None:
        """`cache` returns the cached results of pure tools. The caller closes `platform`."""
        super().__init__(platform.catalog.tools, user, NewTool, ToolChange)
        self._platform = platform
        self._tools = platform.catalog.tools
        self._cache = cache

    def call(self, name: str, arguments: JsonObject) -> "ToolCallResult":
        """Call a tool, with its effects, and record the call.

        Raises NotFoundError, RuleError for an invalid input, OperationError if the tool fails.
        """
        require_json(arguments, "arguments")
        return self._platform.measured_tool_caller.call(self._user, self.get(name).id, arguments)

    def token_totals(self, tool: Tool) -> TokenTotals:
        """The tokens of all the user's own calls of a tool."""
        return self._tools.token_totals(self._user, tool.id)

    def list_for_kernel(self) -> "list[StoredTool]":
        """The tools for a kernel: the user's own, Aeon's own, and trusted ones of other users that are unchanged."""
        return self._platform.tools_for_kernel(self._user)

    def discover(self, request: "DiscoveryRequest") -> tuple[list[JsonObject], list[str]]:
        """Documents that describe the tools of an MCP server, for `DocumentService.apply`, and warnings.

        Raises NotFoundError, RuleError, InputError for a tool that the server does not offer, OperationError.
        """
        from aeon.application.discovery import discover_tools

        return discover_tools(self._platform, self._user, request)

    def import_openapi(self, text: str, *, is_dry: bool = False, **options: Unpack[OpenApiOptions]) -> "OpenApiImport":
        """Create and change a service and a tool for each operation of an OpenAPI document, version 3.0 or 3.1.

        `text` is JSON or YAML; `read_openapi` gives that of an address. With `is_dry`, nothing is changed, and the
        result says what would be. Importing again updates the tools; what the user decided about them stays. Raises
        OpenApiError with every fault of the document, InputError, NotFoundError, ApplyError.
        """
        from aeon.application.openapi import OpenApiRequest, import_openapi

        return import_openapi(self._platform, self._user, OpenApiRequest(text, **options), is_dry=is_dry)

    def read_openapi(self, address: str, *, allow_private: bool = False) -> str:
        """The text of a document at an address; in a private network only with `allow_private`.

        Raises InputError, ForbiddenError.
        """
        from aeon.bootstrap.texts import document_of_page

        if allow_private:
            self._platform.require_machine(self._user, "call private addresses")
        return document_of_page(address, allow_private=allow_private)

    def consent(self, tool: Tool) -> ToolConsent:
        """What the user allowed another user's tool."""
        trusted = self._tools.list_trusted(self._user).get(tool.id)
        try:
            digest = appearance_digest(tool, self._tools.get_service(self._user, tool))
        except RuleError:  # its service is not shared any more
            digest = ""
        is_outdated = trusted is not None and trusted != digest
        return ToolConsent(self._tools.bound_secret(self._user, tool.id), trusted is not None, is_outdated)

    def bind(self, tool: str, secret: str, *, key: str | None = None) -> Tool:
        """Use the user's own secret for another user's shared tool, given by its id; returns that tool.

        Raises NotFoundError, RuleError, ConflictError.
        """
        shared = self._tools.get(self._user, tool)
        own = self._platform.catalog.secrets.find_own(self._user, secret)
        if own is None:
            raise NotFoundError(f"You have no secret named {secret!r}.", next_step=NextStep("secrets.list"))
        self._tools.bind(tool, own.id, MutationRequest(self._user, key))
        return shared

    def unbind(self, tool: str, *, key: str | None = None) -> None:
        """Remove the user's secret from another user's tool, given by its id. Raises NotFoundError, ConflictError."""
        self._tools.unbind(tool, MutationRequest(self._user, key))

    def trust(self, name: str, *, key: str | None = None, expected_version: int | None = None) -> StdioProgram | None:
        """Allow another user's tool, as it is now, in the user's plans; returns the program that it may now start here.

        Raises NotFoundError, RuleError, ForbiddenError for a program that an operator may not have specified,
        ConflictError, and VersionError if the tool has another version than the `expected_version` that the user has
        seen.
        """
        tool = self.get(name)
        service = self._tools.get_service(self._user, tool)
        program = started_program(tool, service)
        if program is not None and not self._are_operators(tool.owner_id, service.owner_id):
            self._platform.require_machine(self._user, "trust the program of a user")
        self._tools.trust(tool.id, MutationRequest(self._user, key, expected_version))
        if program is not None:
            self._platform.programs.allow(program)
        return program

    def _are_operators(self, *owners: str) -> bool:
        return all(self._platform.may_use_machine(each) for each in owners)

    def distrust(self, name: str, *, key: str | None = None) -> None:
        """Remove another user's tool from the user's plans, and forbid its program.

        `name` is its id if it is not shared any more. Raises NotFoundError, ConflictError.
        """
        id_ = name
        with suppress(NotFoundError):  # the tool may not be shared any more
            tool = self.get(name)
            id_ = tool.id
            if (program := started_program(tool, self._tools.get_service(self._user, tool))) is not None:
                self._platform.programs.forbid(program)
        self._tools.distrust(id_, MutationRequest(self._user, key))

    def clear_cache(self, name: str | None = None) -> int:
        """Delete the cached results of one of the user's own pure tools, or of all; returns their number.

        Raises NotFoundError, ForbiddenError.
        """
        own = self.list_all(owner="own") if name is None else [self._tools.get_own(self._user, self.get(name).id)]
        return sum(self._cache().clear(each.id) for each in own)

"""The operations of tools, one kind per type of service, and their input variables."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, Self, TypeAlias, assert_never, cast

from pydantic import Field, TypeAdapter, model_validator

from aeon.base.errors import MissingExtraError
from aeon.base.json import Json, JsonObject, parse_strict
from aeon.base.next_steps import NextStep
from aeon.platform.errors import PlatformError
from aeon.platform.records import Record


class TokenUsage(NamedTuple):
    """The tokens of one call of a tool with its repairs.

    `model` is the name that the server reports, None if it reports none. `model_calls` is how often the model answered.
    """

    prompt_tokens: int
    completion_tokens: int
    model: str | None
    model_calls: int = 1

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names; `modelCalls` only where the model answered more than once."""
        return {
            "promptTokens": self.prompt_tokens,
            "completionTokens": self.completion_tokens,
            "model": self.model,
            **({"modelCalls": self.model_calls} if self.model_calls > 1 else {}),
        }


class TokenTotals(NamedTuple):
    """The tokens of all calls that a user made of a tool. `calls` counts those that used any."""

    calls: int
    prompt_tokens: int
    completion_tokens: int

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "calls": self.calls,
            "promptTokens": self.prompt_tokens,
            "completionTokens": self.completion_tokens,
        }


_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_PARAMETER = re.compile(rf"\$({_NAME})")
_PLACEHOLDER = re.compile(rf"\{{({_NAME})\}}")
_TEXT_OR_COMMENT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)


HeaderName: TypeAlias = Annotated[str, Field(max_length=100, pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")]


class OperationError(PlatformError):
    """The tool's operation failed.

    `is_transient`: the same call may succeed later. `is_unauthorized`: the peer rejected the credentials with 401 and
    did nothing. `is_refused`: the peer answered that it did not do what the call asked for. `usage`: the tokens that
    the failed call used. `retry_after`: the pause that the peer asks for, in seconds.
    """

    status = 502

    def __init__(
        self,
        message: str,
        *,
        next_step: str | NextStep = "",
        is_transient: bool = False,
        is_unauthorized: bool = False,
        is_refused: bool = False,
        usage: TokenUsage | None = None,
        retry_after: float | None = None,
    ) -> None:
        wait: JsonObject = {} if retry_after is None else {"retryAfter": retry_after}
        super().__init__(message, next_step=next_step, retryable=is_transient, **wait)
        self.is_transient = is_transient
        self.is_unauthorized = is_unauthorized
        self.is_refused = is_refused
        self.usage = usage
        self.retry_after = retry_after


class NetworkOperation(Record):
    """An operation that connects to an address given by users."""

    allow_private: bool = Field(default=False, description="whether private and loopback addresses are allowed")


class HttpOperation(NetworkOperation):
    """An operation over HTTP or HTTPS."""

    allow_insecure: bool = Field(
        default=False, description="whether a key may be sent unencrypted over plain http to another machine"
    )


OWN_RECORD_ENDPOINT: Final = "aeon:graph"
"""The endpoint of Aeon's own record: read only, by named queries."""


class GraphQuery(NetworkOperation):
    """A query of a graph.

    `$name` in it is bound to the input's field of that name, never pasted.
    """

    service_type: ClassVar[str] = "neo4j_graph"

    type: Literal["graph_query"] = "graph_query"
    query: str = Field(
        min_length=1,
        max_length=20_000,
        description="Cypher; of Aeon's own record the name of a query, as `@users_of_mine`",
    )
    mode: Literal["read", "write"] = "read"
    row_limit: int = Field(default=1000, ge=1, le=10_000)
    timeout: float = Field(default=10.0, gt=0, le=300, description="seconds that a call may take")

    def variables(self) -> frozenset[str]:
        """Returns the parameters outside of strings and comments."""
        return frozenset(_PARAMETER.findall(_TEXT_OR_COMMENT.sub(" ", self.query)))


QueryStyle: TypeAlias = Literal["json", "repeat", "comma", "space", "pipe", "deep"]
"""How a list or an object stands in a query: `a=1&a=2` (repeat; of an object `x=1&y=2`), `a=1,2`, `a[x]=1` (deep)."""

JsonPointer: TypeAlias = Annotated[str, Field(max_length=500, pattern=r"^(/([^~/]|~[01])*)*$")]
"""A place in a JSON value (RFC 6901); empty for the whole value."""


class Pagination(Record):
    """How a request gets the pages after the first one; the output has the items of all pages in one list.

    Styles: `link` follows the header Link with rel="next"; `next` follows the address at `next` in the body; `cursor`
    sends the text at `next` as the query parameter `parameter`; `page` counts that parameter up by one, `offset` by
    the number of items. A list ends where no next page is given, or where a page has no items.
    """

    style: Literal["link", "next", "cursor", "page", "offset"]
    items: JsonPointer = Field(default="", description="where the body of each page has its list of items")
    next: JsonPointer = Field(default="", description="where the body has the next page's address or cursor")
    parameter: str = Field(default="", max_length=200, description="the query parameter that chooses the page")
    first: int = Field(default=1, ge=0, le=1, description="the number of the first page")
    max_pages: int = Field(default=10, ge=1, le=1000)

    @model_validator(mode="after")
    def _has_what_its_style_needs(self) -> Self:
        if self.style in ("next", "cursor") and not self.next:
            raise ValueError(f"the style {self.style} needs `next`, a place in the body")
        if self.style in ("cursor", "page", "offset") and not self.parameter:
            raise ValueError(f"the style {self.style} needs `parameter`, a query parameter")
        return self


class RestRequest(HttpOperation):
    """A request to an HTTP service.

    `{name}` is the input's field: escaped in the path, whole where it stands alone.
    """

    service_type: ClassVar[str] = "rest_api"

    type: Literal["rest_request"] = "rest_request"
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    path: str = Field(
        default="", max_length=4000, pattern=r"^(/[^\s?#]*)?$", description="what follows the service's endpoint"
    )
    query: dict[str, Json] = Field(default={}, description="the parameters after `?`")
    query_styles: dict[str, QueryStyle] = Field(default={}, description="by query parameter; `json` for all others")
    headers: dict[str, str] = Field(default={})
    body: Any = Field(default=None, description="what is sent; `{name}` in its texts is an input")
    body_format: Literal["auto", "json", "form"] = Field(
        default="auto", description="`auto`: a text as it stands, everything else as JSON; `form`: an encoded form"
    )
    timeout: float = Field(default=30.0, gt=0, le=300, description="seconds that a call may take")
    max_bytes: int = Field(default=1_000_000, ge=1, le=50_000_000, description="the largest answer that is read")
    keep_headers: list[HeaderName] = Field(
        default=[], max_length=50, description="headers of the response that the output includes, such as Link or ETag"
    )
    pagination: Pagination | None = None

    @model_validator(mode="after")
    def _reads_if_it_has_pages(self) -> Self:
        if self.pagination is not None and self.method != "GET":
            raise ValueError("only a GET request can have pagination")
        if self.body_format == "form" and self.body is not None and not isinstance(self.body, dict | str):
            raise ValueError("a form needs an object of fields as its body")
        return self

    def variables(self) -> frozenset[str]:
        return frozenset(_placeholders([self.path, self.query, self.headers, self.body]))


class LlmCall(HttpOperation):
    """A request to a language model.

    The prompts are Handlebars; the output follows the tool's output schema.
    """

    service_type: ClassVar[str] = "llm_provider"

    type: Literal["llm_call"] = "llm_call"
    system_prompt: str = Field(default="", max_length=50_000, description="Handlebars over the inputs")
    prompt_template: str = Field(min_length=1, max_length=50_000, description="Handlebars over the inputs: `{{name}}`")
    max_tokens: int = Field(default=1024, ge=1, le=100_000, description="the length of an answer")
    temperature: float = Field(default=0.0, ge=0, le=2)
    timeout: float = Field(default=120.0, gt=0, le=300, description="seconds that a call may take")
    messages: str | None = Field(
        default=None,
        min_length=1,
        max_length=100,
        description="the input that has earlier messages, each with role (user or assistant) and content",
    )
    limits: str | None = Field(
        default=None,
        min_length=1,
        max_length=100,
        description="the input that may set maxTokens (at most the operation's) and temperature of one call; a text "
        "that ends at the limit is an answer, then, with the finishReason `length`",
    )

    def variables(self) -> frozenset[str]:
        """Returns the variables of both prompts, and the inputs with the earlier messages and the limits.

        Raises ValueError if a prompt is not a valid template.
        """
        inputs = frozenset(each for each in (self.messages, self.limits) if each is not None)
        return _handlebars(self.system_prompt) | _handlebars(self.prompt_template) | inputs


class McpCall(HttpOperation):
    """A call of an MCP server's tool.

    `{name}` in the arguments is the input's field; without arguments, the input.
    """

    service_type: ClassVar[str] = "mcp_server"

    type: Literal["mcp_call"] = "mcp_call"
    tool: str = Field(min_length=1, max_length=200, description="its name at the server")
    arguments: dict[str, Json] | None = Field(default=None, description="without them, the inputs are the arguments")
    timeout: float = Field(default=60.0, gt=0, le=300, description="seconds that a call may take")

    def variables(self) -> frozenset[str]:
        return frozenset(_placeholders(self.arguments or {}))


class ConversationReply(HttpOperation):
    """An answer to the last message of a conversation, made from its working memory.

    The input `answer` is the id of the alternative that is being made; its pieces are streamed. With `uses_tools`, the
    tools and skills of the user that suit the message may be used; else one request to the model makes the answer.
    """

    service_type: ClassVar[str] = "llm_provider"

    type: Literal["conversation_reply"] = "conversation_reply"
    system_prompt: str = Field(min_length=1, max_length=50_000)
    max_tokens: int = Field(default=1024, ge=1, le=100_000)
    temperature: float = Field(default=0.0, ge=0, le=2)
    uses_tools: bool = Field(default=False, description="whether tools and skills that suit a message may be used")
    timeout: float = Field(default=290.0, gt=0, le=300, description="seconds that a call may take")

    def variables(self) -> frozenset[str]:
        return frozenset({"answer"})


SELF_COMMAND: Final = "aeon:self"
"""The command that stands for Aeon itself, acting as the caller."""


class OwnOperation(Record):
    """An operation that Aeon itself executes, as its caller and in this process; its service is `aeon itself`."""

    service_type: ClassVar[str] = "mcp_server"
    allow_private: ClassVar[bool] = False

    timeout: float = Field(default=290.0, gt=0, le=300, description="seconds that a call may take")


class SkillScriptCall(OwnOperation):
    """A run of one script of the caller's skills, as `aeon skill run SKILL/SCRIPT` does it.

    The script's input is the tool's input.
    """

    type: Literal["skill_script"] = "skill_script"
    skill: str = Field(min_length=1, max_length=200)
    script: str = Field(min_length=1, max_length=500, description="its name, or its path in the skill's folder")

    def variables(self) -> frozenset[str]:
        return frozenset()


class AgentRequest(OwnOperation):
    """A request that the kernel plans and runs, as `aeon run` does. Its text is the input `request`."""

    type: Literal["agent_request"] = "agent_request"

    def variables(self) -> frozenset[str]:
        return frozenset({"request"})


Operation: TypeAlias = Annotated[
    GraphQuery | RestRequest | LlmCall | ConversationReply | McpCall | SkillScriptCall | AgentRequest,
    Field(discriminator="type"),
]


def _placeholders(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield from _PLACEHOLDER.findall(value)
    elif isinstance(value, dict):
        for key, item in cast(JsonObject, value).items():
            yield from _PLACEHOLDER.findall(key)
            yield from _placeholders(item)
    elif isinstance(value, list):
        for item in cast(list[Json], value):
            yield from _placeholders(item)


def _handlebars(template: str) -> frozenset[str]:
    try:
        from pydantic_handlebars import HandlebarsError, extract_dependencies
    except ModuleNotFoundError:
        raise MissingExtraError(
            "Prompts with variables need pydantic-handlebars.", next_step="Install aeon-orchestrator[platform]."
        ) from None
    try:
        return frozenset(extract_dependencies(template))
    except HandlebarsError as error:
        raise ValueError(f"the prompt is not a valid template: {error}") from None
    except RecursionError:
        raise ValueError("the blocks of the prompt are nested too deeply") from None


Effect: TypeAlias = Literal["pure", "read", "idempotent", "once"]
"""The effect of a call on the world. `once`: repeating the call has a different effect from calling once."""

WorkerType: TypeAlias = Literal["graph_query", "rest_api", "llm_call", "mcp_server"]

_READS: Final = frozenset({"GET", "HEAD"})
_REPEATABLE: Final = frozenset({"PUT", "DELETE"})
"""RFC 9110, section 9.2.2."""


def default_effect(operation: Operation) -> Effect:
    """Returns the effect of a tool whose owner does not declare one."""
    match operation:
        case GraphQuery():
            return "read" if operation.mode == "read" else "once"
        case RestRequest():
            method = operation.method
            return "read" if method in _READS else "idempotent" if method in _REPEATABLE else "once"
        case LlmCall() | ConversationReply():
            return "read"
        case McpCall() | SkillScriptCall() | AgentRequest():
            return "once"
        case _:
            assert_never(operation)


def worker_type_of(operation: Operation) -> WorkerType:
    """Returns the type of worker that executes the operation."""
    match operation:
        case GraphQuery():
            return "graph_query"
        case RestRequest():
            return "rest_api"
        case LlmCall() | ConversationReply():
            return "llm_call"
        case McpCall() | SkillScriptCall() | AgentRequest():
            return "mcp_server"
        case _:
            assert_never(operation)


def parse_operation(text: str) -> Operation:
    """Parses an operation from its JSON text in the record."""
    return _operations().validate_python(parse_strict(text))


@cache
def _operations() -> TypeAdapter[Operation]:
    return TypeAdapter(Operation)

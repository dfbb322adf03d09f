"""The catalog's entities, and the models that create and change them."""

from typing import ClassVar, Final, Literal, TypeAlias, cast

from pydantic import Field

from aeon.base.json import JsonObject
from aeon.base.labels import Labels
from aeon.platform.catalog.operations import Effect, Operation
from aeon.platform.records import Description, Name, Record
from aeon.platform.vault import SecretType


class CallRate(Record):
    """A rate limit: at most `calls` calls in any window of `seconds` seconds."""

    calls: int = Field(ge=1, le=100_000)
    seconds: float = Field(gt=0, le=86_400)


class ServiceLimits(Record):
    """Limits of a service; None means unlimited.

    All jobs of all runs of one record share them (platform 10).
    """

    concurrency: int | None = Field(default=None, ge=1, le=256, description="calls at once")
    rate: CallRate | None = None

    @property
    def is_unlimited(self) -> bool:
        """Whether no limit is set."""
        return self.concurrency is None and self.rate is None

    def describe(self) -> str:
        """Returns the limits in words; empty if there are none."""
        parts = [] if self.concurrency is None else [f"{self.concurrency} at once"]
        parts += [] if self.rate is None else [f"{self.rate.calls} in {self.rate.seconds:g} s"]
        return f"at most {' and '.join(parts)}" if parts else ""


ServiceType: TypeAlias = Literal["neo4j_graph", "rest_api", "llm_provider", "mcp_server"]
ServiceProtocol: TypeAlias = Literal["bolt", "bolt+s", "http", "https", "stdio", "sse"]
HealthStatus: TypeAlias = Literal["healthy", "degraded", "down"]

EntityKind: TypeAlias = Literal[
    "service", "secret", "tool", "serviceTemplate", "toolTemplate", "process", "schedule", "webhook", "alert"
]


class OwnedEntity(Record):
    """Common fields of entities.

    `version` counts changes; `owner_id`, the OWNED_BY edge's target, never changes.
    """

    kind: ClassVar[EntityKind]

    id: str
    owner_id: str
    name: Name
    shared: bool = False
    version: int = 1
    created_at: str
    updated_at: str


_NOT_CHECKED: Final = "It was not checked"
"""How the reason begins where nothing has checked a tool or a service."""


class _Monitored(Record):
    """Health, which only the system writes (platform 5)."""

    status: HealthStatus = "degraded"
    last_health_check: str | None = None
    error_message: str | None = None

    @property
    def is_unchecked(self) -> bool:
        """Whether nothing is known against it: it counts as degraded because nothing has checked it."""
        return self.status == "degraded" and (self.error_message or "").startswith(_NOT_CHECKED)


class Service(OwnedEntity, _Monitored):
    """An external service: a kind of endpoint, and the schema of its connection parameters."""

    kind: ClassVar[EntityKind] = "service"
    stored_as_text: ClassVar[frozenset[str]] = frozenset({"connection_schema", "limits"})

    type: ServiceType
    protocol: ServiceProtocol
    connection_schema: JsonObject
    schema_version: int = 1
    requires_secret: bool = False
    limits: ServiceLimits = ServiceLimits()
    enabled: bool = True
    service_template_id: str | None = None


class Secret(OwnedEntity):
    """A credential's metadata.

    Its value is in the vault, under `vault_version`, and never here (platform 3).
    """

    kind: ClassVar[EntityKind] = "secret"

    type: SecretType
    vault_version: int = 1


class Tool(OwnedEntity, _Monitored):
    """One operation on one service. `connection_params` is a property of the USES_SERVICE edge.

    Only the owner sees which secret the tool uses; `needs_secret` shows everybody that there is one.
    """

    kind: ClassVar[EntityKind] = "tool"
    stored_as_text: ClassVar[frozenset[str]] = frozenset(
        {"operation", "input_schema", "output_schema", "connection_params", "runs_on"}
    )

    description: Description = ""
    service_id: str
    secret_id: str | None = None
    secret_scope: str | None = None
    needs_secret: bool = False
    connection_params: JsonObject = Field(default={})
    operation: Operation
    input_schema: JsonObject
    output_schema: JsonObject
    effect: Effect | None = Field(default=None, description="None: what its operation suggests")
    runs_on: Labels = Field(default=[], description="labels that a worker must have to execute its calls")
    enabled: bool = True
    tool_template_id: str | None = None


class ServiceTemplate(OwnedEntity):
    """A template of services. Its structure never changes; `archived` hides it from lists."""

    kind: ClassVar[EntityKind] = "serviceTemplate"
    stored_as_text: ClassVar[frozenset[str]] = frozenset({"connection_schema", "limits"})

    description: Description | None = None
    type: ServiceType
    protocol: ServiceProtocol
    connection_schema: JsonObject
    requires_secret: bool = False
    limits: ServiceLimits = ServiceLimits()
    archived: bool = False


class ToolTemplate(OwnedEntity):
    """A template of tools. Its structure never changes; `archived` hides it from lists."""

    kind: ClassVar[EntityKind] = "toolTemplate"
    stored_as_text: ClassVar[frozenset[str]] = frozenset({"operation", "input_schema", "output_schema"})

    description: Description | None = None
    operation: Operation
    input_schema: JsonObject
    output_schema: JsonObject
    archived: bool = False


UNCHECKED: Final = "It was not checked yet."
"""The error message of a new tool or service that something has to reach."""

_OWN_ADDRESS: Final = "aeon:"
"""How the addresses inside Aeon itself begin."""


def health_of_new(connection_schema: JsonObject) -> JsonObject:
    """The health of a new service: nothing has checked it yet, unless Aeon itself is the service (platform 5)."""
    declared = cast(JsonObject, connection_schema.get("properties") or {})
    places = [declared.get(name) for name in ("endpoint", "command")]
    constants = [cast(JsonObject, each).get("const") for each in places if isinstance(each, dict)]
    is_own = any(isinstance(each, str) and each.startswith(_OWN_ADDRESS) for each in constants)
    return {"status": "healthy"} if is_own else {"errorMessage": UNCHECKED}


Entity: TypeAlias = Service | Secret | Tool | ServiceTemplate | ToolTemplate


class EntityChange(Record):
    """A change of an entity. An omitted field stays.

    A null removes the value of a field in `clearable_fields`; a null in any other field changes nothing.
    """

    clearable_fields: ClassVar[frozenset[str]] = frozenset()
    """Published names of the fields that may be empty."""

    def requested_fields(self) -> JsonObject:
        """Returns the requested fields as JSON data, under their published names."""
        requested = self.model_dump(mode="json", by_alias=True, include=self.model_fields_set)
        return {name: value for name, value in requested.items() if value is not None or name in self.clearable_fields}


class NewService(Record):
    """A service to create; with a template, only the fields that the template does not provide."""

    name: Name
    type: ServiceType
    protocol: ServiceProtocol
    connection_schema: JsonObject = Field(description="JSON Schema of the connectionParams of its tools")
    requires_secret: bool = Field(default=False, description="whether each of its tools must have a secret")
    limits: ServiceLimits = Field(
        default=ServiceLimits(), description="such as `{concurrency: 3, rate: {calls: 10, seconds: 60}}`"
    )
    enabled: bool = True
    shared: bool = Field(default=False, description="whether other users see it")


class ServiceChange(EntityChange):
    """A change of a service. Empty `limits` remove the existing ones."""

    name: Name | None = None
    enabled: bool | None = None
    shared: bool | None = None
    connection_schema: JsonObject | None = None
    limits: ServiceLimits | None = None


class NewSecret(Record):
    """A secret to create.

    Its value is an object of strings by its type; see `aeon.platform.vault.SecretValue`.
    """

    name: Name
    type: SecretType
    value: JsonObject = Field(
        repr=False, description="its parts by its type; `${NAME}` is a variable of the environment"
    )
    shared: bool = False


class SecretChange(EntityChange):
    """A change of a secret, except its value, which is rotated."""

    name: Name | None = None
    shared: bool | None = None


class NewTool(Record):
    """A tool to create on a service that its owner may use."""

    name: Name
    description: Description = ""
    service_id: str
    secret_id: str | None = None
    secret_scope: str | None = Field(default=None, max_length=200)
    connection_params: JsonObject = Field(default={}, description="where it connects; see each operation")
    operation: Operation = Field(description="what a call does: one of the operations below")
    input_schema: JsonObject = Field(description="JSON Schema of its inputs: an object")
    output_schema: JsonObject = Field(default={}, description="JSON Schema of its result; what does not fit it fails")
    effect: Effect | None = Field(
        default=None, description="what a repeated call does; else what its operation suggests"
    )
    runs_on: Labels = Field(default=[], description="labels that a worker must have to execute its calls")
    enabled: bool = True
    shared: bool = Field(default=False, description="whether other users see it")


class ToolChange(EntityChange):
    """A change of a tool. Its service never changes. Removing its secret also removes its secret scope."""

    clearable_fields: ClassVar[frozenset[str]] = frozenset({"secretId", "secretScope", "effect"})

    name: Name | None = None
    description: Description | None = None
    secret_id: str | None = None
    secret_scope: str | None = Field(default=None, max_length=200)
    connection_params: JsonObject | None = None
    operation: Operation | None = None
    input_schema: JsonObject | None = None
    output_schema: JsonObject | None = None
    effect: Effect | None = None
    runs_on: Labels | None = None
    enabled: bool | None = None
    shared: bool | None = None


class NewServiceTemplate(Record):
    """A template of services to create."""

    name: Name
    description: Description | None = None
    type: ServiceType
    protocol: ServiceProtocol
    connection_schema: JsonObject
    requires_secret: bool = False
    limits: ServiceLimits = ServiceLimits()
    shared: bool = False


class NewToolTemplate(Record):
    """A template of tools to create."""

    name: Name
    description: Description | None = None
    operation: Operation
    input_schema: JsonObject
    output_schema: JsonObject = Field(default={})
    shared: bool = False


class TemplateChange(EntityChange):
    """A change of a template: its name, description, and whether it is shared or archived."""

    clearable_fields: ClassVar[frozenset[str]] = frozenset({"description"})

    name: Name | None = None
    description: Description | None = None
    shared: bool | None = None
    archived: bool | None = None

"""The entities of the catalog, every field of the specification, and what creates and changes each."""

from typing import ClassVar, Literal, TypeAlias

from pydantic import Field

from aeon.base.json import JsonObject
from aeon.platform.catalog.operations import Effect, Operation
from aeon.platform.records import Description, Name, Record
from aeon.platform.vault import SecretType


class CallRate(Record):
    """So many calls in any stretch of so many seconds."""

    calls: int = Field(ge=1, le=100_000)
    seconds: float = Field(gt=0, le=86_400)


class ServiceLimits(Record):
    """What is None is not limited. All jobs of all runs of one record keep to them together (platform 10)."""

    concurrency: int | None = Field(default=None, ge=1, le=256, description="calls at once")
    rate: CallRate | None = None

    @property
    def is_unlimited(self) -> bool:
        """Whether there is nothing to keep to."""
        return self.concurrency is None and self.rate is None

    def describe(self) -> str:
        """As a list says it; empty without any."""
        said = [] if self.concurrency is None else [f"{self.concurrency} at once"]
        said += [] if self.rate is None else [f"{self.rate.calls} in {self.rate.seconds:g} s"]
        return f"at most {' and '.join(said)}" if said else ""


ServiceType: TypeAlias = Literal["neo4j_graph", "rest_api", "llm_provider", "mcp_server"]
ServiceProtocol: TypeAlias = Literal["bolt", "bolt+s", "http", "https", "stdio", "sse"]
HealthStatus: TypeAlias = Literal["healthy", "degraded", "down"]

EntityKind: TypeAlias = Literal["service", "secret", "tool", "serviceTemplate", "toolTemplate", "process", "schedule"]


class OwnedEntity(Record):
    """What every entity has. `version` counts its changes; `owner_id` is the OWNED_BY edge's target, for ever."""

    kind: ClassVar[EntityKind]

    id: str
    owner_id: str
    name: Name
    shared: bool = False
    version: int = 1
    created_at: str
    updated_at: str


class _Monitored(Record):
    """Health, which the system alone writes (platform 5)."""

    status: HealthStatus = "degraded"
    last_health_check: str | None = None
    error_message: str | None = None


class Service(OwnedEntity, _Monitored):
    """Where work happens: a kind of endpoint, and the shape of what it takes to connect."""

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
    """A credential's metadata. Its value is in the vault, under `vault_version`, and never here (platform 3)."""

    kind: ClassVar[EntityKind] = "secret"

    type: SecretType
    vault_version: int = 1


class Tool(OwnedEntity, _Monitored):
    """What work is done: one operation on one service. `connection_params` is carried by the USES_SERVICE edge.

    Which secret its owner gave it is shown to him alone; `needs_secret` says to everybody that there is one.
    """

    kind: ClassVar[EntityKind] = "tool"
    stored_as_text: ClassVar[frozenset[str]] = frozenset(
        {"operation", "input_schema", "output_schema", "connection_params"}
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
    enabled: bool = True
    tool_template_id: str | None = None


class ServiceTemplate(OwnedEntity):
    """A blueprint of services. Its structure never changes; `archived` hides it from lists."""

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
    """A blueprint of tools. Its structure never changes; `archived` hides it from lists."""

    kind: ClassVar[EntityKind] = "toolTemplate"
    stored_as_text: ClassVar[frozenset[str]] = frozenset({"operation", "input_schema", "output_schema"})

    description: Description | None = None
    operation: Operation
    input_schema: JsonObject
    output_schema: JsonObject
    archived: bool = False


UNCHECKED = "It was not checked yet."
"""The error message of what is new."""

Entity: TypeAlias = Service | Secret | Tool | ServiceTemplate | ToolTemplate


class EntityChange(Record):
    """What may change of an entity. A field that is left out stays.

    A null removes the value of a field in `clearable_fields`; a null in any other field changes nothing.
    """

    clearable_fields: ClassVar[frozenset[str]] = frozenset()
    """Published names of the fields that an entity may be without."""

    def requested_fields(self) -> JsonObject:
        """The fields that the change asks for, as JSON data under the published names."""
        said = self.model_dump(mode="json", by_alias=True, include=self.model_fields_set)
        return {name: value for name, value in said.items() if value is not None or name in self.clearable_fields}


class NewService(Record):
    """A service to create; with a template, only what the template does not say."""

    name: Name
    type: ServiceType
    protocol: ServiceProtocol
    connection_schema: JsonObject
    requires_secret: bool = False
    limits: ServiceLimits = ServiceLimits()
    enabled: bool = True
    shared: bool = False


class ServiceChange(EntityChange):
    """What may change of a service. Empty `limits` lift those that there are."""

    name: Name | None = None
    enabled: bool | None = None
    shared: bool | None = None
    connection_schema: JsonObject | None = None
    limits: ServiceLimits | None = None


class NewSecret(Record):
    """A secret to create. Its value is an object of strings by its type; see `aeon.platform.vault.SecretValue`."""

    name: Name
    type: SecretType
    value: JsonObject = Field(repr=False)
    shared: bool = False


class SecretChange(EntityChange):
    """What may change of a secret besides its value, which is rotated."""

    name: Name | None = None
    shared: bool | None = None


class NewTool(Record):
    """A tool to create on a service that its owner may use."""

    name: Name
    description: Description = ""
    service_id: str
    secret_id: str | None = None
    secret_scope: str | None = Field(default=None, max_length=200)
    connection_params: JsonObject = Field(default={})
    operation: Operation
    input_schema: JsonObject
    output_schema: JsonObject = Field(default={})
    effect: Effect | None = None
    enabled: bool = True
    shared: bool = False


class ToolChange(EntityChange):
    """What may change of a tool. Its service never does. Without its secret a tool loses its secret scope too."""

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
    enabled: bool | None = None
    shared: bool | None = None


class NewServiceTemplate(Record):
    """A blueprint of services to create."""

    name: Name
    description: Description | None = None
    type: ServiceType
    protocol: ServiceProtocol
    connection_schema: JsonObject
    requires_secret: bool = False
    limits: ServiceLimits = ServiceLimits()
    shared: bool = False


class NewToolTemplate(Record):
    """A blueprint of tools to create."""

    name: Name
    description: Description | None = None
    operation: Operation
    input_schema: JsonObject
    output_schema: JsonObject = Field(default={})
    shared: bool = False


class TemplateChange(EntityChange):
    """What may change of a blueprint: its name, its description, whether it is shared or archived."""

    clearable_fields: ClassVar[frozenset[str]] = frozenset({"description"})

    name: Name | None = None
    description: Description | None = None
    shared: bool | None = None
    archived: bool | None = None

"""Rules for services and tools, independent of their owner.

Pure; reports every schema problem at once.
"""

from ipaddress import ip_address
from typing import NoReturn, cast
from urllib.parse import urlsplit

from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import compile_schema, schema_problem
from aeon.base.next_steps import NextStep
from aeon.platform.catalog.model import (
    NewService,
    NewServiceTemplate,
    NewTool,
    NewToolTemplate,
    Service,
    ServiceType,
    Tool,
)
from aeon.platform.catalog.operations import (
    OWN_RECORD_ENDPOINT,
    SELF_COMMAND,
    GraphQuery,
    HttpOperation,
    Operation,
    OwnOperation,
    RestRequest,
)
from aeon.platform.errors import RuleError

PROTOCOLS: dict[ServiceType, tuple[str, ...]] = {
    "neo4j_graph": ("bolt", "bolt+s"),
    "rest_api": ("http", "https"),
    "llm_provider": ("http", "https"),
    "mcp_server": ("stdio", "sse", "http"),
}
"""The protocols of each type of service (platform 1)."""

_MAX_SHOWN = 5
"""Inputs in the example of a message."""

_REQUIRED_PROPERTY = {"stdio": "command"}
"""The property that a connection schema must require for a protocol; `endpoint` for all others (platform 1)."""


_TEXT: JsonObject = {"type": ["string", "null"]}
_PARAMETERS: JsonObject = {
    "properties": {
        "endpoint": {"type": "string"},
        "command": {"type": "string"},
        "args": {"type": "array", "items": {"type": "string"}},
        "env": {"type": "object", "additionalProperties": {"type": "string"}},
        **dict.fromkeys(("model", "database", "caCertificate", "authHeader", "authPrefix", "authQuery"), _TEXT),
    }
}
"""Connection parameters that Aeon reads itself. A service's own schema describes all others."""


def check_service(service: NewService | NewServiceTemplate) -> None:
    """Raises RuleError for a protocol or schema that does not fit the type (platform 1)."""
    allowed = PROTOCOLS[service.type]
    if service.protocol not in allowed:
        raise RuleError(
            f"A {service.type} service speaks {' or '.join(allowed)}, not {service.protocol}.",
            rule="protocol_matches_type",
            field="$.protocol",
        )
    check_connection_schema(service.connection_schema, service.protocol)


def check_connection_schema(schema: JsonObject, protocol: str) -> None:
    """Raises RuleError for a schema that is invalid or lacks what the protocol needs (platform 1)."""
    _check_schema(schema, "connectionSchema")
    needed = _REQUIRED_PROPERTY.get(protocol, "endpoint")
    required: Json = schema.get("required")
    if schema.get("type") != "object" or not isinstance(required, list) or needed not in required:
        raise RuleError(
            f"The connectionSchema of a {protocol} service must be of type object and require {needed!r}.",
            rule="connection_schema_requires",
            field="$.connectionSchema.required",
        )
    _check_parameter_types(schema)


def _check_parameter_types(schema: JsonObject) -> None:
    """Raises RuleError for a parameter type in the schema that Aeon cannot read."""
    declared = cast(JsonObject, schema.get("properties") or {})
    for name, wanted in cast("dict[str, JsonObject]", _PARAMETERS["properties"]).items():
        declared_type = cast(JsonObject, declared[name]).get("type") if isinstance(declared.get(name), dict) else None
        if declared_type is not None and not _types(declared_type) & _types(wanted["type"]):
            raise RuleError(
                f"The connectionSchema declares {name!r} as {declared_type}; Aeon reads it as {wanted['type']}.",
                rule="connection_parameter_types",
                field=f"$.connectionSchema.properties.{name}.type",
            )


def _types(declared: Json) -> set[str]:
    return {declared} if isinstance(declared, str) else set(cast("list[str]", declared))


def check_tool(tool: NewTool | NewToolTemplate | Tool) -> None:
    """Raises RuleError for invalid schemas or undeclared variables of a tool."""
    _check_schema(tool.input_schema, "inputSchema")
    _check_schema(tool.output_schema, "outputSchema")
    _check_variables(tool.operation, tool.input_schema)


def check_tool_against_service(tool: NewTool | Tool, service: Service | NewService) -> None:
    """Raises RuleError for a tool that does not fit this service."""
    if tool.operation.service_type != service.type:
        raise RuleError(
            f"A {tool.operation.type} operation needs a {tool.operation.service_type} service; "
            f"{service.name!r} is a {service.type}.",
            rule="operation_matches_service",
            field="$.operation.type",
        )
    check_connection(tool, service)
    _check_own_operation(tool, service)
    _check_own_record(tool)
    if service.requires_secret and tool.secret_id is None:
        raise RuleError(
            f"The service {service.name!r} requires a secret.",
            rule="secret_required",
            field="$.secretId",
            next_step=NextStep("secrets.create"),
        )
    _check_secrecy(tool)


def _check_own_operation(tool: NewTool | Tool, service: Service | NewService) -> None:
    """Raises RuleError for an operation of Aeon itself on another service, or with a secret."""
    if not isinstance(tool.operation, OwnOperation):
        return
    if service.protocol != "stdio" or tool.connection_params != {"command": SELF_COMMAND}:
        raise RuleError(
            f"A {tool.operation.type} operation is executed by Aeon itself, not by {service.name!r}.",
            rule="own_operation",
            field="$.connectionParams",
            next_step=f'Use the service \'aeon itself\' and connectionParams {{"command": "{SELF_COMMAND}"}}.',
        )
    if tool.secret_id is not None:
        raise RuleError(
            f"A {tool.operation.type} operation cannot use a secret of the tool.",
            rule="own_operation",
            field="$.secretId",
            next_step="Remove it; a skill has its secrets in its own settings.",
        )


def _check_own_record(tool: NewTool | Tool) -> None:
    """Raises RuleError for access to Aeon's own record other than by a named query."""
    operation = tool.operation
    if not isinstance(operation, GraphQuery) or tool.connection_params.get("endpoint") != OWN_RECORD_ENDPOINT:
        return
    if operation.mode != "read":
        raise RuleError(
            "Tools may only read Aeon's own record.",
            rule="own_record_is_read",
            field="$.operation.mode",
            next_step="Set the operation's mode to read.",
        )
    if not operation.query.strip().startswith("@"):
        raise RuleError(
            "Tools may read Aeon's own record only by named queries.",
            rule="own_record_by_name",
            field="$.operation.query",
            next_step="Give the name of one, such as @tools.",
        )


def _check_secrecy(tool: NewTool | Tool) -> None:
    """Raises RuleError for a key over plain http to another machine's address."""
    is_allowed = isinstance(tool.operation, HttpOperation) and tool.operation.allow_insecure
    if tool.secret_id is None or is_allowed or not _is_remote_http(str(tool.connection_params.get("endpoint"))):
        return
    raise RuleError(
        "The tool's key would go over plain http to another machine, where others can read it.",
        rule="secret_over_https",
        field="$.connectionParams.endpoint",
        next_step="Give an https endpoint, or set allowInsecure in the operation if you accept that.",
    )


def _is_remote_http(endpoint: str) -> bool:
    try:
        url = urlsplit(endpoint)
        host = url.hostname or ""
    except ValueError:
        return False
    try:
        is_local = ip_address(host).is_loopback
    except ValueError:
        is_local = host == "localhost" or host.endswith(".localhost")
    return url.scheme == "http" and not is_local


def check_connection(tool: NewTool | Tool, service: Service | NewService) -> None:
    """Raises RuleError if a tool's connection does not fit its service's schema."""
    problems = compile_schema(service.connection_schema, asserts_formats=True).problems(tool.connection_params)
    problems = problems or compile_schema(_PARAMETERS).problems(tool.connection_params)
    if problems:
        raise RuleError(
            f"The connectionParams of {tool.name!r} do not fit the service {service.name!r}: "
            f"{'; '.join(map(str, problems))}.",
            rule="connection_params_valid",
            field=f"$.connectionParams{problems[0].path.removeprefix('$')}",
        )


def _check_schema(schema: JsonObject, field: str) -> None:
    if problem := schema_problem(schema):
        raise RuleError(
            f"The {field} is not a valid JSON Schema: {problem}", rule="valid_json_schema", field=f"$.{field}"
        )


def _check_variables(operation: Operation, input_schema: JsonObject) -> None:
    try:
        used = operation.variables()
    except ValueError as error:
        raise RuleError(f"The operation cannot be used: {error}.", rule="valid_template", field="$.operation") from None
    declared = list(cast(JsonObject, input_schema.get("properties") or {}))
    if missing := sorted(used.difference(declared)):
        raise RuleError(
            f"The operation uses {', '.join(missing)}, which the inputSchema does not declare.",
            rule="variables_declared",
            field="$.inputSchema.properties",
            next_step="Declare each as a property of the inputSchema, or remove it from the operation.",
        )
    if isinstance(operation, RestRequest) and (unused := [name for name in declared if name not in used]):
        _refuse_unsent(operation, unused)


def _refuse_unsent(operation: RestRequest, unused: list[str]) -> NoReturn:
    """Raises RuleError for inputs that a request would drop without a word."""
    place = "query" if operation.method in ("GET", "HEAD", "DELETE") else "body"
    fields = ", ".join(f'{name}: "{{{name}}}"' for name in unused[:_MAX_SHOWN])
    raise RuleError(
        f"The request does not send {', '.join(unused)}, which the inputSchema declares: put each in the operation's "
        f"path, query, headers or body, such as `{place}: {{{fields}}}`.",
        rule="inputs_sent",
        field="$.operation",
        next_step="If the service does not need it, remove it from the inputSchema.",
    )

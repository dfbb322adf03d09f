"""What must hold of services, secrets, tools and templates, each rule by name (platform 1, 3, 5)."""

import pytest

from aeon.platform.catalog.apply import Applier
from aeon.platform.catalog.documents import ApplyError, read_documents
from aeon.platform.catalog.model import (
    NewService,
    SecretChange,
    Service,
    ServiceChange,
    TemplateChange,
    Tool,
    ToolChange,
)
from aeon.platform.catalog.queries import CHANGE_SERVICE
from aeon.platform.catalog.repository import update_row
from aeon.platform.errors import ConflictError, NotFoundError, ReferencedError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.store import write_one
from aeon.platform.vault import SecretKey


def broken(rule, call, *args):
    with pytest.raises(RuleError) as raised:
        call(*args)
    assert raised.value.rule == rule
    return raised.value


@pytest.mark.parametrize(
    ("kind", "protocols"),
    [
        ("neo4j_graph", {"bolt", "bolt+s"}),
        ("rest_api", {"http", "https"}),
        ("llm_provider", {"http", "https"}),
        ("mcp_server", {"stdio", "sse", "http"}),
    ],
)
def test_each_type_has_its_protocols(world, kind, protocols):
    """Platform 1."""
    user = world.user("u")
    for number, protocol in enumerate(["bolt", "bolt+s", "http", "https", "stdio", "sse"]):
        needed = "command" if protocol == "stdio" else "endpoint"
        fields = {"name": f"s{number}", "type": kind, "protocol": protocol}
        schema = {"type": "object", "required": [needed]}
        if protocol in protocols:
            assert world.service(user, **fields, connectionSchema=schema).protocol == protocol
        else:
            broken("protocol_matches_type", lambda f=fields, s=schema: world.service(user, **f, connectionSchema=s))


@pytest.mark.parametrize(
    ("protocol", "schema", "rule"),
    [
        ("http", {"type": "object"}, "connection_schema_requires"),
        ("http", {"required": ["endpoint"]}, "connection_schema_requires"),
        ("http", {"type": "object", "required": ["command"]}, "connection_schema_requires"),
        ("http", {"type": "objekt", "required": ["endpoint"]}, "valid_json_schema"),
    ],
)
def test_a_connection_schema_requires_what_the_protocol_needs(world, protocol, schema, rule):
    """Platform 1."""
    broken(rule, lambda: world.service(world.user("u"), protocol=protocol, connectionSchema=schema))


def test_everything_wrong_with_a_form_is_said_at_once_and_no_value_repeated():
    error = broken("schema", NewService.parsed, {"name": "", "type": "ftp", "protocol": "http", "hunter": "s3cret"})
    unknown = "$.hunter: there is no field 'hunter' here; there are name,"
    for field in ("$.name", "$.type", "$.connectionSchema", unknown):
        assert field in error.message
    assert "s3cret" not in error.message


def test_a_service_s_structure_never_changes(world):
    user = world.user("u")
    service = world.service(user, requiresSecret=True)
    for field in ("type", "protocol", "requiresSecret", "id", "ownerId", "serviceTemplateId"):
        broken("schema", ServiceChange.parsed, {field: "x"})
    new_schema = {"type": "object", "required": ["endpoint", "region"]}
    changed = world.catalog.services.change(
        service.id, ServiceChange(connection_schema=new_schema), MutationRequest(user)
    )
    assert (changed.schema_version, changed.version) == (2, 2)
    broken(
        "connection_schema_requires",
        lambda: world.catalog.services.change(service.id, ServiceChange(connection_schema={}), MutationRequest(user)),
    )


@pytest.mark.parametrize(
    ("operation", "rule"),
    [({"query": "@tools", "mode": "write"}, "own_record_is_read"), ({"query": "MATCH (n)"}, "own_record_by_name")],
)
def test_a_tool_on_aeons_own_record_that_can_only_fail_is_not_saved(world, operation, rule):
    """Measured E10: a step failed with it after the model was paid."""
    user = world.user("u")
    service = world.service(user, type="neo4j_graph", protocol="bolt")
    fields = {"connectionParams": {"endpoint": "aeon:graph"}, "inputSchema": {"type": "object"}}
    broken(rule, lambda: world.tool(user, service, **fields, operation={"type": "graph_query", **operation}))


def test_what_is_disabled_is_never_healthy(world):
    """Platform 5: nor is a tool healthier than its service."""
    user = world.user("u")
    service = world.service(user)
    tool = world.tool(user, service)
    services = world.catalog.services
    assert services.change(service.id, ServiceChange(enabled=False), MutationRequest(user)).status == "down"
    assert world.catalog.tools.get(user, tool.id).status == "down"
    broken("enabled", lambda: world.catalog.tools.resolve(user, tool.id))
    assert services.change(service.id, ServiceChange(enabled=True), MutationRequest(user)).status == "degraded"
    assert world.catalog.tools.change(tool.id, ToolChange(enabled=False), MutationRequest(user)).status == "down"
    broken("enabled", lambda: world.catalog.tools.resolve(user, tool.id))


def test_names_are_unique_for_one_owner_and_kind(world):
    user, other = world.user("u"), world.user("o")
    service = world.service(user)
    assert broken("name_unique", lambda: world.service(user)).field == "$.name"
    second = world.service(user, name="second")
    broken(
        "name_unique",
        lambda: world.catalog.services.change(second.id, ServiceChange(name="api"), MutationRequest(user)),
    )
    world.service(other)
    world.secret(user, name="api")
    renamed = world.catalog.services.change(service.id, ServiceChange(name="first"), MutationRequest(user))
    assert world.catalog.services.find_own(user, "first") == renamed
    world.service(user)


def test_a_tool_fits_its_service(world):
    user = world.user("u")
    service = world.service(user, requiresSecret=True)
    secret = world.secret(user)
    broken("secret_required", lambda: world.tool(user, service))
    error = broken(
        "connection_params_valid", lambda: world.tool(user, service, secretId=secret.id, connectionParams={})
    )
    assert "endpoint" in error.message
    query = {"type": "graph_query", "query": "RETURN 1"}
    broken("operation_matches_service", lambda: world.tool(user, service, secretId=secret.id, operation=query))
    tool = world.tool(user, service, secretId=secret.id)
    assert (tool.service_id, tool.secret_id, tool.needs_secret) == (service.id, secret.id, True)
    assert world.catalog.tools.get(user, tool.id) == tool


@pytest.mark.parametrize(
    ("operation", "missing"),
    [
        (
            {"type": "rest_request", "path": "/{a}", "query": {"q": "{b}"}, "headers": {"h": "{c}"}, "body": ["{d}"]},
            "a, b, c, d",
        ),
        ({"type": "graph_query", "query": "MATCH (n {x: $a}) WHERE n.y = '$no' RETURN n // $never"}, "a"),
        (
            {"type": "llm_call", "promptTemplate": "{{a}} {{#each b}}{{this}}{{/each}}", "systemPrompt": "{{c}}"},
            "a, b, c",
        ),
        ({"type": "mcp_call", "tool": "t", "arguments": {"x": "{a}", "y": ["{b}"]}}, "a, b"),
    ],
)
def test_every_variable_of_an_operation_is_declared(world, operation, missing):
    """Checked when the tool is saved."""
    kinds = {
        "rest_request": "rest_api",
        "graph_query": "neo4j_graph",
        "llm_call": "llm_provider",
        "mcp_call": "mcp_server",
    }
    protocol = "bolt" if operation["type"] == "graph_query" else "http"
    user = world.user("u")
    service = world.service(user, type=kinds[operation["type"]], protocol=protocol)
    error = broken("variables_declared", lambda: world.tool(user, service, operation=operation, inputSchema={}))
    assert f"uses {missing}," in error.message
    declared = {"type": "object", "properties": {name: {} for name in missing.split(", ")}}
    assert world.tool(user, service, operation=operation, inputSchema=declared).operation.type == operation["type"]


@pytest.mark.parametrize(("method", "place"), [("POST", "body"), ("GET", "query")])
def test_a_request_sends_every_input_that_is_declared(world, method, place):
    """Else a caller gives an amount, and the service gets an empty request."""
    user = world.user("u")
    service = world.service(user)
    declared = {"type": "object", "required": ["id"], "properties": {"id": {}, "amount": {}}}
    operation = {"type": "rest_request", "method": method, "path": "/book/{id}"}
    error = broken("inputs_sent", lambda: world.tool(user, service, operation=operation, inputSchema=declared))
    assert "does not send amount," in error.message
    assert f'`{place}: {{amount: "{{amount}}"}}`' in error.message
    sent = operation | {place: {"amount": "{amount}"}}
    assert world.tool(user, service, operation=sent, inputSchema=declared).operation.method == method


def test_a_prompt_that_is_no_template_and_schemas_that_are_none_are_refused(world):
    user = world.user("u")
    service = world.service(user, type="llm_provider")
    operation = {"type": "llm_call", "promptTemplate": "{{#if x}}"}
    broken("valid_template", lambda: world.tool(user, service, operation=operation))
    rest = world.service(user, name="rest")
    broken("valid_json_schema", lambda: world.tool(user, rest, outputSchema={"type": 3}))


def test_a_tool_s_service_never_changes_and_its_secret_may(world):
    user = world.user("u")
    service = world.service(user)
    first, second = world.secret(user, "first"), world.secret(user, "second")
    tool = world.tool(user, service, secretId=first.id)
    broken("schema", ToolChange.parsed, {"serviceId": "x"})
    changed = world.catalog.tools.change(tool.id, ToolChange(secret_id=second.id), MutationRequest(user))
    assert world.catalog.tools.get(user, tool.id).secret_id == changed.secret_id == second.id
    world.catalog.secrets.remove(first.id, MutationRequest(user))
    params = {"endpoint": "https://other"}
    world.catalog.tools.change(tool.id, ToolChange(connection_params=params), MutationRequest(user))
    assert world.catalog.tools.get(user, tool.id).connection_params == params
    broken(
        "connection_params_valid",
        lambda: world.catalog.tools.change(
            tool.id, ToolChange(connection_params={"endpoint": 1}), MutationRequest(user)
        ),
    )


def test_a_tool_s_key_goes_to_another_machine_over_https_alone_unless_that_is_said(world):
    user = world.user("u")
    service, secret = world.service(user), world.secret(user)
    for number, endpoint in enumerate(["http://api.example/v1", "http://10.0.0.1", "http://[2001:db8::1]:80"]):
        params = {"endpoint": endpoint}
        with_key = {"name": f"t{number}", "secretId": secret.id, "connectionParams": params}
        assert world.tool(user, service, name=f"open{number}", connectionParams=params).secret_id is None
        refused = broken("secret_over_https", lambda given=with_key: world.tool(user, service, **given))
        assert "allowInsecure" in refused.advice
        operation = {"type": "rest_request", "path": "/{id}", "allowInsecure": True}
        tool = world.tool(user, service, **with_key, operation=operation)
        plain = ToolChange.parsed({"operation": {"type": "rest_request", "path": "/{id}"}})
        broken("secret_over_https", world.catalog.tools.change, tool.id, plain, MutationRequest(user))
    for number, endpoint in enumerate(
        ["https://api.example", "http://127.0.0.1:1", "http://[::1]", "http://localhost"]
    ):
        params = {"endpoint": endpoint}
        world.tool(user, service, name=f"fine{number}", secretId=secret.id, connectionParams=params)


def test_the_format_of_a_connection_s_parameters_is_asserted(world):
    user = world.user("u")
    schema = {
        "type": "object",
        "required": ["endpoint"],
        "properties": {"endpoint": {"type": "string", "format": "uri"}},
    }
    service = world.service(user, connectionSchema=schema)
    refused = broken(
        "connection_params_valid", lambda: world.tool(user, service, connectionParams={"endpoint": "no uri"})
    )
    assert "uri" in str(refused)
    world.tool(user, service, connectionParams={"endpoint": "https://api.example/v1"})


@pytest.mark.parametrize(
    ("name", "declared", "value"),
    [
        ("endpoint", "integer", 7),
        ("authQuery", ["integer", "boolean"], 7),
        ("args", "string", "x"),
        ("env", "array", []),
    ],
)
def test_parameters_that_are_read_have_the_types_they_are_read_as(world, name, declared, value):
    user = world.user("u")
    schema = {"type": "object", "required": ["endpoint"], "properties": {name: {"type": declared}}}
    broken("connection_parameter_types", lambda: world.service(user, connectionSchema=schema))
    service = world.service(user, connectionSchema={"type": "object", "required": ["endpoint"]})
    params = {"endpoint": "https://api.example", name: value}
    broken("connection_params_valid", lambda: world.tool(user, service, connectionParams=params))


def test_what_is_used_is_not_deleted(world):
    """Platform 2: 409 with what references it."""
    user, other = world.user("u"), world.user("o")
    service = world.service(user, shared=True)
    secret = world.secret(user)
    tool = world.tool(user, service, secretId=secret.id)
    hidden = world.tool(other, service)
    with pytest.raises(ReferencedError, match="used by get, a tool of o-") as raised:
        world.catalog.services.remove(service.id, MutationRequest(user))
    assert raised.value.status == 409
    with pytest.raises(ReferencedError, match="used by get"):
        world.catalog.secrets.remove(secret.id, MutationRequest(user))
    for owner, each in ((user, tool), (other, hidden)):
        world.catalog.tools.remove(each.id, MutationRequest(owner))
    world.catalog.services.remove(service.id, MutationRequest(user))
    world.catalog.secrets.remove(secret.id, MutationRequest(user))
    with pytest.raises(NotFoundError):
        world.catalog.services.get(user, service.id)


def test_a_change_of_what_was_changed_in_the_meantime_is_refused(world):
    user = world.user("u")
    service = world.service(user)
    services = world.catalog.services
    stale = services.get_own(user, service.id)
    services.change(service.id, ServiceChange(name="newer"), MutationRequest(user))
    after = stale.model_copy(update={"version": stale.version + 1, "name": "older"})
    with pytest.raises(ConflictError):
        services.replace(
            write_one(CHANGE_SERVICE, update_row(stale, after)),
            after,
            MutationRequest(user).mutation("service.change", service.id),
            [],
        )
    assert services.get_own(user, service.id).name == "newer"


def test_what_is_made_from_a_template_is_its_own(world):
    user, other = world.user("u"), world.user("o")
    blueprint = world.service_template(user, shared=True, requiresSecret=True)
    service = world.catalog.service_from(blueprint.id, {"name": "copy"}, MutationRequest(other))
    assert isinstance(service, Service)
    assert (service.service_template_id, service.requires_secret, service.connection_schema) == (
        blueprint.id,
        True,
        blueprint.connection_schema,
    )
    assert [use.owner_id for use in world.catalog.service_templates.list_uses(user, blueprint.id)] == [other]
    world.catalog.service_templates.remove(blueprint.id, MutationRequest(user))
    assert world.catalog.services.get(other, service.id) == service
    tools = world.tool_template(user)
    own = {"name": "made", "serviceId": world.service(user).id, "connectionParams": {"endpoint": "x"}}
    tool = world.catalog.tool_from(tools.id, own, MutationRequest(user))
    assert isinstance(tool, Tool)
    assert (tool.tool_template_id, tool.operation) == (tools.id, tools.operation)


def test_templates_are_archived_and_restored_and_never_restructured(world):
    user = world.user("u")
    templates = world.catalog.service_templates
    blueprint = world.service_template(user)
    for field in ("type", "protocol", "connectionSchema", "requiresSecret", "ownerId"):
        broken("schema", TemplateChange.parsed, {field: "x"})
    templates.change(blueprint.id, TemplateChange(archived=True), MutationRequest(user))
    assert templates.list_own(user) == []
    assert [each.id for each in templates.list_own(user, archived=True)] == [blueprint.id]
    assert templates.get(user, blueprint.id).archived
    templates.change(blueprint.id, TemplateChange(archived=False, description="back"), MutationRequest(user))
    assert [each.description for each in templates.list_own(user)] == ["back"]


def test_a_secret_is_rotated_under_its_id_and_its_old_value_is_gone(world):
    """Platform 3."""
    user = world.user("u")
    secrets = world.catalog.secrets
    secret = world.secret(user, value="old")
    broken("schema", SecretChange.parsed, {"type": "password"})
    rotated = secrets.rotate(secret.id, {"key": "new"}, MutationRequest(user))
    assert rotated.id == secret.id
    assert secrets.reveal(user, secret.id).reveal() == {"key": "new"}
    assert [kept.key.version for kept in world.vault.list_secrets()] == [rotated.vault_version]
    assert "old" not in repr(rotated)


def test_what_a_crash_left_in_the_vault_is_swept(world):
    """The vault is written before the graph."""
    user = world.user("u")
    secret = world.secret(user)
    world.vault.put(SecretKey("lost", user, "api_key", 1), {"key": "x"})
    assert world.catalog.secrets.sweep("2025") == 0
    assert world.catalog.secrets.sweep("2030") == 1
    assert [kept.key.secret_id for kept in world.vault.list_secrets()] == [secret.id]


def test_a_secret_that_cannot_be_created_leaves_nothing_in_the_vault(world):
    user = world.user("u")
    world.secret(user)
    broken("name_unique", lambda: world.secret(user))
    assert len(world.vault.list_secrets()) == 1


def test_another_s_tool_runs_with_a_secret_of_ones_own_only(world):
    """Platform 3."""
    owner, caller = world.user("owner"), world.user("caller")
    tool = world.tool(owner, world.service(owner), secretId=world.secret(owner).id, shared=True)
    tools = world.catalog.tools
    broken("own_secret", lambda: tools.resolve(caller, tool.id))
    mine = world.secret(caller, shared=True)
    tools.bind(tool.id, mine.id, MutationRequest(caller))
    assert tools.resolve(caller, tool.id).secret == mine
    with pytest.raises(ReferencedError):
        world.catalog.secrets.remove(mine.id, MutationRequest(caller))
    newer = world.secret(caller, "newer")
    tools.bind(tool.id, newer.id, MutationRequest(caller))
    assert tools.resolve(caller, tool.id).secret == newer
    with pytest.raises(NotFoundError):
        tools.bind(tool.id, mine.id, MutationRequest(world.user("thief")))
    broken("binding_is_for_others", lambda: tools.bind(tool.id, mine.id, MutationRequest(owner)))
    tools.unbind(tool.id, MutationRequest(caller))
    broken("own_secret", lambda: tools.resolve(caller, tool.id))


def test_unsharing_goes_ahead_and_what_depends_on_it_says_why_it_fails(world):
    """Platform 4."""
    owner, other = world.user("owner"), world.user("other")
    service = world.service(owner, shared=True)
    tool = world.tool(other, service)
    assert [use.owner_id for use in world.catalog.services.list_uses(owner, service.id)] == [other]
    world.catalog.services.change(service.id, ServiceChange(shared=False), MutationRequest(owner))
    error = broken("service_access", lambda: world.catalog.tools.resolve(other, tool.id))
    assert "'get'" in error.message
    assert "no longer shared with you" in error.message


def test_nothing_is_made_from_an_archived_template(world):
    """Measured P10: by no way, and what was made before stays as it is when its file is applied again."""
    user, catalog = world.user("u"), world.catalog
    made = {}
    for kind, blueprint, verb in (
        ("Service", world.service_template(user), catalog.service_from),
        ("Tool", world.tool_template(user), catalog.tool_from),
    ):
        shelf = catalog.service_templates if kind == "Service" else catalog.tool_templates
        own = {} if kind == "Service" else {"serviceId": made["Service"].id, "connectionParams": {"endpoint": "x"}}
        made[kind] = verb(blueprint.id, {"name": "before", **own}, MutationRequest(user))
        shelf.change(blueprint.id, TemplateChange(archived=True), MutationRequest(user))
        with pytest.raises(RuleError, match="is archived") as raised:
            verb(blueprint.id, {"name": "after", **own}, MutationRequest(user))
        assert (raised.value.rule, raised.value.status) == ("archived", 422)
    applier = Applier(catalog, user)
    text = "kind: Service\nname: {}\ntemplate: blueprint\n"
    assert [step.action for step in applier.plan(read_documents(text.format("before"), {}))] == ["keep"]
    with pytest.raises(ApplyError, match="is archived"):
        applier.plan(read_documents(text.format("after"), {}))


def test_a_tool_that_is_enabled_again_is_not_down_any_more(world):
    """Measured P10: it stayed down until the next check."""
    user = world.user("u")
    tool, tools = world.tool(user, world.service(user)), world.catalog.tools
    assert tools.change(tool.id, ToolChange(enabled=False), MutationRequest(user)).status == "down"
    enabled = tools.change(tool.id, ToolChange(enabled=True), MutationRequest(user))
    assert (enabled.status, enabled.error_message) == ("degraded", "It was not checked since it was enabled.")


def test_a_tool_that_fits_its_service_no_more_can_be_put_away(world):
    user = world.user("u")
    service, tools = world.service(user), world.catalog.tools
    tool = world.tool(user, service, shared=True)
    schema = {"type": "object", "required": ["endpoint", "more"]}
    world.catalog.services.change(service.id, ServiceChange(connection_schema=schema), MutationRequest(user))
    for change in (ToolChange(name="old"), ToolChange(enabled=False), ToolChange(shared=False)):
        tools.change(tool.id, change, MutationRequest(user))
    for change in (ToolChange(enabled=True), ToolChange(shared=True), ToolChange(effect="read")):
        with pytest.raises(RuleError, match="do not fit"):
            tools.change(tool.id, change, MutationRequest(user))


def test_a_secret_is_unbound_from_a_tool_that_is_not_shared_any_more(world):
    """Measured P10: nor could it be deleted."""
    owner, user = world.user("o"), world.user("u")
    tool, tools = world.tool(owner, world.service(owner), shared=True), world.catalog.tools
    secret = world.secret(user)
    tools.bind(tool.id, secret.id, MutationRequest(user))
    tools.trust(tool.id, MutationRequest(user))
    tools.change(tool.id, ToolChange(shared=False), MutationRequest(owner))
    tools.unbind(tool.id, MutationRequest(user))
    tools.distrust(tool.id, MutationRequest(user))
    assert tools.list_trusted(user) == {}
    world.catalog.secrets.remove(secret.id, MutationRequest(user))
    with pytest.raises(NotFoundError):
        tools.unbind(tool.id, MutationRequest(user))


def test_a_null_takes_away_what_a_tool_may_be_without(world):
    """Measured P12: `secretId: null` was ignored, and `secretScope` could not change."""
    user = world.user("u")
    secret = world.secret(user)
    tool = world.tool(user, world.service(user), secretId=secret.id, secretScope="read", effect="read")

    def changed(**asked):
        return world.catalog.tools.change(tool.id, ToolChange.parsed(asked), MutationRequest(user))

    assert changed(secretScope="write").secret_scope == "write"  # noqa: S105
    assert changed(effect=None).effect is None
    assert changed(description=None).description == tool.description, "a tool always has one"
    assert changed(name="other").secret_id == secret.id, "what is left out stays"
    without = changed(secretId=None)
    assert (without.secret_id, without.secret_scope, without.needs_secret) == (None, None, False)
    assert world.catalog.tools.get(user, tool.id) == without
    world.catalog.secrets.remove(secret.id, MutationRequest(user))


def test_a_null_does_not_take_away_the_secret_that_a_service_asks_for(world):
    user = world.user("u")
    tool = world.tool(user, world.service(user, requiresSecret=True), secretId=world.secret(user).id)
    change = ToolChange.parsed({"secretId": None})
    broken("secret_required", world.catalog.tools.change, tool.id, change, MutationRequest(user))


def test_a_null_takes_away_a_template_s_description(world):
    user = world.user("u")
    template = world.tool_template(user, description="d")
    change = TemplateChange.parsed({"description": None})
    assert world.catalog.tool_templates.change(template.id, change, MutationRequest(user)).description is None

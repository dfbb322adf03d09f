"""OpenAPI documents imported into a project, and again: what is made, kept, taken away and only told."""

import json

import pytest

from aeon.base.errors import InputError
from aeon.platform.catalog.documents import ApplyError
from aeon.platform.catalog.operations import RestRequest
from aeon.platform.errors import NotFoundError
from aeon.platform.openapi.document import OpenApiError

KEY = {"type": "apiKey", "in": "header", "name": "X-Key"}
LIST = {"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}}}
BOUND = {"secret": "shop key"}
PAGE = {"name": "page", "in": "query", "schema": {"type": "integer"}}


def text(server="https://shop.example", **paths):
    """A shop with these operations; `get_things` is `GET /things` and has pages and a key."""
    listing = {"get": {"operationId": "get_things", "tags": ["a"], "parameters": [PAGE], "responses": LIST}}
    default = {"/things": listing, "/open": {"post": {"operationId": "open", "tags": ["b"], "security": []}}}
    return json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": "My Shop!", "version": "1"},
            "servers": [{"url": server}],
            "security": [{"k": []}],
            "components": {"securitySchemes": {"k": KEY}},
            "paths": {**default, **{f"/{name}": value for name, value in paths.items()}},
        }
    )


def said(done):
    return [(step.action, step.document.kind, step.document.name, step.fields) for step in done.steps]


def actions(done):
    return [step.action for step in done.steps]


def test_a_service_and_a_tool_for_each_operation_are_made_once(project):
    dry = project.tools.import_openapi(text(), is_dry=True)
    assert project.services.list(owner="own", prefix="my").items == []
    done = project.tools.import_openapi(text())
    assert said(done) == said(dry)
    assert said(done) == [
        ("create", "Service", "my-shop", ()),
        ("create", "Tool", "get_things", ()),
        ("create", "Tool", "open", ()),
    ]
    assert done.endpoints == ["https://shop.example"]
    assert actions(project.tools.import_openapi(text())) == ["keep"] * 3
    tool, service = project.tools.get("get_things"), project.services.get("my-shop")
    assert tool.connection_params == {"endpoint": "https://shop.example"}
    assert (service.type, service.protocol, service.requires_secret) == ("rest_api", "https", False)
    assert tool.effect is None  # what its method suggests


def test_a_secret_is_named_and_kept_and_the_missing_one_is_told(project):
    missing = project.tools.import_openapi(text())
    ((types, place, tools),) = missing.needs
    assert (types, place, tools) == (("api_key",), "in the header X-Key", ("get_things",))
    project.secrets.put("shop key", "api_key", {"key": "s3cret"})
    bound = project.tools.import_openapi(text(), **BOUND)
    assert [(each, fields) for each, _, _, fields in said(bound)] == [
        ("keep", ()),
        ("change", ("secretId", "connectionParams")),
        ("keep", ()),
    ]
    assert project.tools.get("get_things").connection_params["authHeader"] == "X-Key"
    assert bound.needs == []
    assert actions(project.tools.import_openapi(text())) == ["keep"] * 3
    with pytest.raises(NotFoundError, match="no secret named 'other'"):
        project.tools.import_openapi(text(), **{**BOUND, "secret": "other"})


def test_a_secret_does_not_follow_a_document_to_another_address(project):
    """Else who can change the document gets the key."""
    project.secrets.put("shop key", "api_key", {"key": "s3cret"})
    project.tools.import_openapi(text(), **BOUND)
    moved = project.tools.import_openapi(text("https://evil.example"))
    assert project.tools.get("get_things").secret_id is None
    assert moved.notes == ["get_things: its secret is taken away: it would now go elsewhere, or in another way"]
    assert moved.needs
    elsewhere = json.loads(text())
    elsewhere["components"]["securitySchemes"]["k"] = {"type": "apiKey", "in": "query", "name": "q"}
    project.tools.import_openapi(text(), **BOUND)
    project.tools.import_openapi(json.dumps(elsewhere))
    assert project.tools.get("get_things").secret_id is None


def test_a_secret_of_another_type_does_not_fit(project):
    project.secrets.put("login", "password", {"username": "u", "password": "p"})
    done = project.tools.import_openapi(text(), **{**BOUND, "secret": "login"})
    assert project.tools.get("get_things").secret_id is None
    assert [need.types for need in done.needs] == [("api_key",)]
    assert done.notes == ["no operation takes the secret 'login', which is of the type password"]


def test_a_secret_that_the_user_gave_a_tool_stays_where_the_document_says_nothing(project):
    project.tools.import_openapi(text())
    secret, _ = project.secrets.put("shop key", "api_key", {"key": "s3cret"})
    connection = {"endpoint": "https://shop.example", "authHeader": "X-Other"}
    project.tools.change("open", {"secretId": secret.id, "connectionParams": connection})
    assert actions(project.tools.import_openapi(text())) == ["keep"] * 3
    project.tools.import_openapi(text("https://evil.example"))
    tool = project.tools.get("open")
    assert (tool.secret_id, tool.connection_params) == (None, {"endpoint": "https://evil.example"})


def test_a_key_goes_over_https_as_for_every_tool(project):
    project.secrets.put("shop key", "api_key", {"key": "s3cret"})
    with pytest.raises(ApplyError, match="would go over plain http to another machine"):
        project.tools.import_openapi(text("http://shop.example"), **BOUND)
    project.tools.import_openapi(text("http://shop.example"), **BOUND, allow_insecure=True)
    assert project.tools.get("get_things").operation.allow_insecure


def test_pages_are_followed_if_that_is_wanted_and_stay_so(project):
    project.tools.import_openapi(text())
    assert project.tools.get("get_things").operation.pagination is None
    project.tools.import_openapi(text(), pages=5)
    tool = project.tools.get("get_things")
    assert (tool.operation.pagination.style, tool.operation.pagination.max_pages) == ("page", 5)
    assert tool.output_schema["required"] == ["status", "contentType", "body", "pages", "isComplete"]
    assert actions(project.tools.import_openapi(text())) == ["keep"] * 3
    only = project.tools.import_openapi(text(), pages=9, only=["open"], is_dry=True)
    assert only.notes == ["of no operation it is recognized how it has pages"]
    project.tools.import_openapi(text(), pages=1)
    assert project.tools.get("get_things").operation.pagination is None


def test_what_the_user_decided_stays(project):
    project.tools.import_openapi(text(), allow_private=True)
    operation = RestRequest.model_validate({**project.tools.get("open").operation.as_dict(), "timeout": 7})
    project.tools.change("open", {"operation": operation.as_dict(), "effect": "idempotent", "shared": False})
    project.services.change("my-shop", {"limits": {"concurrency": 2}, "shared": True})
    changed = project.tools.import_openapi(text(more={"get": {"operationId": "more"}}))
    assert actions(changed) == ["keep", "keep", "keep", "create"]
    tool = project.tools.get("open")
    assert (tool.effect, tool.operation.timeout, tool.operation.allow_private) == ("idempotent", 7, True)
    assert project.services.get("my-shop").limits.concurrency == 2


def test_what_has_vanished_is_told_and_kept(project):
    project.tools.import_openapi(text(more={"get": {"operationId": "more"}}))
    done = project.tools.import_openapi(text())
    assert done.vanished == ["more"]
    assert project.tools.get("more").name == "more"
    assert project.tools.import_openapi(text(), only=["open"]).vanished == ["more"]


def test_only_some_operations(project):
    def names(**chosen):
        done = project.tools.import_openapi(text(), is_dry=True, **chosen)
        return [step.document.name for step in done.steps][1:]

    assert names(only=["get_*"]) == ["get_things"]
    assert names(only=["/open", "get_things"]) == ["get_things", "open"]
    assert names(tags=["b"]) == ["open"]
    with pytest.raises(OpenApiError, match="no operation to import"):
        names(only=["open"], tags=["a"])
    for chosen in ({"only": ["nothing*"]}, {"tags": ["c"]}):
        with pytest.raises(InputError, match="No operation of the document") as refused:
            names(**chosen)
        assert "There are: " in refused.value.advice


def test_what_is_not_wanted_is_not_told_as_left_out(project):
    draw = {"put": {"operationId": "draw", "tags": ["b"], "requestBody": {"content": {"image/png": {}}}}}
    document = text(draw=draw)
    assert [each.name for each in project.tools.import_openapi(document, is_dry=True).skipped] == ["draw"]
    assert project.tools.import_openapi(document, only=["get*"], is_dry=True).skipped == []
    assert [each.name for each in project.tools.import_openapi(document, tags=["b"], is_dry=True).skipped] == ["draw"]
    with pytest.raises(OpenApiError, match="draw: its body is image/png"):
        project.tools.import_openapi(document, only=["draw"])


def test_names_that_are_taken_get_the_name_of_the_service(project):
    project.apply(
        "kind: Tool\nname: open\nservice: graph\nconnectionParams: {endpoint: 'aeon:graph'}\n"
        "operation: {type: graph_query, query: '@services'}\ninputSchema: {type: object}"
    )
    more = {"calc": {"get": {"operationId": "calculator"}}, "twice": {"get": {"operationId": "get things"}}}
    done = project.tools.import_openapi(text(**more))
    assert [step.document.name for step in done.steps][1:] == [
        "get_things",
        "my-shop_open",
        "my-shop_calculator",  # a tool of that name is built in
        "my-shop_get_things",
    ]
    assert actions(project.tools.import_openapi(text(**more))) == ["keep"] * 5


def test_a_service_has_one_protocol(project):
    other = {"get": {"operationId": "other", "servers": [{"url": "http://other.example"}]}}
    done = project.tools.import_openapi(text(other=other))
    assert [each.reason for each in done.skipped] == [
        "it is at http://other.example, and the service at https"
    ]  # fmt: skip
    with pytest.raises(ApplyError, match="protocol can never change"):
        project.tools.import_openapi(text("http://shop.example"))


def test_nothing_is_made_of_a_document_without_tools(project):
    broken = json.dumps({"openapi": "3.1.0", "info": {"title": "T"}, "servers": [{"url": "https://a.b"}], "paths": {
        "/x": {"post": {"operationId": "send", "requestBody": {"content": {"image/png": {}}}}}}})  # fmt: skip
    with pytest.raises(OpenApiError, match="None of the operations can be a tool") as refused:
        project.tools.import_openapi(broken)
    assert "send: its body is image/png" in str(refused.value)


def test_an_address_is_read_only_if_it_is_allowed_and_only_if_that_is_asked_for(project):
    address = "http://127.0.0.1:1/openapi.json"
    with pytest.raises(InputError, match="which is private"):
        project.tools.read_openapi(address)
    with pytest.raises(InputError, match="could not be reached"):
        project.tools.read_openapi(address, allow_private=True)
    with pytest.raises(OpenApiError, match="it is not an object"):
        project.tools.import_openapi(address)

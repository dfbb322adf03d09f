"""A file is looked at whole, applied, and applied again without a change."""

import pytest

from aeon.platform.catalog.apply import Applier
from aeon.platform.catalog.defaults import load_defaults
from aeon.platform.catalog.documents import ApplyError, read_documents
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.documents import ProcessDocuments
from aeon.platform.processes.repository import ProcessRepository

FILE = """
kind: Tool
name: forecast
service: weather
secret: weather key
connectionParams: {endpoint: "http://127.0.0.1"}
operation: {type: rest_request, path: "/forecast/{city}"}
inputSchema: {type: object, properties: {city: {type: string}}}
---
kind: Service
name: weather
type: rest_api
protocol: http
requiresSecret: true
connectionSchema: {type: object, required: [endpoint]}
---
# the key comes from the environment
kind: Secret
name: weather key
type: api_key
value: {key: "${WEATHER_KEY}"}
---
kind: ToolTemplate
name: blueprint
operation: {type: mcp_call, tool: echo}
inputSchema: {}
--- # nothing in here
"""


def applied(world, user, text=FILE, key="k1"):
    applier = Applier(world.catalog, user)
    steps = applier.plan(read_documents(text, {"WEATHER_KEY": key}))
    applier.apply(steps)
    return [(step.action, step.document.kind, step.fields) for step in steps]


def planned(text, world, user, environ):
    documents = read_documents(text, environ)
    assert world is not None, "the form is right"
    return Applier(world.catalog, user).plan(documents)


def problems(text, world=None, user="", environ=None):
    with pytest.raises(ApplyError) as raised:
        planned(text, world, user, environ or {})
    return raised.value.details["problems"]


def test_what_is_referred_to_is_made_first_and_applying_again_changes_nothing(world):
    user = world.user("u")
    assert applied(world, user) == [
        ("create", "ToolTemplate", ()),
        ("create", "Service", ()),
        ("create", "Secret", ()),
        ("create", "Tool", ()),
    ]
    tool = world.catalog.tools.find_own(user, "forecast")
    assert world.catalog.tools.resolve(user, tool.id).secret.name == "weather key"
    assert {verb for verb, _, _ in applied(world, user)} == {"keep"}


def test_only_what_differs_is_changed(world):
    user = world.user("u")
    applied(world, user)
    changed = FILE.replace("/forecast/{city}", "/{city}").replace(
        "requiresSecret: true", "requiresSecret: true\nshared: true"
    )
    assert applied(world, user, changed, key="k2") == [
        ("keep", "ToolTemplate", ()),
        ("change", "Service", ("shared",)),
        ("change", "Secret", ("value",)),
        ("change", "Tool", ("operation",)),
    ]
    secret = world.catalog.secrets.find_own(user, "weather key")
    assert world.catalog.secrets.reveal(user, secret.id).reveal() == {"key": "k2"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind: Tool\n\tname: b", "line 4: there is a tab, and YAML does not indent by tabs; use spaces"),
        ("kind: Tool\nname: b\nname: c", "line 5: the key 'name' appears twice in one object"),
        ("kind: Tool\nname: [b", "line 5: while parsing a flow sequence did not find expected ',' or ']'"),
    ],
    ids=["tab", "twice", "bracket"],
)
def test_the_line_of_what_is_no_yaml_is_that_of_the_file(text, said):
    assert problems(f"kind: Service\n---\n{text}\n") == [
        "document 1 (line 1): it has no name",
        f"document 2 (line 3): {said}",
    ]


def test_planning_alone_changes_nothing(world):
    user = world.user("u")
    tables = ("services", "secrets", "tools", "service_templates", "tool_templates", "audit_entries", "requests")
    counts = [f"SELECT count(*) AS n FROM {table}" for table in tables]
    before = [world.store.read(query) for query in counts]
    Applier(world.catalog, user).plan(read_documents(FILE, {"WEATHER_KEY": "k"}))
    assert [world.store.read(query) for query in counts] == before
    assert world.vault.list_secrets() == []


def test_the_form_is_wrong_in_many_ways_at_once():
    found = problems("kind: X\n---\n- 1\n---\nkind: Tool\n---\n{\n---\nkind: Secret\nname: s\nvalue: {key: '${NO}'}")
    assert [each.partition(":")[0] for each in found] == [
        "document 1 (line 1)",
        "document 2 (line 3)",
        "document 3 (line 5)",
        "document 4 (line 7)",
        "document 5 (line 9)",
    ]
    assert "the environment does not define NO" in found[4]
    assert problems("") == ["it contains no document"]
    twice = "kind: Secret\nname: a\n---\nkind: Secret\nname: a"
    assert "document 1 (line 1) already defines the Secret 'a'" in problems(twice)[0]


def test_everything_wrong_with_the_things_themselves_is_said_at_once(world):
    user = world.user("u")
    text = FILE.replace("protocol: http", "protocol: bolt").replace("{city}", "{town}").replace("mcp_call", "mcp")
    found = problems(text, world, user, {"WEATHER_KEY": "k"})
    assert ["ToolTemplate" in found[0], "Service" in found[1], "Tool" in found[2]] == [True] * 3
    assert world.catalog.secrets.list_own(user) == []


def test_what_can_never_change_is_refused(world):
    user = world.user("u")
    applied(world, user)
    found = problems(
        FILE.replace("type: api_key", "type: password").replace("{key:", "{username: u, password:"),
        world,
        user,
        {"WEATHER_KEY": "k"},
    )
    assert "its type can never change" in found[0]


def test_another_s_things_are_not_referred_to_by_name(world):
    owner, user = world.user("owner"), world.user("u")
    applied(world, owner)
    alone = FILE.split("---", maxsplit=1)[0]
    assert "You have no service named 'weather'" in problems(alone, world, user)[0]


def test_no_value_of_a_secret_is_in_any_message(world):
    """Platform 3."""
    user = world.user("u")
    text = "kind: Secret\nname: s\ntype: api_key\nvalue: {key: ['${K}']}\nextra: ${K}"
    assert "canary-1" not in str(problems(text, world, user, {"K": "canary-1"}))
    steps = Applier(world.catalog, user).plan(read_documents(FILE, {"WEATHER_KEY": "canary-1"}))
    assert "canary-1" not in repr(steps)


def test_unsharing_warns_of_what_others_have_on_it(world):
    """Platform 4."""
    user, other = world.user("u"), world.user("other")
    shared = FILE.replace("requiresSecret: true", "requiresSecret: true\nshared: true")
    applied(world, user, shared)
    service = world.catalog.services.find_own(user, "weather")
    world.tool(other, service, secretId=world.secret(other).id)
    steps = Applier(world.catalog, user).plan(read_documents(FILE, {"WEATHER_KEY": "k1"}))
    hurt = {step.document.name: step.affects for step in steps if step.affects}
    assert hurt == {"weather": (f"a tool of {other}",)}


def test_a_service_that_asks_for_more_warns_of_others_tools_that_do_not_fit(world):
    """Measured P10: a changed connectionSchema left tools invalid, and nobody was told."""
    user, other = world.user("u"), world.user("other")
    service = world.service(user, name="pages", shared=True)
    world.tool(other, service, connectionParams={"endpoint": "http://127.0.0.1"})
    world.tool(user, service, connectionParams={"endpoint": "http://127.0.0.1"})
    wanted = """
kind: Service
name: pages
type: rest_api
protocol: http
shared: true
connectionSchema: {type: object, required: [endpoint, region]}
"""
    (step,) = Applier(world.catalog, user).plan(read_documents(wanted, {}))
    assert step.breaks == (f"a tool of {other}",)
    assert step.affects == ()


def test_a_secret_s_value_is_checked_before_anything_is_done(world):
    user = world.user("u")
    found = problems(FILE.replace("{key:", "{kee:"), world, user, {"WEATHER_KEY": "canary-1"})
    assert "key is missing" in found[0]
    assert "canary-1" not in found[0]
    assert world.catalog.services.list_own(user) == []


FROM_TEMPLATES = """
kind: ServiceTemplate
name: http api
type: rest_api
protocol: http
connectionSchema: {type: object, required: [endpoint]}
---
kind: ToolTemplate
name: look-up
operation: {type: rest_request, path: "/items/{id}"}
inputSchema: {type: object, properties: {id: {type: string}}}
---
kind: Service
name: shop
template: http api
---
kind: Tool
name: item
service: shop
template: look-up
connectionParams: {endpoint: "http://127.0.0.1"}
"""


def test_what_a_template_gives_is_copied_and_stays_when_the_template_goes(world):
    user = world.user("u")
    applied(world, user, FROM_TEMPLATES)
    tool = world.catalog.tools.find_own(user, "item")
    template = world.catalog.tool_templates.find_own(user, "look-up")
    assert tool.operation.path == "/items/{id}"
    assert tool.tool_template_id == template.id
    assert {step[0] for step in applied(world, user, FROM_TEMPLATES)} == {"keep"}
    world.catalog.tool_templates.remove(template.id, MutationRequest(user))
    assert world.catalog.tools.find_own(user, "item").operation == tool.operation


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("template: http api", "template: another", "You have no service template named 'another'"),
        (
            "template: http api",
            "template: http api\nprotocol: http",
            "its template already provides protocol; remove either that",
        ),
        (
            "kind: ToolTemplate\nname: look-up",
            "kind: ToolTemplate\nname: look-up\ntemplate: x",
            "cannot be created from a template",
        ),
        ("template: look-up", "template: 3", "You have no tool template named 3"),
    ],
)
def test_what_is_wrong_with_a_template_s_use_is_said(world, old, new, said):
    assert said in problems(FROM_TEMPLATES.replace(old, new), world, world.user("u"))[0]


LIMITED = """
kind: ServiceTemplate
name: slow api
type: rest_api
protocol: http
connectionSchema: {type: object, required: [endpoint]}
limits: {rate: {calls: 10, seconds: 60}}
---
kind: Service
name: as the template
template: slow api
---
kind: Service
name: of its own
template: slow api
limits: {concurrency: 2}
---
kind: Service
name: free
template: slow api
limits: {}
"""


def limits_of(world, user, name):
    return world.catalog.services.find_own(user, name).limits.describe()


def test_limits_are_kept_changed_lifted_and_copied_of_a_template(world):
    """Platform 10: what a template says of limits holds for what is made from it, unless that says its own."""
    user = world.user("u")
    applied(world, user, LIMITED)
    names = ("as the template", "of its own", "free")
    assert [limits_of(world, user, name) for name in names] == ["at most 10 in 60 s", "at most 2 at once", ""]
    assert {verb for verb, _, _ in applied(world, user, LIMITED)} == {"keep"}
    before = world.catalog.services.find_own(user, "of its own").version
    both = "{concurrency: 3, rate: {calls: 5, seconds: 0.5}}"
    changes = applied(world, user, LIMITED.replace("{concurrency: 2}", both))
    assert ("change", "Service", ("limits",)) in changes
    assert limits_of(world, user, "of its own") == "at most 3 at once and 5 in 0.5 s"
    applied(world, user, LIMITED.replace("{concurrency: 2}", "{}"))
    assert limits_of(world, user, "of its own") == ""
    assert world.catalog.services.find_own(user, "of its own").version == before + 2
    made = world.catalog.service_from(
        world.catalog.service_templates.find_own(user, "slow api").id, {"name": "made"}, MutationRequest(user)
    )
    assert made.limits.describe() == "at most 10 in 60 s"


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ("{concurrency: 0}", "$.limits.concurrency: input should be greater than or equal to 1"),
        ("{rate: {calls: 1}}", "$.limits.rate.seconds: field required"),
        ("{rate: {calls: 1, seconds: 0}}", "$.limits.rate.seconds: input should be greater than 0"),
        ("{calls: 3}", "$.limits.calls: there is no field 'calls' here; there are concurrency, rate"),
        ("3", "$.limits: it must be an object with concurrency, rate"),
        ("{rate: 10}", "$.limits.rate: it must be an object with calls, seconds"),
    ],
)
def test_limits_that_are_none_are_refused_with_their_place(world, limits, said):
    found = problems(LIMITED.replace("{concurrency: 2}", limits), world, world.user("u"))
    assert any(said in problem for problem in found), found


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ("{type: rest-request}", "there is no type 'rest-request' here; did you mean 'rest_request'?"),
        ("{type: ftp}", "there is no type 'ftp' here; there are graph_query, rest_request, llm_call,"),
        ("{path: /x}", "it has no type"),
        ("GET", "it must be an object"),
    ],
)
def test_an_operation_of_no_type_is_told_which_there_are(world, operation, said):
    text = f"kind: Tool\nname: a\nservice: warehouse\noperation: {operation}\ninputSchema: {{type: object}}"
    service = "kind: Service\nname: warehouse\ntype: rest_api\nprotocol: http\nconnectionSchema: {type: object, required: [endpoint]}"
    (found,) = problems(f"{service}\n---\n{text}", world, world.user("u"))
    assert f"$.operation: {said}" in found


def test_the_default_catalog_is_referred_to_by_name_and_what_others_share_by_id(world):
    processes = ProcessDocuments(world.catalog, ProcessRepository(world.store, world.catalog), DEFAULTS_OWNER)
    load_defaults(world.catalog, {"Process": processes})
    owner, user = world.user("owner"), world.user("u")
    shared = world.service(owner, name="theirs", shared=True)
    text = f"""
kind: Tool
name: mine
service: aeon graph
connectionParams: {{endpoint: "aeon:graph"}}
operation: {{type: graph_query, query: "@tools"}}
inputSchema: {{type: object}}
---
kind: Tool
name: reached
service: {shared.id}
connectionParams: {{endpoint: "http://127.0.0.1"}}
operation: {{type: rest_request}}
inputSchema: {{type: object}}
"""
    assert [step[0] for step in applied(world, user, text)] == ["create", "create"]
    assert world.catalog.tools.find_own(user, "reached").service_id == shared.id


def test_a_file_takes_a_secret_away_and_changes_its_scope(world):
    """Measured P12: applied again, such a file said `change` for ever and changed nothing."""
    user = world.user("u")
    scoped = FILE.replace("requiresSecret: true", "requiresSecret: false")
    applied(world, user, scoped)
    with_scope = scoped.replace("secret: weather key", "secret: weather key\nsecretScope: read")
    assert ("change", "Tool", ("secretScope",)) in applied(world, user, with_scope)
    without = scoped.replace("secret: weather key\n", "")
    assert ("change", "Tool", ("secretId", "secretScope")) in applied(world, user, without)
    assert {verb for verb, *_ in applied(world, user, without)} == {"keep"}


def test_a_tool_tells_its_own_faults_too_where_its_service_is_missing_or_has_faults(world):
    """All errors of one input come at once."""
    tool = """
kind: Tool
name: forecast
service: weather
operation: {type: rest_reqest, path: /x}
"""
    unknown_type = "$.operation: there is no type 'rest_reqest' here; did you mean 'rest_request'?"
    missing, *own = problems(tool, world, "anna")
    assert "no service named 'weather'" in missing
    assert [each.partition(": ")[2] for each in own] == [unknown_type, "$.inputSchema: field required"]
    service = "kind: Service\nname: weather\ntype: rest_api\nprotocol: http\nconnectionSchema: {type: array}\n---"
    assert [each for each in problems(service + tool, world, "anna") if unknown_type in each]

"""Graph operations: Aeon's own record by named queries alone, real servers on loopback with a password."""

import socket
from datetime import date

import pytest

from aeon.adapters.operations.graph import GraphExecutor
from aeon.adapters.operations.own_record import NAMED_QUERIES
from aeon.platform.catalog.model import NewSecret, NewService, NewTool
from aeon.platform.catalog.operations import GraphQuery
from aeon.platform.catalog.service import Catalog
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest
from aeon.platform.ledger import MutationRequest
from aeon.platform.vault import SecretValue
from aeon.testing.clock import FakeClock
from aeon.testing.falkordb_server import FalkorTestServer, missing_for_falkordb
from aeon.testing.records import new_record
from aeon.testing.vault import InMemoryVault

PASSWORD = "open sesame"  # noqa: S105  # of a server of the tests' own
SHAPE = {"type": "object", "required": ["endpoint"]}


def work(operation, connection, given=None, *, user="ann", secret=None, protocol="bolt"):
    asked = GraphQuery.model_validate({"type": "graph_query", "allowPrivate": True, **operation})
    return OperationRequest(user, asked, protocol, connection, given or {}, SecretValue(secret) if secret else None, {})


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    record = new_record(tmp_path_factory.mktemp("record"))
    yield record
    record.close()


@pytest.fixture(scope="module")
def catalog(store):
    """Ann shares a service and a tool; Bob uses both, with a secret and a tool that he does not share."""
    clock = FakeClock()
    made = Catalog(store, InMemoryVault(clock), clock=clock)
    for user in ("ann", "bob"):
        made.add_user(user)
        new = NewSecret.parsed({"name": f"key of {user}", "type": "api_key", "value": {"key": "s3cret"}})
        made.secrets.add(new, MutationRequest(user))
    api = {"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": SHAPE, "shared": True}
    service = made.services.add(NewService.parsed(api), MutationRequest("ann"))
    tool = {"serviceId": service.id, "connectionParams": {"endpoint": "http://x"}, "inputSchema": {}}
    call = {"operation": {"type": "rest_request"}}
    shared = made.tools.add(NewTool.parsed({**tool, **call, "name": "get", "shared": True}), MutationRequest("ann"))
    made.tools.add(NewTool.parsed({**tool, **call, "name": "hidden of bob"}), MutationRequest("bob"))
    made.tools.add(NewTool.parsed({**tool, **call, "name": "shown of bob", "shared": True}), MutationRequest("bob"))
    bobs = made.secrets.list_own("bob")[0]
    made.tools.bind(shared.id, bobs.id, MutationRequest("bob"))
    return made


@pytest.fixture
def own(store, catalog):
    def ask(name, user="ann", given=None, **options):
        asked = work({"query": name, **options}, {"endpoint": "aeon:graph"}, given, user=user)
        return GraphExecutor(store).execute(asked).output

    return ask


def test_platform_2_each_named_query_returns_what_is_the_users(own):
    assert [row["name"] for row in own("@services")["rows"]] == ["api"]
    assert own("@services", user="bob")["rows"] == []
    assert [row["name"] for row in own("@tools")["rows"]] == ["get"]
    assert [row["name"] for row in own("@tools", user="bob")["rows"]] == ["hidden of bob", "shown of bob"]
    assert [row["seq"] for row in own("@trail")["rows"]] == sorted(
        (row["seq"] for row in own("@trail")["rows"]), reverse=True
    )


def test_platform_2_of_others_only_what_concerns_the_user_or_is_shared(own):
    found = own("@users_of_mine")["rows"]
    assert [(row["name"], row["byKind"], row["byUser"], row["byName"]) for row in found] == [
        ("api", "Tool", "ann", "get"),
        ("api", "Tool", "bob", "shown of bob"),
        ("api", "Tool", "bob", None),
        ("get", "Binding", "bob", None),
    ]
    everything = str([own(f"@{name}", given={"words": "of bob hidden"}) for name in NAMED_QUERIES])
    assert "hidden of bob" not in everything
    assert "key of bob" not in everything


def things(own, words, user="ann"):
    return [(row["kind"], row["name"]) for row in own("@things", user, {"words": words})["rows"]]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("HIDDEN", ["hidden of bob"]),
        ("what is shown or hidden", ["hidden of bob", "shown of bob"]),
        ("of", ["hidden of bob", "shown of bob"]),
        ("one of theirs", []),
        ("key", []),
        ("api", []),
        ("'] RETURN 1 //", []),
    ],
)
def test_platform_2_things_are_the_users_own_that_have_a_word(own, words, found):
    """Short words count alone. Of others' things nothing is found, nor of what is neither tool nor Process."""
    assert things(own, words, "bob") == [("Tool", name) for name in found]
    assert not things(own, "shown")


def test_what_a_query_takes_must_be_given(own):
    with pytest.raises(OperationError, match="needs words in the input"):
        own("@things", given={"words": 1})


def test_platform_3_of_secrets_there_is_the_metadata_alone(own):
    (row,) = own("@secrets")["rows"]
    assert set(row) == {"id", "name", "type", "createdAt", "updatedAt"}
    assert row["name"] == "key of ann"


def test_no_other_user_can_be_asked_for(store, catalog):
    given = {"user": "bob", "limit": 5}
    asked = work({"query": "@tools"}, {"endpoint": "aeon:graph"}, given)
    rows = GraphExecutor(store).execute(asked).output["rows"]
    assert [row["name"] for row in rows] == ["get"]


def test_rows_have_a_limit(own):
    assert own("@tools", user="bob", rowLimit=1)["truncated"] is True
    assert len(own("@tools", user="bob", rowLimit=1)["rows"]) == 1
    assert own("@tools", user="bob", rowLimit=2)["truncated"] is False


@pytest.mark.parametrize("query", ["MATCH (n) RETURN n", "@nothing", "services", "@", "@tools RETURN 1"])
def test_platform_2_no_text_of_a_users_own_is_asked_of_aeons_graph(own, query):
    with pytest.raises(OperationError, match="only named queries") as refused:
        own(query)
    assert all(f"@{name}" in refused.value.advice for name in NAMED_QUERIES)


def test_no_tool_writes_to_aeons_graph(own):
    with pytest.raises(OperationError, match="only read"):
        own("@tools", mode="write")


# Servers


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def falkordb(tmp_path_factory):
    if missing := missing_for_falkordb():
        pytest.skip(missing)
    server = FalkorTestServer(tmp_path_factory.mktemp("falkordb"), password=PASSWORD)
    server.start()
    yield {"endpoint": server.address, "database": "theirs"}
    server.kill()


@pytest.fixture(params=["falkordb", pytest.param("neo4j", marks=pytest.mark.slow)])
def server(request):
    """Where it is, and who asks it."""
    if request.param == "falkordb":
        return request.getfixturevalue("falkordb"), {"username": "", "password": PASSWORD}
    neo4j = request.getfixturevalue("neo4j_server")
    return {"endpoint": neo4j.address}, {"username": "neo4j", "password": neo4j.password}


@pytest.fixture
def ask(server, store):
    connection, secret = server

    def call(query, given=None, *, secret=secret, connection=connection, **options):
        asked = work({"query": query, **options}, connection, given, secret=secret)
        return GraphExecutor(store).execute(asked).output

    call("MATCH (n:AeonTest) DETACH DELETE n", mode="write")
    return call


@pytest.mark.server
def test_a_private_address_is_reached_only_where_it_is_allowed(ask):
    with pytest.raises(OperationError, match="which is private") as refused:
        ask("RETURN 1 AS n", allowPrivate=False)
    assert "allowPrivate" in refused.value.advice
    assert not refused.value.is_transient


@pytest.mark.server
def test_the_address_that_was_checked_is_the_one_that_is_connected_to(store, falkordb):
    """The driver gets the address: a name that leads elsewhere later is not looked up again."""
    connection = {**falkordb, "endpoint": falkordb["endpoint"].replace("127.0.0.1", "graph.example")}
    secret = {"username": "", "password": PASSWORD}
    asked = work({"query": "RETURN 1 AS n"}, connection, secret=secret)
    found = GraphExecutor(store, lambda _host, _port: ["127.0.0.1"]).execute(asked)
    assert found.output["rows"] == [{"n": 1}]


@pytest.mark.parametrize("scheme", ["bolt", "bolt+s", "falkordb"])
def test_every_address_of_a_name_is_checked(store, scheme):
    asked = work(
        {"query": "RETURN 1", "allowPrivate": False},
        {"endpoint": f"{scheme}://graph.example", "database": "d"},
        protocol="bolt+s" if scheme == "bolt+s" else "bolt",
    )
    with pytest.raises(OperationError, match=r"192\.168\.1\.1, which is private"):
        GraphExecutor(store, lambda _host, _port: ["93.184.216.34", "192.168.1.1"]).execute(asked)


@pytest.mark.server
def test_a_server_is_written_and_read_with_bound_parameters(ask):
    hostile = "x'}) DETACH DELETE n //"
    ask(
        "CREATE (:AeonTest {name: $name, n: 1})-[:KNOWS {since: 2}]->(:AeonTest {n: 2})",
        {"name": hostile},
        mode="write",
    )
    found = ask(
        "MATCH (a:AeonTest {name: $name})-[k:KNOWS]->(b) RETURN a, k, b, [1, {x: null}] AS many", {"name": hostile}
    )
    assert found == {
        "rows": [{"a": {"name": hostile, "n": 1}, "k": {"since": 2}, "b": {"n": 2}, "many": [1, {"x": None}]}],
        "truncated": False,
    }
    path = ask("MATCH p = (:AeonTest {n: 1})-->() RETURN p")["rows"][0]["p"]
    assert [node["n"] for node in path["nodes"]] == [1, 2]
    assert path["edges"] == [{"since": 2}]


@pytest.mark.server
def test_what_json_does_not_hold_is_text(ask):
    row = ask("RETURN date('2026-11-22') AS day, point({latitude: 1.5, longitude: 2.5}) AS place, 0.5 AS half")["rows"][
        0
    ]
    assert row["day"] == date(2026, 11, 22).isoformat()
    assert row["half"] == 0.5
    assert "1.5" in str(row["place"])


@pytest.mark.server
def test_a_read_cannot_write(ask):
    with pytest.raises(OperationError) as refused:
        ask("CREATE (n:AeonTest {n: 3}) RETURN n")
    assert not refused.value.is_transient
    assert ask("MATCH (n:AeonTest {n: 3}) RETURN count(n) AS n")["rows"] == [{"n": 0}]


@pytest.mark.server
def test_more_rows_than_the_limit_are_said_to_be_cut(ask):
    assert ask("UNWIND range(1, 3) AS n RETURN n", rowLimit=2) == {"rows": [{"n": 1}, {"n": 2}], "truncated": True}
    assert ask("UNWIND range(1, 2) AS n RETURN n", rowLimit=2)["truncated"] is False


@pytest.mark.server
def test_a_write_that_returns_more_than_the_limit_is_whole(ask):
    assert ask("UNWIND range(1, 9) AS n CREATE (x:AeonTest {n: n}) RETURN x", mode="write", rowLimit=1)["truncated"]
    assert ask("MATCH (n:AeonTest) RETURN count(n) AS n")["rows"] == [{"n": 9}]


@pytest.mark.server
def test_a_query_that_takes_too_long_is_stopped(ask):
    with pytest.raises(OperationError):
        ask("UNWIND range(1, 1000000000) AS n WITH n WHERE n % 2 = 0 RETURN count(n) AS n", timeout=0.2)


@pytest.mark.server
def test_platform_3_errors_hold_no_parameter_and_no_password(ask):
    with pytest.raises(OperationError) as refused:
        ask("RETURN toUpper($name + $name) + RETRUN", {"name": "hunter2222"})
    assert "hunter2222" not in str(refused.value)
    with pytest.raises(OperationError) as wrong:
        ask("RETURN date($name) AS d", {"name": "hunter2222"})
    assert "hunter2222" not in str(wrong.value)
    with pytest.raises(OperationError) as locked:
        ask("RETURN 1", secret={"username": "", "password": "hunter2222"})
    assert "hunter2222" not in str(locked.value)


@pytest.mark.parametrize("endpoint", ["bolt://127.0.0.1:{}", "falkordb://127.0.0.1:{}"])
def test_a_server_that_is_not_there_is_told(store, endpoint):
    connection = {"endpoint": endpoint.format(free_port()), "database": "theirs"}
    with pytest.raises(OperationError, match=r"server at 127\.0\.0\.1") as refused:
        GraphExecutor(store).execute(work({"query": "RETURN 1 AS n"}, connection))
    assert refused.value.is_transient
    with pytest.raises(OperationError) as write:
        GraphExecutor(store).execute(work({"query": "CREATE (n)", "mode": "write"}, connection))
    assert not write.value.is_transient


@pytest.mark.parametrize(
    ("endpoint", "secret", "match"),
    [
        ("http://127.0.0.1", None, "not the address of a bolt server"),
        ("bolt+s://127.0.0.1", None, "not the address of a bolt server"),
        ("bolt://ann:hunter2@127.0.0.1", None, "contains a user or a password"),
        ("bolt://127.0.0.1:port", None, "no valid port"),
        ("bolt://127.0.0.1:1", {"key": "hunter2"}, "a secret of this type cannot be used"),
        ("falkordb://127.0.0.1:1", None, "no default graph"),
    ],
)
def test_a_connection_that_cannot_be_used_is_refused(store, endpoint, secret, match):
    with pytest.raises(OperationError, match=match) as refused:
        GraphExecutor(store).execute(work({"query": "RETURN 1"}, {"endpoint": endpoint}, secret=secret))
    assert "hunter2" not in str(refused.value)

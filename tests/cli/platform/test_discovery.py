"""`aeon tool discover`: a server's tools with its own schemas, applied as they are and called."""

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.cli.platform.discovery import as_yaml
from aeon.platform.catalog.documents import read_documents

SERVICE = """
kind: Service
name: {name}
type: mcp_server
protocol: stdio
connectionSchema: {{type: object, required: [command]}}
"""
TIME = {"command": str(Path(sys.executable).with_name("mcp-server-time")), "args": ["--local-timezone", "UTC"]}
DEMO = {
    "command": sys.executable,
    "args": [str(Path(__file__).parents[2] / "adapters" / "operations" / "mcp_demo.py")],
}

server = pytest.mark.server


@pytest.fixture
def discover(aeon):
    """`discover(service, connection, ...)` on a service that is there."""

    def run(name, connection, *words):
        Path("service.yaml").write_text(SERVICE.format(name=name))
        assert aeon("apply", "-f", "service.yaml").code == 0
        return aeon("tool", "discover", name, "--connection", json.dumps(connection), *words)

    return run


@server
def test_what_a_server_that_others_wrote_offers_is_applied_and_called(aeon, discover):
    found = discover("clock", TIME)
    assert found.code == 0
    assert found.out.count("kind: Tool") == 2
    Path("tools.yaml").write_text(found.out)
    applied = aeon("apply", "-f", "tools.yaml")
    assert (applied.code, applied.out) == (0, "+ Tool get_current_time\n+ Tool convert_time\n")
    assert aeon("apply", "-f", "tools.yaml").err == "0 of 2 changed\n"
    called = aeon("tool", "call", "get_current_time", "--input", '{"timezone": "Asia/Tokyo"}', "--json")
    assert called.json["output"]["timezone"] == "Asia/Tokyo"
    assert called.json["usage"] is None
    assert aeon("tool", "call", "get_current_time").code == 2


@server
def test_the_servers_own_schemas_are_taken_over(aeon, discover):
    """An output schema, too: what the tool answers is held against it."""
    found = discover("demo", DEMO, "--json", "--only", "add", "--only", "say")
    assert [each["name"] for each in found.json] == ["add", "say"]
    add = found.json[0]
    assert (add["description"], add["service"], add["connectionParams"]) == ("The sum.", "demo", DEMO)
    assert add["inputSchema"]["required"] == ["a", "b"]
    assert add["outputSchema"]["properties"]["result"]["type"] == "integer"
    assert add["operation"] == {"type": "mcp_call", "tool": "add"}
    Path("tools.yaml").write_text(discover("demo", DEMO, "--only", "add").out)
    assert aeon("apply", "-f", "tools.yaml").code == 0
    assert aeon("tool", "call", "add", "--input", '{"a": 1, "b": 2}').out == '{\n  "result": 3\n}\n'


@server
def test_a_name_that_another_services_tool_has_is_made_another(aeon, discover):
    Path("tools.yaml").write_text(discover("one", DEMO, "--only", "add").out)
    assert aeon("apply", "-f", "tools.yaml").code == 0
    assert discover("one", DEMO, "--only", "add", "--json").json[0]["name"] == "add"
    assert discover("two", DEMO, "--only", "add", "--json").json[0]["name"] == "two_add"


@server
def test_what_cannot_be_asked_is_said_plainly(aeon, discover):
    def refused(ended, code, said):
        return (ended.code, ended.out, said in " ".join(ended.err.split())) == (code, "", True)

    assert refused(aeon("tool", "discover", "nowhere"), 2, "There is nothing named 'nowhere'")
    assert refused(discover("clock", {}), 2, '"command" is a required property')
    assert refused(discover("clock", {"command": "no-such-command"}), 1, "'no-such-command' was not found")
    only = discover("clock", TIME, "--only", "convert", "--only", "get_current_time")
    assert refused(only, 2, "The server does not offer convert. next: It offers get_current_time, convert_time.")
    assert refused(discover("clock", TIME, "--secret", "mine"), 2, "You have no secret named 'mine'")
    assert refused(aeon("tool", "discover", "clock", "--connection", "[]"), 2, "--connection")
    aeon("init")
    assert refused(aeon("tool", "discover", "aeon graph"), 2, "is a neo4j_graph")


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(texts, st.dictionaries(texts, values, max_size=4))
def test_whatever_a_server_says_is_one_document_that_says_the_same(description, schema):
    made = {"kind": "Tool", "name": "x", "description": description, "inputSchema": schema, "outputSchema": schema}
    text = as_yaml(made)
    assert text.isascii()
    (read,) = read_documents(text, {})
    assert {"kind": read.kind, **read.fields} == made


def test_a_description_cannot_begin_another_document():
    made = {"kind": "Tool", "name": "x", "description": "a\n---\nkind: Secret\nname: y\n--- \n${HOME}"}
    (read,) = read_documents(f"{as_yaml(made)}---\n{as_yaml({**made, 'name': 'z'})}", {})[:1]
    assert read.fields["description"] == made["description"]


FOREIGN = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("foreign")
for name in ("größe", "grüße", "工具", "天気", "कीमत", "a b/c"):
    server.tool(name=name)(lambda: "x")
server.run()
"""


def test_names_keep_the_letters_of_every_script(discover):
    Path("foreign.py").write_text(FOREIGN)
    found = discover("foreign", {"command": sys.executable, "args": ["foreign.py"]}, "--json")
    assert [each["name"] for each in found.json] == ["größe", "grüße", "工具", "天気", "कीमत", "a_b_c"]


def test_a_server_that_ends_at_its_start_says_why(discover):
    program = "import sys; sys.exit('missing API_KEY')"
    found = discover("dying", {"command": sys.executable, "args": ["-c", program]})
    assert (found.code, "the server wrote: missing API_KEY" in " ".join(found.err.split())) == (1, True)

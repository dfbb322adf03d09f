"""`aeon init`, `aeon apply` and `aeon tool` on a real record, a real vault, a real HTTP server."""

import json
import re
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytestmark = pytest.mark.server

CANARY = "canary-93b1"

FILE = """
kind: Service
name: weather
type: rest_api
protocol: http
requiresSecret: true
shared: true
connectionSchema: {{type: object, required: [endpoint]}}
---
kind: Secret
name: weather key
type: api_key
value: {{key: "${{WEATHER_KEY}}"}}
---
kind: Tool
name: forecast
description: The weather of a city.
service: weather
secret: weather key
connectionParams: {{endpoint: "{endpoint}"}}
operation: {{type: rest_request, path: "/{{city}}", allowPrivate: true}}
inputSchema: {{type: object, required: [city], properties: {{city: {{type: string}}}}}}
"""


class Weather(BaseHTTPRequestHandler):
    """Answers whom it knows, and echoes the key as a bad service would."""

    def do_GET(self):  # the server's name
        said = f'{{"city": "{self.path[1:]}", "sunny": true, "you": "{self.headers["authorization"]}"}}'.encode()
        self.send_response(200 if self.headers["authorization"] == f"Bearer {CANARY}" else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *args):
        pass


@pytest.fixture
def file():
    """The file of a weather service that really runs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Weather) as server:
        thread = threading.Thread(target=partial(server.serve_forever, 0.01))
        thread.start()
        path = Path("weather.yaml")
        path.write_text(FILE.format(endpoint=f"http://127.0.0.1:{server.server_port}"))
        yield path
        server.shutdown()
        thread.join()


def test_a_tool_is_described_applied_and_called(aeon, file, monkeypatch):
    monkeypatch.setenv("WEATHER_KEY", CANARY)
    said = [
        aeon(*words)
        for words in (("init",), ("apply", "-f", file, "--dry-run"), ("apply", "-f", file), ("apply", "-f", file))
    ]
    assert [each.code for each in said] == [0, 0, 0, 0]
    assert "0 services, 0 secrets, 0 tools of me" in said[0].out
    assert said[1].out == said[2].out == "+ Service weather\n+ Secret weather key\n+ Tool forecast\n"
    assert [each.err for each in said[1:]] == ["3 of 3 would change\n", "3 of 3 changed\n", "0 of 3 changed\n"]
    assert ("forecast", "stored", "unchecked", "The weather of a city.") in aeon("tool", "list").cells(
        "NAME", "SOURCE", "STATE", "WHAT"
    )
    called = aeon("tool", "call", "forecast", "--input", '{"city": "Berlin"}', "--json")
    assert called.json["output"]["body"] == {"city": "Berlin", "sunny": True, "you": "Bearer [hidden]"}
    said += [called, aeon("apply", "-f", file, "--json"), aeon("init", "--json"), aeon("tool", "list", "--json")]
    assert CANARY not in "".join(each.out + each.err for each in said)
    written = [path for path in Path().rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]
    assert written == []


def test_bad_input_is_said_plainly(aeon, file):
    """Each with its exit code, and nothing done."""
    unset = aeon("apply", "-f", file)
    assert (unset.code, "the environment does not define WEATHER_KEY" in unset.err) == (2, True)
    missing = aeon("apply", "-f", "nowhere.yaml")
    assert (missing.code, "nowhere.yaml cannot be read" in missing.err) == (2, True)
    Path("bad.yaml").write_text("kind: Service\nname: x\n---\nkind: Robot\n")
    bad = aeon("apply", "-f", "bad.yaml")
    assert (bad.code, "its kind is 'Robot'" in bad.err) == (2, True)
    nothing = aeon("tool", "call", "forecast")
    assert (nothing.code, "There is no tool 'forecast'" in nothing.err) == (2, True)
    assert "Traceback" not in unset.err + missing.err + bad.err + nothing.err


def test_what_another_user_may_not_see_is_not_there(aeon, file, monkeypatch):
    """Platform 2."""
    monkeypatch.setenv("WEATHER_KEY", CANARY)
    assert aeon("apply", "-f", file).code == 0
    aeon("init")
    assert "forecast" not in aeon("tool", "list", "--user", "bob").out
    assert aeon("tool", "call", "forecast", "--user", "bob").code == 2
    wrong = aeon("tool", "call", "forecast", "--input", '{"city": 1}')
    assert (wrong.code, '1 is not of type "string"' in " ".join(wrong.err.split())) == (2, True)


def test_who_uses_what_and_who_did_what(aeon, file, monkeypatch):
    """Platform 4, 19."""
    monkeypatch.setenv("WEATHER_KEY", CANARY)
    assert aeon("apply", "-f", file).code == 0
    assert aeon("secret", "uses", "weather key").cells("KIND", "NAME", "OWNER") == [("tool", "forecast", "me")]
    assert aeon("tool", "service", "uses", "nope").code == 2
    entries = aeon("store", "audit", "list", "--json").json[::-1]
    verbs = [entry["action"] for entry in entries]
    assert all(isinstance(entry["details"], dict) for entry in entries)
    assert verbs == ["service.create", "secret.create", "tool.create"]
    assert aeon("store", "audit", "list").cells("NUMBER", "ACTION", "BY")[-1] == ("1", "service.create", "me")
    assert aeon("store", "audit", "list").cells("DETAILS")[-1][0].startswith('{"name":')
    newest = aeon("store", "audit", "list", "--limit", "2")
    assert newest.cells("NUMBER") == [(str(len(verbs)),), (str(len(verbs) - 1),)]
    cursor = re.search(r"--after (\S+)", newest.err)[1]
    following = aeon("store", "audit", "list", "--limit", "1", "--after", cursor)
    assert following.cells("NUMBER") == [(str(len(verbs) - 2),)]
    assert aeon("store", "audit", "verify").out == "the audit log of me is intact\n"
    noted = aeon("store", "audit", "verify", "--json").json
    assert (noted["whole"], noted["problem"], noted["head"][:2]) == (True, None, "3:")
    assert aeon("store", "audit", "verify", "--since", noted["head"]).code == 0
    cut = aeon("store", "audit", "verify", "--since", f"9:{noted['head'][2:]}")
    assert (cut.code, cut.out) == (
        1,
        "the audit log of me: it ends at entry 3, before entry 9 of the saved chain head\n",
    )
    other = aeon("store", "audit", "verify", "--since", f"2:{noted['head'][2:]}")
    assert (other.code, other.out) == (1, "the audit log of me: entry 2 does not match the saved chain head\n")
    assert aeon("store", "audit", "verify", "--since", "nonsense").code == 2


def test_a_stored_tool_is_one_of_the_kernel_s(aeon, file, monkeypatch):
    """A plan names it like any other; without --tools it is not there."""
    monkeypatch.setenv("WEATHER_KEY", CANARY)
    assert aeon("apply", "-f", file).code == 0
    steps = [{"step_id": "a", "description": "ask", "tool": "forecast", "arguments": {"city": "Oslo"}}]
    Path("plan.json").write_text(json.dumps({"goal": "weather", "steps": steps}))
    ran = aeon("run", "--plan", "plan.json", "--tools", "catalog", "--json", "--log", "run.jsonl")
    assert ran.code == 0, ran.err
    assert ran.json["results"]["a"]["body"]["city"] == "Oslo"
    assert CANARY not in ran.out + ran.err + Path("run.jsonl").read_text()
    without = aeon("run", "--plan", "plan.json", "--model", "tiny", "--no-input")
    assert without.code != 0


def test_health_says_state_since_when_why_and_what_to_do(aeon, file, monkeypatch):
    """Platform 5."""
    monkeypatch.setenv("WEATHER_KEY", CANARY)
    assert aeon("apply", "-f", file).code == 0
    well = aeon("tool", "health", "--json")
    assert (well.code, well.json[0]["status"]) == (0, "healthy")
    assert ("forecast", "healthy") in aeon("tool", "list").cells("NAME", "STATE")
    text = file.read_text()
    gone = Path("gone.yaml")
    gone.write_text(text.replace("http://127.0.0.1:", "http://127.0.0.1:1/?"))
    assert aeon("apply", "-f", gone).code == 0
    assert [aeon("tool", "health").code for _ in range(2)] == [0, 1]
    checked = aeon("tool", "health")
    assert checked.cells("TOOL", "SERVICE", "STATE") == [("forecast", "weather", "down")]
    said = " ".join(checked.out.split())
    assert "it cannot be reached (ConnectError); start the service or correct" in said
    assert aeon("tool", "call", "forecast", "--input", '{"city": "x"}').code == 2


def test_secrets_go_in_and_never_come_out(aeon):
    """Platform 3: not as arguments, not in lists, not in errors."""
    value = json.dumps({"key": CANARY}).encode()
    said = [aeon("secret", "set", "mine", stdin=value), aeon("secret", "set", "mine", stdin=value)]
    assert [each.out for each in said] == ["created mine\n", "rotated mine\n"]
    wrong = json.dumps({"kee": CANARY}).encode()
    said += [
        aeon("secret", "set", "mine", stdin=wrong),
        aeon("secret", "set", "mine", "--type", "password", stdin=value),
    ]
    said += [aeon("secret", "set", "other", stdin=b"[]"), aeon("secret", "list"), aeon("secret", "list", "--json")]
    assert [each.code for each in said[2:]] == [2, 2, 2, 0, 0]
    assert said[5].cells("NAME", "TYPE") == [("mine", "api_key")]
    assert CANARY not in "".join(each.out + each.err for each in said)
    assert aeon("secret", "list", "--user", "bob").out == ""
    assert aeon("secret", "delete", "--yes", "mine", "--user", "bob").code == 2
    assert aeon("secret", "delete", "--yes", "mine").out == "deleted mine\n"


def test_a_secret_that_a_repository_would_publish_is_warned_of(aeon, git):
    """Measured P5"""
    value = json.dumps({"key": CANARY}).encode()
    assert aeon("secret", "set", "mine", stdin=value).err == ""
    git(".", "init", "-q")
    git(".", "add", "-f", ".aeon/vault.db")
    ended = aeon("secret", "set", "mine", stdin=value)
    assert "warning: git tracks .aeon/vault.db" in ended.err
    assert ended.code == 0


def test_a_shared_tool_runs_with_a_secret_of_ones_own(aeon, file, monkeypatch):
    """Platform 3."""
    monkeypatch.setenv("WEATHER_KEY", "the owner's")
    file.write_text(file.read_text().replace("name: forecast", "name: forecast\nshared: true"))
    assert aeon("apply", "-f", file).code == 0
    tool = next(each for each in aeon("tool", "list", "--user", "bob", "--json").json if each["name"] == "forecast")
    call = ("tool", "call", tool["id"], "--input", '{"city": "Rome"}', "--user", "bob", "--json")
    refused = aeon(*call)
    assert (refused.code, "aeon tool bind" in refused.err) == (2, True)
    aeon("secret", "set", "own", "--user", "bob", stdin=json.dumps({"key": CANARY}).encode())
    assert aeon("tool", "bind", tool["id"], "own", "--user", "bob").out == "bound own\n"
    assert aeon(*call).json["output"]["body"]["city"] == "Rome"
    assert aeon("tool", "uses", "forecast").cells("KIND", "NAME", "OWNER") == [("binding", "(not shared)", "bob")]
    assert aeon("tool", "unbind", tool["id"], "--user", "bob").code == 0
    assert aeon(*call).code == 2


def test_the_record_goes_out_and_in_without_any_secret(aeon, file, monkeypatch):
    """Platform 3."""
    monkeypatch.setenv("WEATHER_KEY", CANARY)
    assert aeon("apply", "-f", file).code == 0
    assert aeon("store", "backup", "copy.db").code == 0
    assert aeon("store", "export", "all.jsonl").code == 0
    exported = Path("all.jsonl").read_text()
    assert CANARY not in exported
    assert aeon("store", "export", "-").out == exported
    refused = aeon("store", "import", "all.jsonl")
    assert (refused.code, "empty" in refused.err) == (1, True)
    assert aeon("secret", "set", "later", stdin=b'{"key": "x"}').code == 0
    assert aeon("store", "restore", "--yes", "copy.db").code == 0
    assert aeon("secret", "list", "-o", "name").out == "weather key\n"
    assert "later" not in aeon("secret", "list").out
    Path("bad.jsonl").write_text(exported + "[1]\n")
    elsewhere = Path("elsewhere")
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert aeon("store", "import", "nowhere").code == 2
    assert "is not a record" in aeon("store", "import", "../bad.jsonl").err
    assert aeon("store", "import", "../all.jsonl").code == 0
    assert aeon("tool", "service", "uses", "weather").cells("KIND", "NAME", "OWNER") == [("tool", "forecast", "me")]
    assert aeon("store", "audit", "verify").out == "the audit log of me is intact\n"


def test_the_defaults_are_there_and_only_theirs_to_change(aeon):
    """Platform 2: they are shared, not everybody's."""
    first, second = aeon("init"), aeon("init")
    assert ("33 change(s)" in first.err, second.err) == (True, "")
    tools = [
        "answer",
        "chat",
        "converse",
        "converse_with_tools",
        "my_things",
        "my_tools",
        "my_trail",
        "recall",
        "remember",
    ]
    tools = [
        *tools,
        "compress",
        "enrich",
        "extract_facts",
        "introspect",
        "knowledge_search",
        "name_conversation",
        "summarize",
    ]
    tools = sorted([*tools, "write"])
    assert [each["name"] for each in aeon("tool", "list", "--source", "stored", "--json").json] == tools
    assert [each["name"] for each in aeon("process", "list", "--json").json] == [
        "answer_and_keep",
        "chat",
        "compress",
        "enrich",
        "extract_facts",
        "introspect",
        "name_conversation",
        "reply",
        "reply_plain",
        "research",
        "summary",
    ]
    assert {each["status"] for each in aeon("tool", "list", "--source", "stored", "--json").json} == {"healthy"}
    asked = aeon("tool", "call", "my_trail", "--json")
    assert (asked.code, asked.json["output"]["rows"][-1]["action"]) == (0, "tool.use")
    assert aeon("tool", "call", "my_tools").code == 0


TWO_FILES = {
    "uses.yaml": """
kind: Process
name: uses
initialContext: []
steps: [{id: say, tool: say, inputs: {topic: rain}, output: said}]
""",
    "tool.yml": """
kind: Service
name: sayings
type: rest_api
protocol: http
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: say
service: sayings
connectionParams: {endpoint: "http://127.0.0.1:1"}
operation: {type: rest_request, path: "/{topic}", allowPrivate: true}
inputSchema: {type: object, required: [topic], properties: {topic: {type: string}}}
""",
}


@pytest.fixture
def two_files():
    folder = Path("stored")
    folder.mkdir()
    for name, text in {**TWO_FILES, "notes.txt": "not: a document", ".hidden.yaml": "kind: Nothing"}.items():
        (folder / name).write_text(text)
    return folder


def test_every_file_that_is_named_is_applied_and_so_is_a_folder(aeon, two_files):
    """The first of two `-f` was left out without a word."""
    both = aeon("apply", "-f", two_files / "uses.yaml", "-f", two_files / "tool.yml", "--dry-run")
    assert (both.code, both.out) == (0, "+ Service sayings\n+ Tool say\n+ Process uses\n")
    assert aeon("apply", "-f", two_files).out == both.out
    assert aeon("apply", "-f", two_files).out == "= Service sayings\n= Tool say\n= Process uses\n"


def test_a_fault_in_one_file_is_named_with_its_file_and_nothing_is_applied(aeon, two_files):
    (two_files / "wrong.yaml").write_text("kind: Tool\nname: say\n")
    ended = aeon("apply", "-f", two_files)
    assert ended.code == 2
    told = " ".join(ended.err.split())
    assert "stored/wrong.yaml, document 1 (line 1): stored/tool.yml, document 2" in told
    assert aeon("process", "list", "--owner", "own").out == ""
    checked = aeon("process", "check", two_files)
    assert (checked.code, checked.out.startswith("stored/wrong.yaml:")) == (2, True)
    assert {each["file"] for each in aeon("process", "check", two_files, "--json").json["faults"]} == {
        "stored/wrong.yaml"
    }


def test_a_folder_without_such_a_file_says_so(aeon, tmp_path):
    (tmp_path / "empty").mkdir()
    ended = aeon("apply", "-f", tmp_path / "empty")
    assert (ended.code, "has no file *.yaml, *.yml, *.json" in " ".join(ended.err.split())) == (2, True)


def test_what_is_exported_is_applied_in_another_record(aeon, file, monkeypatch, tmp_path):
    """`show -o yaml` printed ids and no kind, and neither `apply` nor `process check` took it."""
    monkeypatch.setenv("WEATHER_KEY", CANARY)
    step = "{id: ask, tool: forecast, inputs: {city: '{city}'}, output: said}"
    process = f"\n---\nkind: Process\nname: weather\ninitialContext: [city]\nsteps: [{step}]\n"
    Path("all.yaml").write_text(file.read_text() + process)
    assert aeon("apply", "-f", "all.yaml").code == 0
    exported = [aeon("tool", "export", "forecast").out, aeon("process", "export", "weather").out]
    assert CANARY not in "".join(exported)
    assert "secret: weather key" in exported[0]
    assert "tool: forecast" in exported[1]
    again = tmp_path / "again.yaml"
    again.write_text("---\n".join(exported))
    kept = aeon("apply", "-f", again)
    assert (kept.code, {line[0] for line in kept.out.splitlines()}) == (0, {"="})
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    document = "kind: Secret\nname: weather key\ntype: api_key\nvalue: {key: k}\n---\n"
    again.write_text(document + "---\n".join(exported))
    assert aeon("process", "check", again).code == 0
    made = aeon("apply", "-f", again)
    assert (made.code, {line[0] for line in made.out.splitlines()}) == (0, {"+"})

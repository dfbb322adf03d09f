"""`aeon tool import` against a real server that describes itself: tools that are called, in Processes, too."""

import json
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.server

PET = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
PETS = [{"name": f"pet {number}"} for number in range(1, 6)]


def described(**more):
    """The description of the shop, whose server is relative."""
    page = {"name": "page", "in": "query", "schema": {"type": "integer"}}
    kinds = {"name": "kind", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}
    pet_id = {"name": "pet-id", "in": "path", "required": True, "schema": {"type": "integer"}}

    def answers(schema):
        return {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}

    listing = {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}
    body = {"required": True, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}
    picture = {"required": True, "content": {"image/png": {}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Pet shop", "version": "1"},
        "servers": [{"url": "/v1"}],
        "security": [{"key": []}],
        "components": {
            "schemas": {"Pet": PET},
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
        },
        "paths": {
            "/pets": {
                "get": {"operationId": "list_pets", "parameters": [page, kinds], "responses": answers(listing)},
                "post": {"operationId": "add_pet", "requestBody": body, "responses": answers(PET)},
            },
            "/pets/{pet-id}": {"get": {"operationId": "show_pet", "parameters": [pet_id], "responses": answers(PET)}},
            "/pets/{pet-id}/picture": {"put": {"operationId": "draw", "parameters": [pet_id], "requestBody": picture}},
            **more,
        },
    }


class Pets(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/openapi.json":
            return self.answer(self.server.description)
        if self.headers["X-Key"] != "s3cret":
            return self.answer({"error": "no key"}, 401)
        query = parse_qs(url.query)
        self.server.asked.append((url.path, query))
        if url.path == "/v1/pets":
            number = int(query.get("page", ["1"])[0])
            return self.answer(PETS[2 * (number - 1) : 2 * number])
        return self.answer({"name": f"pet {url.path.rpartition('/')[2]}"})

    def do_POST(self):
        made = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, made))
        self.answer(made)

    def answer(self, body, status=200):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


@pytest.fixture
def pets():
    with ThreadingHTTPServer(("127.0.0.1", 0), Pets) as running:
        running.asked, running.description = [], described()
        running.address = f"http://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=partial(running.serve_forever, 0.01))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def one_line(text):
    return " ".join(text.split())


def test_an_imported_api_is_called_with_its_key_and_by_a_process(aeon, pets):
    """The commands that the first import names are those that make the tools usable."""
    source = f"{pets.address}/openapi.json"
    assert "which is private" in aeon("tool", "import", source).err
    first = aeon("tool", "import", source, "--allow-private")
    assert first.out.splitlines() == [
        "+ Service pet-shop",
        "+ Tool list_pets",
        "+ Tool add_pet",
        "+ Tool show_pet",
    ]
    told = one_line(first.err)
    assert f"requests go to {pets.address}/v1" in told
    assert "no tool: draw: its body is image/png; JSON, forms and plain text can be sent" in told
    assert "(/paths/~1pets~1{pet-id}~1picture/put/requestBody)" in told
    make, again = (line.strip() for line in first.err.splitlines() if line.startswith("  aeon "))
    assert make == "aeon secret set pet-shop --type api_key"
    assert again == f"aeon tool import {source} --allow-private --secret pet-shop --yes"

    assert aeon(*make.split()[1:], stdin=b'{"key": "s3cret"}').code == 0
    assert aeon(*again.split()[1:]).code == 0
    called = aeon("tool", "call", "show_pet", "--input", "pet_id=7", "--json")
    assert called.json["output"]["body"] == {"name": "pet 7"}
    assert aeon("tool", "call", "add_pet", "--input", "name=Bolle", "--json").json["output"]["body"] == {
        "name": "Bolle"
    }
    aeon("tool", "call", "list_pets", "--input", 'kind=["a", "b"]', "--json")
    assert pets.asked[-1] == ("/v1/pets", {"kind": ["a", "b"]})

    assert aeon("tool", "import", source, "--allow-private", "--pages", "5", "--yes").out.splitlines()[1] == (
        "~ Tool list_pets: operation, outputSchema"
    )
    Path("process.yaml").write_text(
        "kind: Process\nname: count\nsteps:\n  - {id: all, tool: list_pets, output: pets}\n"
        'outputTemplate: "{{step.pets.pages}} pages, complete: {{step.pets.isComplete}}"\n'
    )
    assert aeon("apply", "-f", "process.yaml").code == 0
    run = aeon("process", "run", "count", "--json")
    assert run.json["output"] == "4 pages, complete: true", run.err


def test_the_pages_of_a_run_keep_to_the_rate_of_the_service(aeon, pets):
    import time

    Path("api.json").write_text(json.dumps(pets.description))
    options = ["--server", f"{pets.address}/v1", "--allow-private", "--pages", "9", "--secret", "pets", "--yes"]
    aeon("secret", "set", "pets", stdin=b'{"key": "s3cret"}')
    assert aeon("tool", "import", "api.json", *options).code == 0
    Path("limits.yaml").write_text("kind: Process\nname: count\nsteps:\n  - {id: all, tool: list_pets, output: pets}\n")
    assert aeon("apply", "-f", "limits.yaml").code == 0
    shown = aeon("tool", "service", "show", "pet-shop", "-o", "json").json
    service = {name: shown[name] for name in ("name", "type", "protocol", "connectionSchema")}
    limits = {"concurrency": 1, "rate": {"calls": 2, "seconds": 1}}
    Path("service.yaml").write_text(json.dumps({"kind": "Service", **service, "limits": limits}))
    assert aeon("apply", "-f", "service.yaml").code == 0
    began = time.monotonic()
    assert aeon("process", "run", "count").code == 0
    assert time.monotonic() - began > 0.9  # four requests
    assert len(pets.asked) == 4


def test_a_change_is_asked_for_and_what_vanished_is_told(aeon, pets):
    Path("api.json").write_text(json.dumps(pets.description))
    options = ["--server", pets.address, "--name", "shop"]
    assert aeon("tool", "import", "api.json", *options).code == 0
    changed = described()
    del changed["paths"]["/pets/{pet-id}"]
    changed["paths"]["/pets"]["post"]["summary"] = "Add a pet"
    text = json.dumps(changed)
    dry = aeon("tool", "import", "-", *options, "--dry-run", stdin=text.encode())
    assert "~ Tool add_pet: description" in dry.out
    told = "the document does not have show_pet any more; if you do not need it, delete it: aeon tool delete show_pet"
    assert told in one_line(dry.err)
    assert "1 of 3 would change" in dry.err
    refused = aeon("tool", "import", "-", *options, stdin=text.encode())
    assert (refused.code, refused.out) == (2, "")
    assert "~ Tool add_pet: description" in refused.err
    assert "This changes what exists: add_pet. Nobody can be asked here." in one_line(refused.err)
    assert aeon("tool", "show", "add_pet", "-o", "json").json["description"] == "add_pet"
    done = aeon("tool", "import", "-", *options, "--yes", "--json", stdin=text.encode()).json
    assert [step["verb"] for step in done["steps"]] == ["keep", "keep", "change"]
    assert (done["vanished"], done["dryRun"]) == (["show_pet"], False)
    assert aeon("tool", "show", "add_pet", "-o", "json").json["description"] == "Add a pet"


def test_every_fault_is_told_at_once_and_nothing_is_made(aeon):
    broken = {"openapi": "3.0.0", "info": {}, "paths": {"pets": {}, "/a": {"get": []}}}
    told = aeon("tool", "import", "-", stdin=json.dumps(broken).encode())
    assert told.code == 2
    assert "3 fault(s) in the document:" in told.err
    for place in ("/info/title", "/paths/pets", "/paths/~1a/get"):
        assert place in told.err
    assert aeon("tool", "service", "list", "-o", "name").out.count("pet") == 0


def test_many_tools_come_with_a_word_on_how_to_choose(aeon):
    paths = {f"/{number}": {"get": {"operationId": f"op{number}"}} for number in range(500)}
    text = json.dumps({"openapi": "3.0.0", "info": {"title": "Many"}, "paths": paths})
    done = aeon("tool", "import", "-", "--server", "https://a.example", stdin=text.encode())
    assert "501 of 501 changed" in done.err
    assert "500 tools are many for one plan; choose with --only or --tag" in one_line(done.err)
    some = aeon("tool", "import", "-", "--server", "https://a.example", "--only", "op1?", stdin=text.encode())
    assert len(some.out.splitlines()) == 11

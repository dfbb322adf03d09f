"""Who may do what: every operation of the description, as its owner, another user, an operator, nobody, weaker tokens.

Also: no GET changes the record, and no answer and no line of the log has a secret (platform 2, 3 and 31).
"""

import json
import logging
import sqlite3
import threading
from contextlib import closing
from itertools import count, product

import pytest
from tests.application.conftest import STORED
from tests.server.conftest import events_of

ENVIRONMENT, VALUE = "canary-environment-51c0", "canary-secret-value-9d2e"

MORE = """
---
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
"""

BODIES = {
    "POST apply": {"text": "kind: Process\nname: other\nsteps: []\n", "isDry": True},
    "POST conversations": {"title": "Tea"},
    "PATCH conversations/{conversation}": {"title": "Cake"},
    "POST conversations/{conversation}/messages": {"content": "And milk?"},
    "POST messages/{message}/alternatives": {"content": "And tea?"},
    "POST runs/{run}/answers": {"step": "approve", "value": "yes"},
    "POST session": {"link": "of-somebody-else"},
    "POST tokens": {"name": "other"},
    "POST tools/import": {"text": "{}"},
    "POST tools/{name}/call": {"arguments": {}},
    "PUT tools/{tool}/binding": {"secret": "key"},
    "POST services": {"name": "s2", "type": "rest_api", "protocol": "http", "connectionSchema": {"type": "object"}},
    "POST secrets": {"name": "k2", "type": "api_key", "value": {"key": VALUE}},
    "POST service-templates": {
        "name": "t2",
        "type": "rest_api",
        "protocol": "http",
        "connectionSchema": {"type": "object"},
    },
    "POST tool-templates": {"name": "t3", "operation": {"type": "mcp_call", "tool": "echo"}, "inputSchema": {}},
    "POST processes": {"name": "p2", "steps": []},
    "POST skills/{skill}/scripts/{script}/run": {"input": {}},
    "POST requests": {"request": "1 + 1"},
    "PATCH settings": {"values": {"run.ttl": 40}},
    "POST users": {"name": "bob"},
    "PATCH users/{user}": {"role": "operator"},
    "POST knowledge/entities": {"name": "Ida"},
    "PUT conversations/{conversation}/entities/{entity}": {"state": "hidden"},
    "PATCH knowledge/entities/{entity}": {"summary": "Another friend."},
    "POST knowledge/entities/{entity}/merge": {"other": "Linz"},
    "POST knowledge/facts": {"text": "Ida rows."},
    "POST users/{user}/identities": {"issuer": "https://login.example.org", "subject": "4711"},
}
"""The bodies of operations that need one; those that change things by name take an empty one."""

QUERIES = {
    "GET search": {"q": "mine"},
    "GET search/messages": {"q": "salt"},
    "GET knowledge/search": {"q": "salt"},
    "DELETE users/{user}/identities": {"issuer": "https://login.example.org", "subject": "4711"},
}
FILES = {"POST import/conversations": {"file": ("conversations.json", b"[]")}}

PUBLIC = {"POST session"}
"""Operations for who is not signed in."""

SCRIPT = """#!/bin/sh
echo '{"version": "0", "type": "state_patch", "patch": {"said": {"text": "hello"}}}'
echo '{"version": "0", "type": "done", "ok": true, "summary": "said hello"}'
"""

OF_ALL = {"GET metrics/{name}"}
"""Operations with a name that is everybody's: each user gets their own values."""


ENDLESS = {"audit/events"}
"""Streams that end with the server: it is stopping for as long as one of them is read to its end."""

OWNED = ("requests",)
"""What belongs to the owner of the folder: others are refused, whether it is there or not."""

OPERATED = ("skills", "models", "settings", "users", "workers")
"""What operators may do and other users may not."""

OF_OTHERS = ("GET jobs", "GET jobs/dead", "GET metrics/{name}", "GET audit", "GET audit/verify")
"""Operations that show an operator what another user has, with the parameter `user`."""


def is_owned(operation):
    return operation.split(" ")[1].startswith(OWNED)


def is_refused(operation):
    """Whether a user of the record gets 403, who is neither an operator nor the owner of the folder."""
    return operation.split(" ")[1].startswith((*OWNED, *OPERATED))


def make_skill(folder, source=SCRIPT):
    """A skill with one script, which came with the project."""
    script = folder / "scripts" / "speaks.sh"
    script.parent.mkdir(parents=True)
    script.write_text(source)
    script.chmod(0o755)
    scripts = [{"name": "speaks", "path": "scripts/speaks.sh", "description": "Says hello."}]
    manifest = {"name": "greeter", "version": "1.0.0", "description": "Greets.", "scripts": scripts}
    (folder / "skill.json").write_text(json.dumps(manifest))


CONDITION = {"metric": "process.failures", "comparison": ">", "threshold": 3}


class World:
    """A served project in which the user `me` has something of every kind. `asked` are all answers that were given."""

    def __init__(self, serve):
        self.site = serve(
            *["Flour and salt."] * 20, variables={"OPENAI_API_KEY": ENVIRONMENT}, monotonic=count(0, 60).__next__
        )
        make_skill(self.site.folder / "skills" / "greeter")
        self.tokens = {user: self.site.token(user) for user in ("me", "eve", "ops", "ada")}
        self.link = self.site.workspaces.of("me").access.new_link("me")
        browser = self.site.browser("me")
        assert browser.get("/api/v1/session").status_code == 200
        self.session = browser.headers["cookie"].partition("=")[2]
        self.program = self.site.client()
        self.texts = []
        description = self.program.get("/api/v1/openapi.json").json()
        self.operations = [
            (f"{method.upper()} {path.removeprefix('/api/v1/')}", operation)
            for path, operations in description["paths"].items()
            for method, operation in operations.items()
        ]
        self.fill()

    def fill(self):
        for user in ("eve", "ops"):  # when a token was used is kept
            self.ask(user, "GET", "session")
        self.ask("me", "PATCH", "users/ops", json={"role": "operator"})
        self.ask("me", "POST", "apply", json={"text": STORED + MORE})
        self.ask("me", "POST", "secrets", json={"name": "key", "type": "api_key", "value": {"key": VALUE}})
        changed = STORED.replace("{{what}}: ", "{{what}} - ")
        self.ask("me", "POST", "apply", json={"text": changed})  # a second version, which differs from the first
        process = self.ask("me", "GET", "processes/ask").json()
        at = {"name": "often", "process": process["id"], "inputs": {"what": "tea"}, "at": "2999-01-01T00:00:00Z"}
        assert self.ask("me", "POST", "schedules", json=at).status_code == 201
        assert self.ask("me", "POST", "webhooks", json={"name": "outside", "process": "ask"}).status_code == 201
        alert = {"name": "often", "process": "ask", "inputs": {"what": "tea"}, **CONDITION}
        assert self.ask("me", "POST", "alerts", json=alert).status_code == 201
        place = self.ask("me", "POST", "conversations", json={}).json()["id"]
        parts = [("content", (None, "What do pancakes need?")), ("files", ("notes.txt", b"Salt."))]
        message = self.ask("me", "POST", f"conversations/{place}/messages", files=parts).json()["id"]
        answer = self.ask("me", "POST", f"messages/{message}/answers").json()["id"]
        self.ask("me", "GET", f"messages/{answer}/events")
        run = self.ask("me", "POST", "processes/ask/runs", json={"inputs": {"what": "tea"}}).json()["id"]
        while not self.ask("me", "GET", f"runs/{run}/questions").json()["data"]:
            pass
        self.ask("me", "POST", f"runs/{run}/answers", json={"step": "approve", "value": "yes"})
        events = self.ask("me", "GET", f"runs/{run}/events")
        assert events_of(events)[-1][2]["phase"] == "completed"
        entity = self.ask("me", "POST", "knowledge/entities", json={"name": "Tove", "summary": "A friend."}).json()
        self.ask("me", "POST", "knowledge/entities", json={"name": "Linz"})
        fact = self.ask("me", "POST", "knowledge/facts", json={"text": "Tove rows.", "about": "Tove"}).json()
        asked = self.ask("me", "POST", "requests", json={"request": "What is 2 + 3?"})
        request = asked.json()["id"]
        self.ask("me", "GET", f"requests/{request}/events")
        token = self.site.workspaces.of("me").access.list_tokens("me")[0].id
        self.names = {
            "conversation": place,
            "message": message,
            "run": run,
            "process": process["id"],
            "job": run,
            "token": token,
            "n": "1",
            "digest": self.ask("me", "GET", "processes/ask/versions").json()["data"][0]["digest"],
            "tool": self.ask("me", "GET", "tools/mine").json()["id"],
            "answer": answer,
            "skill": "greeter",
            "request_id": request,
            "script": "speaks",
            "model": "small",
            "user": "ada",
            "entity": entity["uuid"],
            "fact": fact["uuid"],
        }
        kinds = {"services": "graph", "secrets": "key", "tools": "mine", "processes": "ask", "schedules": "often"}
        kinds |= {"webhooks": "outside", "alerts": "often"}
        kinds |= {"service-templates": "http api", "tool-templates": "look-up"}
        self.by_kind = {kind: self.ask("me", "GET", f"{kind}/{name}").json()["id"] for kind, name in kinds.items()}

    def ask(self, user, method, path, **options):
        """The answer to a user's request; the text of every answer is kept."""
        headers = {"authorization": f"Bearer {self.tokens[user]}"} if user else {}
        if path in ENDLESS and user is not None:
            threading.Timer(1, self.site.state.stopping.set).start()
        answer = self.program.request(method, f"/api/v1/{path}", headers=headers, **options)
        if path in ENDLESS:
            self.site.state.stopping.clear()
        self.texts.append((f"{user} {method} {path}", answer.text + json.dumps([*answer.headers.items()])))
        return answer

    def path(self, operation):
        """Where an operation finds a thing of `me`."""
        _, path = operation.split(" ")
        kind = path.partition("/")[0]
        of_answer = path.rpartition("/")[2] in {"why", "prompts", "stop", "regenerate"}
        names = {**self.names, "name": self.by_kind.get(kind, "tool.calls")}
        return path.format(**{**names, "message": names["answer"] if of_answer else names["message"]})

    def perform(self, user, operation, options):
        """The answer to an operation with what it needs."""
        method, _ = operation.split(" ")
        query = {"with": self.names["answer"]} if operation.endswith("compare") else QUERIES.get(operation, {})
        return self.ask(user, method, self.path(operation), **options, params=query)

    def options(self, operation, described):
        """The body of an operation, if it has one."""
        body = BODIES.get(operation, {} if operation.startswith("PATCH") else None)
        if operation == "POST schedules":
            body = {"name": "s3", "process": self.names["process"], "inputs": {"what": "tea"}, "cron": "0 0 1 1 *"}
        if operation == "POST alerts":
            body = {"name": "a3", "process": self.names["process"], "inputs": {"what": "tea"}, **CONDITION}
        if operation == "POST webhooks":
            body = {"name": "w3", "process": self.names["process"]}
        if operation == "POST tools":
            body = {"name": "t4", "serviceId": self.by_kind["services"], "connectionParams": {"endpoint": "aeon:graph"}}
            body |= {"operation": {"type": "graph_query", "query": "@users_of_mine"}, "inputSchema": {}}
        needed = described.get("requestBody", {}).get("required", False)
        if operation in FILES:
            return {"files": FILES[operation]}
        assert body is not None or not needed, f"{operation}: BODIES needs a body of this new operation"
        return {} if body is None else {"json": body}

    def record(self):
        """All of the record, as text, but for the heartbeats of this process."""
        beats = ('INSERT INTO "workers"', 'INSERT INTO "executors"')
        with closing(sqlite3.connect(self.site.folder / ".aeon" / "aeon.db")) as opened:
            return [line for line in opened.iterdump() if not line.startswith(beats)]

    def require_no_secret(self, log):
        """No answer and no line of the log has a secret of the record, of a caller or of the environment."""
        secrets = [ENVIRONMENT, VALUE, self.link, self.session, *self.tokens.values()]
        for (where, text), secret in product([*self.texts, ("log", log)], secrets):
            assert secret not in text, where


@pytest.fixture
def world(serve, caplog, fetch_from):
    fetch_from()
    caplog.set_level(logging.DEBUG)
    made = World(serve)
    yield made
    made.require_no_secret(caplog.text)


@pytest.mark.slow
def test_nobody_and_who_only_reads_change_nothing_platform_31(world):
    access = world.site.workspaces.of("me").access
    revoked = access.new_token("me", "revoked")
    access.revoke(revoked.credential.id, "me")
    world.tokens |= {"revoked": revoked.secret, "reader": world.site.token("me", scope="read"), "unknown": "a" * 43}
    world.ask("reader", "GET", "session")  # when a token was used is kept
    before = world.record()
    for operation, described in world.operations:
        options = world.options(operation, described)
        for user in (None, "revoked", "unknown") if operation not in PUBLIC else ():
            answer = world.perform(user, operation, options)
            assert (answer.status_code, answer.headers["content-type"]) == (401, "application/problem+json"), operation
        if not operation.startswith("GET ") and operation not in PUBLIC:
            assert world.perform("reader", operation, options).status_code == 403, operation
    assert world.record() == before


@pytest.mark.slow
def test_another_user_finds_nothing_of_the_owner_platform_2(world):
    before = world.record()
    for operation, described in world.operations:
        if "{" in operation and operation not in OF_ALL:
            answer = world.perform("eve", operation, world.options(operation, described))
            assert answer.status_code == (403 if is_refused(operation) else 404), (operation, answer.text)
            assert world.record() == before, operation
    own = [*world.names.values(), *world.by_kind.values()]
    for operation, described in world.operations:
        if operation.startswith("GET ") and (("{" not in operation) or operation in OF_ALL):
            answer = world.perform("eve", operation, world.options(operation, described))
            assert answer.status_code == (403 if is_refused(operation) else 200), (operation, answer.text)
            assert not [each for each in own if len(each) > 10 and each in answer.text], operation


def test_an_operator_does_what_the_role_allows_and_sees_nothing_else_of_others_platform_31(world):
    for operation, described in world.operations:
        if operation in PUBLIC or operation == "DELETE session":
            continue
        answer = world.perform("ops", operation, world.options(operation, described))
        if is_owned(operation):
            assert answer.status_code == 403, operation
        elif is_refused(operation):
            assert answer.status_code not in {401, 403, 500}, (operation, answer.text)
        elif "{" in operation and operation not in OF_ALL:
            assert answer.status_code == 404, (operation, answer.text)


def test_what_others_have_is_shown_to_operators_alone_and_only_where_the_role_says_platform_31(world):
    assert {each for each, described in world.operations if has_user(described)} == set(OF_OTHERS)
    for operation in OF_OTHERS:
        asked = {"params": {"user": "me"}}
        own = world.ask("me", "GET", world.path(operation))
        assert world.ask("ops", "GET", world.path(operation), **asked).json().keys() == own.json().keys()
        assert world.ask("eve", "GET", world.path(operation), **asked).status_code == 403
        assert world.ask("ops", "GET", world.path(operation), params={"user": "nobody"}).status_code == 404
    shown = world.ask("ops", "GET", "audit", params={"user": "me", "limit": 5}).json()
    assert shown == world.ask("me", "GET", "audit", params={"limit": 5}).json()


def has_user(described):
    return any((each["name"], each["in"]) == ("user", "query") for each in described.get("parameters", []))


@pytest.mark.slow
def test_no_get_changes_the_record_and_the_owner_gets_all_of_them(world):
    for operation, described in world.operations:
        if operation.startswith("GET "):
            before = world.record()
            answer = world.perform("me", operation, world.options(operation, described))
            assert answer.status_code == 200, (operation, answer.text)
            assert world.record() == before, operation


def test_the_owner_may_do_everything_and_no_answer_has_a_secret_platform_3(world):
    changing = [each for each in world.operations if not each[0].startswith("GET ")]
    last = {
        "DELETE session",
        "DELETE tokens/{token}",
        "DELETE conversations/{conversation}",
        "DELETE messages/{message}",
    }
    for operation, described in sorted(changing, key=lambda each: (each[0] in last, each[0].startswith("DELETE "))):
        if operation in {"DELETE session", "DELETE tokens/{token}"}:
            world.tokens["me"] = world.site.token("me")
        answer = world.perform("me", operation, world.options(operation, described))
        refused = {401, 403, 500} if operation not in PUBLIC else {500}
        assert answer.status_code not in refused, (operation, answer.text)

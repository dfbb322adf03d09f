"""The Processes in examples/processes run as they stand, with peers on loopback in place of yours."""

import json
import re
import shutil
import socketserver
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.server.conftest import Site

from aeon.application.default_catalog import add_defaults
from aeon.application.project import Project
from aeon.application.skill_settings import SkillSettingsService
from aeon.skills.launch.grants import Grants
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.wire_double import WireDouble

EXAMPLES = Path(__file__).parents[1] / "examples" / "processes"
ENDPOINT = re.compile(r"http://127\.0\.0\.1:\d+")

pytestmark = pytest.mark.slow


class Peer:
    """An HTTP server on loopback: answers by method and path, and keeps what it was asked.

    An answer is a body, a status with a body, or a list of them, of which the last one stays.
    """

    def __init__(self, answers):
        self.asked, self.answers = [], answers
        peer = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                path = self.path.partition("?")[0]
                peer.asked.append((self.command, self.path, json.loads(body) if body else None))
                status, content = peer.answer_to(f"{self.command} {path}", peer.asked[-1][2])
                is_text = isinstance(content, str)
                data = content.encode() if is_text else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("content-type", "application/rss+xml" if is_text else "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815  # http.server's names

            def log_message(self, *_args):
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def answer_to(self, asked, body):
        answer = self.answers.get(asked, (404, {"error": f"There is no {asked}."}))
        if callable(answer):
            answer = answer(body)
        if isinstance(answer, list):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        return answer if isinstance(answer, tuple) else (200, answer)

    def bodies(self, method, path):
        return [body for each, at, body in self.asked if (each, at) == (method, path)]

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class MailServer:
    """An SMTP server on loopback that keeps the mails it gets."""

    def __init__(self):
        self.mails = mails = []

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                self.say("220 here")
                lines = None
                for raw in self.rfile:
                    line = raw.decode().rstrip("\r\n")
                    if lines is not None:
                        if line != ".":
                            lines.append(line)
                            continue
                        mails.append("\n".join(lines))
                        lines = None
                        self.say("250 kept")
                    elif line.upper() == "DATA":
                        lines = []
                        self.say("354 go on")
                    elif line.upper() == "QUIT":
                        self.say("221 bye")
                        return
                    else:
                        self.say("250 yes")

            def say(self, line):
                self.wfile.write(f"{line}\r\n".encode())

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def place(tmp_path):
    """`place(file, *peers, replies=(), skills=(), change=("", ""))`: a project in which an example was applied.

    The endpoints of the file become those of the peers, in their order. The skills are trusted with what they declare.
    `change` replaces one text of the file, for what would take days.
    """
    with ExitStack() as closing:

        def opening(file, *peers, replies=(), skills=(), change=("", "")):
            environ = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state"), "PATH": "/usr/bin"}
            model = WireDouble(json.dumps(reply) for reply in replies)
            closing.callback(model.close)
            settings = {"model.base_url": model.base_url, "model.name": "scripted", "engine.address": "memory"}
            project = closing.enter_context(Project.open(tmp_path / "project", environ=environ, settings=settings))
            project.model, project.environ = model, environ
            for name in skills:
                shutil.copytree(EXAMPLES / "skills" / name, project.folder / "skills" / name)
            for name in skills:
                skill = project.skills.find(name)
                grants = Grants(network="network" in skill.capabilities)
                project.skills.trusted.trust(skill, grants)
            add_defaults(project._app.platform())
            text = (EXAMPLES / file).read_text().replace(*change)
            for endpoint, peer in zip(dict.fromkeys(ENDPOINT.findall(text)), peers, strict=True):
                text = text.replace(endpoint, peer.url)
                closing.callback(peer.close)
            project.apply(text)
            return project

        yield opening


def settled(project, process, inputs, *answers):
    """A run after each answer, which is a step and what a person says, until it has ended or waits for another."""
    run = project.runs.start(process, inputs)
    ended = project.runs.settle(run.id, 60)
    for step, value in answers:
        assert step in [question.step for question in ended.questions], ended
        project.runs.answer(run.id, step, value)
        ended = project.runs.settle(run.id, 60)
    return ended


RSS = "<rss><channel><title>News</title><item><title>Rain</title><link>http://n/1</link></item></channel></rss>"
JSON_FEED = {"title": "Blog", "items": [{"title": "Bread", "url": "http://b/1"}]}


def test_a_daily_report_sums_up_feeds_and_is_sent_by_mail(place):
    peer, mail = Peer({"GET /news.xml": RSS, "GET /blog.json": JSON_FEED}), MailServer()
    project = place(
        "daily-report.yaml",
        replies=[{"paragraph": "News: it rains."}, {"paragraph": "Blog: there is bread."}],
        skills=("feed-reader", "mailer"),
    )
    SkillSettingsService(project.skills.find("mailer"), project.environ).change(
        {"host": "127.0.0.1", "port": str(mail.port), "sender": "aeon@example.org", "encryption": "none"}
    )
    feeds = [f"{peer.url}/{name}" for name in ("news.xml", "gone.xml", "blog.json")]
    ended = settled(project, "daily_report", {"feeds": feeds, "to": "ida@example.org"})
    first, second = ended.output.splitlines()
    assert (first, second.partition(":")[0]) == ("Sent to ida@example.org.", "Feed 1 was not read")
    (sent,) = mail.mails
    assert "To: ida@example.org" in sent
    assert "Subject: What is new (2 of 3 feeds)" in sent
    assert "News: it rains.\n\nBlog: there is bread." in sent
    assert "- Rain" in json.dumps(project.model.requests[0].body)
    schedule = project.schedules.add(
        {"name": "mornings", "process": "daily_report", "cron": "0 7 * * *", "inputs": {"feeds": feeds, "to": "i@x"}}
    )
    assert project.schedules.next_start(schedule) is not None
    peer.close()
    mail.close()


ORDER = {"order": "A-1", "customer": "Ida", "items": [{"sku": "lamp", "quantity": 1, "price": 40}], "total": 40}
SHOP = {
    "POST /reservations": {"id": "r1"},
    "POST /payments": {"id": "p1"},
    "PUT /parcels/r1": {"parcel": "x7"},
    "DELETE /reservations/r1": {},
    "DELETE /payments/p1": {},
    "PUT /notes/A-1": {},
}


def test_a_small_order_is_shipped_and_a_large_one_waits_for_its_approver(place):
    project = place("order-intake.yaml", shop := Peer(SHOP))
    assert settled(project, "order", ORDER).output == "A-1: shipped as x7"
    assert shop.bodies("POST", "/payments") == [{"order": "A-1", "customer": "Ida", "amount": 40}]
    large = {**ORDER, "total": 900}
    assert settled(project, "order", large, ("approve", "yes")).output == "A-1: shipped as x7"
    before = len(shop.asked)
    assert settled(project, "order", large, ("approve", "no")).output == "A-1: not approved"
    assert len(shop.asked) == before


def test_a_large_order_asks_the_approver_then_the_deputy_and_is_then_refused(place):
    shortened = ("timeout: 86400", "timeout: 2")
    project = place("order-intake.yaml", shop := Peer(SHOP), change=shortened)
    users = project._app.platform().catalog
    for name in ("ida", "olaf"):
        users.add_user(name)
    asked = project.runs.start("order", {**ORDER, "total": 900, "approver": "ida", "deputy": "olaf"})
    people, deadline = [], time.monotonic() + 30
    while (ended := project.runs.settle(asked.id, 60)).phase != "completed":
        assert time.monotonic() < deadline, ended
        people += [question.asks for question in ended.questions if question.asks not in people]
        time.sleep(0.05)
    assert (people, ended.output, shop.asked) == (["ida", "olaf"], "A-1: not approved", [])


def test_an_order_whose_payment_fails_is_undone(place):
    project = place("order-intake.yaml", shop := Peer({**SHOP, "POST /payments": (402, {"error": "no money"})}))
    ended = settled(project, "order", ORDER)
    failure = ended.view.run.failure
    assert (ended.phase, failure["step"], failure["compensation"]) == ("failed", "charge", "complete")
    asked = [f"{method} {path}" for method, path, _ in shop.asked]
    assert asked == ["POST /reservations", "POST /payments", "DELETE /reservations/r1", "PUT /notes/A-1"]
    assert "402" in shop.bodies("PUT", "/notes/A-1")[0]["text"]


@pytest.fixture
def shop_site(tmp_path, monkeypatch):
    """`shop_site(shop)`: a real server with the example of orders and a webhook; returns it, its owner, a sender."""
    monkeypatch.chdir(tmp_path)
    with ExitStack() as closing:

        def opening(shop):
            closing.callback(shop.close)
            site = Site(tmp_path, ScriptedAdapter([]), closing)
            owner = site.client("me")
            text = ENDPOINT.sub(shop.url, (EXAMPLES / "order-intake.yaml").read_text())
            assert owner.post("/api/v1/apply", json={"text": text}).status_code == 200
            made = owner.post("/api/v1/webhooks", json={"name": "shop", "process": "order"}).json()

            def send(id_, event):
                command = [sys.executable, str(EXAMPLES / "send_event.py"), f"http://{site.address}{made['path']}", id_]
                secret = {"AEON_WEBHOOK_SECRET": made["secret"]}
                said = subprocess.check_output(command, input=json.dumps(event), env=secret, text=True, timeout=60)
                status, answer = said.split(" ", 1)
                return int(status), json.loads(answer)

            return site.workspaces.of("me"), owner, send

        yield opening


def test_an_order_comes_by_a_signed_event_a_person_approves_it_and_what_fails_is_undone(shop_site):
    shop = Peer({**SHOP, "POST /payments": [{"id": "p1"}, (402, {"error": "no money"})]})
    own, owner, send = shop_site(shop)
    status, large = send("evt-1", {**ORDER, "total": 900, "source": "shop"})
    assert status == 202
    assert send("evt-1", {**ORDER, "total": 900, "source": "shop"}) == (202, large)
    (question,) = own.runs.settle(large["run"], 60).questions
    own.runs.answer(question.run, question.step, "yes")
    assert own.runs.settle(large["run"], 60).output == "A-1: shipped as x7"
    _, small = send("evt-2", {**ORDER, "order": "A-2"})
    failed = own.runs.settle(small["run"], 60).view.run
    assert (failed.phase, failed.failure["compensation"]) == ("failed", "complete")
    assert ("DELETE", "/reservations/r1", None) in shop.asked
    assert [len(shop.bodies("POST", path)) for path in ("/reservations", "/payments")] == [2, 2]
    status, answer = send("evt-3", {**ORDER, "total": "much"})
    assert (status, "total" in str(answer)) == (422, False)
    assert owner.get("/api/v1/webhooks/shop").json()["refusal"].endswith("look at total.")
    assert len(own.past_runs.list().items) == 2


@pytest.mark.parametrize(
    ("wrong", "said"), [({"order": "1"}, "order"), ({"items": []}, "items"), ({"total": "many"}, "total")]
)
def test_an_order_that_does_not_fit_starts_no_run(place, wrong, said):
    project = place("order-intake.yaml", Peer({}))
    with pytest.raises(Exception, match=said):
        project.runs.start("order", {**ORDER, **wrong})


def test_a_person_checks_only_the_doubtful_pages_of_a_folder(place):
    def fields(body):
        confidence = 0.5 if "blurred" in body["text"] else 0.95
        return {"number": body["number"], "fields": {"total": body["text"], "for": "Ida"}, "confidence": confidence}

    project = place(
        "document-pipeline.yaml", service := Peer({"POST /fields": fields, "PUT /documents": {}}), skills=("pages",)
    )
    (project.folder / "in").mkdir()
    (project.folder / "in" / "a.txt").write_text("12 euros\fblurred\f7 euros")
    (project.folder / "in" / "b.txt").write_text("3 euros")
    run = project.runs.start("read_folder", {"folder": "in"})
    ended = project.runs.settle(run.id, 60)
    (question,) = ended.questions
    assert question.inputs == {"number": 2, "text": 'Correct {"for":"Ida","total":"blurred"}'}
    project.runs.answer(question.run, question.step, {"number": 2, "fields": {"total": "8 euros"}})
    ended = project.runs.settle(run.id, 60)
    assert ended.output == "in/a.txt: checked by me\nin/b.txt: read\n", ended
    kept = {body["file"]: body for body in service.bodies("PUT", "/documents")}
    assert [page["number"] for page in kept["in/a.txt"]["pages"]] == [1, 2, 3]
    assert kept["in/a.txt"]["corrections"] == [{"number": 2, "fields": {"total": "8 euros"}}]
    assert kept["in/b.txt"]["corrections"] == []


@pytest.mark.parametrize(
    ("health", "output", "alerts"),
    [
        ([{"status": "ok"}], "well", []),
        ([(503, {}), {"status": "ok"}], "well", []),
        ([{"status": "tired"}, {"status": "ok"}], "well again", []),
        ([{"status": "tired"}], "alerted", [{"text": "The service says tired"}]),
        ([(404, {})], "alerted", [{"text": "The service does not answer."}]),
    ],
)
def test_a_watch_alerts_after_a_second_look(place, health, output, alerts):
    watched, pager = Peer({"GET /health": health}), Peer({"POST /alerts": {}})
    project = place("monitoring.yaml", watched, pager)
    assert settled(project, "watch", {"pause": "PT1S"}).output == output
    assert pager.bodies("POST", "/alerts") == alerts


def test_research_names_its_sources_and_publishes_what_a_person_approves(place):
    hits = [{"page": "tea", "title": "Tea"}, {"page": "water", "title": "Water"}]
    pages = {
        f"GET /pages/{name}": {"title": name, "url": f"http://w/{name}", "text": name} for name in ("tea", "water")
    }
    wiki = Peer({"GET /search": {"hits": hits}, **pages, "POST /pages": {}})
    replies = [{"notes": "Tea is hot."}, {"notes": "Water boils."}, {"text": "Tea is hot [0]. Water boils [1]."}]
    project = place("research.yaml", wiki, replies=[*replies, *replies])
    said = settled(project, "research_with_sources", {"question": "What is tea?"}, ("review", "publish"))
    assert said.output.splitlines() == [
        "Tea is hot [0]. Water boils [1].",
        "",
        "[0] tea, http://w/tea",
        "[1] water, http://w/water",
        "Published.",
    ], said
    assert wiki.bodies("POST", "/pages") == [{"title": "What is tea?", "text": "Tea is hot [0]. Water boils [1]."}]
    said = settled(project, "research_with_sources", {"question": "What is tea?"}, ("review", "too short"))
    assert said.output.endswith("Not published: too short")
    assert len(wiki.bodies("POST", "/pages")) == 1

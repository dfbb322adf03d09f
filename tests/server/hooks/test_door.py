"""Events of other programs: signed, once each, and nothing for whoever cannot sign (platform 47).

The sender here is written from the descriptions of the schemes, not from the code under test.
"""

import base64
import gzip
import hashlib
import hmac
import json
import logging
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from aeon.platform.access.model import AccountChange
from aeon.server.hooks import door

PROCESS = """
kind: Process
name: order
{shared}initialContext: [order]
inputs:
  total: {{type: number}}
  note: {{type: string, default: none}}
steps:
  - {{id: hold, wait: {wait}, output: held}}
outputTemplate: "{{{{order}}}}: {{{{total}}}}"
"""
ORDER = {"order": "A-1", "total": 40, "surely": "unknown"}
OWN_KEY = "a-key-of-the-sender's-own"


def sign(key, signed):
    return hmac.new(key, signed, hashlib.sha256)


class Sender:
    """A program that sends events, as Standard Webhooks says."""

    def __init__(self, client, made):
        self.client, self.path, self.secret = client, made["path"], made["secret"]

    def headers(self, body, id_="msg_1", at=None, secrets=None):
        at = str(int(time.time() if at is None else at))
        signed = f"{id_}.{at}.".encode() + body
        keys = [base64.b64decode(each.removeprefix("whsec_")) for each in secrets or [self.secret]]
        signatures = [base64.b64encode(sign(key, signed).digest()).decode() for key in keys]
        return {
            "content-type": "application/json",
            "webhook-id": id_,
            "webhook-timestamp": at,
            "webhook-signature": " ".join(f"v1,{each}" for each in signatures),
        }

    def send(self, event=None, more=(), body=None, path=None, **signing):
        body = json.dumps(ORDER if event is None else event).encode() if body is None else body
        headers = self.headers(body, **signing)
        headers.update(more)
        return self.client.post(path or self.path, content=body, headers=headers)


@pytest.fixture
def owner(site):
    return site.client("me")


@pytest.fixture
def applied(owner):
    said = owner.post("/api/v1/apply", json={"text": PROCESS.format(shared="", wait="PT0S")})
    assert said.status_code == 200, said.text


def hook(client, **fields):
    made = client.post("/api/v1/webhooks", json={"name": "orders", "process": "order", **fields})
    assert made.status_code == 201, made.text
    return made.json()


@pytest.fixture
def sender(site, owner, applied):
    return Sender(site.client(), hook(owner))


def runs_of(owner):
    return owner.get("/api/v1/runs?limit=200").json()["data"]


def refusal(owner, name="orders"):
    return owner.get(f"/api/v1/webhooks/{name}").json()["refusal"]


def test_an_event_starts_one_run_whose_audit_entry_says_what_started_it_platform_47(site, owner, sender):
    answer = sender.send()
    assert (answer.status_code, set(answer.json())) == (202, {"run"})
    run = site.workspaces.of("me").runs.settle(answer.json()["run"], 30).view.run
    assert (run.phase, run.trigger) == ("completed", "call")
    assert run.inputs == {"order": "A-1", "total": 40, "note": "none"}
    assert (run.tags["webhook"], run.tags["delivery"]) == ("orders", "msg_1")
    (found,) = owner.get("/api/v1/runs?tag=delivery=msg_1").json()["data"]
    assert found["id"] == run.id
    started = [each for each in owner.get("/api/v1/audit").json()["data"] if each["action"] == "run.start"]
    details = json.loads(started[-1]["details"])
    assert details["webhook"] == sender.path.rpartition("/")[2]
    assert details["origin"] == {"address": "127.0.0.1"}


def test_an_event_that_is_sent_again_has_the_same_run_also_at_once_and_after_a_restart(site, serve, owner, sender):
    with ThreadPoolExecutor(8) as pool:
        answers = [each.result() for each in [pool.submit(sender.send) for _ in range(16)]]
    assert {each.status_code for each in answers} == {202}
    (run,) = {each.json()["run"] for each in answers}
    site.stop()
    again = serve()
    later = Sender(again.client(), {"path": sender.path, "secret": sender.secret})
    assert later.send().json() == {"run": run}
    assert later.send(id_="msg_2").json() != {"run": run}
    assert len(runs_of(again.client("me"))) == 2


def test_events_that_come_out_of_order_and_again_have_one_run_each_with_their_own_inputs(owner, sender):
    """A later event may come first, and a sender's second try long after what it sent next."""
    now = int(time.time())
    order = [3, 1, 4, 2, 3, 1, 2, 4, 1]
    answers = {}
    for number in order:
        answer = sender.send({"order": f"A-{number}", "total": number}, id_=f"msg_{number}", at=now - 60 + 10 * number)
        assert answer.status_code == 202
        assert answers.setdefault(number, answer.json()["run"]) == answer.json()["run"]
    given = {
        each["id"]: each["inputs"]["order"]
        for each in (owner.get(f"/api/v1/runs/{run}").json() for run in answers.values())
    }
    assert given == {run: f"A-{number}" for number, run in answers.items()}
    assert len(runs_of(owner)) == 4


def test_another_event_with_the_same_id_is_a_conflict(owner, sender):
    assert sender.send().status_code == 202
    assert sender.send({**ORDER, "surely": "another"}).status_code == 409
    assert (len(runs_of(owner)), refusal(owner)) == (1, "Another event had the same id.")


def forged(sender, case):
    other = f"whsec_{base64.b64encode(b'x' * 32).decode()}"
    body = json.dumps(ORDER).encode()
    signed = sender.headers(body)
    (version, _, signature), right = signed["webhook-signature"].partition(","), sender.path
    return {
        "no signature": lambda: sender.client.post(right, json=ORDER),
        "another secret": lambda: sender.send(secrets=[other]),
        "a changed body": lambda: sender.client.post(right, content=body.replace(b"40", b"41"), headers=signed),
        "another id": lambda: sender.send(more={"webhook-id": "msg_2"}),
        "another time": lambda: sender.send(more={"webhook-timestamp": str(int(time.time()) + 1)}),
        "too old": lambda: sender.send(at=time.time() - 301),
        "too new": lambda: sender.send(at=time.time() + 302),
        "another version": lambda: sender.send(more={"webhook-signature": f"v2,{signature}"}),
        "no comma": lambda: sender.send(more={"webhook-signature": f"{version}{signature}"}),
        "no base64": lambda: sender.send(more={"webhook-signature": "v1,\xe9\xe9".encode("latin-1")}),
        "a part of it": lambda: sender.send(more={"webhook-signature": f"v1,{signature[:8]}"}),
        "an empty one": lambda: sender.send(more={"webhook-signature": "v1,"}),
        "a time in words": lambda: sender.send(more={"webhook-timestamp": "now"}),
        "an id with a dot": lambda: sender.send(id_="msg.1"),
        "two signatures": lambda: sender.client.post(
            right, content=body, headers=[*signed.items(), ("Webhook-Signature", f"v1,{signature}")]
        ),
        "two ids": lambda: sender.client.post(right, content=body, headers=[*signed.items(), ("WEBHOOK-ID", "msg_9")]),
        "many before it": lambda: sender.send(more={"webhook-signature": "v1,AAAA " * 40 + f"v1,{signature}"}),
        "no such webhook": lambda: sender.send(path="/hooks/00000000-0000-0000-0000-000000000000"),
        "no id at all": lambda: sender.send(path="/hooks/%20"),
    }[case]()


CASES = [
    *("no signature", "another secret", "a changed body", "another id", "another time", "too old", "too new"),
    *("another version", "no comma", "no base64", "a part of it", "an empty one", "a time in words"),
    *("an id with a dot", "two signatures", "two ids", "many before it", "no such webhook", "no id at all"),
]


@pytest.mark.parametrize("case", CASES)
def test_whoever_cannot_sign_gets_one_answer_and_nothing_is_written(owner, sender, case):
    before = owner.get("/api/v1/audit").json()["data"]
    answer = forged(sender, case)
    assert (answer.status_code, answer.json()["detail"]) == (401, "The event is refused."), answer.text
    assert (runs_of(owner), refusal(owner)) == ([], None)
    assert owner.get("/api/v1/audit").json()["data"] == before


def test_a_disabled_webhook_and_that_of_a_disabled_user_answer_as_if_there_were_none(site, owner, sender):
    owner.patch("/api/v1/webhooks/orders", json={"enabled": False})
    assert sender.send().status_code == 401
    owner.patch("/api/v1/webhooks/orders", json={"enabled": True})
    eve = site.client("eve")
    eve.post("/api/v1/apply", json={"text": PROCESS.format(shared="", wait="PT0S")})
    of_eve = Sender(sender.client, hook(eve))
    assert of_eve.send().status_code == 202
    site.workspaces.of("me").users.change("eve", AccountChange(enabled=False))
    assert of_eve.send(id_="msg_2").status_code == 401
    assert sender.send().status_code == 202


def test_the_secret_of_one_webhook_opens_no_other_and_nobody_sees_another_users(site, owner, sender):
    second = Sender(sender.client, hook(owner, name="second"))
    assert sender.send(path=second.path).status_code == 401
    eve, id_ = site.client("eve"), sender.path.rpartition("/")[2]
    assert eve.get(f"/api/v1/webhooks/{id_}").status_code == 404
    assert eve.post(f"/api/v1/webhooks/{id_}/rotate").status_code == 404
    assert eve.get("/api/v1/webhooks").json()["data"] == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"[" * 100_000, 400),
        (b'{"order":' * 200 + b"1" + b"}" * 200, 400),
        (b'{"order": NaN, "total": 1}', 400),
        (b'{"order": "1", "order": "2", "total": 1}', 400),
        (b"\xff\xfe", 400),
        (b"[1]", 400),
        (b"", 400),
        (b'{"order": "A"}', 422),
        (b'{"order": "A", "total": "secret-4711"}', 422),
    ],
)
def test_a_signed_body_that_cannot_be_used_starts_nothing_and_the_owner_sees_why(owner, sender, body, status):
    answer = sender.send(body=body)
    assert answer.status_code == status, answer.text
    assert "total" not in answer.text
    assert runs_of(owner) == []
    said = refusal(owner)
    assert ("total" in said) == (status == 422)
    assert "4711" not in said


def test_large_and_compressed_bodies_are_refused_before_they_are_read_or_parsed(owner, sender):
    bomb = gzip.compress(b"{" + b" " * 50_000_000 + b"}")
    assert sender.send(body=bomb, more={"content-encoding": "gzip"}).status_code == 415
    assert sender.send(body=b"x" * 50_000_000).status_code == 413
    form = {"content-type": "multipart/form-data; boundary=x"}
    assert sender.send(body=b"x" * 2_000_000, more=form).status_code == 415

    def pieces():
        yield from (b" " * 65_536 for _ in range(800))

    in_pieces = sender.client.post(sender.path, content=pieces(), headers={"content-type": "application/json"})
    assert in_pieces.status_code == 413
    assert runs_of(owner) == []


def test_other_methods_hosts_and_pages_of_other_origins_are_refused(sender):
    answer = sender.client.get(sender.path)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert sender.send(more={"host": "evil.example"}).status_code == 421
    assert sender.send(more={"origin": "https://evil.example"}).status_code == 403


def test_no_log_has_anything_of_an_event_or_a_secret(sender, caplog):
    caplog.set_level(logging.DEBUG)
    event = {"order": "zeppelin-7f3a", "total": 4}
    assert sender.send(event).status_code == 202
    assert sender.send(event, more={"webhook-id": "zeppelin-id"}).status_code == 401
    assert sender.send({"order": "zeppelin-7f3a"}, id_="msg_3").status_code == 422
    key = sender.secret.removeprefix("whsec_")
    assert [
        each.getMessage() for each in caplog.records if "zeppelin" in each.getMessage() or key in each.getMessage()
    ] == []
    assert any("event refused" in each.getMessage() for each in caplog.records)


def test_a_secret_is_shown_once_and_the_old_one_counts_for_a_day_unless_it_is_dropped(site, owner, sender):
    assert sender.send(id_="before").status_code == 202
    first = owner.get("/api/v1/webhooks/orders")
    assert sender.secret not in first.text + owner.get("/api/v1/audit").text + owner.get("/api/v1/secrets").text
    rotated = owner.post("/api/v1/webhooks/orders/rotate").json()
    new = Sender(sender.client, rotated)
    assert new.secret != sender.secret
    assert [each.send(id_=f"m{n}").status_code for n, each in enumerate((sender, new))] == [202, 202]
    assert new.send(id_="both", secrets=[sender.secret, new.secret]).status_code == 202
    again = owner.post("/api/v1/webhooks/orders/rotate", json={"keepOld": False}).json()
    newest = Sender(sender.client, again)
    assert [each.send(id_="last").status_code for each in (sender, new, newest)] == [401, 401, 202]


def test_a_secret_of_ones_own_is_used_as_github_and_stripe_sign(site, owner, applied):
    owner.post("/api/v1/secrets", json={"name": "shop", "type": "api_key", "value": {"key": OWN_KEY}})
    key, body, client = OWN_KEY.encode(), json.dumps({**ORDER, "id": "evt_1"}).encode(), site.client()
    plain, own = {"content-type": "application/json"}, {"secret": "shop"}
    made = hook(owner, name="git", scheme="github", **own)
    assert made["secret"] is None
    hub = {**plain, "x-hub-signature-256": f"sha256={sign(key, body).hexdigest()}", "x-github-delivery": "d-1"}
    first, second = (client.post(made["path"], content=body, headers=hub) for _ in range(2))
    assert (first.status_code, first.json()) == (202, second.json())
    assert client.post(made["path"], content=body + b" ", headers=hub).status_code == 401
    made, at = hook(owner, name="pay", scheme="stripe", **own), int(time.time())
    digest = sign(key, f"{at}.".encode() + body).hexdigest()
    signed = {**plain, "stripe-signature": f"t={at},v1={'0' * 64},v1={digest},v0=1"}
    assert client.post(made["path"], content=body, headers=signed).status_code == 202
    assert owner.get("/api/v1/runs?tag=delivery=evt_1").json()["data"] != []
    assert (
        client.post(
            made["path"], content=body, headers={**signed, "stripe-signature": f"t={at - 301},v1={digest}"}
        ).status_code
        == 401
    )
    used = owner.delete("/api/v1/secrets/shop")
    assert (used.status_code, sorted(used.json()["details"]["by"])) == (409, ["git", "pay"])
    assert owner.post("/api/v1/webhooks/git/rotate").status_code == 422
    for name, wrong in (
        ("short", {"secret": "tiny"}),
        ("nobody", {"secret": "nothing"}),
        ("odd", {"input": "nothing"}),
    ):
        owner.post("/api/v1/secrets", json={"name": "tiny", "type": "api_key", "value": {"key": "tiny"}})
        refused = owner.post("/api/v1/webhooks", json={"name": name, "process": "order", **wrong})
        assert refused.status_code in {404, 422}, refused.text


def test_a_whole_event_becomes_one_input(site, owner):
    text = PROCESS.format(shared="", wait="PT0S").replace("  total: {type: number}\n", "").replace(": {{total}}", "")
    owner.post("/api/v1/apply", json={"text": text})
    answer = Sender(site.client(), hook(owner, input="order")).send()
    assert owner.get(f"/api/v1/runs/{answer.json()['run']}").json()["inputs"]["order"] == ORDER


def test_what_its_owner_does_to_a_shared_process_later_stops_the_events_until_the_user_looks(site, owner, applied):
    ann = site.client("ann")

    def share(wait, *, is_shared="true"):
        text = PROCESS.format(shared=f"shared: {is_shared}\n", wait=wait)
        assert ann.post("/api/v1/apply", json={"text": text}).status_code == 200
        return ann.get("/api/v1/processes/order").json()["id"]

    made = hook(owner, process=share("PT0S"))
    sender = Sender(site.client(), made)
    first = sender.send()
    assert first.status_code == 202
    theirs = [each["action"] for each in ann.get("/api/v1/audit").json()["data"]]
    assert {"process.use", "run.start"} <= set(theirs)
    process = share("PT1S")
    assert sender.send(id_="m2").status_code == 409
    assert "has changed it" in refusal(owner)
    assert sender.send().json() == first.json()
    digest = owner.get(f"/api/v1/processes/{process}").json()["digest"]
    assert owner.patch("/api/v1/webhooks/orders", json={"trustedDigest": "0" * 64}).status_code == 422
    assert owner.patch("/api/v1/webhooks/orders", json={"trustedDigest": digest}).status_code == 200
    assert sender.send(id_="m2").status_code == 202
    share("PT1S", is_shared="false")
    gone = sender.send(id_="m3")
    assert (gone.status_code, "order" in gone.text) == (410, False)
    assert refusal(owner) == "Its Process is not shared any more."


def test_a_disabled_process_and_one_that_a_webhook_starts(owner, sender):
    assert owner.delete("/api/v1/processes/order").status_code == 409
    owner.patch("/api/v1/processes/order", json={"enabled": False})
    assert sender.send().status_code == 409
    assert refusal(owner) == "Its Process is disabled."
    secrets = owner.get("/api/v1/secrets").json()["data"]
    assert owner.delete("/api/v1/webhooks/orders").status_code == 204
    assert (len(secrets), owner.get("/api/v1/secrets").json()["data"]) == (1, [])
    assert sender.send().status_code == 401
    assert owner.delete("/api/v1/processes/order").status_code == 204


def test_an_event_for_a_paused_process_is_taken_once_and_its_run_waits(owner, sender):
    assert owner.post("/api/v1/processes/order/pause").status_code in {200, 202}
    first, second = sender.send(), sender.send()
    assert (first.status_code, first.json()) == (202, second.json())
    assert [each["phase"] for each in runs_of(owner)] in (["new"], ["paused"])


def test_a_creation_that_is_repeated_makes_one_webhook_and_one_secret(owner, applied):
    ask = lambda: owner.post(  # noqa: E731
        "/api/v1/webhooks", json={"name": "orders", "process": "order"}, headers={"idempotency-key": "k"}
    )
    first, second = ask(), ask()
    assert (first.json()["id"], second.json()["secret"]) == (second.json()["id"], None)
    assert second.headers["idempotency-replayed"] == "true"
    assert owner.post("/api/v1/webhooks", json={"name": "orders", "process": "order"}).status_code == 422
    assert len(owner.get("/api/v1/secrets").json()["data"]) == 1


def test_too_many_signed_events_of_one_webhook_are_told_when_to_come_again(serve):
    site = serve(monotonic=lambda: 1000.0)
    owner = site.client("me")
    owner.post("/api/v1/apply", json={"text": PROCESS.format(shared="", wait="PT0S")})
    sender = Sender(site.client(), hook(owner))
    for _ in range(300):
        assert sender.send(secrets=[f"whsec_{base64.b64encode(b'x' * 32).decode()}"]).status_code == 401
    answers = [sender.send() for _ in range(201)]
    assert [each.status_code for each in answers] == [202] * 200 + [429]
    assert answers[-1].headers["retry-after"] == "1"
    assert Sender(sender.client, hook(owner, name="second")).send().status_code == 202


def test_a_sender_that_is_too_slow_and_one_too_many_are_told_to_come_again(sender, monkeypatch):
    monkeypatch.setattr(door, "_BODY_SECONDS", 0.2)
    host, _, port = sender.client.base_url.netloc.decode().partition(":")
    head = f"POST {sender.path} HTTP/1.1\r\nhost: {host}:{port}\r\ncontent-type: application/json\r\n"
    with socket.create_connection((host, int(port)), timeout=30) as slow:
        slow.sendall(f"{head}content-length: 9\r\n\r\n{{".encode())
        assert slow.recv(1000).startswith(b"HTTP/1.1 408 ")
    monkeypatch.setattr(door, "_MAX_AT_ONCE", 0)
    refused = sender.send()
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")

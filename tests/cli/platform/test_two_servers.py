"""No state is in the server: two processes serve one project, and each request goes to the other one (platform 31, 32)."""

import base64
import hmac
import http.client
import json
import signal
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from aeon.testing.wire_rules import TextResponse

from .conftest import until
from .two_machines import Network, missing_for_machines
from .two_servers import Servers, SharedMachine

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(300)]

WHOLE = "Flour, eggs, milk and a pinch of salt."
WRITERS, EACH = 20, 6


class Held:
    """An answer that is sent once the server is released."""

    def play(self, exchange):
        exchange.wait_for_release()
        TextResponse(WHOLE).play(exchange)


@pytest.fixture(scope="module")
def network():
    """The network of two machines, or the reason why there is none."""
    if missing := missing_for_machines():
        pytest.skip(missing)
    with Network() as made:
        yield made


@pytest.fixture(params=["sqlite", "postgresql", "two machines"])
def machines(request, aeon, monkeypatch, tmp_path):
    """The machines of both servers, with an empty record; commands of the test use the same one."""
    made, settings = [SharedMachine()] * 2, {}
    if request.param == "postgresql":
        server = request.getfixturevalue("tcp_server")
        settings = {name: server.create_database() for name in ("AEON_STORE_ADDRESS", "AEON_ENGINE_ADDRESS")}
    if request.param == "two machines":
        made, settings = request.getfixturevalue("network").machines(tmp_path)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    if settings:
        assert aeon("store", "migrate").code == 0
    assert aeon("init").code == 0
    with ExitStack() as stack:
        for each in made:
            stack.callback(each.close)
        yield made


@pytest.fixture
def servers(machines, double, background):
    """Both servers, and `servers.model`, whose one answer is held until it is released."""
    model = double(Held())
    for each in machines:
        each.reach(urlsplit(model.base_url).port)
    made = Servers(background, machines)
    made.model = model
    yield made
    made.close()


def test_what_one_server_does_the_other_one_knows_platform_31_and_32(servers):
    """Sign-in, repeated requests, the stream of an answer that the other one makes, and a revoked token."""
    link = {"link": servers.processes[0].link}
    status, headers, _ = servers.call("POST", "/api/v1/session", link, at=0)
    assert status == 201
    session = {"Cookie": headers["set-cookie"].partition(";")[0]}
    assert servers.call("POST", "/api/v1/session", link, at=1)[0] == 401
    assert [servers.call("GET", "/api/v1/session", **session)[0] for _ in range(4)] == [200] * 4

    once = {**session, "Idempotency-Key": "one"}
    made = [servers.call("POST", "/api/v1/conversations", {"title": "Pancakes"}, **once) for _ in range(4)]
    assert len({each[2]["id"] for each in made}) == 1
    assert [each[1]["idempotency-replayed"] for each in made] == [None, "true", "true", "true"]
    place = made[0][2]["id"]

    said = servers.call("POST", f"/api/v1/conversations/{place}/messages", {"content": "What?"}, **session)[2]["id"]
    answer = servers.call("POST", f"/api/v1/messages/{said}/answers", at=0, **session)[2]["id"]
    streams = {}
    readers = [
        threading.Thread(
            target=lambda at=at: streams.update(
                {at: servers.events(f"/api/v1/messages/{answer}/events", at=at, **session)}
            )
        )
        for at in (0, 1)
    ]
    for each in readers:
        each.start()
    servers.model.release()
    for each in readers:
        each.join(60)
    for at, found in streams.items():
        pieces = [each for each in found if each[1] == "piece"]
        assert "".join(each[2]["text"] for each in pieces) == WHOLE, at
        assert [int(each[0]) for each in pieces] == [*range(1, len(pieces) + 1)]
        assert [each[1] for each in found].count("end") == 1
        assert found[-1][2]["content"] == WHOLE
    assert sorted(streams) == [0, 1]

    token = servers.call("POST", "/api/v1/tokens", {"name": "laptop"}, **session)[2]
    program = {"Authorization": f"Bearer {token['secret']}"}
    assert [servers.call("GET", "/api/v1/session", at=at, **program)[0] for at in (0, 1)] == [200, 200]
    assert servers.call("DELETE", f"/api/v1/tokens/{token['id']}", at=0, **session)[0] == 204
    assert [servers.call("GET", "/api/v1/session", at=at, **program)[0] for at in (1, 0)] == [401, 401]


def test_a_killed_server_loses_nothing_that_it_answered_and_a_repetition_is_done_once_platform_20(servers, aeon):
    """20 writers through the proxy while one server is killed; each repeats by its key what failed."""
    program = {"Authorization": f"Bearer {aeon('serve', 'token', 'create', 'test').out.strip()}"}
    answered = {}

    def write(writer):
        for number in range(EACH):
            title = f"{writer}-{number}"
            answered[title] = create(title)

    def create(title):
        while True:
            try:
                status, _, data = servers.call(
                    "POST", "/api/v1/conversations", {"title": title}, **program, **{"Idempotency-Key": title}
                )
            except (OSError, http.client.HTTPException, ValueError):  # killed in the middle of an answer
                continue
            if status == 201:
                return data["id"]
            assert status in {409, 429, 503}, (status, data)

    writers = [threading.Thread(target=write, args=(each,)) for each in range(WRITERS)]
    for each in writers:
        each.start()
    until(lambda: len(answered) > WRITERS)
    servers.processes[0].process.send_signal(signal.SIGKILL)
    for each in writers:
        each.join(120)
    assert len(answered) == WRITERS * EACH
    kept = all_conversations(servers, program)
    assert len(kept) == len(answered), "something is there twice"
    assert dict(kept) == answered


def all_conversations(servers, program):
    """The titles and the ids of all conversations that the second server knows."""
    found, cursor = [], ""
    while cursor is not None:
        path = f"/api/v1/conversations?limit=200{cursor and '&cursor='}{cursor}"
        page = servers.call("GET", path, at=1, **program)[2]
        found += [(each["title"], each["id"]) for each in page["data"]]
        cursor = page["next"]
    return found


@pytest.fixture
def order(machines, aeon):
    """A Process with an input."""
    Path("order.yaml").write_text(
        "kind: Process\nname: order\ninputs: {order: {}}\nsteps: [{id: w, wait: 0, output: w}]\n"
    )
    assert aeon("apply", "-f", "order.yaml").code == 0


@pytest.fixture
def webhook(order, machines, aeon):
    """A webhook of the Process. Its secret is in the vault, which each machine has before its server starts."""
    made = aeon("process", "webhook", "create", "orders", "order", "--json").json
    for each in machines:
        each.copy_vault(Path.cwd())
    return made


def test_an_event_that_is_sent_to_both_servers_has_one_run_platform_47(webhook, servers, aeon):
    """Twenty times at once, through the proxy to each in turn."""
    key, at, answers = base64.b64decode(webhook["secret"].removeprefix("whsec_")), str(int(time.time())), []

    def send(id_, event):
        signed = f"{id_}.{at}.{json.dumps(event)}".encode()
        signature = base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
        names = {"Webhook-Id": id_, "Webhook-Timestamp": at, "Webhook-Signature": f"v1,{signature}"}
        answers.append(servers.call("POST", webhook["path"], event, **names))

    threads = [threading.Thread(target=send, args=("msg_1", {"order": 1})) for _ in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert [each[0] for each in answers] == [202] * 20
    assert len({each[2]["run"] for each in answers}) == 1
    send("msg_1", {"order": 2})
    assert answers[-1][0] == 409
    assert len(aeon("log", "list", "--json", "--tag", "delivery=msg_1").json) == 1


def test_a_large_result_of_one_server_is_known_to_the_other_one_platform_31(order, servers, aeon):
    """Over 256 KB, the run has a reference; the text is in a file of the folder, or in the record of a server."""
    program = {"Authorization": f"Bearer {aeon('serve', 'token', 'create', 'test').out.strip()}"}
    for at in (0, 1):
        inputs = {"order": str(at) * 300_000}
        start = "/api/v1/processes/order/runs"
        run = servers.call("POST", start, {"inputs": inputs}, at=at, Prefer="wait=30", **program)[2]["id"]
        status, _, found = servers.call("GET", f"/api/v1/runs/{run}", at=1 - at, **program)
        assert (status, found["phase"], found["inputs"]) == (200, "completed", inputs)
    assert not any("LostResultError" in each.err for each in servers.processes)

"""Eight workers of three types, some of which are killed and some drained: nothing is lost or completed twice (platform 10)."""

import json
import signal
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from .conftest import until

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(300)]

ITEMS = 60
CONCURRENCY = 2
"""Jobs that a worker executes at once."""

ORDERS = f"""
kind: Service
name: model
type: llm_provider
protocol: http
connectionSchema: {{type: object, required: [endpoint, model]}}
---
kind: Tool
name: describe
service: model
connectionParams: {{endpoint: "http://127.0.0.1:PORT/v1", model: double}}
operation: {{type: llm_call, promptTemplate: "describe <{{{{id}}}}>", allowPrivate: true}}
inputSchema: {{type: object, required: [id], properties: {{id: {{type: string}}}}}}
outputSchema: {{type: object, required: [text], properties: {{text: {{type: string}}}}}}
---
kind: Process
name: orders
initialContext: []
steps:
  - id: fetch
    tool: item
    forEach: {{items: {list(map(str, range(ITEMS)))}, concurrency: 8}}
    inputs: {{id: "{{item}}"}}
    output: fetched
    execution: {{mode: parallel}}
  - id: describe
    tool: describe
    forEach: {{items: {list(map(str, range(ITEMS)))}, concurrency: 8}}
    inputs: {{id: "{{item}}"}}
    output: described
    execution: {{mode: parallel}}
outputTemplate: "{{{{json step.described}}}}"
"""


class Model:
    """Answers every chat with the prompt's item, and counts the items."""

    def __init__(self):
        self.asked = Counter()
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):  # the server's own name
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                item = body["messages"][-1]["content"].partition("<")[2].partition(">")[0]
                model.asked[item] += 1
                message = {"role": "assistant", "content": json.dumps({"text": f"it is {item}"})}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                answer = json.dumps({"id": "1", "object": "chat.completion", "model": "double", "choices": [choice]})
                try:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer.encode())
                except OSError:  # the worker that asked was killed
                    return

            def do_GET(self):  # which a worker asks for the model's health
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_said):
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.port = self._server.server_port

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def model():
    made = Model()
    yield made
    made.close()


@pytest.mark.parametrize("engine", ["PostgreSQL", "Temporal"])
def test_eight_workers_of_three_types_lose_nothing_and_complete_nothing_twice(
    aeon, applied, background, shop, model, engine_at, engine
):
    """One of each type is killed in the middle of its work and one is drained; others take their places."""
    Path("aeon.toml").write_text(f"[engine]\n{engine_at(engine)}rest_api = 0\nllm_call = 0\n", encoding="utf-8")
    applied(ORDERS.replace("PORT", str(model.port)))

    def started(kind):
        few = () if kind == "process" else ("--concurrency", str(CONCURRENCY))
        worker = background("serve", "worker", "--type", kind, *few)
        worker.says("serves runs" if kind == "process" else f"serves jobs: {kind}")
        return worker

    fleet = {kind: [started(kind) for _ in range(count)] for kind, count in COUNTS.items()}
    run = aeon("process", "run", "orders", "-d").out.strip()

    def done():
        return min(sum(shop.jobs.values()), sum(model.asked.values()))

    for number, count in enumerate((8, 20)):
        until(lambda count=count: done() >= count, lambda: reports(fleet), seconds=60)
        for kind, workers in fleet.items():
            leaving = workers.pop(0)
            assert leaving.ends(signal.SIGKILL if number == 0 else signal.SIGTERM) == (-9 if number == 0 else 0)
            workers.append(started(kind))
    until(lambda: phase_of(aeon, run) in {"completed", "failed"}, lambda: reports(fleet), seconds=90)
    assert phase_of(aeon, run) == "completed", reports(fleet)

    output = json.loads(json.loads(aeon("log", "show", run, "--json").out)["output"])
    assert [each["text"] for each in output] == [f"it is {n}" for n in range(ITEMS)]
    jobs = {job: calls for job, calls in shop.jobs.items() if job}
    assert len(jobs) == ITEMS, "each item has one job"
    assert {item for item, _ in model.asked.items()} == set(map(str, range(ITEMS)))
    for repeated in (sum(jobs.values()), sum(model.asked.values())):
        assert repeated - ITEMS <= CONCURRENCY, "only what was cut off by a kill is made again"


COUNTS = {"process": 2, "rest_api": 3, "llm_call": 3}


def reports(fleet):
    return "\n".join(worker.err for workers in fleet.values() for worker in workers)


def phase_of(aeon, run):
    return json.loads(aeon("log", "show", run, "--json").out)["phase"]

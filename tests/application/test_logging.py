"""What a program that uses a project sees in the standard logging; no secret is ever in it."""

import json
import logging
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from aeon import tool
from aeon.base.errors import LLMError, OrchestrationError
from aeon.llm.adapters.remote_api import RemoteAPIAdapter
from aeon.llm.interface import LLMResponse
from aeon.testing.llm import ScriptedAdapter

CANARIES = {
    "argument": "canary-argument-1122",
    "header": "canary-header-3344",
    "env": "canary-env-5566",
    "error": "canary-error-7788",
}
SAY = {"goal": "say", "steps": [{"step_id": "s", "description": "say", "tool": "echo", "arguments": {"text": "hello"}}]}


class Ending(logging.Handler):
    """Hears that a run has completed, after those that listened before."""

    def __init__(self):
        super().__init__()
        self.heard = threading.Event()

    def emit(self, record):
        if record.getMessage().endswith("run completed"):
            self.heard.set()

    @contextmanager
    def listening(self):
        logging.getLogger().addHandler(self)
        try:
            yield
        finally:
            logging.getLogger().removeHandler(self)


def told(caplog):
    return [(each.name, each.levelname, each.getMessage()) for each in caplog.records if each.name.startswith("aeon")]


def test_a_request_is_told_with_its_id_duration_and_tokens(opened, caplog):
    caplog.set_level(logging.DEBUG, "aeon")
    reply = LLMResponse(json.dumps(SAY), "stop", {"input_tokens": 40, "output_tokens": 9}, "m-1")
    result = opened(model=ScriptedAdapter([reply])).ask("say hello")
    names = [(name, level) for name, level, _ in told(caplog)]
    assert names == [
        ("aeon.kernel", "INFO"),
        ("aeon.llm", "DEBUG"),
        ("aeon.kernel", "INFO"),
        ("aeon.tools", "DEBUG"),
        ("aeon.kernel", "DEBUG"),
        ("aeon.kernel", "INFO"),
    ]
    assert {each.run_id for each in caplog.records} == {result.log.stem}
    call = caplog.records[1]
    assert (call.model, call.prompt_tokens, call.completion_tokens) == ("m-1", 40, 9)
    assert call.duration >= 0
    assert "hello" not in caplog.text


def test_a_request_that_cannot_be_planned_is_an_error(opened, caplog):
    caplog.set_level(logging.INFO, "aeon")
    project = opened(model=ScriptedAdapter([LLMError("no network")]))
    with pytest.raises(OrchestrationError):
        project.ask("say hello")
    assert [(name, level) for name, level, _ in told(caplog)] == [
        ("aeon.kernel", "INFO"),
        ("aeon.llm", "ERROR"),
        ("aeon.kernel", "ERROR"),
    ]


def test_a_run_of_a_process_is_told_with_its_id(project, caplog):
    caplog.set_level(logging.INFO, "aeon")
    ended = Ending()
    with ended.listening():
        run = project.runs.start("greet", {"who": "Ann"})
        project.runs.settle(run.id, 20)
        assert ended.heard.wait(20)  # it is stored, which `settle` waits for, and then logged
    runs = [each for each in caplog.records if each.name == "aeon.runs"]
    assert [each.getMessage() for each in runs] == [f"[{run.id}] run started", f"[{run.id}] run completed"]
    assert {each.run_id for each in runs} == {run.id}
    assert "Ann" not in caplog.text


def test_no_secret_is_logged(opened, caplog):
    caplog.set_level(logging.DEBUG)

    @tool
    def shop(pin: str) -> str:
        """Buys something."""
        raise ValueError(f"{pin} was refused, the service says {CANARIES['error']}, key {CANARIES['env']}")

    plan = {
        "goal": "buy",
        "steps": [
            {"step_id": "s", "description": "buy", "tool": "shop", "arguments": {"pin": CANARIES["argument"]}},
            {"step_id": "t", "description": "buy", "tool": "shop", "arguments": {"pin": [CANARIES["argument"]]}},
        ],
    }
    environ = {"SHOP_TOKEN": CANARIES["env"], "SHOP_PASSWORD": CANARIES["error"]}
    with RejectingServer(CANARIES["header"]) as port:
        model = RemoteAPIAdapter(f"http://127.0.0.1:{port}/v1", "m", api_key=CANARIES["header"])
        project = opened(model=model, environ=environ)
        with pytest.raises(OrchestrationError):
            project.ask("buy 2 of 3")
        planner = opened(model=ScriptedAdapter([plan, *[plan] * 5]), environ=environ)
        assert planner.ask("buy", tools=[shop]).status == "failed"
    shown = "\n".join(logging.Formatter().format(each) + repr(vars(each)) for each in caplog.records)
    assert "step s failed" in shown
    assert [name for name, secret in CANARIES.items() if secret in shown] == []


class RejectingServer:
    """A model server that rejects every key and quotes it."""

    def __init__(self, key):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.dumps({"error": {"message": f"wrong key {key}"}}).encode()
                self.send_response(401)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        return self.server.server_port

    def __exit__(self, *error):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


PROGRAM = """
import logging, sys
logging.basicConfig(level=logging.INFO)
from aeon import Plan, Project
plan = Plan.model_validate({"goal": "say", "steps": [
    {"step_id": "s", "description": "say", "tool": "echo", "arguments": {"text": "hello"}}]})
with Project.open(sys.argv[1]) as project:
    project.run_plan(plan)
"""


@pytest.mark.slow
def test_a_program_with_basic_config_sees_useful_lines(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    )
    lines = done.stderr.splitlines()
    run = re.fullmatch(r"INFO:aeon\.kernel:(\[\S+\]) run started", lines[0])[1]
    assert lines[1] == f"INFO:aeon.kernel:{run} plan supplied: 1 steps"
    assert lines[2].startswith(f"INFO:aeon.kernel:{run} run completed after")
    assert len(lines) == 3

"""`aeon skill run` and `aeon log replay`: the main paths, exit codes, what goes where."""

import json
import shutil
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from aeon.testing.wire_rules import ErrorResponse

ROLL = "dice-roller/scripts/roll.sh"


def told(ended) -> str:
    return " ".join(ended.err.split())


def trace_of(ended) -> Path:
    (line,) = [line for line in ended.err.splitlines() if line.startswith("trace: ")]
    return Path(line.removeprefix("trace: "))


def test_a_plan_runs_without_a_model_and_its_trace_replays(aeon, skill, plan):
    """Skills 6: the final state again from the trace alone."""
    skill("talker", say="speaks")
    ended = aeon("skill", "run", plan(("a", "talker/scripts/say.sh"), ("b", ROLL, {"dependencies": ["a"]})))
    assert ended.code == 0
    assert ended.out.startswith("said hello\n2d6: ")
    assert "[a] completed (" in ended.err
    trace = trace_of(ended)
    assert trace.parent == Path(".aeon/logs")
    again = aeon("log", "replay", trace)
    assert again.code == 0
    assert json.loads(again.out)["said"] == {"text": "hello"}
    assert aeon("log", "replay", trace, "--json").json["same"] is True
    assert aeon("log", "replay", "-", stdin=trace.read_bytes()).code == 0


def test_what_a_script_that_succeeds_writes_to_stderr_is_shown(aeon, skill, plan):
    source = """#!/bin/sh
echo one warning >&2
echo another >&2
echo '{"version": "0", "type": "done", "ok": true, "summary": "done"}'
"""
    skill("noisy", say=source)
    ended = aeon("skill", "run", plan(("a", "noisy/scripts/say.sh")))
    assert (ended.code, ended.out) == (0, "done\n")
    assert "stderr one warning another" in told(ended)
    shown = aeon("log", "show", trace_of(ended))
    assert "stderr: one warning another" in " ".join(shown.out.split())


def test_a_trace_that_was_changed_is_code_1(aeon, skill, plan):
    """Skills 6."""
    skill("talker", say="speaks")
    trace = trace_of(aeon("skill", "run", plan(("a", "talker/scripts/say.sh"))))
    trace.write_text(trace.read_text().replace('"finalState":{', '"finalState":{"more":1,'))
    ended = aeon("log", "replay", trace)
    assert ended.code == 1
    assert "one of them was changed" in told(ended)
    ended = aeon("log", "replay", "plan.json")
    assert ended.code == 2
    assert "$.planId" in told(ended)


def test_json_is_one_object_and_nothing_else(aeon, skill, plan):
    """Skills-data-model 3: the published names."""
    skill("talker", say="speaks")
    ended = aeon("skill", "run", plan(("a", "talker/scripts/say.sh")), "--json", "--trace", "kept/t.json")
    assert ended.code == 0
    assert ended.json["success"] is True
    assert ended.json["finalState"] == {"said": {"text": "hello"}}
    assert ended.json == json.loads(Path("kept/t.json").read_text())
    assert [path.name for path in Path("kept").iterdir()] == ["t.json"]


def test_data_flows_from_node_to_node_from_stdin(aeon, skill, plan):
    """Skills 5: `{tool.<toolId>.<path>}`."""
    skill("talker", say="speaks")
    aeon("skill", "new", "greeter", "--language", "bash")
    file = plan(
        ("a", "talker/scripts/say.sh"),
        ("b", "greeter/scripts/run.sh", {"input": {"name": "{tool.a.said.text} you"}}),
        narrative="b said {tool.b.greeting}",
    )
    ended = aeon("skill", "run", "-", stdin=file.read_bytes())
    assert ended.code == 0
    assert "hello you" in ended.out


def test_what_is_required_fails_the_plan_and_what_is_not_does_not(aeon, skill, plan):
    """Skills 5: dependents of a required node are skipped, those of an optional one still run."""
    skill("talker", say="speaks", fail="fails")
    fail, say = "talker/scripts/fail.sh", "talker/scripts/say.sh"
    ended = aeon("skill", "run", plan(("a", fail, {"required": False}), ("b", say, {"dependencies": ["a"]})))
    assert (ended.code, ended.out) == (0, "said hello\n")
    assert "failed: a" in ended.err
    ended = aeon("skill", "run", plan(("a", fail), ("b", say, {"dependencies": ["a"]}), ("c", say)))
    assert (ended.code, ended.out) == (1, "said hello\n")
    assert "exit_code: Exit code 3: out of paper" in told(ended)
    assert "failed: a\nnot run: b\n" in ended.err


def test_retries_are_told_and_counted(aeon, skill, plan):
    """Skills 4."""
    skill("talker", fail="fails")
    policy = {"retryPolicy": {"maxRetries": 2, "backoffMs": 1}}
    ended = aeon("skill", "run", plan(("a", "talker/scripts/fail.sh", policy)), "--json")
    assert ended.code == 1
    assert ended.json["executionTrace"][0]["retryCount"] == 2
    assert "attempt 2 failed, retry in 2 ms" in ended.err


def test_the_plan_s_deadline_ends_what_runs(aeon, skill, plan):
    """Skills 4: the plan's deadline caps every attempt; nothing survives."""
    skill("talker", nap="naps", say="speaks")
    nap = ("a", "talker/scripts/nap.sh")
    ended = aeon("skill", "run", plan(nap, ("b", "talker/scripts/say.sh", {"dependencies": ["a"]})), "--timeout", 0.3)
    assert (ended.code, ended.out) == (1, "")
    assert "plan_timeout" in ended.err
    assert "failed: a\nnot run: b\n" in ended.err


@pytest.mark.parametrize("level", ["plain", "landlock", "bubblewrap", "require", "auto"])
def test_every_level_of_isolation_can_be_asked_for(aeon, skill, plan, level):
    """A level that is not to be had here is said to be so, and nothing runs."""
    skill("talker", say="speaks")
    ended = aeon("skill", "run", plan(("a", "talker/scripts/say.sh")), "--sandbox", level, "--json")
    if ended.code == 0:
        got = ended.json["executionTrace"][0]["sandbox"]
        assert got == level or (level in ("auto", "require") and got)
    else:
        assert "requested isolation" in ended.err
        assert level not in ("plain", "auto")


@pytest.mark.parametrize(
    ("option", "value"), [("--sandbox", "jail"), ("--timeout", "0"), ("--timeout", "nan"), ("--parallel", "0")]
)
def test_a_limit_that_is_none_is_code_2(aeon, skill, plan, option, value):
    ended = aeon("skill", "run", plan(("a", ROLL)), option, value)
    assert (ended.code, ended.out) == (2, "")
    assert option in ended.err


def test_a_request_is_planned_by_a_model_that_a_script_may_ask_too(aeon, double):
    """The storyteller asks the configured model itself, through the gateway (capability `model`)."""
    path = "storyteller/scripts/narrate.py"
    node = {"toolId": "t1", "toolPath": path, "input": {"prompt": "a lamp", "length": "short"}}
    nodes = {"scripts": [path], "count": 1, "tools": [node]}
    server = double({"skills": ["storyteller"]}, nodes, "The lamp went on.")
    ended = aeon("skill", "run", "Tell me a story about a lamp", "--json")
    assert ended.code == 0
    assert ended.json["finalState"]["narrative"] == "The lamp went on."
    assert "chosen from" in ended.err
    assert len(server.requests) == 3


def test_what_needs_no_skill_is_answered_by_the_model(aeon, double):
    double({"skills": ["none"]}, "Four.")
    ended = aeon("skill", "run", "-", stdin=b"What is two and two?")
    assert (ended.code, ended.out) == (0, "Four.\n")


def test_without_a_model_the_request_s_words_plan_and_that_is_said(aeon, double):
    """Skills 12: the planner unreachable."""
    double(ErrorResponse(400))
    ended = aeon("skill", "run", "roll 3d6 for me")
    assert ended.code == 0
    assert ended.out.startswith("3d6: ")
    assert "planned without a model, by its words alone" in told(ended)


def test_words_that_lead_nowhere_end_after_one_attempt_with_a_text(aeon, double):
    """Skills 12: nothing crashes, nothing loops."""
    double(ErrorResponse(400))
    ended = aeon("skill", "run", "make me a sandwich")
    assert ended.code == 1
    assert ended.out.startswith("I could not complete this request: make me a sandwich\n")
    assert ended.err.count("attempt 1 failed") == 1
    assert "attempt 2" not in ended.err


def test_a_model_that_was_never_fetched_is_no_model_either(aeon, tmp_path, monkeypatch):
    for name in ("PROVIDER", "BASE_URL", "NAME"):
        monkeypatch.delenv(f"AEON_MODEL_{name}")
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "empty"))
    ended = aeon("skill", "run", "roll 2d6", "--no-input")
    assert ended.code == 0
    assert "warning: " in ended.err
    assert "planned without a model" in told(ended)


@pytest.mark.slow
def test_a_server_that_does_not_listen_is_no_model_either(aeon):
    ended = aeon("skill", "run", "roll 2d6")
    assert ended.code == 0
    assert "planned without a model" in told(ended)


@pytest.mark.parametrize("request_text", ["", "   ", "-"])
def test_an_empty_request_is_code_2(aeon, request_text):
    ended = aeon("skill", "run", request_text)
    assert (ended.code, ended.out) == (2, "")


def test_a_report_of_a_table_names_the_files_it_made(aeon, plan):
    """Skills 2: assets are existing files."""
    Path("sales.csv").write_text("region,amount\nnorth,10\nsouth,20\nnorth,5\n")
    given = {"path": "sales.csv", "column": "amount", "groupBy": "region"}
    ended = aeon("skill", "run", plan(("c", "csv-report/scripts/report.py", {"input": given})))
    assert ended.code == 0
    (chart,) = [Path(word) for word in ended.err.split() if word.endswith("chart.png")][-1:]
    assert chart.read_bytes().startswith(b"\x89PNG")
    assert chart.is_relative_to(Path.cwd() / ".aeon" / "skills" / "csv-report" / "data")


@pytest.mark.parametrize("path", ["../../home/.bashrc", "/etc/hostname", "none.csv", "a\0b"])
def test_a_file_outside_the_project_is_refused(aeon, plan, path):
    """Decision 18: files inside the folder the user works in, and no others."""
    ended = aeon("skill", "run", plan(("c", "csv-report/scripts/report.py", {"input": {"path": path}})))
    assert (ended.code, ended.out) == (1, "")
    assert "names files that cannot be used: $.path" in told(ended)


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/plain")
        self.end_headers()
        self.wfile.write(b"a page")

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.mark.slow
@pytest.mark.server
@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed: apt-get install nodejs")
def test_pages_come_only_from_hosts_that_are_allowed(aeon, plan):
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        threading.Thread(target=partial(server.serve_forever, 0.01), daemon=True).start()
        host = f"127.0.0.1:{server.server_port}"
        fetch = (
            "h",
            "http-fetch/scripts/fetch.mjs",
            {"input": {"url": f"http://{host}/x"}, "retryPolicy": {"maxRetries": 0}},
        )
        refused = aeon("skill", "run", plan(fetch))
        assert refused.code == 1
        assert "host_not_allowed" in refused.err
        assert aeon("skill", "config", "http-fetch", "--set", f'allowedHosts=["{host}"]').code == 0
        fetched = aeon("skill", "run", plan(fetch), "--json")
        server.shutdown()
    assert fetched.json["executionTrace"][0]["output"]["http"]["body"] == "a page"


def test_what_is_remembered_in_one_run_is_there_in_the_next(aeon, plan):
    remember = {"input": {"key": "colour", "value": "blue"}}
    assert aeon("skill", "run", plan(("m", "memory/scripts/remember.py", remember))).code == 0
    ended = aeon("skill", "run", plan(("m", "memory/scripts/recall.py", {"input": {"key": "colour"}})))
    assert (ended.code, ended.out) == (0, "colour: blue\n")


def test_a_folder_in_aeon_toml_is_searched_and_a_disabled_skill_is_not_run(aeon, skill, plan):
    skill("talker", folder="more", say="speaks")
    Path("aeon.toml").write_text('[skills]\nfolders = ["more"]\ndisabled = ["memory"]\n')
    assert aeon("skill", "run", plan(("a", "talker/scripts/say.sh"))).code == 0
    assert ("memory", "1.0.0", "disabled") in aeon("skill", "list").cells("NAME", "VERSION", "STATE")
    ended = aeon("skill", "run", plan(("a", "memory/scripts/recall.py", {"input": {"key": "k"}})))
    assert ended.code == 2
    assert "disabled_skill" in ended.err


def test_a_plan_of_no_nodes_is_done(aeon, plan):
    assert aeon("skill", "run", plan()).code == 0


def test_lines_fit_eighty_columns_and_nothing_steers_the_terminal(aeon, skill, plan):
    loud = """#!/bin/sh
printf '%s\\n' '{"version": "0", "type": "log", "level": "info", "message": "\\u001b[31mred \\u202eevil"}'
printf '%s\\n' '{"version": "0", "type": "done", "ok": true, "summary": "\\u001b]0;title\\u0007"}'
"""
    skill("talker", say=loud)
    ended = aeon("skill", "run", plan(("a", "talker/scripts/say.sh", {"input": {"text": "word " * 100}})))
    assert ended.code == 0
    assert "\x1b" not in ended.out + ended.err
    assert "\u202e" not in ended.err
    assert max(map(len, ended.err.splitlines())) <= 80


@pytest.mark.slow
def test_on_a_terminal_the_nodes_are_drawn(terminal, skill, plan):
    skill("talker", say="speaks")
    code, screen = terminal("skill", "run", plan(("a", "talker/scripts/say.sh")))
    assert code == 0
    assert "said hello" in screen
    assert "a: talker/scripts/say.sh" in screen

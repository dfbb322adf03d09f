"""Models that misbehave: however one answers, the run ends soon, with a clear message and no trace (core 4, core 9)."""

import json
from typing import NamedTuple

import pytest

from aeon.testing.wire_rules import (
    ConnectionReset,
    ErrorResponse,
    RawResponse,
    TextResponse,
    TruncatedBody,
    WireExchange,
)

STEP = {"step_id": "s1", "description": "say hello", "tool": "echo", "arguments": {"text": "hello"}}
PLAN = {"goal": "say hello", "steps": [STEP]}


def planned(*steps: dict) -> str:
    return json.dumps({"goal": "g", "steps": list(steps)})


class AtOnce(NamedTuple):
    """An answer in one event: streamed in pieces of a few letters, a million of them take a while."""

    text: str

    def play(self, exchange: WireExchange) -> None:
        if not exchange.is_stream:
            TextResponse(self.text).play(exchange)
            return
        choice = {"index": 0, "delta": {"role": "assistant", "content": self.text}, "finish_reason": "stop"}
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        exchange.begin("text/event-stream", None)
        exchange.write(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())
        exchange.end()


@pytest.mark.parametrize(
    "answer",
    [
        "Certainly! First I would add the numbers, and then I would tell you what they are.",
        "Natürlich! Zuerst würde ich die Zahlen zusammenzählen. 首先我会把数字加起来。",
        json.dumps(PLAN)[:40],
        "",
        "{}",
        "[[[[" * 5000,
        "x" * 300_000,
        json.dumps({"ziel": "g", "schritte": [STEP]}),
        planned(),
        "\x00\x1b[2J\u202e",
    ],
    ids=["prose", "languages", "half", "nothing", "empty", "brackets", "endless", "keys", "no steps", "controls"],
)
def test_a_model_that_gives_no_plan_is_asked_three_times_and_no_more(aeon, double, answer):
    server = double(*[AtOnce(answer)] * 9)
    ended = aeon("run", "say hello", "--json", "--log", "run.jsonl")
    assert ended.code == 1
    assert len(server.requests) <= 3
    assert ended.json["error"]["type"] == "OrchestrationError"
    assert ended.json["error"]["next_step"]
    assert "No plan could be made" in ended.err
    assert "Traceback" not in ended.err
    assert "\x1b" not in ended.err
    assert len(ended.err) < 5000, "what the model said is not poured out"
    assert aeon("log", "verify", "run.jsonl").code == 0


def test_a_plan_that_was_cut_off_is_never_completed_by_guessing(aeon, double):
    """Core 9."""
    double(*[TextResponse(json.dumps({**PLAN, "steps": [STEP, STEP]})[:-30], finish_reason="length")] * 9)
    ended = aeon("run", "say hello")
    assert (ended.code, ended.out) == (1, "")
    assert "cut off" in ended.err


def test_a_model_that_names_another_tool_gets_none_that_does_not_exist(aeon, double):
    """Core 10, core 17: after repair the model carries the step out itself, and nobody is told that a tool did."""
    server = double(planned({**STEP, "tool": "send_email"}), '{"tool": "format_disk"}', '{"tool": "rm"}', "hello")
    ended = aeon("run", "say hello", "--json")
    assert (ended.code, ended.json["status"], ended.json["answer"]) == (4, "completed", "hello")
    assert ended.json["trusted"] is False
    assert ended.json["plan"]["steps"][0]["tool"] == "send_email"
    assert ended.json["marks"][STEP["step_id"]][0].startswith("fallback: there is no tool 'send_email'")
    assert len(server.requests) <= 4


def test_a_call_of_another_tool_fails_its_step(aeon, double):
    steps = {"step_id": "s1", "description": "say hello", "tool": "echo"}
    answer = '{"tool": "calculator", "arguments": {"expression": "1"}}'
    server = double(planned(steps), *[answer] * 9)
    ended = aeon("run", "say hello", "--json")
    assert ended.code == 1
    assert ended.json["status"] == "failed"
    assert len(server.requests) <= 4


@pytest.mark.parametrize(("steps", "reason"), [(400, "50"), (10_000, "with a complete document")])
def test_far_too_many_steps_are_no_plan(aeon, double, steps, reason):
    """What is longer than any plan that was asked for is not read to its end."""
    server = double(*[AtOnce(planned(*[{**STEP, "step_id": f"s{number}"} for number in range(steps)]))] * 9)
    ended = aeon("run", "say hello", "--log", "run.jsonl")
    assert (ended.code, ended.out) == (1, "")
    assert len(server.requests) <= 3
    assert reason in " ".join(ended.err.split())
    assert len(ended.err) < 5000


def test_more_steps_than_the_ttl_are_told_before_anything_runs(aeon, double):
    double(planned(*[{**STEP, "step_id": f"s{number}"} for number in range(40)]))
    ended = aeon("run", "say hello", "--ttl", "3", "--log", "run.jsonl")
    assert (ended.code, ended.out) == (3, "")
    told = " ".join(ended.err.split())
    assert "warning: the run stops after 3 of 40 steps; give --ttl 40 to run them all" in told
    assert told.index("warning: the run stops") < told.index("running s0")
    assert "... and 20 more" in told
    assert "aeon log resume run.jsonl" in told
    again = aeon("log", "resume", "run.jsonl", "--ttl", "5")
    assert again.code == 3
    assert "warning: the run stops after 5 of 37 steps; give --ttl 37" in " ".join(again.err.split())
    assert "warning: the run" not in aeon("log", "resume", "run.jsonl").err


def test_an_answer_that_never_ends_is_cut_off(aeon, double):
    double(*[AtOnce("x" * 40_000_000)] * 3)
    ended = aeon("run", "say hello")
    assert ended.code == 1
    assert "larger than" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (RawResponse(b"<html>502 Bad Gateway</html>", "text/html"), "No plan could be made"),
        (RawResponse(b"\xff\xfe\x00garbage"), "No plan could be made"),
        (RawResponse(b"{}"), "No plan could be made"),
        (ErrorResponse(401, "wrong key"), "401"),
        (ErrorResponse(404, "no such model"), "404"),
    ],
)
def test_a_server_that_is_none_is_one_clear_error(aeon, double, rule, said):
    double(*[rule] * 9)
    ended = aeon("run", "say hello", "--json")
    assert ended.code == 1
    assert said in ended.err
    assert ended.json["error"]["next_step"]
    assert "Traceback" not in ended.err


@pytest.mark.slow
@pytest.mark.parametrize("rule", [ConnectionReset(), TruncatedBody(planned(STEP)), ErrorResponse(503)])
def test_a_server_that_breaks_off_is_asked_three_times(aeon, double, rule):
    """Core 8; the waits between are real here."""
    server = double(*[rule] * 9)
    ended = aeon("run", "say hello")
    assert (ended.code, len(server.requests)) == (1, 3)
    assert "Traceback" not in ended.err

"""What a call took of a model's tokens: told with the answer, and kept for the caller."""

import pytest

from aeon.testing.wire_rules import TextResponse

pytestmark = pytest.mark.server

CALL = ("tool", "call", "summarize", "--input", '{"text": "The sun is out."}')


def test_what_a_call_took_is_told_and_kept(aeon, double):
    double({"summary": "It is sunny."}, {"summary": "It is sunny."}, {"resumee": 1}, {"summary": "It is sunny."})
    aeon("init")
    called = aeon(*CALL)
    assert (called.code, called.out) == (0, '{\n  "summary": "It is sunny."\n}\n')
    assert "tokens: 7 in, 3 out by" in called.err
    usage = aeon(*CALL, "--json").json["usage"]
    assert (usage["promptTokens"], usage["completionTokens"], bool(usage["model"])) == (7, 3, True)
    repaired = aeon(*CALL, "--json").json["usage"]
    assert (repaired["promptTokens"], repaired["completionTokens"]) == (14, 6)
    kept = aeon("tool", "show", "summarize").json["tokensOfYours"]
    assert kept == {"calls": 3, "promptTokens": 28, "completionTokens": 12}
    others = aeon("tool", "show", "summarize", "--user", "bob").json["tokensOfYours"]
    assert others["calls"] == 0


def test_the_repairs_of_an_answer_are_model_calls_of_their_run(aeon, double):
    double({"resumee": 1}, {"summary": "It is sunny."})
    aeon("init")
    ran = aeon("process", "run", "summary", "--input", "text=The sun is out.")
    assert (ran.code, ran.out.strip()) == (0, "It is sunny.")
    assert "used: 2 model calls, 14 tokens in, 6 out" in ran.err


@pytest.mark.slow
@pytest.mark.parametrize(("finish", "code"), [("stop", 0), ("refusal", 1)], ids=["answered", "failed"])
def test_what_a_request_of_a_process_took_counts_in_its_run(aeon, double, finish, code):
    """The tool `answer` is a process of its own, and so is its use of the model."""
    model = double(TextResponse("Tea is a drink.", finish_reason=finish))
    aeon("init")
    ran = aeon("process", "run", "answer_and_keep", "--input", "request=Write a line about tea.", "--json")
    assert (ran.code, len(model.requests)) == (code, 1)
    usage = ran.json["usage"]
    assert [usage[name] for name in ("calls", "uncounted_calls", "prompt_tokens", "completion_tokens")] == [1, 0, 7, 3]
    assert usage["models"][0]["model"] == "scripted"

"""The model of a step is down for a while, or for good (platform 10): real sockets, the engine in the project's folder."""

import pytest

from aeon.platform.processes.step_control import RetryPolicy
from aeon.testing.wire_rules import ConnectionReset, ErrorResponse, StalledResponse

pytestmark = [pytest.mark.server, pytest.mark.slow]

DIGEST = """
kind: Process
name: digest
initialContext: [text]
steps:
  - {{id: fetched, tool: item, inputs: {{id: first}}, output: fetched}}
  - {{id: short, tool: summarize, inputs: {{text: "{{text}}"}}, dependsOn: [fetched], output: short{more}}}
"""
RUN = ("process", "run", "digest", "--input", "text=The sun is out.")
ANSWER = {"summary": "It is sunny."}


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    """Between the attempts at a step there is 1 s and more; what the model's adapter waits stays as it is."""
    monkeypatch.setattr("aeon.platform.runs.machine.plan.DEFAULT_RETRY", RetryPolicy(delay=0.02))


@pytest.fixture
def digest(aeon, applied):
    """`digest(more)`: the Process is there; `more` is its second step's."""

    def apply(more=""):
        assert aeon("init").code == 0
        applied(DIGEST.format(more=more))

    return apply


@pytest.mark.parametrize(
    "trouble",
    [[ErrorResponse(503)] * 4, [ConnectionReset(), ErrorResponse(500), ConnectionReset()]],
    ids=["503", "cut off and 500"],
)
def test_a_model_that_comes_back_within_the_attempts_is_asked_again(aeon, digest, double, shop, trouble):
    """The run completes, and says how often it was tried; what stood before the step is not made again."""
    server = double(*trouble, ANSWER)
    digest()
    ran = aeon(*RUN)
    assert (ran.code, "It is sunny." in ran.out) == (0, True), ran.err
    assert "attempt 2" in ran.err
    assert (server.remaining, shop.calls) == (0, {"/first": 1})


def test_a_model_that_stays_down_is_told_of_and_the_job_is_retried_when_it_is_back(aeon, digest, double, shop):
    """A clear cause, what to do, a dead job; `aeon process job retry` goes on from there."""
    double().close()  # nobody listens there any more
    digest()
    ran = aeon(*RUN)
    said = " ".join(ran.err.split())
    assert (ran.code, "Traceback" in said) == (1, False)
    assert "Step 'short' (tool 'summarize', tried 4 times)" in said
    assert "refused" in said.lower()
    (job,) = aeon("process", "job", "list", "--dead", "--json").json
    assert (job["step"], job["tool"], job["attempts"], job["retriedBy"]) == ("short", "summarize", 4, None)
    assert "Connection refused" in aeon("log", "why", job["runId"]).out
    double(ANSWER)
    again = aeon("process", "job", "retry", job["id"])
    assert (again.code, "It is sunny." in again.out, shop.calls) == (0, True, {"/first": 1}), again.err


def test_a_model_that_hangs_is_given_up_after_the_time_of_its_step(aeon, background, digest, double, shop):
    double(StalledResponse())
    digest(", execution: {timeout: 1}")
    ran = background(*RUN)
    assert ran.waited() == 1
    assert "it did not end within 1 s" in ran.err
    assert "Give the step more time" in ran.err
    (job,) = aeon("process", "job", "list", "--dead", "--json").json
    double(ANSWER)
    again = aeon("process", "job", "retry", job["id"])
    assert (again.code, "It is sunny." in again.out, shop.calls) == (0, True, {"/first": 1}), again.err

"""The spans of real runs at a real receiver: each run's at least once, whatever happens there."""

import os
import threading

import pytest
from tests.adapters.telemetry.conftest import said
from tests.platform.canary_world import Canaries
from tests.platform.echoing import EchoServer

from aeon.adapters.engines.local import LocalEngine
from aeon.adapters.operations.oauth import HttpTokenServer
from aeon.adapters.operations.rest import RestExecutor
from aeon.adapters.telemetry.environment import read_otlp_settings
from aeon.adapters.telemetry.otlp import OtlpReceiver
from aeon.platform.catalog.model import NewSecret, NewTool
from aeon.platform.catalog.oauth_tokens import OAuthTokens
from aeon.platform.catalog.tool_calls import StoredToolCaller
from aeon.platform.ledger import MutationRequest
from aeon.platform.metrics.service import Metrics
from aeon.platform.runs import span_export as sending_room
from aeon.platform.runs.metrics import RunMetricsRecorder
from aeon.platform.runs.span_export import SpanExportError, SpanExportQueue
from aeon.testing.clock import FakeClock
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, failing, flaky, step
from aeon.testing.records import new_record

A_WHILE = 31.0


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    record = new_record(tmp_path_factory.mktemp("record"))
    yield record
    record.close()


class Told(EngineWorld):
    """An engine's world whose runs' spans are sent; `told` is what was said of trouble."""

    def __init__(self, store, folder, receiver):
        super().__init__(store, folder, lambda book, workers, _r, clock, who: LocalEngine(book, workers, clock, who))
        self.time, self.told = FakeClock(), []
        self.values = Metrics(store, self.catalog.ledger).values
        self.sending = SpanExportQueue(
            store, self.runs.repository, receiver, self.time, self.told.append, self.engine.executor
        )

    def ended_run(self, process, q="q"):
        run = self.start_run(process, q)
        self.wait_for_end(run)
        return run

    def catch_up(self):
        RunMetricsRecorder(self.store, self.runs.repository, self.values, self.sending).record_pending()

    def waiting(self):
        return self.store.read("SELECT count(*) AS n FROM runs WHERE is_unsent = 1")[0]["n"]

    def unmeasured(self):
        return self.store.read("SELECT count(*) AS n FROM runs WHERE is_unmeasured = 1")[0]["n"]


@pytest.fixture
def telling(store, tmp_path):
    """`telling(receiver=None, **environ)`: a world, with what these variables mean."""
    store.update(lambda unit: unit.write("UPDATE runs SET is_unmeasured = 0, is_unsent = 0"))
    made = []

    def make(receiver=None, **environ):
        asked = {**os.environ, "OTEL_EXPORTER_OTLP_TIMEOUT": "0.3", **environ}
        made.append(Told(store, tmp_path, receiver or OtlpReceiver(read_otlp_settings(asked))))
        return made[-1]

    yield make
    for world in made:
        world.close()


def by_step(spans):
    """Spans of attempts, by step and attempt."""
    found = {}
    for span in spans:
        attributes = said(span.attributes)
        if "aeon.step.id" in attributes:
            found[attributes["aeon.step.id"], attributes["aeon.step.attempt"]] = span
    return found


def roots(spans):
    return [span for span in spans if "aeon.run.id" in said(span.attributes)]


@pytest.mark.slow
def test_a_run_is_one_trace_with_its_retries_its_failures_and_what_it_called(collector, telling):
    world = telling()
    good, bad, late = world.tool("echo", echo), world.tool("bad", failing), world.tool("flaky", flaky(1))
    inner = world.process("inner", [step("deep", good)])
    steps = [
        step("a", late, mode="parallel"),
        step("b", good, mode="parallel"),
        step("c", bad, required=False),
        step("d", good, condition="false", required=False),
        step("e", "", process=inner.id, inputs={"q": "{q}"}),
    ]
    outer = world.ended_run(world.process("outer", steps), "private words")
    world.catch_up()
    spans = collector.spans
    assert {span.trace_id for span in spans} == {spans[0].trace_id}
    assert len({span.span_id for span in spans}) == len(spans)
    by_id = {span.span_id: span for span in spans}
    for span in spans:
        if span.parent_span_id:
            parent = by_id[span.parent_span_id]
            begin, end = parent.start_time_unix_nano, parent.end_time_unix_nano
            assert begin <= span.start_time_unix_nano <= span.end_time_unix_nano <= end, (parent.name, span.name)
    found = by_step(spans)
    assert list(found) == [("deep", 1), ("a", 1), ("b", 1), ("a", 2), ("c", 1), ("e", 1)]
    assert [found[key].status.code for key in found] == [0, 2, 0, 0, 2, 0]
    called, root = roots(spans)
    assert said(root.attributes)["aeon.run.id"] == outer.id
    assert by_id[called.parent_span_id] == found["e", 1]
    assert found["a", 1].parent_span_id == root.span_id == found["e", 1].parent_span_id
    assert found["a", 2].start_time_unix_nano - found["a", 1].end_time_unix_nano >= 1_000_000_000
    assert [event.name for event in root.events] == ["aeon.step.retried", "aeon.step.skipped"]
    assert "private words" not in str(collector.requests)
    assert said(found["b", 1].attributes)["aeon.step.outcome"] == "completed"


def test_a_retried_run_is_a_trace_of_its_own_that_links_to_the_run_before(collector, telling):
    world = telling()
    process = world.process("errand", [step("a", world.tool("echo", echo)), step("b", world.tool("bad", failing))])
    run = world.ended_run(process)
    again = world.runs.retry(run.id, MutationRequest(world.user))
    world.engine.start(again.id)
    world.wait_for_end(again)
    world.catch_up()
    first, second = roots(collector.spans)
    assert (first.status.message, second.status.message) == ("OperationError", "OperationError")
    assert first.trace_id != second.trace_id
    assert [(link.trace_id, link.span_id) for link in second.links] == [(first.trace_id, first.span_id)]
    assert sorted(key for key, span in by_step(collector.spans).items() if span.trace_id == second.trace_id) == [
        ("b", 1)
    ]


def test_contents_go_only_where_they_are_asked_for(collector, telling):
    world = telling(OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="true")
    world.ended_run(world.process("errand", [step("a", world.tool("echo", echo))]), "private words")
    world.catch_up()
    (tried,) = by_step(collector.spans).values()
    assert said(tried.attributes)["gen_ai.tool.call.arguments"] == '{"id":"private words"}'
    assert said(tried.attributes)["gen_ai.tool.call.result"] == '{"got":"private words"}'


def test_an_endpoint_that_fails_is_told_once_and_gets_everything_later_once(collector, telling):
    """What is recorded of the runs is recorded all the same, and at once."""
    world = telling()
    process = world.process("errand", [step("a", world.tool("echo", echo))])
    collector.status, collector.body = 500, b"<html>no"
    for _ in range(3):
        world.ended_run(process)
        world.catch_up()
        world.time.sleep(A_WHILE)
    assert (world.unmeasured(), world.waiting()) == (0, 3)
    assert len(world.told) == 1
    assert "HTTP status 500" in world.told[0]
    collector.status = 200
    collector.requests.clear()
    world.catch_up()
    world.time.sleep(A_WHILE)
    world.catch_up()
    assert (len(roots(collector.spans)), world.waiting()) == (3, 0)
    assert len(collector.requests) == 1


def test_an_endpoint_that_fails_is_left_alone_for_a_while(collector, telling):
    world = telling()
    process = world.process("errand", [step("a", world.tool("echo", echo))])
    collector.status = 500
    for _ in range(3):
        world.ended_run(process)
        world.catch_up()
    assert len(collector.requests) == 1


def test_what_is_sent_twice_is_the_same_span_twice(collector, telling):
    """Whoever was killed between sending and writing that down has sent what the next one sends."""
    world = telling()
    run = world.ended_run(world.process("errand", [step("a", world.tool("echo", echo))]))
    world.catch_up()
    unsent = "UPDATE runs SET is_unsent = 1 WHERE id = :id"
    world.store.update(lambda unit: unit.write(unsent, {"id": run.id}))
    world.catch_up()
    first, second = collector.requests
    assert first == second


def test_what_is_refused_as_invalid_holds_up_nothing(collector, telling):
    world = telling()
    collector.status = 400
    world.ended_run(world.process("errand", [step("a", world.tool("echo", echo))]))
    world.catch_up()
    assert world.waiting() == 0
    assert "dropped" in world.told[0]


def test_a_run_without_an_endpoint_is_not_marked_to_be_sent(collector, telling):
    world = telling()
    world.ended_run(world.process("errand", [step("a", world.tool("echo", echo))]))
    RunMetricsRecorder(world.store, world.runs.repository, world.values).record_pending()
    assert (world.unmeasured(), world.waiting()) == (0, 0)


def test_large_runs_go_in_several_batches_and_none_is_marked_before_its_last(collector, telling, monkeypatch):
    monkeypatch.setattr(sending_room, "MAX_BATCH_SPANS", 4)
    world = telling()
    tool = world.tool("echo", echo)
    small, large = (
        world.process(name, [step(f"s{n}", tool) for n in range(count)]) for name, count in (("s", 1), ("l", 9))
    )
    for process in (small, large, small):
        world.ended_run(process)
    world.catch_up()
    counts = [len(request.resource_spans[0].scope_spans[0].spans) for request in collector.requests]
    assert counts == [4, 4, 4, 2]
    assert len({span.span_id for span in collector.spans}) == 2 + 10 + 2
    assert world.waiting() == 0


def test_the_backlog_is_bounded_and_keeps_the_latest(telling, monkeypatch):
    class Away:
        with_contents = False

        def export(self, spans):
            raise SpanExportError("nobody is there", next_step="Wait.")

    monkeypatch.setattr(sending_room, "MAX_PENDING_RUNS", 2)
    world = telling(Away())
    process = world.process("errand", [step("a", world.tool("echo", echo))])
    runs = [world.ended_run(process) for _ in range(4)]
    world.catch_up()
    left = world.store.read("SELECT id FROM runs WHERE is_unsent = 1")
    assert {row["id"] for row in left} == {run.id for run in runs[2:]}
    assert world.told == [
        "nobody is there Wait.",
        "More than 2 runs wait for the export of their spans: older ones are dropped.",
    ]


def test_what_has_lost_its_results_is_not_tried_for_ever(collector, telling, tmp_path):
    world = telling()
    process = world.process("errand", [step("a", world.tool("echo", echo))])
    world.ended_run(process, "x" * 300_000)
    for file in (tmp_path / "results").rglob("*"):
        if file.is_file():
            file.unlink()
    world.catch_up()
    assert (world.waiting(), collector.requests) == (0, [])


@pytest.mark.server
def test_platform_3_no_secret_is_in_a_span_whatever_a_peer_says_of_it(collector, telling):
    """With contents: a peer that echoes what it was told, in all spellings, and fails in many ways."""
    world = telling(OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="true")
    canaries, echo_server = Canaries(), EchoServer({})
    key = {"name": "key", "type": "api_key", "value": {"key": canaries.new("key", '"/+&')}}
    secret = world.catalog.secrets.add(NewSecret.parsed(key), MutationRequest(world.user))
    way = {"type": "object", "properties": {"id": {"type": "string"}}}
    operation = {"type": "rest_request", "method": "POST", "path": "/{id}", "body": {"a": "{id}"}, "allowPrivate": True}
    told = {"connectionParams": {"endpoint": f"http://127.0.0.1:{echo_server.server_port}"}, "secretId": secret.id}
    pattern = world.catalog.tools.get(world.user, world.tool("pattern", echo))
    new = NewTool.parsed(
        {"name": "peer", "serviceId": pattern.service_id, "operation": operation, "inputSchema": way, **told}
    )
    tool = world.catalog.tools.add(new, MutationRequest(world.user))
    tokens = OAuthTokens(world.catalog.secrets, HttpTokenServer(), world.clock)
    world.tools = StoredToolCaller(world.catalog, {"rest_request": RestExecutor()}, tokens, world.clock)
    world.reopen()
    process = world.process("errand", [step("a", tool.id)])
    ways = ("ok", "text", "refused", "broken", "twice")
    for each in ways:
        world.ended_run(process, each)
    world.catch_up()
    canaries.look("spans", b"".join(collector.bodies))
    assert canaries.seen == set()
    assert len(by_step(collector.spans)) == 1
    assert len(roots(collector.spans)) == len(ways)
    assert "gen_ai.tool.call.result" in str(collector.requests)
    assert len(echo_server.asked) == len(ways)
    echo_server.stop()


def test_who_was_killed_before_it_was_written_down_that_all_is_sent_leaves_it_to_the_next(collector, telling):
    class Killed:
        with_contents = False

        def export(self, spans):
            raise KeyboardInterrupt

    world = telling(Killed())
    world.ended_run(world.process("errand", [step("a", world.tool("echo", echo))]))
    with pytest.raises(KeyboardInterrupt):
        world.catch_up()
    assert (world.unmeasured(), world.waiting()) == (0, 1)
    next_one = telling()
    next_one.catch_up()
    assert (len(roots(collector.spans)), next_one.waiting()) == (1, 0)


def waiting_world(telling, **environ):
    """A world with a run whose first step has ended and whose second one goes on until it is let."""
    world, goes_on = telling(**environ), threading.Event()
    steps = [step("one", world.tool("echo", echo)), step("two", world.tool("wait", lambda *_: goes_on.wait(20)))]
    run = world.start_run(world.process("errand", steps))
    world.wait_until(lambda: len(world.event_names(run)) == 4)
    return world, run, goes_on


def test_a_step_is_sent_when_it_has_ended_and_the_run_when_it_has_with_ids_that_fit(collector, telling):
    world, run, goes_on = waiting_world(telling)
    world.catch_up()
    (one,) = collector.spans
    assert said(one.attributes)["aeon.step.id"] == "one"
    for _ in range(3):
        world.catch_up()
    assert len(collector.requests) == 1
    goes_on.set()
    world.wait_for_end(run)
    world.catch_up()
    root, two = collector.spans[1:]
    assert said(two.attributes)["aeon.step.id"] == "two"
    assert (root.span_id, root.trace_id) == (one.parent_span_id, one.trace_id)
    assert root.start_time_unix_nano <= one.start_time_unix_nano <= one.end_time_unix_nano <= two.start_time_unix_nano
    assert world.store.read("SELECT * FROM span_progress") == []


def test_another_process_goes_on_where_the_one_before_was_killed(collector, telling, store, tmp_path):
    """By what is in the record alone; it adopts the run."""
    world, run, goes_on = waiting_world(telling)
    world.catch_up()
    following = telling()
    following.catch_up()
    assert len(collector.spans) == 1
    world.runs.repository.reassign(run.id, world.engine.executor, following.engine.executor)
    following.catch_up()
    assert len(collector.spans) == 1
    world.runs.repository.reassign(run.id, following.engine.executor, world.engine.executor)
    goes_on.set()
    world.wait_for_end(run)
    following.catch_up()
    assert sorted(by_step(collector.spans)) == [("one", 1), ("two", 1)]
    assert len(collector.spans) == 3


def test_spans_of_an_open_run_that_were_not_accepted_are_sent_later(collector, telling):
    world, run, goes_on = waiting_world(telling)
    collector.status = 500
    world.catch_up()
    collector.status = 200
    collector.requests.clear()
    world.time.sleep(A_WHILE)
    world.catch_up()
    assert [*by_step(collector.spans)] == [("one", 1)]
    collector.requests.clear()
    world.store.update(lambda unit: unit.write("DELETE FROM span_progress"))  # killed before it was written down
    world.catch_up()
    assert [*by_step(collector.spans)] == [("one", 1)]
    goes_on.set()
    world.wait_for_end(run)


def test_a_long_open_run_goes_in_several_batches(collector, telling, monkeypatch):
    monkeypatch.setattr(sending_room, "MAX_BATCH_SPANS", 4)
    world, goes_on = telling(), threading.Event()
    tool, last = world.tool("echo", echo), world.tool("wait", lambda *_: goes_on.wait(20))
    run = world.start_run(world.process("errand", [*(step(f"s{n}", tool) for n in range(9)), step("last", last)]))
    world.wait_until(lambda: len(world.event_names(run)) == 20)
    collector.status = 500
    world.catch_up()
    collector.status = 200
    collector.requests.clear()
    world.time.sleep(A_WHILE)
    world.catch_up()
    assert [len(request.resource_spans[0].scope_spans[0].spans) for request in collector.requests] == [4, 4, 1]
    goes_on.set()
    world.wait_for_end(run)
    world.catch_up()
    assert len({span.span_id for span in collector.spans}) == len(collector.spans) == 11


def test_a_step_that_calls_a_process_links_to_its_run(collector, telling):
    world = telling()
    inner = world.process("inner", [step("deep", world.tool("echo", echo))])
    world.ended_run(world.process("outer", [step("call", "", process=inner.id, inputs={"q": "{q}"})]))
    world.catch_up()
    called = next(span for span in roots(collector.spans) if span.parent_span_id)
    link = by_step(collector.spans)["call", 1].links[0]
    assert (link.trace_id, link.span_id) == (called.trace_id, called.span_id)


def test_an_endpoint_that_is_slow_to_say_yes_gets_the_rest_in_later_rounds(telling, monkeypatch):
    class Slow:
        with_contents = False
        taken = 0

        def export(self, spans):
            self.taken += 1
            world.time.sleep(2.9)

    monkeypatch.setattr(sending_room, "MAX_BATCH_SPANS", 2)
    slow = Slow()
    world = telling(slow)
    process = world.process("errand", [step("a", world.tool("echo", echo))])
    for _ in range(4):
        world.ended_run(process)
    world.catch_up()
    assert (slow.taken, world.waiting()) == (2, 2)
    world.catch_up()
    assert (slow.taken, world.waiting()) == (4, 0)

"""`conversation_reply`: pieces of one answer from several attempts, a message that is too long, an answer that ended."""

from contextlib import nullcontext

import pytest
from tests.platform.conversations.conftest import Talk

from aeon.adapters.operations.reply import ReplyExecutor, _StoppableAdapter
from aeon.base.errors import LLMError
from aeon.llm.interface import LLMRequest, LLMResponse, RequestAdapter
from aeon.platform.catalog.operations import ConversationReply, OperationError
from aeon.platform.catalog.tool_calls import OperationRequest
from aeon.platform.conversations.pieces import AnswerStoppedError, InProcessPieces
from aeon.platform.errors import ConflictError, RuleError
from aeon.platform.memory.working_memory import MemoryService
from aeon.testing.records import new_record

OPERATION = ConversationReply(system_prompt="Be brief.", max_tokens=256)


class Streaming(RequestAdapter):
    """Passes on each attempt's pieces, and then fails unless it is the last."""

    def __init__(self, *attempts):
        self.attempts = list(attempts)

    def supports_streaming(self):
        return True

    def complete(self, request, on_text=None):
        pieces = self.attempts.pop(0)
        for piece in pieces:
            on_text(piece)
        if self.attempts:
            raise LLMError("it broke off")
        return LLMResponse("".join(pieces), "stop")


@pytest.fixture
def replying(tmp_path):
    """`replying(*attempts)`: the executor of a model that gives these pieces, and a call for an answer."""
    store = new_record(tmp_path)
    talk = Talk(store)
    memory = MemoryService(store, talk.conversations, talk.turns)
    pieces = InProcessPieces()

    def made(*attempts):
        model = Streaming(*attempts)
        executor = ReplyExecutor(memory, pieces, lambda _work: nullcontext(model), 1024, talk.world.clock)

        def call(answer):
            work = OperationRequest(talk.user, OPERATION, "http", {}, {"answer": answer.id}, None, {})
            return executor.execute(work)

        return call

    yield talk, pieces, made
    store.close()


def begun(talk, text="Hello"):
    return talk.turns.begin_answer(talk.say(talk.conversation(), text).id, talk.executor, talk.request())


@pytest.mark.parametrize(
    ("first", "shown"), [(["Hel", "lo"], "Hello there."), (["Good", " day"], "Good day")], ids=["same", "another"]
)
def test_what_an_attempt_has_shown_is_not_shown_again_by_the_next(replying, first, shown):
    talk, pieces, made = replying
    answer, call = begun(talk), made(first, ["Hello", " there."])
    with pytest.raises(OperationError, match="broke off"):
        call(answer)
    assert call(answer).output["text"] == "Hello there."
    assert "".join(pieces.read(answer.id, 0, 0)) == shown


class Down(RequestAdapter):
    """A model whose server is not there for some requests; each takes a second of its own attempts."""

    def __init__(self, clock, refusals):
        self.clock, self.refusals = clock, refusals
        self.requests = 0

    def supports_streaming(self):
        return True

    def complete(self, request, on_text=None):
        self.requests += 1
        self.clock.sleep(1)
        if self.requests <= self.refusals:
            raise LLMError("nothing listens there", is_refused=True)
        return LLMResponse("Hello.", "stop")


@pytest.mark.parametrize(("refusals", "requests"), [(2, 3), (100, 3)], ids=["it starts", "it stays down"])
def test_a_model_server_has_some_seconds_to_start_and_then_the_answer_fails_for_good(replying, refusals, requests):
    """A person waits for it; other failures are retried by the step, as in any Process (platform 10)."""
    talk, pieces, _ = replying
    model = Down(talk.world.clock, refusals)
    memory = MemoryService(talk.store, talk.conversations, talk.turns)
    executor = ReplyExecutor(memory, pieces, lambda _work: nullcontext(model), 1024, talk.world.clock)
    work = OperationRequest(talk.user, OPERATION, "http", {}, {"answer": begun(talk).id}, None, {})
    if refusals == 2:
        assert executor.execute(work).output["text"] == "Hello."
    else:
        with pytest.raises(OperationError, match="nothing listens") as failed:
            executor.execute(work)
        assert not failed.value.is_transient
    assert model.requests == requests


def test_a_message_that_does_not_fit_is_refused_by_how_much_platform_24(replying):
    talk, _, made = replying
    with pytest.raises(RuleError, match=r"[0-9,]+ more than the 768 that fit"):
        made(["Hi."])(begun(talk, "word " * 2000))


def test_nothing_is_made_for_an_answer_that_has_ended(replying):
    talk, _, made = replying
    answer = begun(talk)
    talk.end(answer, "done")
    with pytest.raises(ConflictError, match="ended"):
        made(["Hi."])(answer)


def test_the_maker_of_a_stopped_answer_stops_at_its_next_piece(replying):
    talk, pieces, made = replying
    answer = begun(talk)
    pieces.append(answer.id, "Half")
    assert pieces.stop(answer.id) == "Half"
    with pytest.raises(OperationError, match="stopped"):
        made(["Half an answer"])(answer)


class Planning(RequestAdapter):
    """A model that writes a plan, which nobody is shown, until it is told that nobody waits for it."""

    def __init__(self, stop):
        self.stop = stop
        self.written = 0

    def supports_streaming(self):
        return True

    def supports_schema(self):
        return True

    def complete(self, request, on_text=None):
        for n in range(100):
            self.written = n
            if n == 3:
                self.stop()
            on_text("{")
        raise AssertionError("it went on to the end")


def test_a_plan_is_not_written_to_its_end_for_a_stopped_answer(replying):
    """The embedded model answers one request at a time: the next message would wait for what nobody needs."""
    talk, pieces, _ = replying
    answer = begun(talk)
    model = Planning(lambda: pieces.stop(answer.id))
    with pytest.raises(AnswerStoppedError):
        _StoppableAdapter(model, lambda: pieces.confirm(answer.id)).complete(LLMRequest("Plan this."))
    assert model.written == 3

"""`conversation_reply` with tools: what is kept of their calls, and what an attempt after a crash may do."""

import json
from contextlib import nullcontext

import pytest
from tests.platform.conversations.conftest import Talk

from aeon.adapters.operations.assisted_reply import OfferedTools
from aeon.adapters.operations.reply import ReplyExecutor
from aeon.base.errors import ToolError
from aeon.llm.interface import LLMResponse, RequestAdapter, TokenCounts
from aeon.memory.kv_store import InMemoryKVStore
from aeon.platform.catalog.operations import ConversationReply, OperationError
from aeon.platform.catalog.tool_calls import OperationRequest
from aeon.platform.conversations.pieces import InProcessPieces
from aeon.platform.conversations.turns import EndedAnswer
from aeon.platform.errors import ConflictError
from aeon.platform.memory.working_memory import MemoryService, ReplyForm
from aeon.testing.records import new_record
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

OPERATION = ConversationReply(system_prompt="Be brief.", max_tokens=256, uses_tools=True)
PLAN = {
    "steps": [{"step_id": "s1", "description": "post it", "tool": "post", "arguments": {"text": "hi"}}],
}


class Post(Tool):
    """Posts a text, once; `during` happens while it is called."""

    name = "post"
    description = "Post a text."
    input_schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    output_schema = {"type": "object"}

    def __init__(self, during):
        self.posted = []
        self.during = during

    def invoke(self, **arguments):
        self.during()
        self.posted.append(arguments["text"])
        return {"id": len(self.posted)}


class Model(RequestAdapter):
    """Gives these replies in order."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.asked = []

    def supports_streaming(self):
        return False

    def complete(self, request, on_text=None):
        self.asked.append(request)
        return LLMResponse(self.replies.pop(0), "stop")


def counting(request):
    """A model for which each character is a token."""
    texts = [request.system_prompt or "", *(each.text for each in request.history), request.prompt]
    return TokenCounts("characters", tuple(map(len, texts)))


@pytest.fixture
def replying(tmp_path):
    """`replying(tool, *replies)`: the model, and the call of an executor that offers the tool."""
    store = new_record(tmp_path)
    talk = Talk(store)
    memory = MemoryService(store, talk.conversations, talk.turns)
    pieces = InProcessPieces()

    def made(tool, *replies):
        model = Model(*replies)
        registry = tool if isinstance(tool, ToolRegistry) else ToolRegistry([tool])
        offered = OfferedTools(registry, made.memory, 5)
        executor = ReplyExecutor(
            memory, pieces, lambda _work: nullcontext(model), 4096, talk.world.clock, lambda _question: offered
        )

        def call(answer):
            work = OperationRequest(talk.user, OPERATION, "http", {}, {"answer": answer.id}, None, {})
            return executor.execute(work).output

        return model, call

    made.memory = InMemoryKVStore()
    yield talk, memory, made
    store.close()


def begun(talk, text="Post hi, please"):
    return talk.turns.begin_answer(talk.say(talk.conversation(), text).id, talk.executor, talk.request())


def test_the_manifest_has_every_prompt_and_every_call_of_a_tool_platform_25(replying):
    talk, memory, made = replying
    model, call = made(Post(lambda: None), json.dumps(PLAN))
    answer = begun(talk)
    assert call(answer)["text"] == "1"
    manifest = memory.manifest(talk.user, answer.id)
    assert manifest["toolCalls"] == [
        {"tool": "post", "arguments": {"text": "hi"}, "state": "done", "result": {"id": 1}}
    ]
    assert memory.remake(talk.user, answer.id) == model.asked


@pytest.mark.parametrize(
    ("text", "solution", "answer"),
    [
        (
            "14 trays of 12 rolls, all but 23 are sold. How many rolls are sold?",
            "14 * 12 = 158 rolls\n158 - 23 = 135 rolls\nAnswer: 135",
            "145",
        ),
        (
            "The talk is at 2:45 pm, the way takes 50 minutes. When must I leave at the latest, with 10 to spare?",
            "50 minutes + 10 minutes = 60 minutes\n2:45 pm - 60 minutes = 2:25 pm\nAnswer: 2:25 pm",
            "13:45",
        ),
    ],
)
def test_in_a_conversation_too_a_problem_is_worked_out_in_lines_core_19(replying, text, solution, answer):
    """The tools whose calls are noted had no instructions for it, so that the model planned in JSON."""
    talk, memory, made = replying
    registry = ToolRegistry(builtin_tools(InMemoryKVStore()), plans_always=False)
    model, call = made(registry, solution)
    begun_answer = begun(talk, text)
    assert call(begun_answer)["text"] == answer
    assert model.asked[0].system_prompt.startswith("Solve the problem step by step.")
    assert memory.manifest(talk.user, begun_answer.id)["toolCalls"]


def test_a_call_that_was_interrupted_is_not_made_again_platform_43(replying):
    """Attack: the maker dies in the middle of a call with an effect, and another worker takes the answer up."""
    talk, _, made = replying
    answer = begun(talk)
    refused = []

    def another_worker():
        with pytest.raises(ConflictError, match="interrupted while it called 'post'") as caught:
            second(answer)
        refused.append(caught.value)

    tool = Post(another_worker)
    _, second = made(tool, json.dumps(PLAN))
    _, first = made(tool, json.dumps(PLAN))
    first(answer)
    assert (len(refused), tool.posted) == (1, ["hi"])


def test_a_call_that_may_be_repeated_is_taken_up(replying):
    talk, _, made = replying
    answer = begun(talk)
    again = Post(lambda: None)
    tool = Post(lambda: second(answer))
    again.is_repeatable = tool.is_repeatable = True
    _, second = made(again, json.dumps(PLAN))
    _, first = made(tool, json.dumps(PLAN))
    assert first(answer)["text"] == "1"
    assert (again.posted, tool.posted) == (["hi"], ["hi"])


class Ask(Post):
    """Looks something up, which may be repeated."""

    is_repeatable = True


def test_the_model_answers_alone_where_a_call_failed_that_may_be_repeated(replying):
    talk, memory, made = replying

    def fail():
        raise ToolError("no such place")

    model, call = made(Ask(fail), json.dumps(PLAN), "I do not know.")
    answer = begun(talk)
    output = call(answer)
    assert output["text"] == "I do not know."
    assert output["marks"][0].startswith("doubtful: answered without tools, because a call failed: ")
    assert "no such place" in output["marks"][0]
    assert memory.remake(talk.user, answer.id) == [model.asked[-1]]


def test_a_tool_that_fails_fails_the_answer_with_its_reason(replying):
    talk, _, made = replying

    def fail():
        raise ToolError("the board is closed")

    _, call = made(Post(fail), json.dumps(PLAN))
    with pytest.raises(OperationError, match="the board is closed"):
        call(begun(talk))


def test_without_a_plan_the_model_answers_alone_and_the_answer_is_marked_core_17(replying):
    talk, _, made = replying
    tool = Post(lambda: None)
    _, call = made(tool, "I would rather not.", "Still not.", "No.", "No.", "No.", "Here you are: hi.")
    output = call(begun(talk))
    assert tool.posted == []
    assert output["marks"][0].startswith("doubtful: the use of tools could not be planned")


def test_the_prompts_begin_with_the_newest_messages_that_fit_and_the_rest_is_left_out_platform_24(replying):
    talk, memory, made = replying
    conversation = talk.conversation()
    long = talk.say(conversation, "word " * 2000)
    talk.end(talk.turns.begin_answer(long.id, talk.executor, talk.request()), "yes")
    answer = talk.turns.begin_answer(talk.say(conversation, "Post hi, please").id, talk.executor, talk.request())
    model, call = made(Post(lambda: None), json.dumps(PLAN))
    call(answer)
    assert [each.text for each in model.asked[0].history] == []
    manifest = memory.manifest(talk.user, answer.id)
    assert long.id in [each["alternative"] for each in manifest["leftOut"]]
    assert memory.remake(talk.user, answer.id) == model.asked


def test_each_prompt_of_an_answer_with_tools_is_counted_by_a_model_that_can_platform_24(replying):
    """The sum of the manifest is what the model reports of all its requests; what nobody counts is estimated."""
    talk, memory, made = replying
    conversation = talk.conversation()
    first = talk.say(conversation, "Post hello, please")
    talk.end(talk.turns.begin_answer(first.id, talk.executor, talk.request()), "I have posted it.")
    kinds = []
    for count in (counting, lambda _: None):
        message = talk.say(conversation, "Post hi, please")
        answer = talk.turns.begin_answer(message.id, talk.executor, talk.request())
        model, call = made(Post(lambda: None), json.dumps(PLAN))
        model.count_tokens = count
        call(answer)
        manifest = memory.manifest(talk.user, answer.id)
        kinds.append(manifest["tokens"]["kind"])
        if count is counting:
            assert manifest["tokens"]["total"] == sum(sum(counting(each).messages) for each in model.asked)
            assert [each["tokens"] for each in manifest["entries"][:2]] == [18, 17]
            assert [each["tokens"] for each in manifest["prompts"]] == [
                sum(counting(each).messages) for each in model.asked
            ]
        assert memory.remake(talk.user, answer.id) == model.asked
        talk.turns.end_answer(talk.user, answer.id, EndedAnswer("Done."))
    assert kinds == ["exact", "estimate"]


def test_only_what_the_model_counted_of_the_one_estimated_prompt_corrects_estimates_platform_24(replying):
    """The sum of a plan, its repair and the reply was taken for the count of the prompt alone: too much was left out."""
    talk, memory, made = replying
    conversation = talk.conversation()
    factors = []

    def ends(answer, calls, reported):
        usage = {"calls": calls, "uncounted_calls": 0, "prompt_tokens": reported}
        talk.turns.end_answer(talk.user, answer.id, EndedAnswer("Done.", model="remote", usage=usage))
        path = talk.turns.path(talk.user, answer.id)
        factors.append(memory.estimate_factor(talk.user, path))

    def keeps(text):
        answer = talk.turns.begin_answer(talk.say(conversation, text).id, talk.executor, talk.request())
        prepared = memory.prepare(talk.user, answer.id, ReplyForm("Be brief.", 256, 0.0, 4096))
        memory.keep(prepared)
        return answer, prepared.manifest["tokens"]["estimated"]

    answer, estimated = keeps("Hello")
    ends(answer, 3, estimated * 6)
    planned = talk.turns.begin_answer(talk.say(conversation, "Post hi, please").id, talk.executor, talk.request())
    made(Post(lambda: None), json.dumps(PLAN))[1](planned)
    ends(planned, 1, 5000)
    answer, estimated = keeps("Hello again")
    ends(answer, 1, estimated * 2)
    assert factors == [1.0, 1.0, 2.0]


def test_nothing_of_an_answer_is_left_in_the_memory_of_the_folder(replying):
    """Attack: another request of the folder reads what was answered in a conversation."""
    talk, _, made = replying
    _, call = made(Post(lambda: None), json.dumps(PLAN))
    call(begun(talk))
    assert made.memory.search("") == []

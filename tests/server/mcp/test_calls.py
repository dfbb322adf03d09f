"""Calls of offered tools: in words what is wrong, side by side what is slow, and nothing of a secret."""

import asyncio
import json
import threading
from types import SimpleNamespace

import pytest

from aeon.base.errors import ToolError
from aeon.base.masking import Mask
from aeon.server.mcp.call_handler import McpCallHandler
from aeon.server.mcp.offered_tools import OfferedTool, ToolHints
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry

KEY = "sk-do-not-tell-4711"


class Say(Tool):
    name = "say"
    description = "Gives back what it is given, at once or when it is let go."
    input_schema = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
    output_schema = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
    timeout = None

    def __init__(self):
        self.lets_go = threading.Event()

    def invoke(self, text):
        if text == "wait":
            self.lets_go.wait(10)
        if text == "fail":
            raise ToolError(f"It broke at {KEY}.", next_step="Mend it.")
        if text == "defect":
            raise KeyError(KEY)
        if text == "cut off":
            return {"text": "cut \ud83d", "\ud83d": ["\ude00"]}
        if text == "fail with half":
            raise ToolError("It broke at \ud83d.")
        return {"text": text} if text != "wrong" else {"words": text}


@pytest.fixture
def tool():
    return Say()


@pytest.fixture
def calls(tool):
    registered = ToolRegistry([tool]).lookup("say")
    return McpCallHandler({"say": OfferedTool(registered, ToolHints(read_only=True))}, Mask([KEY]))


def called(calls, name="say", **given):
    return asyncio.run(calls.call_tool(None, SimpleNamespace(name=name, arguments=given)))


def test_a_tool_is_listed_with_its_schemas_and_only_the_hints_that_are_known(calls):
    (listed,) = asyncio.run(calls.list_tools(None, None)).tools
    assert (listed.name, listed.input_schema, listed.output_schema) == ("say", Say.input_schema, Say.output_schema)
    assert listed.annotations.model_dump(exclude_none=True) == {"read_only_hint": True}


def test_a_result_is_structured_and_stands_as_text_too(calls):
    result = called(calls, text="hello")
    assert (result.is_error, result.structured_content) == (False, {"text": "hello"})
    assert result.content[0].text == '{"text":"hello"}'


def test_half_a_surrogate_pair_in_what_a_tool_returns_is_sent_as_an_escape(calls):
    """The SDK ends the server where it cannot encode a response."""
    result = called(calls, text="cut off")
    result.model_dump_json()
    assert result.structured_content == {"text": "cut \\ud83d", "\\ud83d": ["\\ude00"]}
    assert json.loads(result.content[0].text) == result.structured_content
    failed = called(calls, text="fail with half")
    failed.model_dump_json()
    assert failed.content[0].text == "It broke at \\ud83d."


def test_half_a_surrogate_pair_in_what_a_tool_is_called_is_sent_as_an_escape(tool):
    tool.description = "Says \ud83d."
    registered = ToolRegistry([tool]).lookup("say")
    calls = McpCallHandler({"say": OfferedTool(registered, ToolHints())}, Mask())
    listed = asyncio.run(calls.list_tools(None, None))
    listed.model_dump_json()
    assert listed.tools[0].description == "Says \\ud83d."


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("sing", {}, "There is no tool 'sing'. Available are say."),
        ("say", {}, 'The arguments do not match the input schema: $.arguments: "text" is a required property.'),
        ("say", {"text": "fail"}, "It broke at [hidden]. Mend it."),
        ("say", {"text": "defect"}, "The tool 'say' failed: KeyError: '[hidden]'"),
        ("say", {"text": "wrong"}, "The tool 'say' returned a result that does not fit its output schema"),
    ],
)
def test_platform_3_what_is_wrong_is_said_in_words_without_the_secret(calls, name, given, said):
    result = called(calls, name, **given)
    assert result.is_error
    assert result.content[0].text.startswith(said)


def test_platform_3_a_secret_in_a_result_is_hidden(calls):
    result = called(calls, text=f"it is {KEY}")
    assert result.structured_content == {"text": "it is [hidden]"}
    assert KEY not in result.content[0].text


def test_a_slow_call_holds_up_no_other(calls, tool):
    async def both():
        slow = asyncio.create_task(calls.call_tool(None, SimpleNamespace(name="say", arguments={"text": "wait"})))
        quick = await calls.call_tool(None, SimpleNamespace(name="say", arguments={"text": "quick"}))
        assert not slow.done()
        tool.lets_go.set()
        return quick, await slow

    quick, slow = asyncio.run(both())
    assert (quick.structured_content, slow.structured_content) == ({"text": "quick"}, {"text": "wait"})
    assert calls.are_all_answered


@pytest.mark.parametrize("is_left", [True, False])
def test_only_what_a_client_took_back_itself_counts_as_answered_without_an_answer(calls, tool, is_left):
    """However soon the call is over after that: where the client has gone, nobody had its answer."""

    async def give_up():
        slow = asyncio.create_task(calls.call_tool(None, SimpleNamespace(name="say", arguments={"text": "wait"})))
        await asyncio.sleep(0)
        calls.is_client_gone = is_left
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow

    asyncio.run(give_up())
    tool.lets_go.set()
    assert calls.are_all_answered is not is_left


def test_what_went_wrong_is_data_too(calls):
    """Platform 2: the words alone were answered; no secret stands in the data either."""
    error = called(calls, text="fail").structured_content["error"]
    assert (error["code"], error["details"]) == ("tool", {"retryable": False})
    assert error["correlationId"]
    assert error["timestamp"]
    assert KEY not in str(error)

"""Both wire formats, pure: bodies out, answers in."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import LLMError, LLMRequestError
from aeon.llm.adapters.anthropic_messages import AnthropicMessagesWire
from aeon.llm.adapters.chat_completions import ChatCompletionsWire, structured_outputs, unconstrained
from aeon.llm.adapters.wire import ServerEvent, error_message, parse_object
from aeon.llm.interface import LLMRequest
from aeon.llm.retry import AttemptFailed

CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
OPEN = {"type": "object"}
CHAT = ChatCompletionsWire("m")
MESSAGES = AnthropicMessagesWire("m")
BOTH = pytest.mark.parametrize("wire", [CHAT, MESSAGES], ids=["chat", "messages"])


def event(body):
    return ServerEvent("message", body if isinstance(body, str) else json.dumps(body))


def test_a_chat_body_holds_what_was_asked_and_nothing_else():
    body = CHAT.encode(LLMRequest("hi", "be kind", 5, 0.25), stream=False)
    assert body == {
        "model": "m",
        "messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": "hi"}],
        "max_tokens": 5,
        "temperature": 0.25,
    }


def test_a_streamed_chat_asks_for_usage():
    body = CHAT.encode(LLMRequest("hi"), stream=True)
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}


def test_reasoning_models_get_their_own_fields():
    wire = ChatCompletionsWire("m", max_tokens_field="max_completion_tokens", sends_temperature=False)
    body = wire.encode(LLMRequest("hi", max_tokens=5), stream=False)
    assert body.keys() == {"model", "messages", "max_completion_tokens"}


def test_core_11_a_schema_is_strict_only_inside_the_subset():
    for schema, is_strict in ((CLOSED, True), (OPEN, False)):
        body = CHAT.encode(LLMRequest("hi", schema=schema), stream=False)
        assert body["response_format"] == {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": schema, "strict": is_strict},
        }


def test_core_11_vllm_takes_structured_outputs_and_never_guided_json():
    body = ChatCompletionsWire("m", structured_outputs).encode(LLMRequest("hi", schema=CLOSED), stream=False)
    assert body["structured_outputs"] == {"json": CLOSED, "disable_any_whitespace": True}
    assert "guided_json" not in body
    assert "response_format" not in body


def test_a_server_without_schemas_gets_none():
    body = ChatCompletionsWire("m", unconstrained).encode(LLMRequest("hi", schema=CLOSED), stream=False)
    assert body.keys() == {"model", "messages", "max_tokens", "temperature"}


def test_a_messages_body():
    body = MESSAGES.encode(LLMRequest("hi", "be kind", 5, 1.5, CLOSED), stream=True)
    assert body == {
        "model": "m",
        "max_tokens": 5,
        "messages": [{"role": "user", "content": "hi"}],
        "system": "be kind",
        "temperature": 1.0,
        "output_config": {"format": {"type": "json_schema", "schema": CLOSED}},
        "stream": True,
    }


def test_a_schema_that_messages_cannot_express_is_left_to_validation():
    assert "output_config" not in MESSAGES.encode(LLMRequest("hi", schema=OPEN), stream=False)
    off = AnthropicMessagesWire("m", enforces_schema=False, sends_temperature=False)
    assert off.encode(LLMRequest("hi", schema=CLOSED), stream=False).keys() == {"model", "max_tokens", "messages"}


def test_keys_go_where_each_api_wants_them():
    assert CHAT.headers("k") == {"authorization": "Bearer k"}
    assert CHAT.headers(None) == {}
    assert MESSAGES.headers("k") == {"anthropic-version": "2023-06-01", "x-api-key": "k"}
    assert MESSAGES.headers(None) == {"anthropic-version": "2023-06-01"}


@pytest.mark.parametrize(
    ("said", "ours"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "refusal"),
        ("tool_calls", None),
        (None, None),
        (7, None),
    ],
)
def test_core_9_chat_finish_reasons(said, ours):
    choice = {"message": {"content": "x"}, "finish_reason": said}
    assert CHAT.decode({"choices": [choice]}).finish_reason == ours


@pytest.mark.parametrize(
    ("said", "ours"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("pause_turn", None),
        (None, None),
    ],
)
def test_core_9_messages_stop_reasons(said, ours):
    assert MESSAGES.decode({"content": [], "stop_reason": said}).finish_reason == ours


def test_a_refusal_of_openai_is_a_field_of_its_own():
    choice = {"message": {"content": None, "refusal": "I will not."}, "finish_reason": "stop"}
    reply = CHAT.decode({"choices": [choice]})
    assert (reply.text, reply.finish_reason) == ("I will not.", "refusal")


def test_an_answer_without_text_is_empty_text():
    assert CHAT.decode({"choices": [{"message": {"content": None}, "finish_reason": "length"}]}).text == ""


def test_thinking_is_no_part_of_the_answer():
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert MESSAGES.decode({"content": blocks}).text == "ab"


def test_usage_is_whole_numbers_or_nothing():
    counts = {"prompt_tokens": 3, "completion_tokens": "4", "total_tokens": 7}
    choice = {"message": {"content": "x"}}
    assert CHAT.decode({"choices": [choice], "usage": counts}).usage == {"input_tokens": 3}
    assert CHAT.decode({"choices": [choice], "usage": None}).usage == {}
    assert MESSAGES.decode({"content": [], "usage": {"input_tokens": True, "output_tokens": 2}}).usage == {
        "output_tokens": 2
    }


@pytest.mark.parametrize(
    ("wire", "answer", "missing"),
    [
        (CHAT, {}, r"choices\[0\]"),
        (CHAT, {"choices": []}, r"choices\[0\]"),
        (CHAT, {"choices": ["x"]}, r"choices\[0\]"),
        (CHAT, {"choices": [{}]}, r"choices\[0\]\.message"),
        (CHAT, {"choices": [{"message": {"content": [1]}}]}, r"choices\[0\]\.message\.content"),
        (MESSAGES, {}, "content"),
        (MESSAGES, {"content": "text"}, "content"),
        (MESSAGES, {"content": ["text"]}, r"content\[\]"),
        (MESSAGES, {"content": [{"type": "text", "text": 5}]}, r"content\[\]\.text"),
    ],
)
def test_another_shape_names_what_is_missing(wire, answer, missing):
    with pytest.raises(AttemptFailed, match=missing):
        wire.decode(answer)


@pytest.mark.parametrize(
    "error",
    [{"message": "m", "code": 503}, {"message": "m", "type": "overloaded_error"}, "m", {"message": "m", "code": "odd"}],
)
@BOTH
def test_a_passing_error_inside_a_good_status_is_a_failed_attempt(wire, error):
    for read in (wire.decode, lambda body: wire.reader().feed(event(body))):
        with pytest.raises(AttemptFailed, match="m"):
            read({"error": error})


@pytest.mark.parametrize(
    "error", [{"message": "bad", "code": 400}, {"message": "bad", "type": "invalid_request_error"}]
)
@BOTH
def test_a_lasting_error_inside_a_good_status_is_final(wire, error):
    for read in (wire.decode, lambda body: wire.reader().feed(event(body))):
        with pytest.raises(LLMRequestError, match="bad"):
            read({"error": error})


def test_error_messages_in_their_usual_places():
    assert error_message({"error": {"message": "a"}}) == "a"
    assert error_message({"error": "b"}) == "b"
    assert error_message({"message": "c", "object": "error"}) == "c"
    assert error_message({"detail": "d"}) == "d"
    assert error_message({"detail": [{"loc": []}]}) == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "delta", "error", "type", "text", "usage", "code", "refusal"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
@BOTH
def test_any_json_is_an_answer_or_a_clear_failure(wire, value):
    """Garbage never surfaces as KeyError or TypeError."""
    text = json.dumps(value)
    for read in (lambda: wire.decode(parse_object(text)), lambda: wire.reader().feed(event(text))):
        try:
            read()
        except (AttemptFailed, LLMError) as failure:
            assert str(failure)  # noqa: PT017  # either outcome is fine, silence is not


@BOTH
def test_a_stream_cut_before_its_end_is_a_failed_attempt(wire):
    with pytest.raises(AttemptFailed, match="before its end"):
        wire.reader().reply()


def test_a_finish_reason_or_done_ends_a_chat_stream():
    done = CHAT.reader()
    assert done.feed(event({"choices": [{"delta": {"content": "x"}}]})) == "x"
    done.feed(event("[DONE]"))
    assert done.is_complete
    assert (done.reply().text, done.reply().finish_reason) == ("x", None)

    finished = CHAT.reader()
    finished.feed(event({"choices": [{"delta": {}, "finish_reason": "length"}]}))
    assert finished.reply().finish_reason == "length"


def test_what_the_server_had_read_before_is_counted_apart():
    reader = CHAT.reader()
    reader.feed_chunk({"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]})
    counts = {"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 7}}
    reader.feed_chunk({"choices": [], "usage": counts})
    assert reader.reply().usage == {"input_tokens": 9, "output_tokens": 1, "cached_tokens": 7}

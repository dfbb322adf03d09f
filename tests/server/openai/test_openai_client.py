"""The door for other chat programs, by the client of the package `openai`, which is not ours."""

from contextlib import closing

import openai
import pytest
from tests.server.conftest import events_of

from aeon.adapters.engines.retry import wait_until
from aeon.base.errors import LLMRequestError
from aeon.llm.interface import LLMResponse

ONE = "Flour, eggs, milk and a pinch of salt."
SHORT = """
kind: Process
name: short
initialContext: [request]
steps: [{id: only, tool: chat, inputs: {request: "{request}", messages: [], system: Be brief.}, output: reply}]
outputTemplate: "{{step.reply.text}}"
"""
ASKED = [{"role": "user", "content": "What do pancakes need?"}]


@pytest.fixture
def client_of():
    opened = []

    def made(site, token=None):
        client = openai.OpenAI(base_url=f"http://{site.address}/v1", api_key=token or site.token(), max_retries=0)
        opened.append(client)
        return client

    yield made
    for each in opened:
        each.close()


def test_a_chat_after_earlier_messages_and_its_tokens(serve, client_of):
    site = serve(ONE)
    client = client_of(site)
    assert next(each.id for each in client.models.list().data) == "chat"
    assert client.models.retrieve("chat").id == "chat"
    answer = client.chat.completions.create(
        model="chat",
        messages=[
            {"role": "system", "content": "Answer shortly."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hello!"},
            {"role": "user", "content": [{"type": "text", "text": "What do pancakes need?"}]},
        ],
    )
    assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == (ONE, "stop")
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    (asked,) = site.model.requests
    assert (asked.system_prompt, asked.prompt) == ("Answer shortly.", "What do pancakes need?")
    assert [(each.role, each.text) for each in asked.history] == [("user", "Hello"), ("assistant", "Hello!")]


def test_a_stream_has_the_whole_text_in_pieces_and_the_run_is_in_the_record(serve, client_of):
    site = serve(ONE)
    client = client_of(site)
    with client.chat.completions.with_streaming_response.create(
        model="chat", messages=ASKED, stream=True, stream_options={"include_usage": True}
    ) as raw:
        run = raw.headers["x-aeon-run"]
        chunks = list(raw.parse())
    texts = [each.choices[0].delta.content for each in chunks if each.choices and each.choices[0].delta.content]
    assert "".join(texts) == ONE
    assert len(texts) > 1
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None
    assert site.client("me").get(f"/api/v1/runs/{run}").json()["output"] == ONE


def test_limits_reach_the_model_and_an_answer_that_was_cut_off_says_so(serve, client_of):
    site = serve(LLMResponse("Flour, eggs", "length"), LLMResponse("Flour, eggs", "length"), LLMResponse(ONE, "stop"))
    client = client_of(site)
    limits = {"max_completion_tokens": 3, "temperature": 0.5}
    answer = client.chat.completions.create(model="chat", messages=ASKED, **limits)
    assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == ("Flour, eggs", "length")
    chunks = list(client.chat.completions.create(model="chat", messages=ASKED, stream=True, max_tokens=3))
    assert chunks[-1].choices[0].finish_reason == "length"
    client.chat.completions.create(model="chat", messages=ASKED, max_tokens=1_000_000)
    asked = [(each.max_tokens, each.temperature) for each in site.model.requests]
    assert asked == [(3, 0.5), (3, 0.0), (2048, 0.0)], "the Process allows no more"


def test_a_process_without_limits_refuses_them(serve, client_of):
    site = serve(ONE)
    assert site.client("me").post("/api/v1/apply", json={"text": SHORT}).status_code == 200
    client = client_of(site)
    assert client.chat.completions.create(model="short", messages=ASKED).choices[0].message.content == ONE
    with pytest.raises(openai.BadRequestError, match="takes no temperature"):
        client.chat.completions.create(model="short", messages=ASKED, temperature=0.5)


@pytest.mark.parametrize("model", ["short", "answer_and_keep"])
def test_a_process_without_inputs_for_them_refuses_earlier_messages_and_a_system_message(serve, client_of, model):
    site = serve()
    assert site.client("me").post("/api/v1/apply", json={"text": SHORT}).status_code == 200
    with pytest.raises(openai.BadRequestError, match="takes no earlier messages and no system message") as refused:
        client_of(site).chat.completions.create(model=model, messages=[said("system", "Be brief."), *BEFORE, NEXT])
    assert "add the input 'messages' and 'system' to it" in refused.value.message
    assert site.model.requests == []


def test_with_the_header_the_message_goes_into_a_conversation(serve, client_of):
    site = serve(ONE, "Three times of everything.")
    client, program = client_of(site), site.client("me")
    raw = client.chat.completions.with_raw_response.create(
        model="chat", messages=ASKED, extra_headers={"x-aeon-conversation": "new"}
    )
    place = raw.headers["x-aeon-conversation"]
    client.chat.completions.create(
        model="chat",
        messages=[*ASKED, {"role": "assistant", "content": ONE}, {"role": "user", "content": "And for twelve?"}],
        extra_headers={"x-aeon-conversation": place},
    )
    path = program.get(f"/api/v1/conversations/{place}/path").json()["data"]
    assert [each["content"] for each in path] == [
        "What do pancakes need?",
        ONE,
        "And for twelve?",
        "Three times of everything.",
    ]
    with pytest.raises(openai.NotFoundError):
        client_of(site, site.token("eve")).chat.completions.create(
            model="chat", messages=ASKED, extra_headers={"x-aeon-conversation": place}
        )


def said(role, content):
    return {"role": role, "content": content}


@pytest.fixture
def begun(serve, client_of):
    """`begun(*replies)`: a conversation with a message and its answer, `ask` in it, and `path`, its contents."""

    def made(*replies):
        site = serve(ONE, *replies)
        client, program = client_of(site), site.client("me")

        def ask(*messages, place, key=None):
            headers = {"x-aeon-conversation": place, **({} if key is None else {"idempotency-key": key})}
            raw = client.chat.completions.with_raw_response.create(
                model="chat", messages=messages, extra_headers=headers
            )
            return raw.headers["x-aeon-conversation"], raw.parse().choices[0].message.content

        place, _ = ask(*ASKED, place="new")

        def path():
            return [each["content"] for each in program.get(f"/api/v1/conversations/{place}/path").json()["data"]]

        return ask, path, place

    return made


TWO = "Three times of everything."
NEXT = said("user", "And for twelve?")
BEFORE = [*ASKED, said("assistant", f" {ONE}\n")]


def test_messages_that_the_conversation_has_may_be_sent_again_all_or_the_last_of_them(begun):
    ask, path, place = begun(TWO, "Five.")
    assert ask(*BEFORE, NEXT, place=place) == (place, TWO)
    assert ask(said("assistant", TWO), said("user", "And for twenty?"), place=place) == (place, "Five.")
    assert path() == [ASKED[0]["content"], ONE, "And for twelve?", TWO, "And for twenty?", "Five."]


def test_a_request_with_the_same_key_gets_its_answer_again_whatever_was_said_since(begun):
    ask, path, place = begun(TWO)
    assert ask(*BEFORE, NEXT, place=place, key="once") == ask(*BEFORE, NEXT, place=place, key="once") == (place, TWO)
    assert len(path()) == 4


@pytest.mark.parametrize(
    ("earlier", "message"),
    [
        ([said("system", "Be brief."), *BEFORE], "takes no system message"),
        ([said("developer", "Be brief.")], "takes no system message"),
        ([*ASKED, said("assistant", "Cheese.")], "are not the last ones"),
        (ASKED, "are not the last ones"),
        ([said("assistant", ASKED[0]["content"]), said("user", ONE)], "are not the last ones"),
        ([said("user", "Hello"), said("assistant", "Hello!"), *BEFORE], "are not the last ones"),
    ],
    ids=["system", "developer", "another answer", "another branch", "other roles", "more than there are"],
)
def test_what_a_conversation_would_lose_of_a_request_is_refused(begun, earlier, message):
    ask, path, place = begun()
    with pytest.raises(openai.BadRequestError, match=message):
        ask(*earlier, NEXT, place=place)
    assert path() == [ASKED[0]["content"], ONE]


def test_a_new_conversation_takes_one_message(begun):
    ask, _, _ = begun()
    with pytest.raises(openai.BadRequestError, match="A new conversation takes no earlier messages"):
        ask(*BEFORE, NEXT, place="new")
    with pytest.raises(openai.BadRequestError, match="A conversation takes no system message"):
        ask(said("system", "Be brief."), NEXT, place="new")


DEFAULTS = {
    "response_format": {"type": "text"},
    "tools": [],
    "top_p": 1,
    "presence_penalty": 0,
    "frequency_penalty": 0.0,
    "logit_bias": {},
    "n": None,
    "stop": None,
    "stream": None,
    "logprobs": False,
    "tool_choice": "auto",
    "seed": None,
}


def test_values_that_mean_the_default_are_accepted(serve):
    site = serve(ONE, ONE)
    client = site.client("me")
    answer = client.post("/v1/chat/completions", json={"model": "chat", "messages": ASKED, **DEFAULTS})
    assert answer.status_code == 200, answer.text
    echoed = [*ASKED, answer.json()["choices"][0]["message"], *ASKED]
    again = client.post("/v1/chat/completions", json={"model": "chat", "messages": echoed, "tool_choice": "none"})
    assert again.status_code == 200, again.text


def test_images_are_refused_in_one_sentence(site):
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    asked = [{"role": "user", "content": [{"type": "text", "text": "What is this?"}, image]}]
    answer = site.client("me").post("/v1/chat/completions", json={"model": "chat", "messages": asked})
    message = answer.json()["error"]["message"].partition(" (request")[0]
    assert (answer.status_code, message) == (
        400,
        "messages.0.content: Images are not supported here; send text.",
    )


@pytest.mark.parametrize(
    "more",
    [
        {"temperature": 3},
        {"max_tokens": 0},
        {"top_p": 0.5},
        {"temperature": 0.2, "extra_headers": {"x-aeon-conversation": "new"}},
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]},
        {"response_format": {"type": "json_object"}},
        {"presence_penalty": 1},
        {"logit_bias": {"50256": -100}},
        {"logprobs": True},
        {"tool_choice": "required"},
        {"stop": "x"},
        {"seed": 1},
        {"n": 2},
        {"messages": [{"role": "assistant", "content": "x"}]},
        {"messages": [{"role": "user", "content": " "}]},
        {"messages": []},
    ],
)
def test_what_is_not_supported_is_refused_and_not_ignored(site, client_of, more):
    with pytest.raises(openai.BadRequestError) as raised:
        client_of(site).chat.completions.create(**{"model": "chat", "messages": ASKED, **more})
    assert raised.value.body["type"] == "invalid_request_error"


def test_an_unknown_model_and_a_foreign_token_are_refused_in_the_clients_own_terms(site, client_of):
    client = client_of(site)
    with pytest.raises(openai.NotFoundError) as raised:
        client.chat.completions.create(model="reply", messages=ASKED)
    assert raised.value.body["code"] == "model_not_found"
    with pytest.raises(openai.AuthenticationError):
        client_of(site, "nothing").models.list()
    browser = site.browser()
    assert browser.get("/v1/models").status_code == 401, "a cookie is not enough: any page could ask"


def test_a_path_that_is_not_there_is_no_missing_model(site, client_of):
    client = client_of(site)
    with pytest.raises(
        openai.NotFoundError, match=r"There is nothing at this path\. Here are GET /v1/models, POST"
    ) as raised:
        client.responses.create(model="chat", input="hello")
    assert raised.value.body["code"] is None
    with pytest.raises(openai.APIStatusError, match="This path has no such method"):
        client.get("/chat/completions", cast_to=object)


def test_a_body_that_is_not_json_is_said_so(site):
    asked = {"Authorization": f"Bearer {site.token()}", "Content-Type": "application/json"}
    refused = site.browser().post("/v1/chat/completions", content='{"model": "chat"', headers=asked)
    message = refused.json()["error"]["message"]
    assert refused.status_code == 400
    assert message.startswith("the body is not JSON: ")


def test_a_model_that_fails_is_an_error_also_in_a_stream(serve, client_of):
    site = serve(LLMRequestError("broken"))
    with pytest.raises(openai.APIStatusError):
        client_of(site).chat.completions.create(model="chat", messages=ASKED)
    site.model._replies.append(LLMRequestError("broken"))
    with (
        pytest.raises(openai.APIError),
        closing(client_of(site).chat.completions.create(model="chat", messages=ASKED, stream=True)) as chunks,
    ):
        list(chunks)


def test_a_program_that_goes_away_leaves_nothing_behind_and_its_run_ends(serve, client_of):
    site = serve(ONE)
    with client_of(site).chat.completions.with_streaming_response.create(
        model="chat", messages=ASKED, stream=True
    ) as raw:
        run = raw.headers["x-aeon-run"]
    with site.client("me").stream("GET", f"/api/v1/runs/{run}/events") as stream:
        assert events_of(stream)[-1][2]["output"] == ONE
    assert wait_until(lambda: site.workspaces.of("me")._platform.call_pieces._listeners == {}, 20)

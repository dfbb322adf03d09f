"""Answers that were made again, or stopped: what a chat program gets is the whole answer, or an error."""

import threading
from contextlib import ExitStack

import openai
import pytest

from aeon.adapters.engines.retry import wait_until
from aeon.llm.adapters.remote_api import RemoteAPIAdapter
from aeon.testing.wire_double import WireDouble
from aeon.testing.wire_rules import StalledResponse, TextResponse, TruncatedBody

ASKED = [{"role": "user", "content": "Tell me about the lakes of Austria."}]
BROKEN, WHOLE = "one two three four", "eins zwei drei vier"
KEPT = {"x-aeon-conversation": "new"}


@pytest.fixture
def talking(serve):
    """`talking(*rules)`: a site whose model answers over a wire by these rules, the model, and a client of the site."""
    with ExitStack() as closing:

        def made(*rules):
            model = closing.enter_context(WireDouble(rules))
            site = serve(model=RemoteAPIAdapter(model.base_url, "scripted"))
            address = f"http://{site.address}/v1"
            client = closing.enter_context(openai.OpenAI(base_url=address, api_key=site.token(), timeout=60))
            return site, model, client

        yield made


def streamed(client, headers):
    """The text of a stream, up to the error that ends it, and the error."""
    texts, finishes = [], []
    try:
        with client.chat.completions.create(model="chat", messages=ASKED, stream=True, extra_headers=headers) as chunks:
            for each in chunks:
                texts.append(each.choices[0].delta.content or "")
                finishes.append(each.choices[0].finish_reason)
    except openai.APIError as error:
        return "".join(texts), finishes[-1], error.message
    return "".join(texts), finishes[-1], None


@pytest.mark.parametrize("headers", [KEPT, {}], ids=["conversation", "run"])
def test_an_answer_that_was_made_again_is_whole_without_a_stream_and_an_error_in_one(talking, headers):
    _, _, client = talking(TruncatedBody(BROKEN), TextResponse(WHOLE), TruncatedBody(BROKEN), TextResponse(WHOLE))
    whole = client.chat.completions.create(model="chat", messages=ASKED, extra_headers=headers).choices[0]
    assert (whole.finish_reason, whole.message.content) == ("stop", WHOLE)
    text, finish, error = streamed(client, headers)
    assert BROKEN.startswith(text)
    assert text
    assert finish is None
    assert "was made again and differs from what was shown of it" in error


def test_a_refusal_in_a_conversation_is_an_error_and_its_message_is_not_said_again(talking):
    site, model, client = talking(TextResponse("I will", finish_reason="content_filter"))
    with pytest.raises(openai.InternalServerError, match="the model refused to answer"):
        client.chat.completions.create(model="chat", messages=ASKED, extra_headers=KEPT)
    assert len(model.requests) == 1
    assert len(site.client("me").get("/api/v1/conversations").json()["data"]) == 1


@pytest.fixture
def stopped(talking):
    """`stopped(text, ask)`: what `ask` of a client returns while the answer, of which `text` is half, is stopped."""

    def made(text, ask):
        site, model, client = talking(StalledResponse(text))
        me = site.client("me")

        def stop():
            assert wait_until(lambda: len(model.requests) == 1, 30)
            place = me.get("/api/v1/conversations").json()["data"][0]["id"]
            answer = me.get(f"/api/v1/conversations/{place}/path").json()["data"][-1]["id"]
            assert me.post(f"/api/v1/messages/{answer}/stop").status_code == 200
            model.release()

        stopping = threading.Thread(target=stop)
        stopping.start()
        try:
            return ask(client)
        finally:
            stopping.join(60)
            assert len(model.requests) == 1, "the client does not ask again what was stopped"

    return made


@pytest.mark.parametrize("text", ["", BROKEN], ids=["nothing", "a part"])
def test_an_answer_that_was_stopped_is_an_error_without_a_stream(stopped, text):
    with pytest.raises(openai.ConflictError, match="The answer was stopped before it was whole"):
        stopped(text, lambda client: client.chat.completions.create(model="chat", messages=ASKED, extra_headers=KEPT))


def test_a_stream_of_an_answer_that_was_stopped_ends_with_an_error(stopped):
    text, finish, error = stopped(BROKEN, lambda client: streamed(client, KEPT))
    assert BROKEN.startswith(text)
    assert finish is None
    assert "The answer was stopped before it was whole" in error

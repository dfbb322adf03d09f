"""Questions to a model: prompts from templates, answers as text or as JSON that fits, repaired within limits."""

import threading
from contextlib import nullcontext

import pytest

from aeon.adapters.operations.host_addresses import resolve_host
from aeon.adapters.operations.llm import LlmExecutor, render_prompt
from aeon.adapters.operations.llm_endpoints import model_server
from aeon.base.cancellation import on_cancel
from aeon.base.errors import LLMError, LLMRequestError
from aeon.llm.interface import LLMResponse
from aeon.platform.catalog.operations import LlmCall, TokenUsage
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest
from aeon.platform.vault import SecretValue
from aeon.testing.llama_server import llama_server
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.wire_double import WireDouble

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def result(adapter, given=None, schema=None, **operation):
    asked = LlmCall.model_validate({"type": "llm_call", "promptTemplate": "Where is {{what}}?", **operation})
    work = OperationRequest(
        "me", asked, "http", {"endpoint": "aeon:model"}, given or {"what": "it"}, None, schema or {}
    )
    return LlmExecutor(lambda _work: nullcontext(adapter)).execute(work)


def counted(text, asked, answered, model="m-1"):
    return LLMResponse(text, "stop", {"input_tokens": asked, "output_tokens": answered}, model)


def ask(adapter, *args, **options):
    return result(adapter, *args, **options).output


def test_without_a_schema_the_answer_is_text():
    adapter = ScriptedAdapter([" In Rome.\n"])
    asked = {"systemPrompt": "Be {{how}}.", "maxTokens": 7, "temperature": 0.5}
    assert ask(adapter, {"what": "it", "how": "brief"}, {"description": "what it says"}, **asked) == {
        "text": "In Rome."
    }
    (request,) = adapter.requests
    assert (request.prompt, request.system_prompt) == ("Where is it?", "Be brief.")
    assert (request.max_tokens, request.temperature, request.schema) == (7, 0.5, None)


def test_the_model_is_chosen_by_the_whole_work():
    seen = []

    def adapter_for(work):
        seen.append(work)
        return nullcontext(ScriptedAdapter(["yes"]))

    secret = SecretValue({"key": "k"})
    operation = LlmCall.model_validate({"type": "llm_call", "promptTemplate": "?"})
    connection = {"endpoint": "https://models.example/v1", "model": "m"}
    LlmExecutor(adapter_for).execute(OperationRequest("me", operation, "https", connection, {}, secret, {}))
    assert (seen[0].connection, seen[0].secret) == (connection, secret)


def test_platform_6_what_the_input_says_is_no_template_and_is_not_escaped():
    assert render_prompt("{{a}} {{{a}}}", {"a": "<&{{b}}>", "b": "no"}) == "<&{{b}}> <&{{b}}>"
    assert render_prompt("{{o}} {{l}}", {"o": {"n": [None]}, "l": [1, "x"]}) == '{"n":[null]} [1,"x"]'
    assert (
        render_prompt("{{o.n}}{{#each l}}{{this}},{{/each}}{{t}}", {"o": {"n": None}, "l": [1, "x"], "t": True})
        == "1,x,true"
    )
    assert render_prompt("{{#each o}}{{@key}}={{this}};{{/each}}", {"o": {"n": None}, "other": "private"}) == "n=;"


@pytest.mark.parametrize(
    ("template", "named"), [("{{gone}}", "gone"), ("{{it.gone.on}}", "it.gone.on"), ("{{#if gone}}x{{/if}}", "gone")]
)
def test_platform_6_a_variable_that_was_not_given_is_named(template, named):
    adapter = ScriptedAdapter([])
    with pytest.raises(OperationError, match=f"needs '{named}'"):
        ask(adapter, {"it": {}}, promptTemplate=template)
    assert adapter.requests == []


def test_core_11_a_schema_constrains_the_answer_and_is_told():
    adapter = ScriptedAdapter([{"city": "Rome"}])
    assert ask(adapter, schema=CITY, systemPrompt="Be brief.") == {"city": "Rome"}
    (request,) = adapter.requests
    assert request.schema == CITY
    assert request.system_prompt.startswith("Be brief.\n\n")
    assert '"city"' in request.system_prompt


def test_core_9_what_can_be_read_without_a_model_is():
    adapter = ScriptedAdapter(['Here it is:\n```json\n{"city": "Rome",}\n```'])
    assert ask(adapter, schema=CITY) == {"city": "Rome"}
    assert adapter.remaining == 0


def test_core_10_what_cannot_is_repaired():
    adapter = ScriptedAdapter([{"town": "Rome"}, {"city": "Rome"}])
    assert ask(adapter, schema=CITY) == {"city": "Rome"}


def test_core_10_a_repair_has_two_attempts_and_then_it_is_said_what_was_wrong():
    adapter = ScriptedAdapter([{"town": "Rome"}] * 5)
    with pytest.raises(OperationError, match=r"could not be repaired: .*city") as failed:
        ask(adapter, schema=CITY)
    assert not failed.value.is_transient
    assert len(adapter.requests) == 3


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}}, [1, 2]),
        ({"enum": ["yes", "no"]}, "yes"),
        ({"type": ["object", "null"]}, None),
    ],
)
def test_a_value_that_is_no_object_is_asked_for_inside_of_one(schema, value):
    adapter = ScriptedAdapter([{"result": value}])
    assert ask(adapter, schema=schema) == value
    assert adapter.requests[0].schema["type"] == "object"


@pytest.mark.parametrize("schema", [{}, CITY])
@pytest.mark.parametrize(
    ("reply", "match"),
    [
        (LLMResponse('{"city": "Ro', "length"), "cut off by the token limit"),
        (LLMResponse("I will not.", "refusal"), "refused"),
    ],
)
def test_an_unfinished_answer_is_no_answer(schema, reply, match):
    adapter = ScriptedAdapter([reply])
    with pytest.raises(OperationError, match=match):
        ask(adapter, schema=schema)
    assert adapter.remaining == 0


def test_an_empty_answer_is_no_answer():
    with pytest.raises(OperationError, match="returned an empty answer"):
        ask(ScriptedAdapter(["  "]))


@pytest.mark.parametrize(
    ("error", "is_transient"), [(LLMError("down"), True), (LLMRequestError("no such model"), False)]
)
def test_a_models_failure_says_whether_to_try_again(error, is_transient):
    with pytest.raises(OperationError, match=error.message) as failed:
        ask(ScriptedAdapter([error]))
    assert failed.value.is_transient is is_transient


def test_an_answer_that_does_not_come_is_not_waited_for_and_its_maker_is_stopped():
    stopped = threading.Event()

    def hangs(_request):
        with on_cancel(stopped.set):
            stopped.wait(30)
        return "late"

    with pytest.raises(OperationError, match=r"no answer within 0\.05 s") as late:
        ask(ScriptedAdapter([hangs]), timeout=0.05)
    assert late.value.is_transient
    assert stopped.wait(10)


LOOPS = "{{#each l}}" + "{{#each @root.l}}" * 3 + "{{/each}}" * 4


@pytest.mark.slow
def test_platform_6_a_prompt_that_would_not_be_made_in_time_is_not_waited_for_and_ends():
    given = {"l": list(range(100))}
    with pytest.raises(OperationError, match=r"no answer within 0\.05 s"):
        ask(ScriptedAdapter(["late"]), given, promptTemplate=LOOPS, timeout=0.05)
    with pytest.raises(OperationError, match="the prompt takes more than 1,000,000 steps"):
        render_prompt(LOOPS, given)


def test_platform_6_blocks_that_are_nested_too_deeply_are_told():
    template = "{{#if x}}" * 5000 + "{{/if}}" * 5000
    with pytest.raises(OperationError, match="nested too deeply"):
        render_prompt(template, {"x": 1})
    with pytest.raises(ValueError, match="nested too deeply"):
        LlmCall(prompt_template=template[:45_000]).variables()


def test_the_tokens_of_every_answer_count_those_of_repairs_too():
    replies = [counted('{"town": "Rome"}', 100, 10), counted('{"city": "Rome"}', 50, 5, "m-2")]
    assert result(ScriptedAdapter(replies), schema=CITY).usage == TokenUsage(150, 15, "m-2", model_calls=2)
    assert result(ScriptedAdapter(["In Rome."])).usage is None
    only_some = ScriptedAdapter([LLMResponse("{}", "stop"), counted('{"city": "Rome"}', 7, 3, None)])
    assert result(only_some, schema=CITY).usage == TokenUsage(7, 3, None, model_calls=2)


@pytest.mark.parametrize(
    ("replies", "model_calls"),
    [
        ([counted('{"town": 1}', 30, 1)] * 3, 3),
        ([LLMResponse("I will not.", "refusal", {"input_tokens": 90, "output_tokens": 3}, "m-1")], 1),
        ([counted("{}", 90, 3), LLMError("down")], 1),
    ],
)
def test_tokens_of_a_call_that_failed_are_told_too(replies, model_calls):
    with pytest.raises(OperationError) as failed:
        ask(ScriptedAdapter(replies), schema=CITY)
    assert failed.value.usage == TokenUsage(90, 3, "m-1", model_calls=model_calls)


# Servers


@pytest.fixture
def model():
    with WireDouble(["in Rome"]) as server:
        yield server


def asked_of(endpoint, resolve=resolve_host, *, secret=None, **operation):
    asked = LlmCall.model_validate({"type": "llm_call", "promptTemplate": "Where?", "allowPrivate": True, **operation})
    connection = {"endpoint": endpoint, "model": "m"}
    work = OperationRequest("me", asked, "http", connection, {}, SecretValue(secret) if secret else None, {})
    return LlmExecutor(lambda work: model_server(work, resolve)).execute(work)


@pytest.mark.server
@pytest.mark.parametrize("secret", [{"key": "k1"}, {"access_token": "k1"}])
def test_a_model_server_is_asked_with_the_secret_and_counts(model, secret):
    outcome = asked_of(model.base_url, secret=secret)
    assert outcome.output == {"text": "in Rome"}
    assert outcome.usage.prompt_tokens > 0
    assert model.requests[0].headers["authorization"] == "Bearer k1"


@pytest.mark.server
def test_the_address_that_was_checked_is_the_one_that_is_asked(model):
    """Under the name's own host header; a name that leads elsewhere later is not looked up again."""
    endpoint = model.base_url.replace("127.0.0.1", "model.example")
    assert asked_of(endpoint, lambda _host, _port: ["127.0.0.1"]).output == {"text": "in Rome"}
    assert model.requests[0].headers["host"] == endpoint.split("/")[2]


def test_no_key_goes_over_plain_http_to_another_machine_unless_that_is_allowed(model):
    endpoint = model.base_url.replace("127.0.0.1", "model.example")
    elsewhere = lambda _host, _port: ["127.0.0.1", "0.0.0.0"]  # noqa: E731, S104  # this machine, not its loopback
    with pytest.raises(OperationError, match="over plain http"):
        asked_of(endpoint, elsewhere, secret={"key": "k"})
    assert model.requests == []
    assert asked_of(endpoint, elsewhere, secret={"key": "k"}, allowInsecure=True).output == {"text": "in Rome"}


@pytest.mark.server
def test_a_private_address_is_asked_only_where_it_is_allowed(model):
    with pytest.raises(OperationError, match="which is private") as refused:
        asked_of(model.base_url, allowPrivate=False)
    assert "allowPrivate" in refused.value.advice
    assert model.requests == []
    with pytest.raises(OperationError, match=r"10\.0\.0\.1, which is private"):
        asked_of("https://model.example", lambda _host, _port: ["10.0.0.1"], allowPrivate=False)


@pytest.mark.parametrize(
    ("endpoint", "secret", "match"),
    [
        ("http://127.0.0.1:1", {"username": "u", "password": "hunter2"}, "cannot be a model server's key"),
        ("ftp://127.0.0.1", None, "not an http or https address"),
        ("http://u:hunter2@127.0.0.1", None, "contains a password"),
    ],
)
def test_a_connection_that_cannot_be_used_is_refused(endpoint, secret, match):
    with pytest.raises(OperationError, match=match) as refused:
        asked_of(endpoint, secret=secret)
    assert "hunter2" not in str(refused.value)


def test_a_connection_names_its_model():
    operation = LlmCall(prompt_template="?")
    with pytest.raises(OperationError, match="do not name a model"):
        model_server(OperationRequest("me", operation, "http", {"endpoint": "http://127.0.0.1:1"}, {}, None, {}))


@pytest.mark.server
def test_a_refused_key_is_told_apart():
    with WireDouble(["yes"], api_key="right") as server, pytest.raises(OperationError) as refused:
        asked_of(server.base_url, secret={"key": "wrong1"})
    assert refused.value.is_unauthorized
    assert "wrong1" not in str(refused.value)


@pytest.mark.server
@pytest.mark.model
def test_the_embedded_model_s_own_server_answers_with_what_fits_the_schema(tiny_model):
    """A real server on loopback that wants a key; its tokens are counted."""
    schema = {
        "type": "object",
        "properties": {"mood": {"enum": ["good", "bad"]}},
        "required": ["mood"],
        "additionalProperties": False,
    }
    with llama_server(tiny_model, context=1024) as peer:
        connection = {"endpoint": peer.base_url, "model": peer.model}
        asked = {"promptTemplate": "Is the mood of {{what}} good or bad?", "allowPrivate": True, "maxTokens": 64}
        operation = LlmCall.model_validate({"type": "llm_call", **asked})
        secret = SecretValue({"key": peer.api_key})
        work = OperationRequest("me", operation, "http", connection, {"what": "a sunny day"}, secret, schema)
        outcome = LlmExecutor(model_server).execute(work)
        assert outcome.output["mood"] in ("good", "bad")
        assert outcome.usage.prompt_tokens > 0
        assert outcome.usage.completion_tokens > 0
        with pytest.raises(OperationError) as refused:
            LlmExecutor(model_server).execute(work._replace(secret=SecretValue({"key": "canary-wrong"})))
        assert "canary-wrong" not in str(refused.value.as_dict())
        private = operation.model_copy(update={"allow_private": False})
        with pytest.raises(OperationError, match="which is private"):
            LlmExecutor(model_server).execute(work._replace(operation=private))

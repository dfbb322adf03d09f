"""Questions to a model: prompts from templates, answers as text or as JSON that fits, repaired within limits."""

import threading

import pytest

from aeon.adapters.operations.llm import LlmExecutor
from aeon.adapters.operations.prompts import rendered
from aeon.base.errors import LLMError, LLMRequestError
from aeon.llm.interface import Reply
from aeon.platform.catalog.calling import OperationError, Work
from aeon.platform.catalog.operations import LlmCall
from aeon.platform.vault import Revealed
from aeon.testing.llm import ScriptedAdapter

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def ask(adapter, given=None, schema=None, **operation):
    asked = LlmCall.model_validate({"type": "llm_call", "promptTemplate": "Where is {{what}}?", **operation})
    work = Work("me", asked, "http", {"endpoint": "aeon:model"}, given or {"what": "it"}, None, schema or {})
    return LlmExecutor(lambda _work: adapter).execute(work)


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
        return ScriptedAdapter(["yes"])

    secret = Revealed({"key": "k"})
    operation = LlmCall.model_validate({"type": "llm_call", "promptTemplate": "?"})
    connection = {"endpoint": "https://models.example/v1", "model": "m"}
    LlmExecutor(adapter_for).execute(Work("me", operation, "https", connection, {}, secret, {}))
    assert (seen[0].connection, seen[0].secret) == (connection, secret)


def test_platform_6_what_the_input_says_is_no_template_and_is_not_escaped():
    assert rendered("{{a}} {{{a}}}", {"a": "<&{{b}}>", "b": "no"}) == "<&{{b}}> <&{{b}}>"
    assert (
        rendered("{{o.n}}{{#each l}}{{this}},{{/each}}{{t}}", {"o": {"n": None}, "l": [1, "x"], "t": True})
        == "1,x,true"
    )


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
        (Reply('{"city": "Ro', "length"), "cut off by the token limit"),
        (Reply("I will not.", "refusal"), "refused"),
    ],
)
def test_an_unfinished_answer_is_no_answer(schema, reply, match):
    adapter = ScriptedAdapter([reply])
    with pytest.raises(OperationError, match=match):
        ask(adapter, schema=schema)
    assert adapter.remaining == 0


def test_an_empty_answer_is_no_answer():
    with pytest.raises(OperationError, match="answered nothing"):
        ask(ScriptedAdapter(["  "]))


@pytest.mark.parametrize(
    ("error", "is_transient"), [(LLMError("down"), True), (LLMRequestError("no such model"), False)]
)
def test_a_models_failure_says_whether_to_try_again(error, is_transient):
    with pytest.raises(OperationError, match=error.message) as failed:
        ask(ScriptedAdapter([error]))
    assert failed.value.is_transient is is_transient


def test_an_answer_that_does_not_come_is_not_waited_for():
    released = threading.Event()

    def hangs(_request):
        released.wait(30)
        return "late"

    with pytest.raises(OperationError, match=r"no answer within 0\.05 s") as late:
        ask(ScriptedAdapter([hangs]), timeout=0.05)
    released.set()
    assert late.value.is_transient

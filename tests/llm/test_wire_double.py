"""The double itself: strict, recording, and never passing by accident."""

import httpx2
import pytest

from aeon.testing.wire_double import WireDouble
from aeon.testing.wire_rules import TextResponse

pytestmark = pytest.mark.server

CHAT = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
MESSAGES = {**CHAT, "max_tokens": 5}
OPEN = {"type": "object", "properties": {"a": {"type": "string"}}}
BOUND = {"type": "string", "maxLength": 5}


@pytest.fixture(scope="module")
def client():
    with httpx2.Client(trust_env=False) as client:
        yield client


def posted(client, double, body, path=None, **headers):
    path = path or double.profile.path
    return client.post(double.base_url.removesuffix("/v1") + path, json=body, headers=headers)


def test_a_request_without_a_rule_is_refused_and_not_to_be_repeated(client):
    with WireDouble(["only one"]) as double:
        assert posted(client, double, CHAT).status_code == 200
        answer = posted(client, double, CHAT)
        assert answer.status_code == 400
        assert "script of 1 rules is used up" in answer.text
        assert double.remaining == 0
        assert len(double.requests) == 2


@pytest.mark.parametrize(
    ("profile", "body", "words"),
    [
        ("openai", {**CHAT, "guided_json": {}}, "guided_json"),
        ("openai", {**CHAT, "structured_outputs": {}}, "structured_outputs"),
        ("vllm", {**CHAT, "guided_json": {}}, "guided_json"),
        ("vllm", {**CHAT, "structured_outputs": {"choices": []}}, "choices"),
        ("anthropic", {**MESSAGES, "response_format": {}}, "response_format"),
        ("anthropic", CHAT, "max_tokens"),
        ("anthropic", {**MESSAGES, "temperature": 1.5}, "temperature"),
        ("anthropic", {**MESSAGES, "output_config": {"format": {"schema": BOUND}}}, "maxLength"),
        (
            "openai",
            {**CHAT, "response_format": {"json_schema": {"name": "a", "strict": True, "schema": OPEN}}},
            "additionalProperties",
        ),
        ("openai", {"model": "m"}, "messages"),
    ],
)
def test_foreign_parameters_are_refused(client, profile, body, words):
    with WireDouble(["unused"], profile=profile) as double:
        answer = posted(client, double, body, **{"anthropic-version": "2023-06-01"})
        assert answer.status_code == 400
        assert words in answer.text
        assert double.remaining == 1, "a refused request uses up no rule"


def test_anthropic_wants_its_version(client):
    with WireDouble(["unused"], profile="anthropic") as double:
        assert "anthropic-version" in posted(client, double, MESSAGES).text


def test_keys_and_paths(client):
    with WireDouble([TextResponse("in")], api_key="k") as double:
        assert posted(client, double, CHAT).status_code == 401
        assert posted(client, double, CHAT, authorization="Bearer wrong").status_code == 401
        assert posted(client, double, CHAT, path="/v1/messages").status_code == 404
        assert posted(client, double, CHAT, authorization="Bearer k").status_code == 200


def test_health_and_models(client):
    with WireDouble() as double:
        assert client.get(f"{double.base_url}/models").json()["data"][0]["id"] == "double"
        assert client.get(double.base_url.replace("/v1", "/health")).json() == {"status": "ok"}
        assert client.get(f"{double.base_url}/other").status_code == 404

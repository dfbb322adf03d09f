"""What each API refuses, for the wire double: foreign parameters, schemas outside its subset, missing headers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from aeon.base.json import Json, JsonObject
from aeon.testing.wire_dialects import ChatDialect, Dialect, MessagesDialect

_CHAT = frozenset(
    {
        *("model", "messages", "max_tokens", "max_completion_tokens", "temperature", "stream", "stream_options"),
        *("response_format", "seed", "top_p", "stop", "n", "user"),
    }
)
_MESSAGES = frozenset(
    {
        *("model", "messages", "system", "max_tokens", "temperature", "stream", "output_config", "metadata"),
        *("stop_sequences", "top_p", "top_k"),
    }
)
_VLLM_OUTPUTS = frozenset({"json", "regex", "choice", "grammar", "json_object", "structural_tag"}) | {
    *("whitespace_pattern", "disable_any_whitespace", "disable_additional_properties"),
}
_NOT_IN_MESSAGES = frozenset(
    {
        *("minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("maxItems", "oneOf", "not", "if"),
    }
)


@dataclass(frozen=True, slots=True)
class APIProfile:
    """One API as a server presents it."""

    path: str
    dialect: Dialect
    known: frozenset[str]
    key_header: str
    faults: Callable[[JsonObject, Mapping[str, str]], Iterator[str]]

    def fault(self, body: JsonObject, headers: Mapping[str, str]) -> str | None:
        """Why this API would refuse `body`, or None."""
        foreign = sorted(body.keys() - self.known)
        if foreign:
            return f"Unrecognized request argument supplied: {', '.join(foreign)}"
        missing = sorted({"model", "messages"} - body.keys())
        if missing:
            return f"Missing required parameter: {', '.join(missing)}"
        return next(self.faults(body, headers), None)


def _openai_faults(body: JsonObject, headers: Mapping[str, str]) -> Iterator[str]:  # noqa: ARG001  # a Profile's faults
    named = body.get("response_format", {}).get("json_schema")
    if named is None:
        return
    if not named.get("name"):
        yield "Missing required parameter: 'response_format.json_schema.name'"
    if named.get("strict"):
        yield from (f"Invalid schema for response_format: {fault}" for fault in _not_strict(named["schema"]))


def _vllm_faults(body: JsonObject, headers: Mapping[str, str]) -> Iterator[str]:
    foreign = sorted(body.get("structured_outputs", {}).keys() - _VLLM_OUTPUTS)
    if foreign:
        yield f"structured_outputs has no {', '.join(foreign)}"
    yield from _openai_faults(body, headers)


def _anthropic_faults(body: JsonObject, headers: Mapping[str, str]) -> Iterator[str]:
    if "anthropic-version" not in headers:
        yield "anthropic-version: header is required"
    if not isinstance(body.get("max_tokens"), int):
        yield "max_tokens: Field required"
    if not 0 <= body.get("temperature", 1) <= 1:
        yield "temperature: range: 0..1"
    schema = body.get("output_config", {}).get("format", {}).get("schema")
    for node in _objects_in(schema):
        for keyword in sorted(_NOT_IN_MESSAGES & node.keys()):
            yield f"output_config.format.schema: property '{keyword}' is not supported"
        if node.get("type") == "object" and node.get("additionalProperties") is not False:
            yield "output_config.format.schema: 'additionalProperties' must be explicitly set to false"


def _not_strict(schema: Json) -> Iterator[str]:
    for node in _objects_in(schema):
        if node.get("type") != "object":
            continue
        if node.get("additionalProperties") is not False:
            yield "'additionalProperties' is required to be supplied and to be false."
        if set(node.get("required", ())) != set(node.get("properties", {})):
            yield "'required' is required to be supplied and to be an array including every key in properties."


def _objects_in(value: Json) -> Iterator[JsonObject]:
    if isinstance(value, dict):
        yield cast(JsonObject, value)
        for inner in cast(JsonObject, value).values():
            yield from _objects_in(inner)
    elif isinstance(value, list):
        for inner in cast("list[Json]", value):
            yield from _objects_in(inner)


PROFILES = {
    "openai": APIProfile("/v1/chat/completions", ChatDialect(), _CHAT, "authorization", _openai_faults),
    "vllm": APIProfile(
        "/v1/chat/completions", ChatDialect(), _CHAT | {"structured_outputs"}, "authorization", _vllm_faults
    ),
    "anthropic": APIProfile("/v1/messages", MessagesDialect(), _MESSAGES, "x-api-key", _anthropic_faults),
}
"""The APIs by name."""

"""The schemas of the REST API's answers, by operation (OpenAPI 3.1).

They describe: a server checks no answer against them, tests do.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic.json_schema import models_json_schema

from aeon.application.jobs import DeadJob
from aeon.application.knowledge import KnowledgeSettings
from aeon.base.json import Json, JsonObject
from aeon.platform.access.model import CredentialKind, Role, Scope
from aeon.platform.conversations.model import AlternativeState, Conversation, Speaker
from aeon.platform.knowledge.model import FactState
from aeon.platform.metrics.model import MetricDefinition
from aeon.platform.runs.model import Run, RunSummary
from aeon.platform.webhooks.model import Webhook
from aeon.server.rest.answers import PREFIX
from aeon.server.rest.catalog import KINDS

_REFERENCE: Final = "#/components/schemas/"


class _Answer(BaseModel):
    """An answer with camelCase names, all of which it always has."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", defer_build=True)


class ThingUseAnswer(_Answer):
    """Something that uses a thing; what its reader may not see has neither id nor name."""

    kind: str
    owner_id: str | None
    id: str | None
    name: str | None


class AttachmentAnswer(BaseModel):
    """A file that was sent with a message."""

    model_config = ConfigDict(alias_generator=to_camel, extra="allow", defer_build=True)

    name: str


class MessageAnswer(_Answer):
    """A message or an answer: one alternative of a turn."""

    id: str
    turn_id: str
    conversation_id: str
    speaker: Speaker
    depth: int
    sequence: int
    is_active: bool
    cache_status: Literal["valid", "stale", "generating"]
    responds_to: str | None
    state: AlternativeState
    content: str | None
    executed_by: str | None
    process_digest: str | None
    run_id: str | None
    model: str | None
    usage: JsonObject
    marks: list[str]
    failure: str | None
    created_at: str
    ended_at: str | None
    forgotten_at: str | None
    forgotten_by: str | None
    imported: JsonObject


class MessageWithFilesAnswer(MessageAnswer):
    """A message with what is attached to it."""

    attachments: list[AttachmentAnswer]


class RunWithStateAnswer(Run):
    """A run with its state, and its output once it has completed."""

    state: JsonObject
    output: Json


class MovedRunAnswer(Run):
    """The run that continues a moved one; `problems` are why it is of the old version, if it is."""

    problems: list[str]


class WebhookWithSecretAnswer(Webhook):
    """A new webhook, or one with a new secret, which is in this answer and nowhere else."""

    address: str = Field(alias="path")
    secret: str


class CredentialAnswer(_Answer):
    """A token, session or sign-in link without its secret."""

    id: str
    kind: CredentialKind
    user_id: str
    name: str | None
    scope: Scope
    created_at: str
    expires_at: str
    used_at: str | None


class CredentialWithSecretAnswer(CredentialAnswer):
    """A new token, whose secret is in this answer and nowhere else."""

    secret: str


class SessionAnswer(_Answer):
    """Who is signed in, and by which credential."""

    user_id: str
    credential: str


class AccountAnswer(_Answer):
    """A user."""

    name: str
    role: Role
    enabled: bool
    weight: int
    version: int
    created_at: str


class AccountWithIdentitiesAnswer(AccountAnswer):
    """A user, and as whom OpenID providers know them."""

    identities: list[JsonObject]


class EntityAnswer(_Answer):
    """Something that has a name."""

    uuid: str
    name: str | None
    category: str | None
    category_by: str | None
    summary: str | None
    facets: JsonObject
    made_by: str
    merged_into: str | None
    version: int
    created_at: str
    updated_at: str
    forgotten_at: str | None


class EntityWithMentionsAnswer(EntityAnswer):
    """An entity, and in how many places it is mentioned."""

    mentions: int


class FactSourceAnswer(_Answer):
    """The episode that states or contradicts a fact."""

    episode_id: str
    source: str
    alternative_id: str | None
    conversation_id: str | None
    at: str
    is_visible: bool


class FactAssertionAnswer(_Answer):
    """What an episode says of a fact."""

    kind: Literal["states", "contradicts"]
    state: FactState
    extractor: str
    confidence: float
    true_from: str | None
    true_until: str | None
    source: FactSourceAnswer


class FactAnswer(_Answer):
    """A fact with its assertions."""

    uuid: str
    fact: str
    subject_id: str | None
    object_id: str | None
    state: FactState
    holds: bool
    created_at: str
    assertions: list[FactAssertionAnswer]


class _Shape(NamedTuple):
    """What an operation answers with: one thing, or a page of such things."""

    model: type[BaseModel]
    is_page: bool = False


Operation: TypeAlias = tuple[str, str]
"""The method in lower case, and the path after `/api/v1`."""


def _many(model: type[BaseModel]) -> _Shape:
    return _Shape(model, is_page=True)


def _of_kinds() -> Iterable[tuple[Operation, _Shape]]:
    for kind in KINDS:
        path, one = f"/{kind.path}", _Shape(kind.record)
        yield ("get", path), _many(kind.record)
        yield ("get", path + "/{name}"), one
        yield ("patch", path + "/{name}"), one
        yield ("get", path + "/{name}/uses"), _many(ThingUseAnswer)
        if not kind.has_own_creation:
            yield ("post", path), one


def _record_of(path: str) -> type[BaseModel]:
    return next(kind.record for kind in KINDS if kind.path == path)


_ANSWERS: Final[Mapping[Operation, _Shape]] = {
    **dict(_of_kinds()),
    ("put", "/tools/{name}/trust"): _Shape(_record_of("tools")),
    ("post", "/processes/{name}/pause"): _Shape(_record_of("processes")),
    ("post", "/processes/{name}/resume"): _Shape(_record_of("processes")),
    ("post", "/webhooks"): _Shape(WebhookWithSecretAnswer),
    ("post", "/webhooks/{name}/rotate"): _Shape(WebhookWithSecretAnswer),
    ("get", "/conversations"): _many(Conversation),
    ("post", "/conversations"): _Shape(Conversation),
    ("get", "/conversations/{conversation}"): _Shape(Conversation),
    ("patch", "/conversations/{conversation}"): _Shape(Conversation),
    ("post", "/messages/{message}/fork"): _Shape(Conversation),
    ("get", "/conversations/{conversation}/path"): _many(MessageWithFilesAnswer),
    ("get", "/conversations/{conversation}/tree"): _many(MessageAnswer),
    ("post", "/conversations/{conversation}/messages"): _Shape(MessageWithFilesAnswer),
    ("get", "/messages/{message}"): _Shape(MessageWithFilesAnswer),
    ("get", "/messages/{message}/alternatives"): _many(MessageAnswer),
    ("post", "/messages/{message}/alternatives"): _Shape(MessageWithFilesAnswer),
    ("post", "/messages/{message}/answers"): _Shape(MessageAnswer),
    ("post", "/messages/{message}/regenerate"): _Shape(MessageAnswer),
    ("post", "/messages/{message}/activate"): _Shape(MessageAnswer),
    ("post", "/messages/{message}/stop"): _Shape(MessageAnswer),
    ("get", "/runs"): _many(RunSummary),
    ("get", "/runs/{run}"): _Shape(RunWithStateAnswer),
    ("post", "/processes/{process}/runs"): _Shape(RunWithStateAnswer),
    ("post", "/runs/{run}/cancel"): _Shape(RunWithStateAnswer),
    ("post", "/runs/{run}/pause"): _Shape(RunWithStateAnswer),
    ("post", "/runs/{run}/retry"): _Shape(Run),
    ("post", "/runs/{run}/move"): _Shape(MovedRunAnswer),
    ("post", "/runs/{run}/resume"): _Shape(Run),
    ("get", "/jobs/dead"): _many(DeadJob),
    ("post", "/jobs/dead/{job}/retry"): _Shape(Run),
    ("get", "/metrics"): _many(MetricDefinition),
    ("get", "/tokens"): _many(CredentialAnswer),
    ("post", "/tokens"): _Shape(CredentialWithSecretAnswer),
    ("get", "/session"): _Shape(SessionAnswer),
    ("post", "/session"): _Shape(CredentialAnswer),
    ("get", "/users"): _many(AccountAnswer),
    ("post", "/users"): _Shape(AccountAnswer),
    ("get", "/users/{user}"): _Shape(AccountWithIdentitiesAnswer),
    ("patch", "/users/{user}"): _Shape(AccountAnswer),
    ("get", "/knowledge/entities"): _many(EntityWithMentionsAnswer),
    ("post", "/knowledge/entities"): _Shape(EntityAnswer),
    ("patch", "/knowledge/entities/{entity}"): _Shape(EntityAnswer),
    ("get", "/knowledge/facts"): _many(FactAnswer),
    ("post", "/knowledge/facts"): _Shape(FactAnswer),
    ("get", "/knowledge/facts/{fact}"): _Shape(FactAnswer),
    ("get", "/knowledge/settings"): _Shape(KnowledgeSettings),
    ("patch", "/knowledge/settings"): _Shape(KnowledgeSettings),
}


_DONE_AT_ONCE: Final[Iterable[Operation]] = (
    ("post", "/processes/{process}/runs"),
    ("post", "/runs/{run}/cancel"),
    ("post", "/requests"),
)
"""The operations that answer 200 where what they begin, or cancel, has ended by then."""


def describe_answers(schema: dict[str, Any]) -> None:
    """Add the schemas of answers to a description of the API, in place of those that allow anything."""
    components: dict[str, Any] = schema["components"]["schemas"]
    names = _add_models(components, {shape.model for shape in _ANSWERS.values()})
    for (method, path), shape in _ANSWERS.items():
        reference = {"$ref": _REFERENCE + names[shape.model]}
        responses: dict[str, Any] = schema["paths"][PREFIX + path][method]["responses"]
        for status, answer in responses.items():
            if status != "default":
                answer["content"]["application/json"]["schema"] = _page_of(reference) if shape.is_page else reference
    for method, path in _DONE_AT_ONCE:
        responses = schema["paths"][PREFIX + path][method]["responses"]
        responses["200"] = {"description": "It has ended.", "content": responses["202"]["content"]}


def _page_of(reference: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "required": ["data", "next"],
        "properties": {
            "data": {"type": "array", "items": reference},
            "next": {"type": ["string", "null"], "description": "The cursor of the next page."},
        },
        "additionalProperties": False,
    }


def _add_models(components: dict[str, Any], models: set[type[BaseModel]]) -> dict[type[BaseModel], str]:
    """Add the schemas of models and of what they contain; return their names, which no request has for other things."""
    wanted = sorted(models, key=lambda each: each.__name__)
    made, rest = models_json_schema(
        [(each, "serialization") for each in wanted], by_alias=True, ref_template=_REFERENCE + "{model}"
    )
    definitions = cast(dict[str, Any], rest["$defs"])
    renamed = {name: f"{name}Answer" for name, each in definitions.items() if components.get(name, each) != each}
    for name, each in definitions.items():
        components[renamed.get(name, name)] = _renamed(each, renamed)
    names = {model: str(made[model, "serialization"]["$ref"]).removeprefix(_REFERENCE) for model in wanted}
    return {model: renamed.get(name, name) for model, name in names.items()}


def _renamed(node: Any, names: Mapping[str, str]) -> Any:
    """A schema whose references lead to the new names."""
    if isinstance(node, list):
        return [_renamed(each, names) for each in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    renamed = {key: _renamed(value, names) for key, value in cast(dict[str, Any], node).items()}
    target = renamed.get("$ref")
    if isinstance(target, str) and (name := target.removeprefix(_REFERENCE)) in names:
        renamed["$ref"] = _REFERENCE + names[name]
    return renamed

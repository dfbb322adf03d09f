"""The view of one user in Graphiti's shape: episodes, entities, mentions and facts. Pure (platform 22, 35).

The ids are Aeon's. Validity is derived from the assertions of the view, so what Graphiti writes there itself is never
the truth: the next synchronization replaces it.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, NamedTuple
from uuid import UUID, uuid5

from aeon.platform.knowledge.model import Assertion, Entity, Fact
from aeon.platform.knowledge.view import KnowledgeView, VisibleEpisode
from aeon.platform.records import replace_unstorable

_NAMESPACE: Final = UUID("0b1f6b0a-6c0e-5a49-9f3c-2f4f0c7f5d7e")
_GROUP_DIGITS: Final = 24
_MERGE_DEPTH: Final = 20
_SUMMARY_CHARS: Final = 1000

USER_NAME: Final = "user"
"""The entity that stands for the user, to which the facts about themselves belong."""

RELATION: Final = "RELATES_TO"
"""The name of every fact's relation: Aeon's facts are sentences, and Graphiti's default for those is this."""

_SPEAKERS: Final = {"message": "user", "answer": "assistant"}


class EpisodicShape(NamedTuple):
    """An `Episodic` node. `facts` are the ids of the facts that it states."""

    uuid: str
    name: str
    content: str
    source: str
    source_description: str
    created_at: datetime
    valid_at: datetime
    facts: tuple[str, ...]


class EntityShape(NamedTuple):
    """An `Entity` node. `has_more` marks one with properties that are not Graphiti's own; no view has one."""

    uuid: str
    name: str
    labels: frozenset[str]
    summary: str
    created_at: datetime
    has_more: bool = False


class MentionShape(NamedTuple):
    """A `MENTIONS` edge from an episode to an entity."""

    uuid: str
    episode: str
    entity: str
    created_at: datetime


class FactShape(NamedTuple):
    """A `RELATES_TO` edge. The fact of one entity is an edge from it to itself. `has_more` as in `EntityShape`."""

    uuid: str
    source: str
    target: str
    name: str
    fact: str
    episodes: tuple[str, ...]
    created_at: datetime
    valid_at: datetime | None
    invalid_at: datetime | None
    expired_at: datetime | None
    has_more: bool = False


class GraphShape(NamedTuple):
    """Everything of one group, by id."""

    episodes: dict[str, EpisodicShape]
    entities: dict[str, EntityShape]
    mentions: dict[str, MentionShape]
    facts: dict[str, FactShape]


def group_of(owner: str) -> str:
    """Returns the group of a user: letters, digits and an underscore, another one for each user of each record."""
    return f"aeon_{hashlib.sha256(owner.encode()).hexdigest()[:_GROUP_DIGITS]}"


def user_uuid(owner: str) -> str:
    """Returns the id of the entity that stands for a user."""
    return str(uuid5(_NAMESPACE, owner))


def shape_of(view: KnowledgeView) -> GraphShape:
    """Returns a view in Graphiti's shape.

    A merged entity is what it was merged into. An entity is shown if something visible mentions it or is about it, or
    if the user made it.
    """
    shown = {each.id: each for each in view.episodes}
    standing = _standing(view.entities)
    facts = {each.id: _fact(each, shown, standing, user_uuid(view.owner)) for each in view.facts}
    mentioned = {(episode, standing[entity]) for episode, entity in view.mentions if entity in standing}
    mentions = [_mention(shown[episode], entity) for episode, entity in sorted(mentioned) if episode in shown]
    needed = {each.entity for each in mentions}
    needed |= {id_ for each in facts.values() for id_ in (each.source, each.target)}
    needed |= {each.id for each in view.entities if each.made_by == "user" and each.kept_id is None}
    stated = _stated(facts.values())
    texts = _texts(facts.values())
    entities = [_entity(each, texts[each.id]) for each in view.entities if each.id in needed]
    if (own := user_uuid(view.owner)) in needed:
        at = min(each.created_at for each in facts.values() if own in (each.source, each.target))
        entities.append(EntityShape(own, USER_NAME, frozenset({"Entity", "Person"}), _summary("", texts[own]), at))
    return GraphShape(
        {each.id: _episode(each, stated[each.id]) for each in view.episodes},
        {each.uuid: each for each in entities},
        {each.uuid: each for each in mentions},
        facts,
    )


def _standing(entities: Sequence[Entity]) -> dict[str, str]:
    """Returns for each entity the one that stands for it after merges."""
    kept = {each.id: each.kept_id for each in entities}
    return {id_: _root(kept, id_) for id_ in kept}


def _root(kept: dict[str, str | None], id_: str) -> str:
    for _ in range(_MERGE_DEPTH):
        parent = kept[id_]
        if parent is None or parent not in kept:
            break
        id_ = parent
    return id_


def _episode(episode: VisibleEpisode, facts: Iterable[str]) -> EpisodicShape:
    """Returns a message as Graphiti writes messages: the speaker, a colon, and the text."""
    speaker = _SPEAKERS.get(episode.source)
    text = replace_unstorable(episode.content)
    return EpisodicShape(
        episode.id,
        episode.name,
        text if speaker is None else f"{speaker}: {text}",
        "text" if speaker is None else "message",
        f"Aeon: {episode.source}",
        _instant(episode.created_at),
        _instant(episode.valid_at),
        tuple(sorted(facts)),
    )


def _entity(entity: Entity, texts: Sequence[str]) -> EntityShape:
    """Returns an entity. A model's description of it is left out: it may come from another branch."""
    own = entity.summary if entity.summary and entity.enriched_at is None else ""
    labels = {"Entity"} | ({entity.category} if entity.category else set[str]())
    return EntityShape(
        entity.id,
        replace_unstorable(entity.name or ""),
        frozenset(labels),
        _summary(own, texts),
        _instant(entity.created_at),
    )


def _summary(own: str, texts: Sequence[str]) -> str:
    """Returns what the user wrote of an entity, and the newest facts about it."""
    return replace_unstorable(" ".join([own, *reversed(texts)] if own else reversed(texts)))[:_SUMMARY_CHARS]


def _mention(episode: VisibleEpisode, entity: str) -> MentionShape:
    id_ = str(uuid5(_NAMESPACE, f"{episode.id} {entity}"))
    return MentionShape(id_, episode.id, entity, _instant(episode.created_at))


def _fact(fact: Fact, shown: dict[str, VisibleEpisode], standing: dict[str, str], own: str) -> FactShape:
    """Returns a fact; what a contradiction or a stated end says of it is its validity (platform 35)."""
    subject = None if fact.subject_id is None else standing.get(fact.subject_id)
    object_ = None if fact.object_id is None else standing.get(fact.object_id)
    source = subject or (own if object_ is None or fact.subject_id is None else object_)
    stated = [each for each in fact.assertions if each.kind == "states" and each.source.episode_id in shown]
    newest = max(stated, key=_said_at, default=None)
    ended = None if fact.holds else _contradicted_at(fact.assertions)
    until = None if newest is None else _partial_instant(newest.true_until)
    return FactShape(
        fact.id,
        source,
        object_ or source,
        RELATION,
        replace_unstorable(fact.text),
        tuple(sorted({each.source.episode_id for each in stated})),
        _instant(fact.created_at),
        None if newest is None else _partial_instant(newest.true_from) or _instant(newest.source.at),
        ended or until,
        ended,
    )


def _said_at(assertion: Assertion) -> tuple[str, str]:
    return assertion.source.at, assertion.source.episode_id


def _contradicted_at(assertions: Iterable[Assertion]) -> datetime | None:
    denied = [each for each in assertions if each.kind == "contradicts" and each.source.is_visible]
    return max((_instant(each.source.at) for each in denied), default=None)


def _stated(facts: Iterable[FactShape]) -> defaultdict[str, list[str]]:
    """Returns the facts that each episode states."""
    stated: defaultdict[str, list[str]] = defaultdict(list)
    for each in facts:
        for episode in each.episodes:
            stated[episode].append(each.uuid)
    return stated


def _texts(facts: Iterable[FactShape]) -> defaultdict[str, list[str]]:
    """Returns the texts of the facts about each entity that hold: its summary, as it is seen from there."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for each in facts:
        if each.expired_at is None:
            for entity in dict.fromkeys((each.source, each.target)):
                texts[entity].append(each.fact)
    return texts


def _instant(at: str) -> datetime:
    """Returns a time of the record."""
    return datetime.fromisoformat(at)


def _partial_instant(date: str | None) -> datetime | None:
    """Returns the beginning of a day, month or year; None for what is none of them."""
    with suppress(ValueError):
        return None if date is None else datetime.fromisoformat(f"{date}-01-01"[:10]).replace(tzinfo=UTC)
    return None

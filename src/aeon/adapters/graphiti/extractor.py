"""Lets Graphiti extract an episode by its own `add_episode`, and returns what the message bears out (platform 36).

`remove_episode` is never called: it deletes facts that other episodes state.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from graphiti_core import Graphiti
from graphiti_core.edges import EntityEdge
from graphiti_core.graphiti import AddEpisodeResults
from graphiti_core.nodes import EntityNode, EpisodeType
from pydantic import BaseModel

from aeon.adapters.graphiti.shape import EpisodicShape, FactShape, GraphShape
from aeon.base.json import Json, JsonObject
from aeon.platform.knowledge.extraction import ExtractionResult, WaitingEpisode
from aeon.platform.knowledge.model import CATEGORIES, GRAPHITI, Fact, name_key
from aeon.platform.knowledge.model_facts import MAX_KNOWN, checked_findings

_TYPES: Final[dict[str, type[BaseModel]]] = {
    name: type(name, (BaseModel,), {"__doc__": f"A {name.lower()}."}) for name in CATEGORIES
}
"""Aeon's categories, as types of Graphiti's entities; they have no attributes, which would be asked for."""


async def add_episode(
    graphiti: Graphiti, group: str, episode: EpisodicShape, previous: Sequence[str]
) -> AddEpisodeResults:
    """Extracts an episode that stands in the group. Only the previous ones given are shown with it."""
    return await graphiti.add_episode(
        name=episode.name,
        episode_body=episode.content,
        source_description=episode.source_description,
        reference_time=episode.valid_at,
        source=EpisodeType.from_str(episode.source),
        group_id=group,
        uuid=episode.uuid,
        entity_types=_TYPES,
        previous_episode_uuids=[*previous],
    )


def findings_of(
    added: AddEpisodeResults, before: GraphShape, facts: Sequence[Fact], episode: WaitingEpisode, names: Sequence[str]
) -> ExtractionResult:
    """Returns what was found in an episode, checked against its text as what any model found.

    `before` is what stood in the group, `facts` those of the view. A fact whose validity Graphiti has ended is
    contradicted by the episode; a fact that it knew is stated again.
    """
    nodes = {each.uuid: each for each in added.nodes}
    ended = {each.uuid for each in added.edges if _has_ended(each, before.facts.get(each.uuid))}
    contradicted = [each for each in facts if each.id in ended][:MAX_KNOWN]
    stated = [_statement(each, nodes) for each in added.edges if each.uuid not in ended]
    found: Mapping[str, Json] = {
        "facts": [*stated],
        "contradicts": [*range(1, len(contradicted) + 1)],
        "categories": [*_categories(added.nodes)],
    }
    all_names = [*names, *(each for each in _names(added.nodes) if each not in names)]
    spoken = [each for each in all_names if _is_said(each, episode.content)]
    return checked_findings(found, episode.content, spoken, contradicted)._replace(extractor=GRAPHITI)


def _has_ended(edge: EntityEdge, before: FactShape | None) -> bool:
    return before is not None and edge.invalid_at is not None and edge.invalid_at != before.invalid_at


def _statement(edge: EntityEdge, nodes: Mapping[str, EntityNode]) -> JsonObject:
    return {
        "fact": edge.fact,
        "subject": _name(nodes.get(edge.source_node_uuid)),
        "object": _name(nodes.get(edge.target_node_uuid)),
        "from": _day(edge.valid_at),
        "until": _day(edge.invalid_at),
    }


def _name(node: EntityNode | None) -> str | None:
    return None if node is None else node.name


def _day(at: datetime | None) -> str | None:
    return None if at is None else at.date().isoformat()


def _names(nodes: Sequence[EntityNode]) -> list[str]:
    return [each.name for each in nodes]


def _categories(nodes: Sequence[EntityNode]) -> Iterator[JsonObject]:
    for node in nodes:
        for label in node.labels:
            if label in CATEGORIES:
                yield {"name": node.name, "category": label}


def _is_said(name: str, text: str) -> bool:
    """Whether all words of a name stand in the text."""
    return bool(name_key(name)) and set(name_key(name).split()) <= set(name_key(text).split())

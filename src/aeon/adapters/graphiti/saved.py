"""Reads and writes what stands in a group, by Graphiti's own code, so that it has Graphiti's shape."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeVar

from graphiti_core.driver.driver import GraphDriver
from graphiti_core.edges import Edge, EntityEdge, EpisodicEdge
from graphiti_core.errors import GroupsEdgesNotFoundError
from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode, Node
from graphiti_core.utils.bulk_utils import add_nodes_and_edges_bulk

from aeon.adapters.graphiti.clients import AeonEmbedderClient
from aeon.adapters.graphiti.difference import GraphChange
from aeon.adapters.graphiti.shape import EntityShape, EpisodicShape, FactShape, GraphShape, MentionShape

_AT_ONCE: Final = 100

_Item = TypeVar("_Item")


async def read_shape(driver: GraphDriver, group: str) -> GraphShape:
    """Returns what stands in a group."""
    episodes: list[EpisodicNode] = await EpisodicNode.get_by_group_ids(driver, [group])
    entities: list[EntityNode] = await EntityNode.get_by_group_ids(driver, [group])
    mentions: list[EpisodicEdge] = await _edges(EpisodicEdge, driver, group)
    facts: list[EntityEdge] = await _edges(EntityEdge, driver, group)
    return GraphShape(
        {each.uuid: _episode_of(each) for each in episodes},
        {each.uuid: _entity_of(each) for each in entities},
        {each.uuid: _mention_of(each) for each in mentions},
        {each.uuid: _fact_of(each) for each in facts},
    )


async def remove(driver: GraphDriver, nodes: Sequence[str], edges: Sequence[str]) -> None:
    """Removes nodes with their edges, and edges, by their ids."""
    for ids in _batches(nodes):
        await Node.delete_by_uuids(driver, ids)
    for ids in _batches(edges):
        await Edge.delete_by_uuids(driver, ids)


async def write(driver: GraphDriver, group: str, embedder: AeonEmbedderClient, change: GraphChange) -> None:
    """Writes what a change adds: first the nodes, then the edges between them."""
    for episodes in _batches(change.episodes):
        await _save(driver, embedder, [_episode(each, group) for each in episodes], [], [], [])
    for entities in _batches(change.entities):
        vectors = await embedder.create_batch([each.name.replace("\n", " ") for each in entities])
        nodes = [_entity(each, group, vector) for each, vector in zip(entities, vectors, strict=True)]
        await _save(driver, embedder, [], [], nodes, [])
    for mentions in _batches(change.mentions):
        await _save(driver, embedder, [], [_mention(each, group) for each in mentions], [], [])
    for facts in _batches(change.facts):
        vectors = await embedder.create_batch([each.fact.replace("\n", " ") for each in facts])
        edges = [_fact(each, group, vector) for each, vector in zip(facts, vectors, strict=True)]
        await _save(driver, embedder, [], [], [], edges)


async def _save(
    driver: GraphDriver,
    embedder: AeonEmbedderClient,
    episodes: list[EpisodicNode],
    mentions: list[EpisodicEdge],
    entities: list[EntityNode],
    facts: list[EntityEdge],
) -> None:
    await add_nodes_and_edges_bulk(driver, episodes, mentions, entities, facts, embedder)


async def _edges(kind: Any, driver: GraphDriver, group: str) -> list[Any]:
    """Returns the edges of a kind; Graphiti raises an error where there are none."""
    try:
        return await kind.get_by_group_ids(driver, [group])
    except GroupsEdgesNotFoundError:
        return []


def _batches(items: Sequence[_Item]) -> Iterator[list[_Item]]:
    for start in range(0, len(items), _AT_ONCE):
        yield list(items[start : start + _AT_ONCE])


def _episode_of(node: EpisodicNode) -> EpisodicShape:
    return EpisodicShape(
        node.uuid,
        node.name,
        node.content,
        node.source.value,
        node.source_description,
        node.created_at,
        node.valid_at,
        tuple(node.entity_edges),
    )


def _episode(shape: EpisodicShape, group: str) -> EpisodicNode:
    return EpisodicNode(
        uuid=shape.uuid,
        name=shape.name,
        group_id=group,
        content=shape.content,
        source=EpisodeType.from_str(shape.source),
        source_description=shape.source_description,
        created_at=shape.created_at,
        valid_at=shape.valid_at,
        entity_edges=list(shape.facts),
    )


def _entity_of(node: EntityNode) -> EntityShape:
    return EntityShape(
        node.uuid, node.name, frozenset(node.labels), node.summary, node.created_at, has_more=bool(node.attributes)
    )


def _entity(shape: EntityShape, group: str, vector: list[float]) -> EntityNode:
    return EntityNode(
        uuid=shape.uuid,
        name=shape.name,
        group_id=group,
        labels=sorted(shape.labels),
        summary=shape.summary,
        created_at=shape.created_at,
        name_embedding=vector,
    )


def _mention_of(edge: EpisodicEdge) -> MentionShape:
    return MentionShape(edge.uuid, edge.source_node_uuid, edge.target_node_uuid, edge.created_at)


def _mention(shape: MentionShape, group: str) -> EpisodicEdge:
    return EpisodicEdge(
        uuid=shape.uuid,
        group_id=group,
        source_node_uuid=shape.episode,
        target_node_uuid=shape.entity,
        created_at=shape.created_at,
    )


def _fact_of(edge: EntityEdge) -> FactShape:
    return FactShape(
        edge.uuid,
        edge.source_node_uuid,
        edge.target_node_uuid,
        edge.name,
        edge.fact,
        tuple(edge.episodes),
        edge.created_at,
        edge.valid_at,
        edge.invalid_at,
        edge.expired_at,
        has_more=bool(edge.attributes),
    )


def _fact(shape: FactShape, group: str, vector: list[float]) -> EntityEdge:
    return EntityEdge(
        uuid=shape.uuid,
        group_id=group,
        source_node_uuid=shape.source,
        target_node_uuid=shape.target,
        name=shape.name,
        fact=shape.fact,
        episodes=list(shape.episodes),
        created_at=shape.created_at,
        valid_at=shape.valid_at,
        invalid_at=shape.invalid_at,
        expired_at=shape.expired_at,
        fact_embedding=vector,
    )

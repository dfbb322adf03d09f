"""The changes that make one group equal to another shape. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from aeon.adapters.graphiti.shape import EntityShape, EpisodicShape, FactShape, GraphShape, MentionShape


class GraphChange(NamedTuple):
    """What to remove, then what to write. Removing a node removes its edges."""

    removed_nodes: Sequence[str]
    removed_edges: Sequence[str]
    episodes: Sequence[EpisodicShape]
    entities: Sequence[EntityShape]
    mentions: Sequence[MentionShape]
    facts: Sequence[FactShape]

    @property
    def written(self) -> int:
        """The number of nodes and edges that are written."""
        return len(self.episodes) + len(self.entities) + len(self.mentions) + len(self.facts)

    @property
    def removed(self) -> int:
        """The number of nodes and edges that are removed and not written again."""
        again = {each.uuid for each in (*self.entities, *self.facts)}
        return sum(id_ not in again for id_ in (*self.removed_nodes, *self.removed_edges))


def change_to(wanted: GraphShape, actual: GraphShape, *, has_other_vectors: bool) -> GraphChange:
    """Returns what makes `actual` equal to `wanted`.

    A label cannot be taken from a node, nor an edge be moved: these are removed and written again. All that has a
    vector is written if the vectors are of another model.
    """
    gone = {id_ for id_ in actual.episodes if id_ not in wanted.episodes}
    gone |= {id_ for id_, each in actual.entities.items() if not _is_same_node(each, wanted.entities.get(id_))}
    mentions = {id_: each for id_, each in actual.mentions.items() if not gone & {each.episode, each.entity}}
    facts = {id_: each for id_, each in actual.facts.items() if not gone & {each.source, each.target}}
    lost = [id_ for id_ in mentions if id_ not in wanted.mentions]
    lost += [id_ for id_, each in facts.items() if not _is_same_edge(each, wanted.facts.get(id_))]
    return GraphChange(
        sorted(gone),
        sorted(lost),
        [each for id_, each in wanted.episodes.items() if actual.episodes.get(id_) != each],
        [
            each
            for id_, each in wanted.entities.items()
            if has_other_vectors or id_ in gone or actual.entities.get(id_) != each
        ],
        [each for id_, each in wanted.mentions.items() if mentions.get(id_) != each],
        [each for id_, each in wanted.facts.items() if has_other_vectors or facts.get(id_) != each],
    )


def _is_same_node(actual: EntityShape, wanted: EntityShape | None) -> bool:
    return wanted is not None and actual.labels == wanted.labels


def _is_same_edge(actual: FactShape, wanted: FactShape | None) -> bool:
    return wanted is not None and (actual.source, actual.target) == (wanted.source, wanted.target)

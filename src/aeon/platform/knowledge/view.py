"""What one user knows as it is seen from one place: what is on screen, or the path to one message (platform 22, 35).

A graph for other programs is made from it, through the port `KnowledgeGraph`.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from aeon.base.json import JsonObject
from aeon.platform.knowledge import view_queries as queries
from aeon.platform.knowledge.entities import NamedEntityRepository
from aeon.platform.knowledge.extraction import ExtractionResult, WaitingEpisode
from aeon.platform.knowledge.facts import ON_SCREEN, FactRepository, Viewpoint
from aeon.platform.knowledge.model import Entity, Fact
from aeon.platform.knowledge.visibility import visible_episodes
from aeon.platform.store import Store, UnitOfWork
from aeon.platform.store_identity import get_record_id

_PREVIOUS: Final = 10
"""How many messages before one are shown to a model with it."""


class VisibleEpisode(NamedTuple):
    """A message, an answer or a note, with its text."""

    id: str
    source: str
    name: str
    content: str
    created_at: str
    valid_at: str


class KnowledgeView(NamedTuple):
    """A user's texts and the knowledge from them, as seen from one place.

    `owner` identifies the user among those of all records. `mentions` are pairs of the ids of an episode and of an
    entity. `stamp` changes with every change of what the user can see.
    """

    owner: str
    stamp: str
    episodes: Sequence[VisibleEpisode]
    entities: Sequence[Entity]
    mentions: Sequence[tuple[str, str]]
    facts: Sequence[Fact]


class EpisodePlace(NamedTuple):
    """From where an episode is seen, and the newest episodes before it there, oldest first."""

    viewpoint: Viewpoint
    previous: Sequence[str]


class SyncCounts(NamedTuple):
    """How many nodes and edges a synchronization has written and removed."""

    written: int
    removed: int


class GraphState(NamedTuple):
    """The state of one user's graph: its name there, and the stamp of the view that it shows; empty for none."""

    group: str
    stamp: str


class KnowledgeGraph(Protocol):
    """A graph database that shows the views of users to other programs. All methods raise ProjectionError."""

    @property
    def name(self) -> str:
        """The kind of server and its location, without credentials."""
        ...

    def state(self, owner: str) -> GraphState:
        """Returns what is there of a user. Changes nothing."""
        ...

    def sync(self, view: KnowledgeView) -> SyncCounts:
        """Makes the user's graph equal to the view, whatever stands there; repeating it after a crash completes it."""
        ...

    def follow(self, view: KnowledgeView) -> SyncCounts:
        """As `sync`, but does not read again what it has shown last, as long as only Aeon has written since."""
        ...

    def extract(
        self, view: KnowledgeView, episode: WaitingEpisode, previous: Sequence[str], names: Sequence[str]
    ) -> ExtractionResult:
        """Makes the user's graph equal to the view, and lets it extract an episode of the view there.

        `names` are those that code has found in the episode. Returns what the episode bears out. The graph shows more
        than the view afterwards, so it must be synchronized again. Raises LLMError if the model fails.
        """
        ...


class KnowledgeViewReader:
    """Reads views. Thread-safe. Methods raise StoreError."""

    def __init__(self, store: Store, facts: FactRepository, entities: NamedEntityRepository) -> None:
        self._store = store
        self._facts = facts
        self._entities = entities

    def owner(self, user: str) -> str:
        """Return what identifies a user among those of all records."""
        return f"{get_record_id(self._store)}/{user}"

    def stamp(self, user: str) -> str:
        """Return what changes with every change of what a user can see."""
        (row,) = self._store.read(queries.STAMP, {"user": user})
        return "/".join(str(row[name]) for name in sorted(row))

    def read(self, user: str, place: Viewpoint = ON_SCREEN) -> KnowledgeView:
        """Return what a user knows, seen from a place.

        The stamp is read first, so that a change during the reading is found by the next comparison.
        """
        stamp, of_user = self.stamp(user), JsonObject({"user": user})

        def work(unit: UnitOfWork) -> tuple[list[VisibleEpisode], list[tuple[str, str]]]:
            rows = unit.read(queries.EPISODES, of_user)
            visible = visible_episodes(unit, user, rows, place.path, place.conversation)
            episodes = [
                VisibleEpisode(
                    row["episode_id"], row["source"], row["name"], row["content"], row["created_at"], row["valid_at"]
                )
                for row in rows
                if row["episode_id"] in visible
            ]
            mentions = unit.read(queries.MENTIONS, of_user)
            return episodes, [(row["episode_id"], row["entity_id"]) for row in mentions if row["episode_id"] in visible]

        episodes, mentions = self._store.view(work)
        facts = [each for each in self._facts.list_all(user, place) if each.is_visible and each.state != "rejected"]
        return KnowledgeView(self.owner(user), stamp, episodes, self._entities.list_all(user), mentions, facts)

    def place_of(self, user: str, episode: str) -> EpisodePlace:
        """Return from where an episode is seen: the path to its message, or for a note, what is on screen."""
        rows = self._store.read(queries.PATH_TO, {"user": user, "episode": episode})
        if not rows:
            return EpisodePlace(ON_SCREEN, ())
        path = [row["alternative_id"] for row in rows]
        before = [row["episode_id"] for row in rows[1:] if row["episode_id"] is not None]
        return EpisodePlace(Viewpoint(rows[0]["conversation_id"], path), before[:_PREVIOUS][::-1])

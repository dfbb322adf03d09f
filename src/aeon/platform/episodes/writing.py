"""Writes episodes in the transaction of what they are about (platform 34).

The text of a turn's episode is the content of its alternative: it is not copied, so that erasing one erases both.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID, uuid5

from aeon.base.json import JsonObject
from aeon.platform.episodes import queries
from aeon.platform.store import Store, UnitOfWork

_NAMESPACE: Final = UUID("6f1b3c52-52c4-5d0e-9a4e-6f4e2f0c7a11")


def episode_id(alternative: str) -> str:
    """Returns the id of an alternative's episode: always the same (platform 34)."""
    return str(uuid5(_NAMESPACE, alternative))


class TurnEpisode(NamedTuple):
    """The episode of an alternative: its speaker, conversation and time."""

    user: str
    conversation: str
    alternative: str
    speaker: str
    at: str

    def row(self) -> JsonObject:
        """The parameters that write it."""
        return {
            "id": episode_id(self.alternative),
            "user": self.user,
            "conversation": self.conversation,
            "alternative": self.alternative,
            "source": "message" if self.speaker == "user" else "answer",
            "name": f"Turn:{self.alternative}",
            "at": self.at,
        }


class OwnEpisode(NamedTuple):
    """An episode with a text of its own: a note, a summary or an introspection."""

    id: str
    user: str
    group: str
    source: str
    name: str
    content: str
    at: str


def add_turn_episode(unit: UnitOfWork, episode: TurnEpisode) -> None:
    """Write the episode of an alternative that the same transaction has written. Repeating it does nothing."""
    unit.write(queries.ADD_OF_TURN, episode.row())


def add_turn_episodes(unit: UnitOfWork, episodes: Sequence[TurnEpisode]) -> None:
    """Write the episodes of several alternatives."""
    unit.write_each(queries.ADD_OF_TURN, [each.row() for each in episodes])


def add_own_episode(unit: UnitOfWork, episode: OwnEpisode) -> None:
    """Write an episode that has its text itself."""
    unit.write(queries.ADD_OWN, episode._asdict())


def add_missing_episodes(store: Store, user: str, limit: int = 500) -> int:
    """Write episodes of messages from before the record had any; return how many. Raises StoreError."""
    rows = store.read(queries.WITHOUT_EPISODE, {"user": user, "limit": limit})
    missing = [TurnEpisode(user, row["conversation_id"], row["id"], row["speaker"], row["created_at"]) for row in rows]
    if missing:
        store.update(lambda unit: add_turn_episodes(unit, missing))
    return len(missing)

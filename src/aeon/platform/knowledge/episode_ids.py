"""The ids of the episodes of turns: derived from the alternative's, so that writing one again makes no second."""

from typing import Final
from uuid import UUID, uuid5

_NAMESPACE: Final = UUID("6f1b3c52-52c4-5d0e-9a4e-6f4e2f0c7a11")


def episode_id(alternative_id: str) -> str:
    """Returns the id of an alternative's episode (platform 34)."""
    return str(uuid5(_NAMESPACE, alternative_id))

"""Neo4j's own client: loaded where it is used, with its telemetry, its notifications and its wire log off."""

import logging
from types import ModuleType
from typing import Any

from aeon.base.errors import MissingExtraError

OPTIONS: dict[str, Any] = {"telemetry_disabled": True, "notifications_min_severity": "OFF"}
"""What every driver of ours is opened with."""

_WIRE_LOG = "neo4j.io"


def client() -> ModuleType:
    """The client's module. Raises MissingExtraError without it.

    Its log of the wire shows each query's parameters where a program logs everything, so that it is never more than
    what it calls information (platform 3).
    """
    try:
        import neo4j
    except ImportError as missing:
        raise MissingExtraError(
            "A Neo4j server needs neo4j.", next_step="Install aeon-orchestrator[neo4j]."
        ) from missing
    logging.getLogger(_WIRE_LOG).setLevel(logging.INFO)
    return neo4j

"""A namespace of Temporal holds the runs of one graph: with two, workers of each would be offered the other's runs."""

from typing import Final

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy

from aeon.base.errors import ConfigError

_MARK: Final = "aeon.graph"
_NOBODY: Final = "aeon-nobody"
_GRAPH: Final = "graph"


async def claim(client: Client, graph: str) -> None:
    """Have the client's namespace be the graph's, from the first time on.

    Temporal keeps nothing but workflows: this is one that nobody serves, and its memo says whose the namespace is.
    Raises ConfigError where it is another graph's, and RPCError.
    """
    mark = await client.start_workflow(
        _MARK,
        id=_MARK,
        task_queue=_NOBODY,
        memo={_GRAPH: graph},
        static_summary="Says of which graph this namespace holds the runs. It stays open, and nothing runs.",
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
    )
    owner = await (await mark.describe()).memo_value(_GRAPH)
    if owner != graph:
        raise ConfigError(
            f"engine.address: the namespace {client.namespace!r} of Temporal holds the runs of another graph "
            f"({owner}), and this one is {graph}.",
            next_step="Give each graph a namespace of its own: temporal operator namespace create --namespace NAME, "
            "and name it in engine.address.",
        )

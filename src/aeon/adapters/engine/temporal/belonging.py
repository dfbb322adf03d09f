"""A namespace of Temporal holds the runs of one record: with two, workers of each would be offered the other's runs."""

from typing import Final

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy

from aeon.base.errors import ConfigError

_OWNER_WORKFLOW: Final = "aeon.graph"
_UNSERVED_QUEUE: Final = "aeon-nobody"
_GRAPH: Final = "graph"


async def claim_namespace(client: Client, record: str) -> None:
    """Have the client's namespace be the record's, from the first time on.

    Temporal keeps nothing but workflows: this is one that nobody serves, and its memo says whose the namespace is.
    Raises ConfigError where it is another record's, and RPCError.
    """
    mark = await client.start_workflow(
        _OWNER_WORKFLOW,
        id=_OWNER_WORKFLOW,
        task_queue=_UNSERVED_QUEUE,
        memo={_GRAPH: record},
        static_summary="Says of which record this namespace holds the runs. It stays open, and nothing runs.",
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
    )
    owner = await (await mark.describe()).memo_value(_GRAPH)
    if owner != record:
        raise ConfigError(
            f"engine.address: the namespace {client.namespace!r} of Temporal holds the runs of another record "
            f"({owner}), and this one is {record}.",
            next_step="Give each record a namespace of its own: temporal operator namespace create --namespace NAME, "
            "and name it in engine.address.",
        )

"""Makes the graph of one user equal to a view: reads what is there, and writes and removes the difference.

What is there is compared as a whole, so whatever else was written into the group, by Graphiti or by a crash halfway, is
put right. Reading it takes two seconds of CPU for 1,000 facts, so who follows a user keeps what was shown last.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, TypeAlias, cast

from graphiti_core.driver.driver import GraphDriver

from aeon.adapters.graphiti import queries
from aeon.adapters.graphiti.clients import AeonEmbedderClient
from aeon.adapters.graphiti.difference import change_to
from aeon.adapters.graphiti.saved import read_shape, remove, write
from aeon.adapters.graphiti.shape import GraphShape
from aeon.platform.knowledge.view import SyncCounts
from aeon.platform.projection import ProjectionError

_Execute: TypeAlias = Callable[..., Awaitable[tuple[Any, Any, Any]]]


class GroupStamp(NamedTuple):
    """What Aeon keeps about a group: the stamp of the view that it shows, and the model of its vectors."""

    view: str
    vectors: str


_NO_STAMP: Final = GroupStamp("", "")


async def read_stamp(driver: GraphDriver, group: str) -> GroupStamp:
    """Returns the stamp of a group; an empty one if there is none, and one without a view while it is written."""
    rows = await _rows(driver, queries.STAMP, group=group)
    return GroupStamp(rows[0]["view"], rows[0]["vectors"]) if rows else _NO_STAMP


class ShownGroup(NamedTuple):
    """What stands in a group, and its stamp."""

    shape: GraphShape
    stamp: GroupStamp


async def sync_group(
    driver: GraphDriver,
    group: str,
    wanted: ShownGroup,
    embedder: AeonEmbedderClient,
    shown: ShownGroup | None = None,
) -> SyncCounts:
    """Makes a group equal to `wanted`, and stamps it in the end.

    `shown` is what was written before: while the group has its stamp, it is not read again.

    Raises ProjectionError if the database has the projection of a record, whose nodes Graphiti would take for its own,
    and what the server's client raises.
    """
    await _refuse_projection(driver)
    before = await read_stamp(driver, group)
    if before == _NO_STAMP:
        await driver.build_indices_and_constraints()
    await _write_stamp(driver, group, GroupStamp("", before.vectors))
    for query in queries.DELETE_OTHERS:
        await _rows(driver, query, group=group)
    is_shown = shown is not None and shown.stamp == before
    actual = shown.shape if shown is not None and is_shown else await read_shape(driver, group)
    change = change_to(wanted.shape, actual, has_other_vectors=before.vectors != wanted.stamp.vectors)
    await remove(driver, change.removed_nodes, change.removed_edges)
    await write(driver, group, embedder, change)
    await _write_stamp(driver, group, wanted.stamp)
    return SyncCounts(change.written, change.removed)


async def _refuse_projection(driver: GraphDriver) -> None:
    if await _rows(driver, queries.PROJECTION):
        raise ProjectionError(
            "The database has a copy of a record; Graphiti would take its nodes for its own.",
            next_step="Give graphiti.address another database or another server.",
        )


async def _write_stamp(driver: GraphDriver, group: str, stamp: GroupStamp) -> None:
    await _rows(driver, queries.SET_STAMP, group=group, view=stamp.view, vectors=stamp.vectors)


async def _rows(driver: GraphDriver, query: str, **params: str) -> list[dict[str, Any]]:
    """Returns the rows of a query; both drivers take parameters by name, and return rows first."""
    execute = cast(_Execute, driver.execute_query)  # pyright: ignore[reportUnknownMemberType]
    rows, _, _ = await execute(query, **params)
    return [dict(row) for row in rows]

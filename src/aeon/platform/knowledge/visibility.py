"""Which episodes count: those on screen, on the path that ends at the tip of their conversation (platform 22, 35)."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from aeon.base.json import Json, JsonObject
from aeon.platform.knowledge import queries
from aeon.platform.store import Row, UnitOfWork


def visible_episodes(
    unit: UnitOfWork, user: str, rows: Sequence[Row], path: Sequence[str] | None = None, here: str | None = None
) -> AbstractSet[str]:
    """Returns the ids of those episodes that are visible. `rows` have `episode_id`, `alternative_id` and `group_id`.

    In the conversation `here`, what is on the `path` counts in place of its tip. Notes are always visible.
    """
    found = {row["episode_id"] for row in rows if row["alternative_id"] is None}
    turns = {row["alternative_id"]: row for row in rows if row["alternative_id"] is not None}
    on_path = set(path or ())
    elsewhere: list[Json] = sorted({row["group_id"] for row in turns.values()} - {here})
    asked: list[Json] = [id_ for id_, row in turns.items() if row["group_id"] != here]
    visible = {id_ for id_ in turns if turns[id_]["group_id"] == here and id_ in on_path}
    if asked:
        params: JsonObject = {"user": user, "conversations": elsewhere, "alternatives": asked}
        visible |= {row["id"] for row in unit.read(queries.VISIBLE, params)}
    return found | {turns[id_]["episode_id"] for id_ in visible}

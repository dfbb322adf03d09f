"""What a change of an entity comes to."""

from aeon.base.json import Json, JsonObject
from aeon.platform.audit import AuditAction
from aeon.platform.catalog.model import OwnedEntity
from aeon.platform.catalog.shelf import E

_HEALTH = ("status", "error_message", "last_health_check")
_OF_EVERY_CHANGE = ("version", "updatedAt")


def update_row(before: OwnedEntity, after: OwnedEntity) -> JsonObject:
    """The changed entity as a row, with the version that it had. Its status is None unless the change is about it.

    A check may have written its health since it was read, which a change of something else must not take back.
    """
    row = after.as_row()
    was = before.as_row()
    if all(row.get(name) == was.get(name) for name in _HEALTH):
        row["status"] = None
    return {**row, "before": before.version}


def apply_change(before: E, asked: JsonObject, at: str) -> E:
    """The entity with what was asked for; what is None stays."""
    kept = {name: value for name, value in asked.items() if value is not None}
    return type(before).model_validate({**before.as_dict(), **kept, "version": before.version + 1, "updatedAt": at})


def audit_change(before: OwnedEntity, after: OwnedEntity, actor: str) -> list[AuditAction]:
    """The records of a change: the names of the fields that differ; sharing has a name of its own (platform 4)."""
    old, new = before.as_dict(), after.as_dict()
    fields: list[Json] = [name for name in new if new[name] != old[name] and name not in _OF_EVERY_CHANGE]
    verb = "share" if after.shared and not before.shared else "unshare" if before.shared > after.shared else "change"
    return [
        AuditAction(f"{after.kind}.{verb}", after.id, actor, after.owner_id, {"name": after.name, "fields": fields})
    ]

"""How entities stand in the graph, and what a change of one comes to."""

from aeon.base.json import Json, JsonObject
from aeon.platform.audit import Deed
from aeon.platform.catalog.model import Owned
from aeon.platform.catalog.shelf import E
from aeon.platform.records import KEY_SEPARATOR, name_key, ordered

_ON_EDGES = ("ownerId", "serviceId", "secretId", "secretScope", "needsSecret", "connectionParams")
_HEALTH = ("status", "errorMessage", "lastHealthCheck")
_OF_EVERY_CHANGE = ("version", "updatedAt")


def properties(entity: Owned) -> JsonObject:
    """The properties of the entity's node: all but what its edges say, and the keys by which it is listed."""
    shared = ordered(f"{entity.name}{KEY_SEPARATOR}{entity.id}") if entity.shared else None
    keys: JsonObject = {"nameKey": name_key(entity.owner_id, entity.name), "sharedKey": shared}
    return {**entity.as_properties(leave_out=_ON_EDGES), **keys}


def changed_properties(before: Owned, after: Owned) -> JsonObject:
    """The same for a change. Health stays out unless the change is about it: a check may have written it since."""
    same = [name for name in _HEALTH if before.as_dict().get(name) == after.as_dict().get(name)]
    return {name: value for name, value in properties(after).items() if name not in same}


def changed(before: E, asked: JsonObject, at: str) -> E:
    """The entity with what was asked for; what is None stays."""
    kept = {name: value for name, value in asked.items() if value is not None}
    return type(before).model_validate({**before.as_dict(), **kept, "version": before.version + 1, "updatedAt": at})


def change_deeds(before: Owned, after: Owned, actor: str) -> list[Deed]:
    """What is recorded of a change: the names of the fields that differ; sharing has a name of its own (platform 4)."""
    old, new = before.as_dict(), after.as_dict()
    fields: list[Json] = [name for name in new if new[name] != old[name] and name not in _OF_EVERY_CHANGE]
    verb = "share" if after.shared and not before.shared else "unshare" if before.shared > after.shared else "change"
    return [Deed(f"{after.kind}.{verb}", after.id, actor, after.owner_id, {"name": after.name, "fields": fields})]

"""`aeon catalog`: whatever its kind, see a thing, rename it, put it away, delete it."""

from typing import Any

from aeon.base.errors import InputError
from aeon.base.json import JsonObject
from aeon.cli.codes import Code
from aeon.cli.platform.kinds import shelf_of
from aeon.cli.platform.opening import opened
from aeon.cli.say import put
from aeon.cli.text import COLUMNS, clean, one_line, pretty
from aeon.platform.catalog.model import (
    Owned,
    Secret,
    SecretChange,
    Service,
    ServiceChange,
    ServiceTemplate,
    TemplateChange,
    Tool,
    ToolChange,
    ToolTemplate,
)
from aeon.platform.ledger import Request
from aeon.platform.processes.model import Process, ProcessChange

_CHANGES: dict[type[Owned], Any] = {
    Service: ServiceChange,
    Secret: SecretChange,
    Tool: ToolChange,
    ServiceTemplate: TemplateChange,
    ToolTemplate: TemplateChange,
    Process: ProcessChange,
}
_MOST_LISTED = 1000


def list_things(kind: str, user: str, *, is_archived: bool, as_json: bool) -> int:
    """The user's own of one kind by name, then what others share."""
    with opened(user) as platform:
        shelf = shelf_of(platform, kind)
        own: list[Owned] = shelf.page_of_own(user, limit=_MOST_LISTED, archived=is_archived)
        shared: list[Owned] = shelf.page_of_shared(user, limit=_MOST_LISTED, archived=is_archived)
    found = [*own, *(each for each in shared if each.owner_id != user)]
    if as_json:
        put(pretty([_as_data(each) for each in found]))
        return Code.DONE
    for each in found:
        whose = "" if each.owner_id == user else f" (of {each.owner_id}, {each.id})"
        put(one_line(clean(f"{each.name}{_said_of(each)}{whose}"), COLUMNS))
    return Code.DONE


def show_thing(kind: str, name: str, user: str) -> int:
    """Everything about one thing, as JSON; of a tool, also what its calls took of a model's tokens."""
    with opened(user) as platform:
        found: Owned = shelf_of(platform, kind).find(user, name)
        shown = _as_data(found)
        if isinstance(found, Tool) and found.operation.type == "llm_call":
            shown["tokensOfYours"] = platform.catalog.tools.tokens_of(user, found.id).as_dict()
    put(pretty(shown))
    return Code.DONE


def rename_thing(kind: str, name: str, new: str, user: str) -> int:
    """Give the user's own thing another name; what refers to it goes on to. Raises RuleError where it is taken."""
    _changed(kind, name, user, {"name": new})
    put(f"renamed {clean(name)} to {clean(new)}")
    return Code.DONE


def archive_thing(kind: str, name: str, user: str, *, is_archived: bool) -> int:
    """Put a template away, or back. Raises InputError for what cannot be."""
    if kind not in ("serviceTemplate", "toolTemplate"):
        raise InputError(f"A {kind} is not archived.", next_step="Disable it: `enabled: false` in the file you apply.")
    _changed(kind, name, user, {"archived": is_archived})
    put(f"{'archived' if is_archived else 'restored'} {clean(name)}")
    return Code.DONE


def delete_thing(kind: str, name: str, user: str) -> int:
    """Delete the user's own thing. Raises ReferencedError with what uses it."""
    with opened(user) as platform:
        shelf = shelf_of(platform, kind)
        shelf.remove(shelf.find(user, name).id, Request(user))
    put(f"deleted {clean(name)}")
    return Code.DONE


def _changed(kind: str, name: str, user: str, asked: JsonObject) -> None:
    with opened(user) as platform:
        shelf = shelf_of(platform, kind)
        found: Owned = shelf.find(user, name)
        shelf.change(found.id, _CHANGES[type(found)].parsed(asked), Request(user))


def _as_data(found: Owned) -> JsonObject:
    return {name: value for name, value in found.as_dict().items() if name != "vaultVersion"}


def _said_of(found: Owned) -> str:
    """What a list says of a thing besides its name."""
    if isinstance(found, Secret):
        return f" {found.type} since {found.updated_at[:19]}"
    if isinstance(found, Service | ServiceTemplate):
        limits = found.limits.in_words()
        return f" {found.type} {found.protocol}{_state(found)}{f', {limits}' if limits else ''}"
    if isinstance(found, Process):
        return f" {len(found.steps)} step(s){'' if found.enabled else ', disabled'} {found.description}"
    if isinstance(found, Tool | ToolTemplate):
        return f" {found.operation.type}{_state(found)} {found.description or ''}"
    return ""


def _state(found: Service | Tool | ServiceTemplate | ToolTemplate) -> str:
    return f" {found.status}" if isinstance(found, Service | Tool) else ""

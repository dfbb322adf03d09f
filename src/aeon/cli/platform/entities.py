"""`aeon catalog`: whatever its kind, see a thing, rename it, put it away, delete it."""

from typing import Any

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.platform import Platform
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import platform_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable
from aeon.platform.catalog.model import (
    OwnedEntity,
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
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import Process, ProcessChange
from aeon.platform.search.index import INDEXED_LABELS, SearchHit, TextIndex


def repository_of(platform: Platform, kind: str) -> Any:
    """The shelf of one kind. Raises InputError for an unknown one."""
    catalog = platform.catalog
    shelves = {
        "service": catalog.services,
        "secret": catalog.secrets,
        "tool": catalog.tools,
        "serviceTemplate": catalog.service_templates,
        "toolTemplate": catalog.tool_templates,
        "process": platform.processes,
    }
    if kind not in shelves:
        raise InputError(f"There is no kind {kind!r}.", next_step=f"Name one of {', '.join(shelves)}.")
    return shelves[kind]


_CHANGES: dict[type[OwnedEntity], Any] = {
    Service: ServiceChange,
    Secret: SecretChange,
    Tool: ToolChange,
    ServiceTemplate: TemplateChange,
    ToolTemplate: TemplateChange,
    Process: ProcessChange,
}
_MAX_LISTED = 1000


def list_entities(kind: str, user: str, *, is_archived: bool, as_json: bool) -> int:
    """The user's own of one kind by name, then what others share."""
    with platform_session(user) as platform:
        shelf = repository_of(platform, kind)
        own: list[OwnedEntity] = shelf.list_own(user, limit=_MAX_LISTED, archived=is_archived)
        shared: list[OwnedEntity] = shelf.list_shared(user, limit=_MAX_LISTED, archived=is_archived)
    found = [*own, *(each for each in shared if each.owner_id != user)]
    if as_json:
        print_data(indented_json([_as_data(each) for each in found]))
        return ExitCode.DONE
    for each in found:
        whose = "" if each.owner_id == user else f" (of {each.owner_id}, {each.id})"
        print_data(one_line(printable(f"{each.name}{_summary_of(each)}{whose}"), COLUMNS))
    return ExitCode.DONE


def show_entity(kind: str, name: str, user: str) -> int:
    """Everything about one thing, as JSON; of a tool, also what its calls took of a model's tokens."""
    with platform_session(user) as platform:
        found: OwnedEntity = repository_of(platform, kind).find(user, name)
        shown = _as_data(found)
        if isinstance(found, Tool) and found.operation.type == "llm_call":
            shown["tokensOfYours"] = platform.catalog.tools.token_totals(user, found.id).as_dict()
    print_data(indented_json(shown))
    return ExitCode.DONE


def rename_entity(kind: str, name: str, new: str, user: str) -> int:
    """Give the user's own thing another name; what refers to it goes on to. Raises RuleError where it is taken."""
    _change_entity(kind, name, user, {"name": new})
    print_data(f"renamed {printable(name)} to {printable(new)}")
    return ExitCode.DONE


def archive_entity(kind: str, name: str, user: str, *, is_archived: bool) -> int:
    """Put a template away, or back. Raises InputError for what cannot be."""
    if kind not in ("serviceTemplate", "toolTemplate"):
        raise InputError(f"A {kind} is not archived.", next_step="Disable it: `enabled: false` in the file you apply.")
    _change_entity(kind, name, user, {"archived": is_archived})
    print_data(f"{'archived' if is_archived else 'restored'} {printable(name)}")
    return ExitCode.DONE


def delete_entity(kind: str, name: str, user: str) -> int:
    """Delete the user's own thing. Raises ReferencedError with what uses it."""
    with platform_session(user) as platform:
        shelf = repository_of(platform, kind)
        shelf.remove(shelf.find(user, name).id, MutationRequest(user))
    print_data(f"deleted {printable(name)}")
    return ExitCode.DONE


def _change_entity(kind: str, name: str, user: str, asked: JsonObject) -> None:
    with platform_session(user) as platform:
        shelf = repository_of(platform, kind)
        found: OwnedEntity = shelf.find(user, name)
        shelf.change(found.id, _CHANGES[type(found)].parsed(asked), MutationRequest(user))


def _as_data(found: OwnedEntity) -> JsonObject:
    return {name: value for name, value in found.as_dict().items() if name != "vaultVersion"}


def _summary_of(found: OwnedEntity) -> str:
    """What a list says of a thing besides its name."""
    if isinstance(found, Secret):
        return f" {found.type} since {found.updated_at[:19]}"
    if isinstance(found, Service | ServiceTemplate):
        limits = found.limits.describe()
        return f" {found.type} {found.protocol}{_state(found)}{f', {limits}' if limits else ''}"
    if isinstance(found, Process):
        return f" {len(found.steps)} step(s){'' if found.enabled else ', disabled'} {found.description}"
    if isinstance(found, Tool | ToolTemplate):
        return f" {found.operation.type}{_state(found)} {found.description or ''}"
    return ""


def _state(found: Service | Tool | ServiceTemplate | ToolTemplate) -> str:
    return f" {found.status}" if isinstance(found, Service | Tool) else ""


def search_entities(text: str, kind: str | None, user: str, *, as_json: bool) -> int:
    """Print the things that have the words, the best first. Raises InputError for an unknown kind."""
    if kind is not None and kind not in INDEXED_LABELS:
        raise InputError(
            f"There is no search for the kind {kind!r}.", next_step=f"Name one of {', '.join(INDEXED_LABELS)}."
        )
    with platform_session(user) as platform:
        found = TextIndex(platform.store).search(user, text, kind and [kind])
    if as_json:
        print_data(indented_json([_hit_data(hit) for hit in found]))
    else:
        for hit in found:
            print_data(one_line(_hit_line(hit, user), COLUMNS))
    if not found:
        print_message("nothing found")
    return ExitCode.DONE


def _hit_data(hit: SearchHit) -> Json:
    return {
        "kind": hit.kind,
        "id": hit.id,
        "name": hit.name,
        "ownerId": hit.owner_id,
        "description": hit.description,
        "score": hit.score,
    }


def _hit_line(hit: SearchHit, user: str) -> str:
    whose = "" if hit.owner_id == user else f" (of {hit.owner_id}, {hit.id})"
    return printable(f"{hit.kind} {hit.name}{whose} {hit.description}")

"""`aeon catalog`: lists, shows, renames, archives, deletes and searches items of any kind."""

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
    """Return the repository of one kind. Raises InputError for an unknown kind."""
    catalog = platform.catalog
    repositories = {
        "service": catalog.services,
        "secret": catalog.secrets,
        "tool": catalog.tools,
        "serviceTemplate": catalog.service_templates,
        "toolTemplate": catalog.tool_templates,
        "process": platform.processes,
    }
    if kind not in repositories:
        raise InputError(f"There is no kind {kind!r}.", next_step=f"Name one of {', '.join(repositories)}.")
    return repositories[kind]


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
    """Print the user's own items of one kind by name, then the shared ones."""
    with platform_session(user) as platform:
        repository = repository_of(platform, kind)
        own: list[OwnedEntity] = repository.list_own(user, limit=_MAX_LISTED, archived=is_archived)
        shared: list[OwnedEntity] = repository.list_shared(user, limit=_MAX_LISTED, archived=is_archived)
    items = [*own, *(each for each in shared if each.owner_id != user)]
    if as_json:
        print_data(indented_json([_as_data(each) for each in items]))
        return ExitCode.DONE
    for each in items:
        owner = "" if each.owner_id == user else f" (of {each.owner_id}, {each.id})"
        print_data(one_line(printable(f"{each.name}{_summary_of(each)}{owner}"), COLUMNS))
    return ExitCode.DONE


def show_entity(kind: str, name: str, user: str) -> int:
    """Print everything about one item, as JSON; for an llm_call tool, also the tokens that the user's calls used."""
    with platform_session(user) as platform:
        item: OwnedEntity = repository_of(platform, kind).find(user, name)
        shown = _as_data(item)
        if isinstance(item, Tool) and item.operation.type == "llm_call":
            shown["tokensOfYours"] = platform.catalog.tools.token_totals(user, item.id).as_dict()
    print_data(indented_json(shown))
    return ExitCode.DONE


def rename_entity(kind: str, name: str, new: str, user: str) -> int:
    """Rename the user's item; references to it stay valid. Raises RuleError if the name is taken."""
    _change_entity(kind, name, user, {"name": new})
    print_data(f"renamed {printable(name)} to {printable(new)}")
    return ExitCode.DONE


def archive_entity(kind: str, name: str, user: str, *, is_archived: bool) -> int:
    """Archive or restore a template. Raises InputError for any other kind."""
    if kind not in ("serviceTemplate", "toolTemplate"):
        raise InputError(
            f"A {kind} cannot be archived.", next_step="Disable it: `enabled: false` in the file you apply."
        )
    _change_entity(kind, name, user, {"archived": is_archived})
    print_data(f"{'archived' if is_archived else 'restored'} {printable(name)}")
    return ExitCode.DONE


def delete_entity(kind: str, name: str, user: str) -> int:
    """Delete the user's item. Raises ReferencedError with what uses it."""
    with platform_session(user) as platform:
        repository = repository_of(platform, kind)
        repository.remove(repository.find(user, name).id, MutationRequest(user))
    print_data(f"deleted {printable(name)}")
    return ExitCode.DONE


def _change_entity(kind: str, name: str, user: str, change: JsonObject) -> None:
    with platform_session(user) as platform:
        repository = repository_of(platform, kind)
        item: OwnedEntity = repository.find(user, name)
        repository.change(item.id, _CHANGES[type(item)].parsed(change), MutationRequest(user))


def _as_data(item: OwnedEntity) -> JsonObject:
    return {name: value for name, value in item.as_dict().items() if name != "vaultVersion"}


def _summary_of(item: OwnedEntity) -> str:
    """Return what a list shows of an item after its name."""
    if isinstance(item, Secret):
        return f" {item.type} since {item.updated_at[:19]}"
    if isinstance(item, Service | ServiceTemplate):
        limits = item.limits.describe()
        return f" {item.type} {item.protocol}{_state(item)}{f', {limits}' if limits else ''}"
    if isinstance(item, Process):
        return f" {len(item.steps)} step(s){'' if item.enabled else ', disabled'} {item.description}"
    if isinstance(item, Tool | ToolTemplate):
        return f" {item.operation.type}{_state(item)} {item.description or ''}"
    return ""


def _state(item: Service | Tool | ServiceTemplate | ToolTemplate) -> str:
    return f" {item.status}" if isinstance(item, Service | Tool) else ""


def search_entities(text: str, kind: str | None, user: str, *, as_json: bool) -> int:
    """Print the items that match the words, best first. Raises InputError for an unknown kind."""
    if kind is not None and kind not in INDEXED_LABELS:
        raise InputError(
            f"Items of the kind {kind!r} cannot be searched.", next_step=f"Name one of {', '.join(INDEXED_LABELS)}."
        )
    with platform_session(user) as platform:
        hits = TextIndex(platform.store).search(user, text, kind and [kind])
    if as_json:
        print_data(indented_json([_hit_data(hit) for hit in hits]))
    else:
        for hit in hits:
            print_data(one_line(_hit_line(hit, user), COLUMNS))
    if not hits:
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
    owner = "" if hit.owner_id == user else f" (of {hit.owner_id}, {hit.id})"
    return printable(f"{hit.kind} {hit.name}{owner} {hit.description}")

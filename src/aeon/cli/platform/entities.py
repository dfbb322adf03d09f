"""`aeon tool`: lists, shows, renames, archives, deletes and searches items of any kind."""

from aeon.application.catalog import SearchHit
from aeon.base.json import Json, JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.listing import ListOptions, print_whether_more
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable
from aeon.platform.catalog.model import OwnedEntity, Secret, Service, ServiceTemplate, Tool, ToolTemplate
from aeon.platform.processes.model import Process


def list_entities(kind: str, user: str, options: ListOptions, *, as_json: bool) -> int:
    """Print a page of the user's own items of one kind by name, then of the shared ones."""
    with workspace_session(user) as workspace:
        page = options.page(workspace.catalog.of_kind(kind))
    print_whether_more(page)
    if as_json:
        print_data(indented_json([_as_data(each) for each in page.items]))
        return ExitCode.DONE
    for each in page.items:
        owner = "" if each.owner_id == user else f" (of {each.owner_id}, {each.id})"
        print_data(one_line(printable(f"{each.name}{_summary_of(each)}{owner}"), COLUMNS))
    return ExitCode.DONE


def show_entity(kind: str, name: str, user: str) -> int:
    """Print everything about one item, as JSON; for an llm_call tool, also the tokens that the user's calls used."""
    with workspace_session(user) as workspace:
        item = workspace.catalog.of_kind(kind).get(name)
        shown = _as_data(item)
        if isinstance(item, Tool) and item.operation.type == "llm_call":
            shown["tokensOfYours"] = workspace.tools.token_totals(item).as_dict()
    print_data(indented_json(shown))
    return ExitCode.DONE


def rename_entity(kind: str, name: str, new: str, user: str, expected: int | None) -> int:
    """Rename the user's item; references to it stay valid. Raises RuleError if the name is taken, VersionError."""
    with workspace_session(user) as workspace:
        workspace.catalog.rename(kind, name, new, expected_version=expected)
    print_data(f"renamed {printable(name)} to {printable(new)}")
    return ExitCode.DONE


def archive_entity(kind: str, name: str, user: str, expected: int | None, *, is_archived: bool) -> int:
    """Archive or restore a template. Raises InputError for any other kind, VersionError."""
    with workspace_session(user) as workspace:
        workspace.catalog.archive(kind, name, is_archived=is_archived, expected_version=expected)
    print_data(f"{'archived' if is_archived else 'restored'} {printable(name)}")
    return ExitCode.DONE


def delete_entity(kind: str, name: str, user: str, expected: int | None) -> int:
    """Delete the user's item. Raises ReferencedError with what uses it, VersionError."""
    with workspace_session(user) as workspace:
        workspace.catalog.of_kind(kind).remove(name, expected_version=expected)
    print_data(f"deleted {printable(name)}")
    return ExitCode.DONE


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
    with workspace_session(user) as workspace:
        hits = workspace.catalog.search(text, kind)
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

"""`aeon tool`: lists, shows, renames, archives, deletes and searches items of any kind."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from aeon.application.catalog import SearchHit
from aeon.base.json import Json, JsonObject
from aeon.cli.console import print_data
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.listing import ListOptions, print_whether_more
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import indented_json, printable
from aeon.platform.catalog.model import OwnedEntity, Secret, Service, ServiceTemplate, Tool, ToolTemplate
from aeon.platform.processes.model import Process


def list_entities(kind: str, user: str, options: ListOptions, *, output: OutputFormat) -> int:
    """Print a page of the user's own items of one kind by name, then of the shared ones."""
    with workspace_session(user) as workspace:
        page = options.page(workspace.catalog.of_kind(kind))
    print_whether_more(page)
    if print_as(output, [_as_data(each) for each in page.items]):
        return ExitCode.DONE
    titles, cells = _COLUMNS[kind]
    rows = [(each.name, each.id, _name_of_owner(each.owner_id, user), *cells(each)) for each in page.items]
    print_table(("NAME", "ID", "OWNER", *titles), rows, "you have none and see none; `aeon apply -f FILE` creates them")
    return ExitCode.DONE


def show_entity(kind: str, name: str, user: str, *, output: OutputFormat) -> int:
    """Print everything about one item, as JSON; for an llm_call tool, also the tokens that the user's calls used."""
    with workspace_session(user) as workspace:
        item = workspace.catalog.of_kind(kind).get(name)
        shown = _as_data(item)
        if isinstance(item, Tool) and item.operation.type == "llm_call":
            shown["tokensOfYours"] = workspace.tools.token_totals(item).as_dict()
    if not print_as(output, shown):
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


def _name_of_owner(owner: str, user: str) -> str:
    return "you" if owner == user else owner


def _of_secret(item: OwnedEntity) -> Sequence[str]:
    secret = cast(Secret, item)
    return secret.type, secret.updated_at[:19]


def _of_service(item: OwnedEntity) -> Sequence[str]:
    service = cast("Service | ServiceTemplate", item)
    state = _health(service) if isinstance(service, Service) else ""
    return service.type, service.protocol, state, service.limits.describe()


def _of_tool(item: OwnedEntity) -> Sequence[str]:
    tool = cast("Tool | ToolTemplate", item)
    return tool.operation.type, _health(tool) if isinstance(tool, Tool) else "", tool.description or ""


def _health(monitored: "Service | Tool") -> str:
    return "unchecked" if monitored.is_unchecked else monitored.status


def _state(process: Process) -> str:
    return "disabled" if not process.enabled else "paused" if process.paused else "enabled"


def _of_process(item: OwnedEntity) -> Sequence[str]:
    process = cast(Process, item)
    return str(len(process.steps)), _state(process), process.description or ""


_COLUMNS: Mapping[str, tuple[Sequence[str], Callable[[OwnedEntity], Sequence[str]]]] = {
    "secret": (("TYPE", "CHANGED"), _of_secret),
    "service": (("TYPE", "PROTOCOL", "STATE", "LIMITS"), _of_service),
    "serviceTemplate": (("TYPE", "PROTOCOL", "STATE", "LIMITS"), _of_service),
    "tool": (("TYPE", "STATE", "WHAT"), _of_tool),
    "toolTemplate": (("TYPE", "STATE", "WHAT"), _of_tool),
    "process": (("STEPS", "STATE", "WHAT"), _of_process),
}
"""What a list shows of each kind after the name, the id and the owner."""


def search_entities(text: str, kind: str | None, user: str, *, output: OutputFormat) -> int:
    """Print the items that match the words, best first. Raises InputError for an unknown kind."""
    with workspace_session(user) as workspace:
        hits = workspace.catalog.search(text, kind)
    if print_as(output, [_hit_data(hit) for hit in hits]):
        return ExitCode.DONE
    rows = [(hit.kind, hit.name, hit.id, _name_of_owner(hit.owner_id, user), hit.description) for hit in hits]
    print_table(("KIND", "NAME", "ID", "OWNER", "WHAT"), rows, "nothing found; `aeon tool list` lists all tools")
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

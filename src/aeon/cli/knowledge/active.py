"""Shows and changes what is active in a conversation (platform 44)."""

from collections.abc import Sequence

from aeon.application.knowledge import ActiveEntity, Inclusion
from aeon.base.json import Json
from aeon.cli.console import print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import SHORT_ID, printable

_STANDINGS = {"recent": "mentioned", "active": "yours", "pinned": "pinned", "hidden": "hidden"}


def list_active(conversation: str, user: str, *, output: OutputFormat) -> int:
    """Print what is active in a conversation, the most relevant first. Raises NotFoundError."""
    with workspace_session(user) as workspace:
        place = workspace.conversations.find(conversation)
        found = workspace.knowledge.list_active(place.id)
    data: list[Json] = [each.as_dict() for each in found]
    if not print_as(output, data, key="entityUuid"):
        print_active(found)
    return ExitCode.DONE


def print_active(found: Sequence[ActiveEntity]) -> None:
    """Print what is active in a conversation."""
    columns = ("NAME", "WHY", "RELEVANCE", "ANSWERS MAY KNOW", "ID")
    print_table(columns, [_row(each) for each in found], "nothing that is known is named in it")


def pin(name: str, conversation: str, includes: tuple[bool, bool, bool], user: str) -> int:
    """Pin an entity in a conversation. Raises NotFoundError."""
    with workspace_session(user) as workspace:
        place = workspace.conversations.find(conversation)
        entity = workspace.knowledge.set_active(place.id, name, "pinned", Inclusion(*includes))
    print_message(printable(f"{entity.name} is pinned in conversation {place.id[:SHORT_ID]}"))
    return ExitCode.DONE


def hide(name: str, conversation: str, user: str) -> int:
    """Hide an entity in a conversation. Raises NotFoundError."""
    with workspace_session(user) as workspace:
        place = workspace.conversations.find(conversation)
        entity = workspace.knowledge.set_active(place.id, name, "hidden")
    print_message(printable(f"{entity.name} is used in conversation {place.id[:SHORT_ID]} only where it is named"))
    return ExitCode.DONE


def unpin(name: str, conversation: str, user: str) -> int:
    """Take back what was decided on an entity in a conversation. Raises NotFoundError."""
    with workspace_session(user) as workspace:
        place = workspace.conversations.find(conversation)
        entity = workspace.knowledge.reset_active(place.id, name)
    print_message(printable(f"{entity.name} is active in conversation {place.id[:SHORT_ID]} while it is mentioned"))
    return ExitCode.DONE


def _row(active: ActiveEntity) -> tuple[str | None, str, str, str, str]:
    entity, standing = active.entity, _STANDINGS[active.standing]
    return entity.name, standing, f"{active.relevance:.2f}", _included(active), entity.id[:SHORT_ID]


def _included(active: ActiveEntity) -> str:
    """The parts of it that answers use."""
    if active.standing == "hidden":
        return "nothing"
    words = ("what it is", "facets", "confirmed facts")
    return ", ".join(word for word, included in zip(words, active.includes, strict=True) if included) or "nothing"

"""Tools and services as YAML texts of the fields that their owner can change."""

from collections.abc import Mapping
from typing import Final

from aeon.application.catalog import AnyEntities
from aeon.application.text_faults import InvalidTextError, find_faults, read_mapping
from aeon.plan.yaml import dump_yaml
from aeon.platform.catalog.model import EntityKind, OwnedEntity
from aeon.platform.errors import RuleError

_FIELDS: Final[Mapping[EntityKind, tuple[str, ...]]] = {
    "tool": ("description", "connectionParams", "operation", "inputSchema", "outputSchema", "effect", "runsOn"),
    "service": ("connectionSchema", "limits"),
}


def write_text(thing: OwnedEntity) -> str:
    """The text of a tool or a service."""
    fields = thing.as_dict()
    return dump_yaml({name: fields[name] for name in _FIELDS[thing.kind]})


def save_text(
    things: AnyEntities, name: str, text: str, *, key: str | None = None, expected_version: int | None = None
) -> OwnedEntity:
    """Change the user's own thing to what a text says; fields that it leaves out stay.

    Raises InvalidTextError with every fault by line, NotFoundError, ForbiddenError, ConflictError, VersionError.
    """
    fields = read_mapping(text)
    try:
        return things.change(name, fields, key=key, expected_version=expected_version)
    except RuleError as error:
        raise InvalidTextError(find_faults(text, error)) from None

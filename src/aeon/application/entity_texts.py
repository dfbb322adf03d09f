"""Tools and services as YAML texts: of the fields that their owner can change, and whole, for another record."""

from collections.abc import Mapping
from typing import Final, cast

from aeon.application.catalog import AnyEntities, CatalogService
from aeon.application.text_faults import InvalidTextError, find_faults, read_mapping
from aeon.base.json import JsonObject
from aeon.plan.yaml import dump_yaml
from aeon.platform.catalog.model import EntityKind, NewService, NewTool, OwnedEntity, Service, Tool
from aeon.platform.errors import RuleError
from aeon.platform.records import Record

_FIELDS: Final[Mapping[EntityKind, tuple[str, ...]]] = {
    "tool": ("description", "connectionParams", "operation", "inputSchema", "outputSchema", "effect", "runsOn"),
    "service": ("connectionSchema", "limits"),
}


def write_text(thing: OwnedEntity) -> str:
    """The text of a tool or a service."""
    fields = thing.as_dict()
    return dump_yaml({name: fields[name] for name in _FIELDS[thing.kind]})


def export_tool(catalog: CatalogService, name: str) -> str:
    """Return a tool, after its service if that has the same owner, as documents for `aeon apply` in another record.

    What they refer to is named, also their secret, whose value is never part of them. Raises NotFoundError.
    """
    tool = cast(Tool, catalog.of_kind("tool").get(name))
    service = cast(Service, catalog.of_kind("service").get(tool.service_id))
    references: JsonObject = {"service": service.name}
    if tool.secret_id is not None:
        references["secret"] = catalog.of_kind("secret").get(tool.secret_id).name
    documents = [_document("Tool", references, NewTool, tool)]
    documents[0]["operation"] = {"type": tool.operation.type, **cast(JsonObject, documents[0]["operation"])}
    if service.owner_id == tool.owner_id:
        documents.insert(0, _document("Service", {}, NewService, service))
    return "---\n".join(map(dump_yaml, documents))


def _document(kind: str, references: JsonObject, new: type[Record], thing: OwnedEntity) -> JsonObject:
    """Return a thing as a document, without defaults and ids."""
    fields = new.model_validate({name: getattr(thing, name) for name in new.model_fields})
    written = fields.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={"name", "service_id", "secret_id"}
    )
    return {"kind": kind, "name": thing.name, **references, **written}


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

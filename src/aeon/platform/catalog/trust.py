"""Digests of other users' tools as a user has approved them.

A tool's owner may change it later; then its digest differs from the approved one.
"""

from collections.abc import Iterable
from typing import NamedTuple

from aeon.base.json import Json, JsonObject, canonical_json, json_digest
from aeon.base.next_steps import NextStep
from aeon.platform.catalog.model import Service, Tool
from aeon.platform.catalog.operations import SELF_COMMAND
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.errors import RuleError


class StdioProgram(NamedTuple):
    """The program that starts a stdio server, as a tool's connection specifies it."""

    command: Json
    args: Json
    env: Json

    @property
    def digest(self) -> str:
        return _digest([self.command, self.args, self.env])

    def __str__(self) -> str:
        return canonical_json({"command": self.command, "args": self.args, "env": self.env})


def destination_digest(tool: Tool, service: Service) -> str:
    """Returns a digest of where the tool sends a secret: service, connection and operation."""
    return _digest([service.id, service.protocol, tool.connection_params, tool.operation.as_dict()])


def appearance_digest(tool: Tool, service: Service) -> str:
    """Returns a digest of everything that a model reads of the tool, and of what a call does."""
    effect: JsonObject = {"effect": tool.effect, "name": tool.name, "description": tool.description}
    return _digest([destination_digest(tool, service), effect, tool.input_schema, tool.output_schema])


def with_defaults(parameters: JsonObject, connection_schema: JsonObject) -> JsonObject:
    """Returns connection parameters, completed with the defaults of the service's schema.

    A tool stores both: later changes of the defaults by the service's owner do not affect it.
    """
    properties: JsonObject = connection_schema.get("properties") or {}
    defaults = {name: field["default"] for name, field in properties.items() if _has_default(field)}
    return {**defaults, **parameters}


def is_same_connection(wanted: JsonObject, stored: JsonObject, connection_schema: JsonObject) -> bool:
    """Returns whether the stored connection is the wanted one, completed only with defaults."""
    properties: JsonObject = connection_schema.get("properties") or {}
    extra = stored.keys() - wanted.keys()
    matches = all(name in stored and stored[name] == value for name, value in wanted.items())
    return matches and extra <= {name for name, field in properties.items() if _has_default(field)}


def started_program(tool: Tool, service: Service) -> StdioProgram | None:
    """Returns the program that a call of the tool starts on this machine.

    Returns None if none, or Aeon itself.
    """
    connection = tool.connection_params
    if service.protocol != "stdio" or connection.get("command") == SELF_COMMAND:
        return None
    return StdioProgram(connection.get("command"), connection.get("args"), connection.get("env"))


def is_fully_owned(tool: Tool, service: Service, user: str) -> bool:
    """Returns whether only the user can have defined what the tool does."""
    return tool.owner_id == user == service.owner_id


def everybody(_user: str) -> bool:
    """Lets every user use the machine: for records of people who have it anyway."""
    return True


def refuse_foreign_self_call(tool: Tool, service: Service, user: str) -> None:
    """Raises RuleError if another user's tool would use Aeon itself as the caller."""
    if service.protocol != "stdio" or tool.connection_params.get("command") != SELF_COMMAND:
        return
    if others := {tool.owner_id, service.owner_id} - {user, DEFAULTS_OWNER}:
        raise RuleError(
            f"The tool {tool.name!r} of {_listed(others)} would make Aeon act as you, with their arguments.",
            rule="own_abilities",
            next_step="Create your own tool on the service 'aeon itself'.",
        )


def tool_changed_error(tool: Tool, what: str, next_step: str) -> RuleError:
    """Returns the error for a tool that has changed since its user approved it; `next_step` is a code."""
    return RuleError(
        f"The tool {tool.name!r} of {tool.owner_id} was changed since you {what}, so it is not called.",
        rule="unchanged",
        next_step=NextStep(next_step, tool=tool.id),
    )


def _listed(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


def _has_default(field: Json) -> bool:
    return isinstance(field, dict) and "default" in field


def _digest(value: list[Json]) -> str:
    return json_digest(value)

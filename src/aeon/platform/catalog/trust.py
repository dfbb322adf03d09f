"""What a user looked at before another's tool may have their secret, their kernel or their machine (measured P2, P4).

Each is a digest of the tool as it was then: whoever owns it may change it later, and then it is another one.
"""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.platform.catalog.model import Service, Tool
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.errors import RuleError

SELF_COMMAND = "aeon:self"
"""The command that is Aeon itself, as the caller."""


class StdioProgram(NamedTuple):
    """What a stdio server is started as, as a tool's connection says it."""

    command: Json
    args: Json
    env: Json

    @property
    def digest(self) -> str:
        return _digest([self.command, self.args, self.env])

    def __str__(self) -> str:
        return canonical_json({"command": self.command, "args": self.args, "env": self.env})


def destination_digest(tool: Tool, service: Service) -> str:
    """A digest of where a secret goes that is used with the tool: service, connection and operation."""
    return _digest([service.id, service.protocol, tool.connection_params, tool.operation.as_dict()])


def appearance_digest(tool: Tool, service: Service) -> str:
    """A digest of all that a model reads of the tool, and of what happens when it calls it."""
    effect: JsonObject = {"effect": tool.effect, "name": tool.name, "description": tool.description}
    return _digest([destination_digest(tool, service), effect, tool.input_schema, tool.output_schema])


def with_defaults(given: JsonObject, connection_schema: JsonObject) -> JsonObject:
    """Connection parameters, and the defaults that a service's schema gives those that are not there.

    A tool keeps both: a default that the service's owner changes later is none of the tool's (measured P3).
    """
    properties: JsonObject = connection_schema.get("properties") or {}
    defaults = {name: field["default"] for name, field in properties.items() if _has_default(field)}
    return {**defaults, **given}


def is_same_connection(wanted: JsonObject, kept: JsonObject, connection_schema: JsonObject) -> bool:
    """Whether a tool that keeps `kept` is what was wanted: all that was said, and else only defaults of then."""
    properties: JsonObject = connection_schema.get("properties") or {}
    further = kept.keys() - wanted.keys()
    is_said = all(name in kept and kept[name] == value for name, value in wanted.items())
    return is_said and further <= {name for name, field in properties.items() if _has_default(field)}


def started_program(tool: Tool, service: Service) -> StdioProgram | None:
    """The program that a call of the tool starts on this machine, if it starts one that is not Aeon itself."""
    connection = tool.connection_params
    if service.protocol != "stdio" or connection.get("command") == SELF_COMMAND:
        return None
    return StdioProgram(connection.get("command"), connection.get("args"), connection.get("env"))


def is_fully_owned(tool: Tool, service: Service, user: str) -> bool:
    """Whether nobody but the user can have said what the tool does."""
    return tool.owner_id == user == service.owner_id


def refuse_foreign_self_call(tool: Tool, service: Service, user: str) -> None:
    """Raises RuleError where another user's tool would use Aeon itself as the caller, with words of that user."""
    if service.protocol != "stdio" or tool.connection_params.get("command") != SELF_COMMAND:
        return
    if strangers := {tool.owner_id, service.owner_id} - {user, DEFAULTS_OWNER}:
        raise RuleError(
            f"The tool {tool.name!r} of {_listed(strangers)} would have Aeon act as you, with their arguments.",
            rule="own_abilities",
            next_step="Make a tool of your own on the service 'aeon itself'.",
        )


def tool_changed_error(tool: Tool, what: str, command: str) -> RuleError:
    """What is said of a tool that is not what its user looked at."""
    return RuleError(
        f"The tool {tool.name!r} of {tool.owner_id} was changed since you {what}, so it is not called.",
        rule="unchanged",
        next_step=f"Look at it with `aeon catalog show tool {tool.id}`; if you still want it, run `{command}` again.",
    )


def _listed(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


def _has_default(field: Json) -> bool:
    return isinstance(field, dict) and "default" in field


def _digest(value: list[Json]) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()

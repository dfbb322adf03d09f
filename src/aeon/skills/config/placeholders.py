"""Replaces `${NAME}`, `${NAME:-default}` and `$$` in parsed configuration (skills 10)."""

import re
from collections.abc import Collection, Mapping
from typing import cast

from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import ValidationProblem

_PLACEHOLDER = re.compile(
    r"\$(?:(?P<dollar>\$)|\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}|(?P<bad>\{))"
)


def has_placeholder(value: Json) -> bool:
    """Whether the text contains a placeholder, which is replaced when a script starts."""
    return isinstance(value, str) and any(match["name"] for match in _PLACEHOLDER.finditer(value))


class PlaceholderSubstitution:
    """Replaces the placeholders of one value; `unset` and `forbidden` collect the problems."""

    def __init__(
        self, environ: Mapping[str, str], allowed: Collection[str], withheld: Collection[str] = frozenset()
    ) -> None:
        self.environ = environ
        self.allowed = allowed
        self.withheld = withheld
        self.unset: list[ValidationProblem] = []
        """Variables without a value in this environment; another environment may have them."""
        self.forbidden: list[ValidationProblem] = []
        """Placeholders that are invalid in every environment."""

    def fill(self, value: Json, path: str = "$") -> Json:
        """Returns a copy of the value with its placeholders replaced."""
        if isinstance(value, str):
            return _PLACEHOLDER.sub(lambda match: self._replacement(match, path), value) if "$" in value else value
        if isinstance(value, dict):
            return {key: self.fill(item, f"{path}.{key}") for key, item in cast(JsonObject, value).items()}
        if isinstance(value, list):
            return [self.fill(item, f"{path}[{index}]") for index, item in enumerate(cast(list[Json], value))]
        return value

    def _replacement(self, match: "re.Match[str]", path: str) -> str:
        name, default = match["name"], match["default"]
        if match["dollar"]:
            return "$"
        if reason := self._forbidden(name):
            self.forbidden.append(ValidationProblem(path, reason))
            return ""
        value = self.environ.get(name)
        if default is not None:
            return value or default
        if value is None:
            self.unset.append(ValidationProblem(path, f"names ${{{name}}}, which is not set in the environment"))
            return ""
        return value

    def _forbidden(self, name: str | None) -> str | None:
        """Returns why the placeholder is invalid in every environment, or None."""
        if name is None:
            return "contains ${ without a variable name; write $$ for a dollar sign"
        if name not in self.allowed:
            return f"names ${{{name}}}, which the schema does not list in x-env"
        if name in self.withheld:
            return f"names ${{{name}}}, the model's key, which no skill of a project gets; use another variable"
        return None


def allowed_variables(schema: JsonObject) -> tuple[str, ...]:
    """Returns the environment variables that a schema lists in `x-env`."""
    listed = schema.get("x-env")
    names = cast(list[Json], listed) if isinstance(listed, list) else []
    return tuple(name for name in names if isinstance(name, str))

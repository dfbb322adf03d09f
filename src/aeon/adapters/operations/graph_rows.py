"""What every graph server's answer comes to, and who asks it."""

from typing import NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.base.masking import Mask
from aeon.platform.catalog.calling import OperationError
from aeon.platform.vault import SecretValue

_MIN_HIDDEN = 3
"""Letters of a parameter's value that are hidden in errors; shorter ones would hide parts of other words."""


class GraphQueryResult(NamedTuple):
    """Rows by column, and whether there were more than the limit."""

    rows: list[JsonObject]
    is_truncated: bool


class GraphEndpoint(NamedTuple):
    """A server and the database or graph on it; None is the server's own choice."""

    scheme: str
    host: str
    port: int | None
    database: str | None


class GraphLogin(NamedTuple):
    """User and password, which it does not show (platform 3)."""

    user: str
    password: str

    def __repr__(self) -> str:
        return "Login([hidden])"


def login_of(secret: SecretValue | None) -> GraphLogin | None:
    """As whom a server is asked. Raises OperationError for a secret of another type."""
    if secret is None:
        return None
    value = secret.reveal()
    if "password" not in value:
        raise OperationError(
            "a graph server takes no secret of this type", next_step="Give the tool a secret of type password."
        )
    return GraphLogin(str(value.get("username") or ""), str(value["password"]))


def without_values(text: str, params: JsonObject) -> str:
    """What a server said, without the values that it was given (platform 3)."""
    said = Mask(word for word in _words(params) if len(word) >= _MIN_HIDDEN).text(" ".join(text.split()))
    return said.rstrip(".")


def _words(value: Json) -> list[str]:
    if isinstance(value, dict):
        return [word for part in value.values() for word in _words(part)]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [word for part in value for word in _words(part)]  # pyright: ignore[reportUnknownVariableType]
    return [] if value is None or isinstance(value, bool) else [str(value)]

"""The result cache of pure tools: its port, and keys of all that a result depends on."""

from typing import NamedTuple, Protocol

from aeon.base.json import Json, JsonObject, json_digest
from aeon.platform.catalog.tools import ResolvedTool

_AEON = "aeon:"
"""The prefix of endpoints of Aeon itself."""


class CacheKey(NamedTuple):
    """The key of a call: its tool, and a digest of everything that its result depends on."""

    tool: str
    digest: str


class CachedResult(NamedTuple):
    """The result of an earlier call."""

    output: Json


class ResultCache(Protocol):
    """Stores results of pure tools.

    Threads and processes may share one. It raises nothing: a miss means a new call.
    """

    def get(self, key: CacheKey) -> CachedResult | None:
        """Returns the stored result, if any."""
        ...

    def put(self, key: CacheKey, output: Json) -> None:
        """Stores a result that fits its schema and contains no part of a secret."""
        ...


def cache_key(resolved: ResolvedTool, user: str, arguments: JsonObject) -> CacheKey | None:
    """Returns the key of a call's result; None if the tool's owner does not declare it pure.

    Results may depend on the secret, so the key contains its id and version. A secret has one user, so such results
    never reach another user (platform 3). Results of Aeon itself depend on the calling user.
    """
    tool, service, secret = resolved
    if tool.effect != "pure":
        return None
    is_own = str(resolved.connection.get("endpoint", "")).startswith(_AEON)
    dependencies = {
        "tool": [tool.id, tool.version],
        "service": [service.id, service.version],
        "secret": [secret.id, secret.vault_version] if secret else None,
        "user": user if is_own else None,
        "given": arguments,
    }
    return CacheKey(tool.id, json_digest(dependencies))

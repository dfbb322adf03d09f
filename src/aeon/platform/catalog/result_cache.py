"""What results of pure tools are kept under, and where: used again wherever all that they depend on is the same."""

import hashlib
from typing import NamedTuple, Protocol

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.platform.catalog.tools import ResolvedTool

_AEON = "aeon:"
"""How endpoints begin that are Aeon itself."""


class CacheKey(NamedTuple):
    """Stands for a call: of this tool, and the same in everything that its result depends on."""

    tool: str
    digest: str


class CachedResult(NamedTuple):
    """A result that a call came to before."""

    output: Json


class ResultCache(Protocol):
    """Keeps results of pure tools. Threads and processes may share one. It raises nothing: what it lacks is made."""

    def get(self, key: CacheKey) -> CachedResult | None:
        """The result that is kept, if there is one."""
        ...

    def put(self, key: CacheKey, output: Json) -> None:
        """Keep a result: one that fits its schema, with nothing of any secret in it."""
        ...


def cache_key(usable: ResolvedTool, user: str, given: JsonObject) -> CacheKey | None:
    """What a call's result is kept under; None where the tool's owner does not say that it is pure.

    What a secret opens may differ from secret to secret: its id and version are part of the key, and a secret is one
    user's, so that such results never reach another (platform 3). What Aeon itself answers depends on who asks.
    """
    tool, service, secret = usable
    if tool.effect != "pure":
        return None
    is_own = str(usable.connection.get("endpoint", "")).startswith(_AEON)
    told = {
        "tool": [tool.id, tool.version],
        "service": [service.id, service.version],
        "secret": [secret.id, secret.vault_version] if secret else None,
        "user": user if is_own else None,
        "given": given,
    }
    return CacheKey(tool.id, hashlib.sha256(canonical_json(told).encode()).hexdigest())

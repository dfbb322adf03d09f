"""Upgrades exports of the former graph stores: obsolete and renamed properties. Pure."""

from collections.abc import Mapping
from typing import Final

from aeon.base.json import JsonObject

OBSOLETE_LABELS: Final = frozenset({"AeonVersion", "Event", "Graph"})
"""Nodes of the graph store itself. The record stores its own version and id."""

_OBSOLETE_EVERYWHERE: Final = frozenset({"nameKey", "sharedKey"})
_NEVER_OBSOLETE: Final[Mapping[str, frozenset[str]]] = {"Entity": frozenset({"nameKey"})}
"""Properties that only labels of today have, under a name that was obsolete before them."""

_OBSOLETE: Final[Mapping[str, frozenset[str]]] = {
    "AuditEntry": frozenset({"id"}),
    "MetricDefinition": frozenset({"lastRecordedAt"}),
    "Run": frozenset({"isOpen"}),
    "RunEntry": frozenset({"key"}),
}
"""Properties that the record derives from others or no longer has."""

_RENAMED: Final[Mapping[str, Mapping[str, str]]] = {
    "MetricValue": {"at": "timestamp"},
    "ProcessStep": {
        "variable": "output.variable",
        "tokenBudget": "output.tokenBudget",
        "required": "output.required",
        "mode": "execution.mode",
        "condition": "execution.condition",
        "timeout": "execution.timeout",
        "interactionMode": "execution.interactionMode",
    },
}

_EMPTY_IS_NONE: Final[Mapping[str, frozenset[str]]] = {
    "CachedResult": frozenset({"reference"}),
    "RunEntry": frozenset({"reference"}),
    "Signal": frozenset({"reference"}),
    "Worker": frozenset({"currentJobId"}),
}
"""Properties whose empty string meant None."""

_UNLIMITED: Final[JsonObject] = {"limits": '{"concurrency":null,"rate":null}'}

_ADDED: Final[Mapping[str, JsonObject]] = {"Service": _UNLIMITED, "ServiceTemplate": _UNLIMITED}
"""Properties that older exports lack, with the values that this meant."""


def upgrade_properties(label: str, properties: JsonObject) -> JsonObject:
    """Returns a node's properties with current names and forms.

    Unlisted properties stay as they are.
    """
    obsolete = _OBSOLETE_EVERYWHERE - _NEVER_OBSOLETE.get(label, frozenset()) | _OBSOLETE.get(label, frozenset())
    empty = _EMPTY_IS_NONE.get(label, frozenset())
    renamed = _RENAMED.get(label, {})
    upgraded = {
        renamed.get(name, name): None if name in empty and value == "" else value
        for name, value in properties.items()
        if name not in obsolete
    }
    return {**_ADDED.get(label, {}), **upgraded}

"""Tools from installed packages: entry points of the group `aeon.tools`, each a Tool, a Tool class, or a list."""

from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple, cast

from aeon.tools.interface import Tool

ENTRY_POINT_GROUP = "aeon.tools"


class DiscoveredTools(NamedTuple):
    """The tools of the installed packages, and the entry points that failed to load, with the reasons."""

    tools: list[Tool]
    problems: list[str]


def discover_tools(points: Iterable[EntryPoint] | None = None) -> DiscoveredTools:
    """Loads every entry point of the group. A broken one is reported and does not stop the others."""
    discovered = DiscoveredTools([], [])
    for point in entry_points(group=ENTRY_POINT_GROUP) if points is None else points:
        try:
            discovered.tools.extend(_tools_of(point.load()))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # external code: its exception is reported
            discovered.problems.append(f"{point.name} ({point.value}): {type(error).__name__}: {error}")
    return discovered


def _tools_of(loaded: object) -> list[Tool]:
    if isinstance(loaded, type) and issubclass(loaded, Tool):  # pyright: ignore[reportUnknownArgumentType]  # any object of a package
        return [loaded()]
    if isinstance(loaded, Tool):
        return [loaded]
    if isinstance(loaded, (list, tuple)):
        return [tool for item in cast(list[object], loaded) for tool in _tools_of(item)]
    kind = type(cast(object, loaded)).__name__
    raise TypeError(f"is a {kind}; it must be a Tool, a Tool class, or a list of them")

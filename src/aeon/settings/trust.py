"""What a project's own file may not decide: it comes with the folder, perhaps from a stranger. Decision 0012."""

from collections.abc import Mapping
from pathlib import Path

from aeon.settings.layers import variable
from aeon.settings.model import Settings


def paths_that_lead_out(settings: Settings, from_project: Mapping[str, Path]) -> list[str]:
    """What is wrong with places that a project's file puts outside its own folder, links followed."""
    places = {"run.log_dir": settings.run.log_dir, "memory.path": settings.memory.path}
    return [
        f"{file}: {key} leads out of the project's folder; a project's file may not do that. If you want it, say so "
        f"yourself with {variable(key)}"
        for key, place in places.items()
        if (file := from_project.get(key)) and place != ":memory:" and not _is_inside(Path(place), file.parent)
    ]


def _is_inside(place: Path, folder: Path) -> bool:
    return place.expanduser().resolve().is_relative_to(folder.resolve())

"""What a project's own file may not decide: it comes with the folder, perhaps from a stranger. Decision 0012."""

from collections.abc import Mapping
from pathlib import Path

from aeon.settings.layers import environment_variable
from aeon.settings.model import Settings


def escaping_path_problems(settings: Settings, from_project: Mapping[str, Path]) -> list[str]:
    """What is wrong with places that a project's file puts outside its own folder, links followed."""
    places = [("run.log_dir", settings.run.log_dir), ("memory.path", settings.memory.path)]
    places += [("skills.folders", folder) for folder in settings.skills.folders]
    return [
        f"{file}: {key} leads out of the project's folder; a project's file may not do that. If you want it, say so "
        f"yourself with {environment_variable(key)}"
        for key, place in places
        if (file := from_project.get(key)) and place != ":memory:" and not _is_inside(Path(place), file.parent)
    ]


def project_grant_problems(settings: Settings, from_project: Mapping[str, Path]) -> list[str]:
    """What is wrong where a project's file grants something to scripts (skills 15)."""
    asked = {
        "skills.trust_project": settings.skills.trust_project,
        "skills.allow_network": settings.skills.allow_network,
        "skills.allow_model": settings.skills.allow_model,
        "skills.allow_write": bool(settings.skills.allow_write),
    }
    return [
        f"{file}: {key} is a grant to scripts; a project's file may not make one. If you want it, say so yourself with "
        f"{environment_variable(key)}"
        for key, is_granted in asked.items()
        if is_granted and (file := from_project.get(key))
    ]


def weakened_isolation_problems(settings: Settings, from_project: Mapping[str, Path]) -> list[str]:
    """What is wrong where a project's file has its own scripts run without isolation."""
    file = from_project.get("skills.sandbox")
    if file is None or settings.skills.sandbox != "plain":
        return []
    told = f'{file}: skills.sandbox = "plain" takes the isolation of scripts away; a project\'s file may not do that.'
    return [f"{told} If you want it, say so yourself with {environment_variable('skills.sandbox')}"]


def _is_inside(place: Path, folder: Path) -> bool:
    return place.expanduser().resolve().is_relative_to(folder.resolve())

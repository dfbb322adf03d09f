"""`aeon skills trust` and `distrust`: what single skills may use for good."""

from collections.abc import Sequence
from pathlib import Path

from aeon.cli.codes import Code
from aeon.cli.say import put, say
from aeon.cli.session import opened, settings_here
from aeon.cli.skills.library import found_skill
from aeon.cli.skills.running import writable_folders
from aeon.cli.text import clean
from aeon.skills.launch.grants import MODEL, NETWORK, Grants


def trust_skill(name: str, *, network: bool, model: bool, write: Sequence[Path]) -> int:
    """Grant a skill what it declares and what is given. Raises InputError for an unknown name and for no folder."""
    folders = tuple(map(Path, writable_folders(write)))
    with opened(settings_here()) as app:
        skill = found_skill(app, name)
        asks = skill.capabilities
        grants = Grants(network or NETWORK in asks, model or MODEL in asks, folders)
        app.skills.trusted.trust(skill, grants)
    say(f"folder: {clean(str(skill.directory_path))}")
    put(f"trusted {clean(name)} as it is now, with {_listed(grants)}")
    return Code.DONE


def distrust_skill(name: str) -> int:
    """Take it back. Raises InputError for an unknown name."""
    with opened(settings_here()) as app:
        app.skills.trusted.distrust(found_skill(app, name))
    put(f"{clean(name)} is not trusted any more")
    return Code.DONE


def _listed(grants: Grants) -> str:
    named = ["the network"] if grants.network else []
    named += ["the model"] if grants.model else []
    named += [f"{folder} to write to" for folder in grants.write]
    return ", ".join(named) or "nothing beyond its own folders"

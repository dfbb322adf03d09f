"""The user's grants to scripts beyond their own folders (skills 15).

Skills cannot grant themselves anything. Pure.
"""

from pathlib import Path
from typing import Final, NamedTuple

from aeon.base.errors import SkillError
from aeon.base.next_steps import NextStep
from aeon.skills.models import Skill, SkillScript

MODEL: Final = "model"
"""The capability to call the configured model."""
NETWORK: Final = "network"

_FLAGS = {NETWORK: "--allow-network", MODEL: "--allow-model"}
_NAMES = {NETWORK: "the network", MODEL: "the model"}


class NotGrantedError(SkillError):
    """The skill requests more than was granted."""

    next_step = "Grant it if you trust the skill, or do not use the skill."


class UntrustedSkillError(NotGrantedError):
    """The skill came with the project or changed, and you have not trusted its current files."""

    def __init__(self, skill: Skill, *, is_changed: bool = False) -> None:
        folder = str(skill.directory_path)
        if is_changed:
            super().__init__(
                f"The skill {skill.name!r} has changed since it was installed.",
                next_step=NextStep("skills.trust_change", skill=skill.name, folder=folder),
            )
            return
        super().__init__(
            f"The skill {skill.name!r} came with the project, and you have not trusted its current files.",
            next_step=NextStep("skills.trust", skill=skill.name, folder=folder),
        )


class Grants(NamedTuple):
    """Permissions of every script of a run: the network, the model, writable folders, installing packages.

    `folder` is the user's, where scripts work and read. `packages` are Python packages that the user names, for scripts
    that declare none; naming them is the word to install them.
    """

    network: bool = False
    model: bool = False
    write: tuple[Path, ...] = ()
    folder: Path | None = None
    install: bool = False
    packages: tuple[str, ...] = ()

    def allows(self, capability: str) -> bool:
        """Whether the capability NETWORK or MODEL is granted."""
        return self.network if capability == NETWORK else self.model


def require_grants(skill: Skill, grants: Grants) -> None:
    """Raises NotGrantedError if a project's skill requests more than was granted.

    Such a skill may be another person's.
    """
    missing = [
        name for name in _FLAGS if name in skill.capabilities and skill.is_from_project and not grants.allows(name)
    ]
    if missing:
        requested = " and ".join(_NAMES[name] for name in missing)
        flags = " ".join(_FLAGS[name] for name in missing)
        raise NotGrantedError(
            f"The skill {skill.name!r} came with the project and requests {requested}, which was not granted.",
            next_step=NextStep("skills.grant", skill=skill.name, requested=requested, flags=flags),
        )


def may_use(skill: Skill, script: SkillScript, capability: str, grants: Grants) -> bool:
    """Whether the script may use the capability.

    It was granted, or a skill that the user installed requests it. A plain script cannot request capabilities: it gets
    the network only by a grant, and never the model.
    """
    is_declared = script.protocol == "ndjson"
    if capability == NETWORK and grants.network:
        return True
    return capability in skill.capabilities and is_declared and (grants.allows(capability) or not skill.is_from_project)

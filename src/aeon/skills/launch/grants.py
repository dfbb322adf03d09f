"""What the user granted to scripts beyond their own folders (skills 15): nothing grants itself anything. Pure."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aeon.base.errors import SkillError
from aeon.skills.models import Skill, SkillScript

MODEL: Final = "model"
"""The capability of talking to the configured model."""
NETWORK: Final = "network"

_FLAGS = {NETWORK: "--allow-network", MODEL: "--allow-model"}
_NAMES = {NETWORK: "the network", MODEL: "the model"}


class NotGrantedError(SkillError):
    """The skill asks for what nobody granted."""

    next_step = "Grant it if you trust the skill, or leave the skill out."


class UntrustedSkillError(NotGrantedError):
    """The skill came with the project, and nobody has trusted it as it is now."""

    next_step = ""

    def __init__(self, skill: Skill) -> None:
        super().__init__(
            f"The skill {skill.name!r} came with the project, and you have not trusted it as it is now. Look at "
            f"{skill.directory_path}; then run `aeon skills trust {skill.name}`. Where all projects are yours, set "
            "AEON_SKILLS_TRUST_PROJECT=true, or trust_project in your own settings.",
        )


@dataclass(frozen=True, slots=True)
class Grants:
    """What every script of a run may use: the network, the model, folders that it may write to."""

    network: bool = False
    model: bool = False
    write: tuple[Path, ...] = ()

    def allows(self, capability: str) -> bool:
        """Whether the network, or the model, is granted."""
        return self.network if capability == NETWORK else self.model


def require_grants(skill: Skill, grants: Grants) -> None:
    """Raises NotGrantedError where a skill that may be somebody else's asks for more than was granted."""
    missing = [
        name for name in _FLAGS if name in skill.capabilities and skill.is_from_project and not grants.allows(name)
    ]
    if missing:
        asked = " and ".join(_NAMES[name] for name in missing)
        flags = " ".join(_FLAGS[name] for name in missing)
        raise NotGrantedError(
            f"The skill {skill.name!r} came with the project and asks for {asked}, which was not granted. If you trust "
            f"it, `aeon skills run` and `exec` grant it with {flags} for one run, and `aeon skills trust {skill.name}` "
            "for good."
        )


def may_use(skill: Skill, script: SkillScript, capability: str, grants: Grants) -> bool:
    """Whether the script gets the network, or the model: granted, or asked for by a skill that the user installed.

    A published script asks for nothing, as it knows of nothing: it has the network only by a grant, and no model.
    """
    is_declared = script.protocol == "ndjson"
    if capability == NETWORK and grants.network:
        return True
    return capability in skill.capabilities and is_declared and (grants.allows(capability) or not skill.is_from_project)

"""Skills as values, for tests that need no disk."""

from pathlib import Path

import pytest

from aeon.skills.models import Skill, SkillCatalog, SkillScript

ROLL_INPUT = {
    "type": "object",
    "properties": {"notation": {"type": "string", "pattern": "^[0-9]{1,2}d[0-9]{1,3}$", "default": "2d6"}},
    "additionalProperties": False,
}
ROLL_OUTPUT = {
    "type": "object",
    "properties": {"dice": {"type": "object", "properties": {"total": {"type": "integer"}}}},
}
TELL_INPUT = {
    "type": "object",
    "properties": {
        "prompt": {"type": "string", "maxLength": 500},
        "facts": {"type": "string", "maxLength": 500},
        "words": {"type": "integer", "default": 100},
    },
    "required": ["prompt"],
    "additionalProperties": False,
}


def skill(name: str, description: str, script: str, takes=None, gives=None, **more) -> Skill:
    """A skill of one script, as if found under /skills."""
    folder = Path("/skills") / name
    path = folder / "scripts" / script
    made = SkillScript(
        name=path.stem,
        path=path,
        tool_path=f"{name}/scripts/{script}",
        is_executable=True,
        protocol="ndjson",
        description=description,
        input_schema=takes,
        output_schema=gives,
    )
    return Skill(
        name=name,
        description=description,
        directory_path=folder,
        manifest_path=folder / "SKILL.md",
        data_home=folder,
        scripts=(made,),
        **more,
    )


@pytest.fixture
def make_skill():
    return skill


@pytest.fixture
def dice() -> Skill:
    return skill("dice-roller", "Rolls dice for games and decisions.", "roll.sh", ROLL_INPUT, ROLL_OUTPUT)


@pytest.fixture
def teller() -> Skill:
    return skill("storyteller", "Tells what happens next as a short story.", "narrate.py", TELL_INPUT)


@pytest.fixture
def catalog(dice, teller) -> SkillCatalog:
    return SkillCatalog((dice, teller))


@pytest.fixture(scope="session")
def many_skills() -> SkillCatalog:
    """Three hundred skills of one script each; exactly one is about tides."""
    filler = [
        skill(f"ledger-{number}", f"Keeps ledger number {number} in order.", "keep.py", TELL_INPUT)
        for number in range(299)
    ]
    return SkillCatalog(
        (*filler, skill("tide-table", "Says when the tide is high at a harbour.", "tide.py", TELL_INPUT))
    )

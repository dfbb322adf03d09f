"""What planning costs beside the model: `python benchmarks/skills/planner.py [--skills DIR] [--rounds N]`.

The model is a double that answers at once, so that what is left is search, prompts, schemas, reading and checking the
plan. Aim: under 20 ms at 300 skills. With `--skills DIR`, a folder of published skills, it also measures the search:
for each skill whose SKILL.md has a section on when to use it, the first line of that section is the request, and the
skill itself is what is to be found. Name and description are all that the search knows.
"""

import argparse
import re
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from aeon.skills.discovery.search import SkillRoot, discover
from aeon.skills.discovery.skill_reader import read_prompt
from aeon.skills.models import Skill, SkillCatalog, SkillScript
from aeon.skills.plan.check import check_plan
from aeon.skills.planner.interface import PlanningTask
from aeon.skills.planner.model_planner import ModelPlanner
from aeon.skills.planner.skill_index import SkillIndex
from aeon.testing.llm import ScriptedAdapter

SIZES = (30, 300, 3000)
TAKES = {
    "type": "object",
    "properties": {"text": {"type": "string", "maxLength": 200}, "count": {"type": "integer"}},
    "required": ["text"],
    "additionalProperties": False,
}
GIVES = {"type": "object", "properties": {"ledger": {"type": "object", "properties": {"sum": {"type": "number"}}}}}
WHEN = re.compile(
    r"^#+ *when to (?:use|activate)[^\n]*\n+(.+?)(?:\n\n|\n#|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL
)


def made(number: int) -> Skill:
    folder = Path(f"/skills/ledger-{number}")
    tool_path = f"ledger-{number}/scripts/keep.py"
    script = SkillScript(
        "keep", folder / "scripts/keep.py", tool_path, is_executable=True, protocol="ndjson",
        description="Books an amount and says the balance.", input_schema=TAKES, output_schema=GIVES,
    )  # fmt: skip
    said = f"Keeps ledger number {number} in order and reports on accounts, bookings and balances of the year."
    return Skill(f"ledger-{number}", said, folder, folder / "SKILL.md", folder, scripts=(script,))


def planned(size: int) -> float:
    """Seconds from a request to a checked plan, with a catalog that was never searched before."""
    catalog = SkillCatalog(tuple(made(number) for number in range(size)))
    node = {"toolId": "t1", "toolPath": "ledger-7/scripts/keep.py", "input": {"text": "rent"}}
    model = ScriptedAdapter([{"skills": ["ledger-7"]}, {"scripts": [node["toolPath"]], "count": 1, "tools": [node]}])
    start = time.perf_counter()
    planner = ModelPlanner(model, lambda _skill: "Keep it tidy.", lambda _skills, _words: "")
    plan = planner.plan(PlanningTask("book the rent in ledger 7", catalog))
    faults = check_plan(plan, catalog)
    spent = time.perf_counter() - start
    assert not faults
    return spent


def requests(catalog: SkillCatalog) -> Iterator[tuple[Skill, str]]:
    """Skills with what their own text says of when to use them."""
    for skill in catalog.skills:
        found = WHEN.search(read_prompt(skill))
        line = found and next((text for text in found[1].splitlines() if len(text.split()) > 3), None)
        if line:
            yield skill, line


def searched(folder: Path) -> None:
    catalog = discover([SkillRoot(place, "user") for place in sorted(folder.iterdir()) if place.is_dir()])
    asked = list(requests(catalog))
    start = time.perf_counter()
    with SkillIndex(catalog.skills) as index:
        built = time.perf_counter() - start
        ranks = [[found.name for found in index.search(request, 12)] for _, request in asked]
    spent = time.perf_counter() - start - built
    print(f"\n{len(catalog.skills)} published skills, {len(asked)} requests; index {built * 1e3:.0f} ms, ", end="")
    print(f"a search {spent / len(asked) * 1e3:.1f} ms\n\n| found among the first | share |\n|---|---|")
    for most in (1, 5, 12):
        hits = sum(skill.name in rank[:most] for (skill, _), rank in zip(asked, ranks, strict=True))
        print(f"| {most} | {100 * hits / len(asked):.0f} % |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skills", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    chosen = parser.parse_args()
    print("| skills | planning beside the model, ms (median) | aim |\n|---|---|---|")
    for size in SIZES:
        spent = median(planned(size) for _ in range(chosen.rounds)) * 1e3
        print(f"| {size} | {spent:.1f} | {'20' if size == 300 else ''} |")
    if chosen.skills is not None:
        searched(chosen.skills)


if __name__ == "__main__":
    main()

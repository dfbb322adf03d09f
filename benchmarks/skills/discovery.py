"""How fast skills are found, and how many of the published ones load.

python benchmarks/skills/discovery.py                     5,000 generated skills: cold, from disk, from memory
python benchmarks/skills/discovery.py --collections DIR   each folder in DIR is a checked-out collection
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from aeon.skills.authoring.export import export_skill
from aeon.skills.discovery.cache import DiscoveryCache
from aeon.skills.discovery.search import SkillRoot, discover
from aeon.skills.discovery.skill_reader import SKILL_MD, read_skill
from aeon.skills.models import Skill

ROUNDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skills", type=int, default=5000, help="how many to generate")
    parser.add_argument("--collections", type=Path, help="a folder of checked-out collections")
    chosen = parser.parse_args()
    if chosen.collections:
        measure_collections(chosen.collections)
    else:
        measure_speed(chosen.skills)


def measure_speed(count: int) -> None:
    """Discover a generated tree without any memory of it, with the one on disk, with the one in this process."""
    with tempfile.TemporaryDirectory() as place:
        root = SkillRoot(Path(place) / "skills", "project")
        generate(root.path, count)
        _settle(root.path)
        kept = DiscoveryCache(Path(place) / "cache")
        discover([root], environ={}, cache=kept)
        rows = [
            ("cold", _times(lambda: discover([root], environ={}), count)),
            ("cold, and kept on disk", _times(lambda: _into(root, Path(tempfile.mkdtemp(dir=place))), count)),
            ("from the cache on disk", _times(lambda: _into(root, Path(place) / "cache"), count)),
            ("from memory", _times(lambda: discover([root], environ={}, cache=kept), count)),
        ]
    print(f"{count} skills, {ROUNDS} rounds, seconds\n\n| case | median | best | worst |\n|---|---|---|---|")
    for case, times in rows:
        print(f"| {case} | {statistics.median(times):.2f} | {min(times):.2f} | {max(times):.2f} |")


def _into(root: SkillRoot, cache: Path):
    return discover([root], environ={}, cache=DiscoveryCache(cache))


def _times(run, count: int) -> list[float]:
    times: list[float] = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        catalog = run()
        times.append(time.perf_counter() - begin)
        assert len(catalog.skills) == count
    return times


def generate(root: Path, count: int) -> None:
    """Skills as they are published: all with a SKILL.md, half with a script, a tenth with a skill.json."""
    for number in range(count):
        folder = root / f"group-{number % 50}" / f"skill-{number}"
        folder.mkdir(parents=True)
        front = f"name: skill-{number}\ndescription: Does thing {number}. Use it when {'it is asked for ' * 10}.\n"
        more = "license: MIT\nmetadata:\n  version: 1.0.0\n  author: somebody\n"
        colon = "compatibility: Needs: nothing\n" if number % 20 == 0 else ""
        body = "Some advice in plain words.\n" * 100 + ("Run scripts/run.py.\n" if number % 2 else "")
        (folder / SKILL_MD).write_text(f"---\n{front}{colon}{more}---\n# Skill {number}\n\n{body}")
        if number % 2:
            (folder / "scripts").mkdir()
            (folder / "scripts" / "run.py").write_text("print('hello')\n")
        if number % 10 == 1:
            script = {"name": "run", "path": "scripts/run.py", "inputSchema": {"type": "object"}}
            manifest = {"name": f"skill-{number}", "version": "1.0.0", "description": "d", "scripts": [script]}
            (folder / "skill.json").write_text(json.dumps(manifest))


def _settle(root: Path) -> None:
    """As if the files had been there for a while: what was written this instant is never kept."""
    before = time.time() - 3600
    for folder, _, files in os.walk(root):
        for path in [Path(folder), *(Path(folder) / name for name in files)]:
            os.utime(path, (before, before))


class Tally(NamedTuple):
    """What the SKILL.md of one collection came to; `reasons` are those for which some did not load."""

    files: int
    loaded: int
    accepted: int
    exported: int
    foreign: int
    seconds: float
    reasons: Counter[str]


def measure_collections(place: Path) -> None:
    """Every file called SKILL.md on its own, so that nested ones and names used twice count too."""
    from skills_ref import validate

    print("| collection | SKILL.md | load | share | skills-ref accepts | exports it accepts | seconds |")
    print("|---|---|---|---|---|---|---|")
    tallies: list[Tally] = []
    for collection in sorted(path for path in place.iterdir() if path.is_dir()):
        tally = tallied(collection, validate)
        tallies.append(tally)
        print(_row(collection.name.replace("+", "/"), tally), flush=True)
    reasons = sum((tally.reasons for tally in tallies), Counter[str]())
    print(_row("all", Tally(*(sum(column) for column in zip(*(t[:6] for t in tallies), strict=True)), reasons)))
    print(f"\nForeign or broken skill.json beside a SKILL.md that loaded: {sum(tally.foreign for tally in tallies)}\n")
    for reason, times in reasons.most_common():
        print(f"- {times}: {reason}")


def tallied(collection: Path, validate) -> Tally:
    folders = list(_folders(collection))
    begin = time.perf_counter()
    readings = [read_skill(folder) for folder in folders]
    seconds = time.perf_counter() - begin
    loaded = [r for r in readings if r.skill and r.skill.manifest_path.name == SKILL_MD]
    reasons = Counter(
        next(note.message for note in r.notes if note.path.name == SKILL_MD and note.is_skip)
        for r in readings
        if r not in loaded
    )
    return Tally(
        files=len(folders),
        loaded=len(loaded),
        accepted=sum(_accepts(validate, folder) for folder in folders),
        exported=sum(_accepts_export(validate, r.skill) for r in loaded if r.skill),
        foreign=sum(any(n.path.name == "skill.json" and n.is_skip for n in r.notes) for r in loaded),
        seconds=seconds,
        reasons=reasons,
    )


def _folders(collection: Path) -> Iterator[Path]:
    for folder, _, files in os.walk(collection):
        if SKILL_MD in files:
            yield Path(folder)


def _accepts(validate, folder: Path) -> bool:
    """It raises for some files where it should say no."""
    try:
        return not validate(folder)
    except Exception:  # noqa: BLE001  # another program's defects are its own
        return False


def _accepts_export(validate, skill: Skill) -> bool:
    with tempfile.TemporaryDirectory() as place:
        return _accepts(validate, export_skill(skill, Path(place)))


def _row(name: str, tally: Tally) -> str:
    share, exported = tally.loaded / max(1, tally.files), tally.exported / max(1, tally.loaded)
    return (
        f"| {name} | {tally.files} | {tally.loaded} | {share:.2%} | {tally.accepted} | {exported:.2%} "
        f"| {tally.seconds:.2f} |"
    )


if __name__ == "__main__":
    sys.exit(main())

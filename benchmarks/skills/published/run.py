"""How well published skills work: `python benchmarks/skills/published/run.py FOLDER... [--seed N] [--embedded N]`.

Each FOLDER is a collection that you fetched (collections.txt lists those of RESULTS.md). Three questions:

1. Does every skill load?
2. Scripts that take files: a script, drawn by a seed, is tried by hand with sample files until a command ends well. The
   same command then runs under Aeon, at the default isolation with `--allow-write . --allow-install`. It must end as
   well, print the same and make the same files. By hand means: Aeon's Python, no network, in a copy of the same folder.
3. Skills without scripts: does a model get the whole instructions? `--embedded N` also asks the embedded model, with
   and without the first N of them.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from aeon.bootstrap.app import build_app
from aeon.llm.interface import LLMRequest, call_model
from aeon.settings import ModelSettings, Settings
from aeon.skills.discovery.search import SkillRoot, discover
from aeon.skills.discovery.skill_reader import read_prompt
from aeon.skills.instructions import InstructionFollower, budget_of_context, references_of
from aeon.skills.launch.interpreters import interpreter_for
from aeon.skills.models import Skill, SkillScript
from aeon.testing.llm import ScriptedAdapter

MOST_SCRIPTS = 60
SECONDS = 10
REQUEST = "Help me with the work in this folder."


class Tried(NamedTuple):
    code: int
    out: str
    err: str
    files: frozenset[str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--embedded", type=int, default=0, metavar="N")
    parser.add_argument("--model", default="standard", help="the embedded model that --embedded asks")
    parser.add_argument("--skip-scripts", action="store_true")
    chosen = parser.parse_args()
    skills: list[Skill] = []
    for folder in chosen.folders:
        skills += loaded(folder)
    share = None if chosen.skip_scripts else measure_scripts(skills, chosen.seed)
    measure_instructions(skills, chosen.seed, chosen.embedded, chosen.model)
    return 0 if share is None or share >= 0.95 else 1


def loaded(folder: Path) -> list[Skill]:
    catalog = discover([SkillRoot(folder.absolute(), "user")], environ={})
    files = {path.parent for path in folder.absolute().rglob("SKILL.md")}
    missing = files - {skill.directory_path for skill in catalog.skills}
    bare = sum(skill.is_instructions for skill in catalog.skills)
    scripts = sum(len(skill.scripts) for skill in catalog.skills)
    print(
        f"{folder.name}: {len(files)} SKILL.md, {len(catalog.skills)} load, {bare} without scripts, {scripts} scripts"
    )
    for place in sorted(missing):
        reason = next((note.message for note in catalog.notes if note.path.is_relative_to(place)), "not found")
        print(f"  does not load: {place.relative_to(folder.absolute())}: {reason}")
    return list(catalog.skills)


def samples(folder: Path) -> None:
    """Sample files of the kinds that published scripts take."""
    types = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"></Types>'
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    document = f'<w:document xmlns:w="{word}"><w:body><w:p><w:r><w:t>hi</w:t></w:r></w:p></w:body></w:document>'
    parts = {"[Content_Types].xml": types, "word/document.xml": document}
    for kind in ("docx", "xlsx", "pptx"):
        with zipfile.ZipFile(folder / f"sample.{kind}", "w") as opened:
            for name, text in parts.items():
                opened.writestr(name, text)
    for name, text in parts.items():
        (folder / "unpacked" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "unpacked" / name).write_text(text)
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    with (folder / "sample.pdf").open("wb") as file:
        writer.write(file)
    (folder / "fields.json").write_text(json.dumps({"form_fields": [], "pages": []}))
    (folder / "list.json").write_text("[]")
    (folder / "notes.md").write_text("# Notes\n\nSome text.\n")
    (folder / "table.csv").write_text("a,b\n1,2\n")
    (folder / "sample-skill").mkdir()
    (folder / "sample-skill" / "SKILL.md").write_text("---\nname: sample-skill\ndescription: A sample.\n---\nDo it.\n")


def commands() -> Iterator[list[str]]:
    """Command lines that name sample files, the simple ones first."""
    given = [
        "sample.docx",
        "sample.pdf",
        "fields.json",
        "list.json",
        "notes.md",
        "table.csv",
        "sample-skill",
        "unpacked",
    ]
    given += ["sample.xlsx", "sample.pptx"]
    for name in given:
        yield [name]
    for name in given:
        for result in ("out", "out.docx", "out.json", "out.pdf"):
            yield [name, result]
    yield ["sample.pdf", "fields.json", "out.pdf"]
    yield ["unpacked", "out.docx", "--original", "sample.docx"]
    yield ["made-skill", "--path", "."]


def files_below(folder: Path) -> frozenset[str]:
    kept = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return frozenset(str(path) for path in kept if ".aeon" not in path.parts)


def by_hand(script: SkillScript, words: list[str], folder: Path) -> Tried:
    """Runs a script as a user would, with the disk read-only but for the folder, and nothing left running."""
    box = ["bwrap", "--die-with-parent", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev"]
    box += ["--proc", "/proc", "--bind", str(folder), str(folder), "--chdir", str(folder), "--"]
    command = [*box, *interpreter_for(script.path), str(script.path), *words]
    return ended(command, folder, {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"})


def under_aeon(script: SkillScript, words: list[str], folder: Path, home: Path) -> Tried:
    command = [sys.executable, "-m", "aeon", "skill", "run", "--allow-write", ".", "--allow-install"]
    passed_on = {name: value for name, value in os.environ.items() if name.startswith(("PATH", "UV_", "SSL_CERT_"))}
    return ended([*command, script.tool_path, *words], folder, {**passed_on, "HOME": str(home), "LANG": "C.UTF-8"})


def ended(command: list[str], folder: Path, environ: dict[str, str]) -> Tried:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Tried(-1, "", "timed out", frozenset())
    except OSError as error:
        return Tried(-1, "", str(error), frozenset())
    texts = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
    return Tried(done.returncode, *texts, files_below(folder))


def measure_scripts(skills: list[Skill], seed: int) -> float | None:
    """Returns the share of the scripts that work by hand and under Aeon."""
    scripts = [(skill, script) for skill in skills for script in skill.scripts]
    drawn = random.Random(seed).sample(scripts, min(MOST_SCRIPTS, len(scripts)))
    works = same = 0
    causes: Counter[str] = Counter()
    for skill, script in drawn:
        with tempfile.TemporaryDirectory() as place:
            found = first_command(script, Path(place))
            if isinstance(found, str):
                causes[found] += 1
                continue
            words, hand = found
            works += 1
            home, folder = Path(place) / "home", Path(place) / "aeon"
            shutil.copytree(skill.directory_path, home / ".agents/skills" / skill.directory_path.name)
            folder.mkdir()
            samples(folder)
            aeon = under_aeon(script, words, folder, home)
            is_same = aeon.code == hand.code and aeon.files == hand.files and said(skill, aeon, hand)
            same += is_same
            print(f"  {'same' if is_same else 'DIFFERS'}  {script.tool_path} {' '.join(words)}")
            if not is_same:
                print(f"    by hand {hand.code} {sorted(hand.files)} {hand.out[-200:]!r}")
                print(f"    aeon    {aeon.code} {sorted(aeon.files)} {aeon.out[-200:]!r} {aeon.err[-300:]!r}")
    print(f"\n{len(drawn)} scripts drawn (seed {seed}); {works} take a sample file and work by hand")
    print(f"{same} of these work under Aeon")
    for cause, count in causes.most_common():
        print(f"  {count} do not work by hand: {cause}")
    return same / works if works else None


def said(skill: Skill, aeon: Tried, hand: Tried) -> bool:
    """Whether Aeon printed what the script printed: a JSON object is shown on one line, in Aeon's own form."""
    printed = re.sub(r"/aeon(?=[/\"\s])", "/hand", aeon.out)
    printed = re.sub(r"/\S*/home/.agents/skills/", "/SKILLS/", printed)
    expected = re.sub(rf"/\S*{re.escape(str(skill.directory_path.parent))}/", "/SKILLS/", hand.out)
    try:
        return json.loads(printed) == json.loads(expected)
    except ValueError:
        return printed.strip() == expected.strip()


def first_command(script: SkillScript, place: Path) -> tuple[list[str], Tried] | str:
    """Returns the first command that ends well by hand and names a file, or why there is none."""
    last = Tried(0, "", "", frozenset())
    for words in commands():
        folder = place / "hand"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        samples(folder)
        last = by_hand(script, words, folder)
        if last.code == 0:
            return words, last
        if "No module named" in last.err:
            return "No module named" + last.err.rpartition("No module named")[2].splitlines()[0]
        if last.err == "timed out":
            break
    return "no sample file suits it, or it needs the network or another program"


def measure_instructions(skills: list[Skill], seed: int, embedded: int, model_name: str) -> None:
    bare = [skill for skill in skills if skill.is_instructions and skill.usage.is_for_user]
    drawn = random.Random(seed).sample(bare, min(20, len(bare)))
    whole = 0
    for skill in drawn:
        model = ScriptedAdapter([{"files": ["none"]}, "Done."] if references_of(skill) else ["Done."])
        InstructionFollower(model).follow([skill], REQUEST)
        seen = model.requests[-1].system_prompt or ""
        whole += all(line in seen for line in read_prompt(skill).splitlines() if "$" not in line)
    print(f"\n{len(drawn)} skills without scripts drawn: the scripted model got the whole instructions of {whole}")
    if embedded:
        ask_embedded(drawn[:embedded], model_name)


def ask_embedded(skills: list[Skill], model_name: str) -> None:
    """Asks the embedded model with and without each skill; whether it obeyed is for a person to judge."""
    settings = Settings(model=ModelSettings(name=model_name))
    with tempfile.TemporaryDirectory() as place:
        app = build_app(settings, dict(os.environ), folder=Path(place))
        try:
            app.prepare_model(lambda *_: None, may_fetch=False)
            changed = 0
            for skill in skills:
                request = f"{skill.description[:300]} Begin: what do you do first?"
                bare = call_model(app.model, LLMRequest(request, max_tokens=150, temperature=0)).text
                follower = InstructionFollower(app.model, budget_of_context(settings.model.context))
                with_skill = follower.follow([skill], request).text
                changed += with_skill.strip() != bare.strip()
                print(f"\n### {skill.name}\nwithout: {bare[:300]}\nwith: {with_skill[:300]}", flush=True)
            print(f"\nthe embedded model's answers differ for {changed} of {len(skills)}")
        finally:
            app.close()


if __name__ == "__main__":
    sys.exit(main())

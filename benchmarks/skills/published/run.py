"""How well published skills work: `python benchmarks/skills/published/run.py FOLDER... [--seed N] [--embedded N]`.

Each FOLDER is a collection that you fetched (collections.txt lists those of RESULTS.md). Three questions:

1. Does every skill load?
2. Scripts that take files: a script, drawn by a seed, is tried by hand with sample files until a command ends well and
   prints or makes something. The command lines come from the script's usage and its skill's texts (commands.py). The
   same command then runs under Aeon, at the default isolation with `--allow-write . --allow-install`. It must end as
   well, print the same and make files of the same names. By hand means: no network, in a copy of the same folder, with
   the skill's folder on PYTHONPATH. Both sides get the packages that the skill imports: by hand in an environment made
   by uv, under Aeon by `--with` for those that the skill does not declare.
3. Skills without scripts: does a model get the whole instructions? `--embedded N` also asks the embedded model, with
   and without the first N of them.
"""

import argparse
import ast
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import samples
from commands import command_lines
from packages import imported_packages, python_with, undeclared_packages

from aeon.base.errors import SkillError
from aeon.bootstrap.app import build_app
from aeon.llm.interface import LLMRequest, call_model
from aeon.settings import ModelSettings, Settings
from aeon.skills.discovery.search import SkillRoot, discover
from aeon.skills.discovery.skill_reader import read_prompt
from aeon.skills.instructions import InstructionFollower, budget_of_context, references_of
from aeon.skills.launch.interpreters import interpreter_for
from aeon.skills.launch.requirements import requirements_of
from aeon.skills.models import Skill, SkillScript
from aeon.testing.llm import ScriptedAdapter

SECONDS = 10
SECONDS_OF_ONE = 30
"""Seconds after which no more commands are tried for a script."""
INSTALL_SECONDS = 120
"""Seconds of a run under Aeon, which installs packages first."""
MISSING = re.compile(
    r"No module named '?([^'\n]+)|No such file or directory: '(\w+)'|(\w+): command not found|"
    r"(\w+) (?:CLI )?(?:is )?not (?:installed|found in PATH)|Temporary failure in name resolution"
)
"""What a script says when something that it needs is missing."""
SAYS_ERROR = re.compile(r'\s*\{\s*"error"')
NOT_A_COMMAND = re.compile(r"attempted relative import|should not be run directly")
A_MODULE = "a module that other scripts import, with nothing to start"
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
    parser.add_argument("--scripts", type=int, default=100, metavar="N", help="the most scripts that are drawn")
    parser.add_argument("--embedded", type=int, default=0, metavar="N")
    parser.add_argument("--model", default="standard", help="the embedded model that --embedded asks")
    parser.add_argument("--skip-scripts", action="store_true")
    chosen = parser.parse_args()
    skills: list[Skill] = []
    for folder in chosen.folders:
        skills += loaded(folder)
    share = None if chosen.skip_scripts else measure_scripts(skills, chosen.seed, chosen.scripts)
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


def files_below(folder: Path) -> frozenset[str]:
    kept = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return frozenset(str(path) for path in kept if ".aeon" not in path.parts)


def by_hand(command: list[str], folder: Path, skill: Skill) -> Tried:
    """Runs a script as a user would, with the disk read-only but for the folder, and nothing left running."""
    box = ["bwrap", "--die-with-parent", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev"]
    box += ["--proc", "/proc", "--tmpfs", "/tmp"]  # noqa: S108  # the box's own
    for seen in (folder.parent, skill.directory_path):
        box += ["--ro-bind", str(seen), str(seen)]
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"}
    environ["PYTHONPATH"] = str(skill.directory_path)  # as `python -m scripts.NAME` in the skill's folder
    box += ["--bind", str(folder), str(folder), "--chdir", str(folder), "--"]
    return ended([*box, *command], folder, environ)


def under_aeon(script: SkillScript, words: list[str], packages: list[str], folder: Path, home: Path) -> Tried:
    named = [word for package in packages for word in ("--with", package)]
    command = [sys.executable, "-m", "aeon", "skill", "run", "--allow-write", ".", "--allow-install", *named]
    passed_on = {name: value for name, value in os.environ.items() if name.startswith(("PATH", "UV_", "SSL_CERT_"))}
    environ = {**passed_on, "HOME": str(home), "LANG": "C.UTF-8"}
    return ended([*command, script.tool_path, *words], folder, environ, INSTALL_SECONDS)


def ended(command: list[str], folder: Path, environ: dict[str, str], seconds: float = SECONDS) -> Tried:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Tried(-1, "", "timed out", frozenset())
    except OSError as error:
        return Tried(-1, "", str(error), frozenset())
    texts = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
    return Tried(done.returncode, *texts, files_below(folder))


def measure_scripts(skills: list[Skill], seed: int, most: int) -> float | None:
    """Returns the share of the scripts that work by hand and under Aeon."""
    scripts = [(skill, script) for skill in skills for script in skill.scripts]
    drawn = random.Random(seed).sample(scripts, min(most, len(scripts)))
    works: list[Path] = []
    same = 0
    causes: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory(prefix="published-") as place:
        bench = Bench(Path(place))
        for skill, script in sorted(drawn, key=lambda each: each[1].tool_path):
            found = bench.first_command(skill, script)
            if isinstance(found, str):
                print(f"  not by hand: {script.tool_path}: {found}", flush=True)
                causes.setdefault(found.partition(" (")[0], []).append(script.tool_path)
                continue
            works.append(script.path)
            same += bench.is_same(skill, script, *found)
    distinct = len({path.read_bytes() for path in works})
    print(f"\n{len(drawn)} scripts drawn (seed {seed}); {len(works)} take a sample file and work by hand")
    print(f"{same} of these work under Aeon ({distinct} of the {len(works)} are different files)")
    for cause, names in sorted(causes.items(), key=lambda each: -len(each[1])):
        print(f"  {len(names)} do not work by hand: {cause}: {', '.join(names)}")
    return same / len(works) if works else None


class Bench:
    """The sample files, the environments of the runs by hand, and a home for the runs under Aeon, below one folder."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._samples = place / "samples"
        self._samples.mkdir()
        python = python_with(samples.PACKAGES, place)
        subprocess.run([python, samples.__file__, str(self._samples)], check=True)
        own = ["git", "-C", str(self._samples), "-c", "user.name=t", "-c", "user.email=t@example.org"]
        for words in (
            ["init", "--quiet"],
            ["add", "notes.md"],
            ["commit", "-qm", "1"],
            ["add", "."],
            ["commit", "-qm", "2"],
        ):
            subprocess.run([*own, *words], check=True)

    def _fresh(self, name: str) -> Path:
        folder = self._place / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._samples, folder)
        return folder

    def first_command(self, skill: Skill, script: SkillScript) -> tuple[list[str], Tried] | str:
        """Returns the first command that ends well by hand and shows or makes something, or why there is none."""
        if is_module(script):
            return A_MODULE
        try:
            start = self._start(skill, script)
        except (subprocess.CalledProcessError, SkillError) as error:
            said = getattr(error, "stderr", b"") or str(error).encode()
            return f"its packages or its interpreter are missing ({last_line(said.decode(errors='replace'))})"
        before = files_below(self._samples)
        told = [by_hand([*start, *words], self._fresh("hand"), skill) for words in (["-h"], [])]
        tried, deadline = list[Tried](), time.monotonic() + SECONDS_OF_ONE
        for words in command_lines(skill, script, [each.out + each.err for each in told]):
            last = by_hand([*start, *words], self._fresh("hand"), skill)
            tried.append(last)
            if last.code == 0 and not SAYS_ERROR.match(last.out) and (last.out.strip() or last.files != before):
                return words, last
            if cause := cause_of(last) or ("it did not end in time" if time.monotonic() > deadline else ""):
                return cause
        said = last_line(tried[0].err or tried[0].out) if tried else ""
        return next(filter(None, map(cause_of, told)), f"no sample file suits it (its first words: {said})")

    def _start(self, skill: Skill, script: SkillScript) -> list[str]:
        """Returns the words before the arguments: an environment of what the scripts import, for Python."""
        interpreter = list(interpreter_for(script.path, os.environ["PATH"]))
        if interpreter[:1] == [sys.executable]:
            wanted = requirements_of(skill, script)
            environment = python_with(imported_packages(skill), self._place, wanted.python if wanted else "")
            interpreter = [str(environment), *interpreter[1:]]
        return [*interpreter, str(script.path)]

    def is_same(self, skill: Skill, script: SkillScript, words: list[str], hand: Tried) -> bool:
        """Whether the command does the same under Aeon; prints both if not."""
        home = self._place / "home"
        copied = home / ".agents/skills" / skill.directory_path.name
        if not copied.exists():
            shutil.copytree(skill.directory_path, copied)
        aeon = under_aeon(script, words, undeclared_packages(skill, script), self._fresh("aeon"), home)
        shutil.rmtree(copied)
        is_same = aeon.code == hand.code and aeon.files == hand.files and said(skill, aeon, hand)
        print(f"  {'same' if is_same else 'DIFFERS'}  {script.tool_path} {shlex.join(words)}", flush=True)
        if not is_same:
            made = [sorted(each.files - files_below(self._samples)) for each in (hand, aeon)]
            print(f"    by hand {hand.code} {made[0]} {hand.out[-200:]!r}")
            print(f"    aeon    {aeon.code} {made[1]} {aeon.out[-200:]!r} {aeon.err[-300:]!r}")
        return is_same


def cause_of(tried: Tried) -> str:
    """Returns why no other command has to be tried, or an empty text."""
    if tried.err == "timed out":
        return "it did not end in time"
    if NOT_A_COMMAND.search(tried.err):
        return A_MODULE
    missing = MISSING.search(tried.err + tried.out)
    return f"needs {next(filter(None, missing.groups()), 'the network')}" if missing else ""


def is_module(script: SkillScript) -> bool:
    """Whether a Python file only defines things: it has no main block, and calls nothing at its end."""
    if script.path.suffix != ".py":
        return False
    defines = (
        ast.FunctionDef,
        ast.AsyncFunctionDef,
        ast.ClassDef,
        ast.Import,
        ast.ImportFrom,
        ast.Assign,
        ast.AnnAssign,
    )
    tree = ast.parse(script.path.read_text(errors="replace"))
    return all(
        isinstance(node, defines) or isinstance(getattr(node, "value", None), ast.Constant) for node in tree.body
    )


def last_line(text: str) -> str:
    return next(iter(reversed(text.strip().splitlines())), "")[:120]


def said(skill: Skill, aeon: Tried, hand: Tried) -> bool:
    """Whether Aeon printed what the script printed, except for its folders, times, ports and keys.

    A JSON object is shown on one line, in Aeon's own form.
    """
    printed = _settled(re.sub(r"/\S*/home/.agents/skills/", "/SKILLS/", re.sub(r"/aeon(?=[/\"\s])", "/hand", aeon.out)))
    expected = _settled(re.sub(rf"/\S*{re.escape(str(skill.directory_path.parent))}/", "/SKILLS/", hand.out))
    try:
        return json.loads(printed) == json.loads(expected)
    except ValueError:
        return printed.strip() == expected.strip()


def _settled(text: str) -> str:
    return re.sub(r"[0-9a-fA-F]{8,}|\d{2}:\d{2}:\d{2}|\d{4,}", "0", text)


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

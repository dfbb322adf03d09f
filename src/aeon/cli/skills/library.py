"""`aeon skills list`, `show`, `check`, `new` and `export`: what skills there are, and making them."""

import threading
from collections.abc import Sequence
from pathlib import Path

from aeon.base.errors import InputError, SkillError
from aeon.base.json import JsonObject
from aeon.base.spelling import nearest
from aeon.bootstrap.app import App
from aeon.cli.codes import Code
from aeon.cli.say import put, say
from aeon.cli.session import opened, settings_here
from aeon.cli.text import COLUMNS, clean, one_line, pretty, wrapped
from aeon.skills.authoring.check import check_skill
from aeon.skills.authoring.export import export_skill, exported_name
from aeon.skills.authoring.scaffold import Language, new_skill
from aeon.skills.discovery.reading import SKILL_JSON, SKILL_MD, read_prompt
from aeon.skills.models import Note, Skill, SkillCatalog, described


def list_skills(*, is_watching: bool, as_json: bool) -> int:
    """Every skill with its state; what was skipped or read leniently is counted, `check` lists it."""
    with opened(settings_here()) as app:
        _put_list(app.skills.catalog, as_json=as_json)
        if is_watching:
            _watch(app, as_json=as_json)
    return Code.DONE


def show_skill(name: str, *, as_json: bool) -> int:
    """One skill whole. Raises InputError for an unknown name."""
    with opened(settings_here()) as app:
        skill = found_skill(app, name)
    prompt = read_prompt(skill)
    if as_json:
        put(pretty({**described(skill), "behavioralPrompt": prompt}))
        return Code.DONE
    whole = described(skill)
    put("\n".join(wrapped(f"{skill.name} {skill.version}: {skill.description}", COLUMNS)))
    put(f"state: {_state(skill)}\nfolder: {clean(str(skill.directory_path))}\ndata: {clean(str(skill.home))}")
    for script in whole["scripts"]:
        put(f"\n{clean(script['toolPath'])} ({script['protocol']})")
        put("\n".join(wrapped(script["description"], COLUMNS, "  ", "  ")))
        for field in ("inputSchema", "outputSchema"):
            if script[field] is not None:
                put(f"{field}:\n{pretty(script[field])}")
    if prompt:
        put(f"\nprompt:\n{clean(prompt)}")
    return Code.DONE


def check_skills(folder: Path | None, *, as_json: bool) -> int:
    """Print every note; fails when something was left out or cannot be used."""
    if folder is not None:
        notes = [note for each in _skills_in(folder) for note in check_skill(each)]
    else:
        with opened(settings_here()) as app:
            notes = list(app.skills.catalog.notes)
    if as_json:
        put(pretty([_note(note) for note in notes]))
    else:
        for note in notes:
            put(clean(str(note)))
        say("nothing to complain of" if not notes else f"{len(notes)} note(s)")
    return Code.FAILED if any(note.is_skip for note in notes) else Code.DONE


def make_skill(name: str, folder: Path, language: Language) -> int:
    """Make a skill. Raises InputError for a name that is none, SkillError for a folder that is there already."""
    made = new_skill(name, folder, language)
    put(clean(str(made)))
    say(f"try it: aeon skills show {made.name}; then change its script, and aeon skills check {made}")
    return Code.DONE


def export_skills(folder: Path, names: list[str], *, is_forced: bool) -> int:
    """Write skills in the standard's form. Raises InputError for an unknown name or what stands in the way."""
    with opened(settings_here()) as app:
        chosen = [found_skill(app, name) for name in dict.fromkeys(names)] or list(app.skills.catalog.skills)
    if not chosen:
        raise SkillError("There is no skill to export.")
    _refuse_alike(chosen)
    for skill in chosen:
        put(clean(str(export_skill(skill, folder, overwrite=is_forced, on_remark=_say_remark))))
    return Code.DONE


def _refuse_alike(skills: Sequence[Skill]) -> None:
    """Raise SkillError for skills that would be written into one folder, before any is."""
    by_folder: dict[str, list[str]] = {}
    for skill in skills:
        by_folder.setdefault(exported_name(skill), []).append(repr(skill.name))
    if alike := [f"{' and '.join(names)} as {folder!r}" for folder, names in by_folder.items() if len(names) > 1]:
        raise SkillError(
            f"Some of these skills have one name in the standard's form: {'; '.join(alike)}.",
            next_step="Export them one by one, into folders of their own.",
        )


def _skills_in(folder: Path) -> list[Path]:
    """The folder itself, or where it is none of a skill but holds some, those."""
    if not folder.is_dir() or _is_skill(folder):
        return [folder]
    return sorted(each for each in folder.iterdir() if _is_skill(each)) or [folder]


def _is_skill(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (SKILL_MD, SKILL_JSON))


def _say_remark(remark: str) -> None:
    say(remark, "warning: ", "  ")


def found_skill(app: App, name: str) -> Skill:
    """Raises InputError for an unknown name, with the nearest one."""
    known = app.skills.catalog.by_name
    if name in known:
        return known[name]
    skipped = next((note for note in app.skills.catalog.notes if note.is_skip and note.path.parent.name == name), None)
    if skipped:
        raise InputError(f"The skill {name!r} cannot be read: {skipped}.", next_step="Correct it.")
    near = nearest(name, known)
    meant = f" Did you mean {near!r}?" if near else ""
    raise InputError(f"There is no skill {name!r}.{meant}", next_step="See `aeon skills list`.")


def _put_list(catalog: SkillCatalog, *, as_json: bool) -> None:
    if as_json:
        skills = [described(skill) for skill in catalog.skills]
        put(pretty({"skills": skills, "notes": [_note(note) for note in catalog.notes]}))
        return
    width = max((len(clean(skill.name)) for skill in catalog.skills), default=0)
    for skill in catalog.skills:
        head = f"{clean(skill.name):<{width}}  {clean(skill.version):<8} {_state(skill):<9}"
        put(f"{head} {one_line(skill.description, max(20, COLUMNS - len(head) - 1))}")
    skipped = sum(note.is_skip for note in catalog.notes)
    if catalog.notes:
        lenient = len(catalog.notes) - skipped
        say(f"{skipped} file(s) skipped, {lenient} remark(s) on others; see: aeon skills check")


def _watch(app: App, *, as_json: bool) -> None:
    """List again whenever something changes, until interrupted."""
    say("watching; Ctrl-C ends it")
    app.skills.watch(lambda catalog: _put_list(catalog, as_json=as_json), threading.Event())


def _state(skill: Skill) -> str:
    return skill.error_state.value if skill.enabled else "disabled"


def _note(note: Note) -> JsonObject:
    return {"path": str(note.path), "line": note.line, "message": note.message, "skipped": note.is_skip}

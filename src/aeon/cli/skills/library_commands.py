"""`aeon skill list`, `show`, `check`, `new` and `export`."""

import threading
from pathlib import Path

from aeon.application.skills import Language, SkillService, check_folder, new_skill, read_prompt
from aeon.base.json import JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.session import app_session, load_cli_settings
from aeon.cli.skills.trust_commands import grants_text
from aeon.cli.text import COLUMNS, indented_json, printable, wrap
from aeon.skills.models import ErrorState, SkillCatalog, SkillNote


def list_skills(*, is_watching: bool, output: OutputFormat) -> int:
    """Prints every skill with its state, and counts skipped and leniently read files."""
    with app_session(load_cli_settings()) as app:
        skills = SkillService(app.skills)
        _print_list(skills, skills.catalog, output)
        if is_watching:
            _watch(skills, output)
    return ExitCode.DONE


def show_skill(name: str, *, output: OutputFormat) -> int:
    """Prints one skill completely. Raises InputError for an unknown name."""
    with app_session(load_cli_settings()) as app:
        skills = SkillService(app.skills)
        skill = skills.find(name)
        whole, granted = skills.describe(skill), grants_text(skills.granted(skill))
        is_changed = skills.is_changed(skill)
    prompt = read_prompt(skill)
    if print_as(output, {**whole, "behavioralPrompt": prompt}):
        return ExitCode.DONE
    print_data("\n".join(wrap(f"{skill.name} {skill.version}: {skill.description}", COLUMNS)))
    folder, data = printable(str(skill.directory_path)), printable(str(skill.data_home))
    print_data(f"state: {_state(whole)}\ngranted: {printable(granted)}\nfolder: {folder}\ndata: {data}")
    if is_changed:
        print_data("changed: its files are not those that were installed")
    for script in whole["scripts"]:
        print_data(f"\n{printable(script['toolPath'])} ({script['protocol']})")
        print_data("\n".join(wrap(script["description"], COLUMNS, "  ", "  ")))
        for field in ("inputSchema", "outputSchema"):
            if script[field] is not None:
                print_data(f"{field}:\n{indented_json(script[field])}")
    if prompt:
        print_data(f"\nprompt:\n{printable(prompt)}")
    if not whole["isTrusted"]:
        print_message(f"it cannot run until you trust its files: aeon skill trust {printable(skill.name)}")
    return ExitCode.DONE


def check_skills(folder: Path | None, *, as_json: bool) -> int:
    """Prints every note; fails if a file was skipped or is unusable."""
    if folder is not None:
        notes = check_folder(folder)
    else:
        with app_session(load_cli_settings()) as app:
            notes = SkillService(app.skills).list_notes()
    if as_json:
        print_data(indented_json([_note_as_dict(note) for note in notes]))
    else:
        for note in notes:
            print_data(printable(str(note)))
        print_message("no problems found" if not notes else f"{len(notes)} note(s)")
    return ExitCode.FAILED if any(note.is_skip for note in notes) else ExitCode.DONE


def make_skill(name: str, folder: Path, language: Language) -> int:
    """Makes a skill. Raises InputError for an invalid name, SkillError for an existing folder."""
    made = new_skill(name, folder, language)
    print_data(printable(str(made)))
    print_message(f"try it: aeon skill show {made.name}; then change its script, and aeon skill check {made}")
    return ExitCode.DONE


def test_skill(name: str, *, as_json: bool) -> int:
    """Runs the examples of a skill and prints which give what they must. Raises InputError without any."""
    results: list[JsonObject] = []
    with app_session(load_cli_settings()) as app:
        for example, problem in SkillService(app.skills).test(name):
            results.append({"script": example.script, "args": list(example.args), "problem": problem})
            if not as_json:
                words = printable(" ".join([example.script, *example.args]))
                print_data(f"ok      {words}" if problem is None else f"FAILED  {words}: {printable(problem)}")
    if as_json:
        print_data(indented_json({"skill": name, "examples": results}))
    return ExitCode.DONE if all(result["problem"] is None for result in results) else ExitCode.FAILED


def export_skills(folder: Path, names: list[str], *, is_forced: bool) -> int:
    """Writes skills in the standard's form.

    Raises InputError for an unknown name, SkillError for conflicts.
    """
    with app_session(load_cli_settings()) as app:
        skills = SkillService(app.skills)
        for exported in skills.export(folder, names, overwrite=is_forced, on_remark=_print_remark):
            print_data(printable(str(exported)))
    return ExitCode.DONE


def _print_remark(remark: str) -> None:
    print_message(remark, "warning: ", "  ")


def _print_list(skills: SkillService, catalog: SkillCatalog, output: OutputFormat) -> None:
    described = [skills.describe(skill) for skill in catalog.skills]
    whole = {"skills": described, "notes": [_note_as_dict(note) for note in catalog.notes]}
    if print_as(output, described if output == "name" else whole):
        return
    rows = [(each["name"], each["version"], _state(each), each["description"]) for each in described]
    print_table(("NAME", "VERSION", "STATE", "WHAT IT DOES"), rows, "no skills; make one with: aeon skill new NAME")
    for skill in catalog.passed_over:
        used = catalog.by_name[skill.name].directory_path
        print_message(
            f"The skill {printable(skill.name)} of the project is not trusted; the one in {printable(str(used))} is "
            f"used. To use the project's, look at {printable(str(skill.directory_path))}, then run "
            f"`aeon skill trust {printable(skill.name)}`.",
            "note: ",
            "  ",
        )
    skipped = sum(note.is_skip for note in catalog.notes)
    if catalog.notes:
        lenient = len(catalog.notes) - skipped
        print_message(f"{skipped} file(s) skipped, {lenient} remark(s) on others; see: aeon skill check")


def _watch(skills: SkillService, output: OutputFormat) -> None:
    """Prints the list again after every change, until interrupted."""
    print_message("watching for changes; press Ctrl-C to stop")
    skills.watch(lambda catalog: _print_list(skills, catalog, output), threading.Event())


def _state(described: JsonObject) -> str:
    """The state of a skill; one that is not trusted in its current form cannot be used, however healthy it is."""
    if not described["enabled"]:
        return "disabled"
    is_healthy = described["errorState"] == ErrorState.HEALTHY
    return "not trusted" if is_healthy and not described["isTrusted"] else described["errorState"]


def _note_as_dict(note: SkillNote) -> JsonObject:
    return {"path": str(note.path), "line": note.line, "message": note.message, "skipped": note.is_skip}

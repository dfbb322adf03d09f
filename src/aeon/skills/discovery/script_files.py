"""Finds the scripts of a skill's folder (skills 8, 9, 13).

These are the ones declared in skill.json, and other runnable files.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aeon.base.json import JsonObject
from aeon.base.json_schema import schema_problem
from aeon.skills.bounded_files import read_json_object
from aeon.skills.discovery.manifest import ManifestScript
from aeon.skills.discovery.standard_fields import clean_text
from aeon.skills.launch.interpreters import has_interpreter
from aeon.skills.launch.requirements import SCRIPT_BLOCK
from aeon.skills.models import SkillNote, SkillScript

MAX_PLAIN_SCRIPTS = 200
_MAX_SCRIPT_DEPTH = 5
_SCRIPTS = frozenset({"scripts", "bin"})
_NO_SCRIPTS = frozenset({"data", "node_modules", "__pycache__"})

PLAIN_INPUT_SCHEMA: JsonObject = {
    "type": "object",
    "description": "Arguments of a command. Any other field becomes a flag: --field value; true is the flag alone, "
    "a list the flag with each of its values, null nothing.",
    "properties": {
        "args": {
            "type": "array",
            "items": {"type": ["string", "number", "null"]},
            "description": "Arguments without a name, in order.",
        },
        "stdin": {
            "type": ["string", "object", "array"],
            "description": "What the script reads from its standard input; what is not a text is read as JSON.",
        },
    },
    "propertyNames": {"pattern": "^[A-Za-z0-9][A-Za-z0-9_-]*$"},
    "additionalProperties": {
        "type": ["string", "number", "boolean", "array", "null"],
        "items": {"type": ["string", "number"]},
    },
}
"""The input schema of a script that declares none (skills 9)."""


@dataclass(slots=True)
class DiscoveredScripts:
    """The scripts of one skill.

    `missing` names required scripts of skill.json that the folder lacks (skills 13).
    """

    scripts: list[SkillScript] = field(default_factory=list[SkillScript])
    notes: list[SkillNote] = field(default_factory=list[SkillNote])
    missing: list[str] = field(default_factory=list[str])
    folders: list[Path] = field(default_factory=list[Path])
    """The folders that were listed for scripts."""


def find_scripts(
    folder: Path, skill: str, declared: Sequence[ManifestScript], manifest: Path, body: str = ""
) -> DiscoveredScripts:
    """Returns every script of a skill's folder, declared ones first, in their order.

    `body` is the text of SKILL.md: a file beside it is a script if the text names it.
    """
    result = DiscoveredScripts()
    for script in declared:
        _add_declared(result, folder, skill, script, manifest)
    _add_plain(result, folder, skill, body)
    return result


def script_path(folder: Path, written: str) -> Path:
    """Returns the file for a path in skill.json.

    Raises ValueError with the reason if the path is invalid.
    """
    if "\0" in written:
        raise ValueError("contains a NUL character")
    if Path(written).is_absolute() or ".." in Path(written).parts:
        raise ValueError("must be inside the skill's folder, without .. and not absolute")
    path = folder / written
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise ValueError(_missing(error)) from None
    if not real.is_relative_to(folder.resolve()):
        raise ValueError("leads out of the skill's folder by a symbolic link")
    if not real.is_file():
        raise ValueError("is not a file")
    return path


def _runnable_path(folder: Path, written: str) -> Path:
    """Does the same as `script_path`, for a file that can be started (skills 13)."""
    path = script_path(folder, written)
    if has_interpreter(path) or os.access(path, os.X_OK):
        return path
    raise ValueError("is not executable, and no interpreter is known for it")


def _missing(error: Exception) -> str:
    return "does not exist" if isinstance(error, FileNotFoundError) else f"cannot be reached ({error})"


def _add_declared(result: DiscoveredScripts, folder: Path, skill: str, script: ManifestScript, manifest: Path) -> None:
    try:
        path = _runnable_path(folder, script.path)
    except (ValueError, OSError) as error:
        message = f"the script {script.name!r}: {script.path!r} {error}"
        result.notes.append(SkillNote(manifest, None, message, not script.required))
        if script.required:
            result.missing.append(message)
        return
    schemas = {
        name: _schema(result, folder, manifest, script.name, written)
        for name, written in (("input_schema", script.input_schema), ("output_schema", script.output_schema))
    }
    result.scripts.append(
        SkillScript(
            name=script.name,
            path=path,
            tool_path=f"{skill}/{path.relative_to(folder).as_posix()}",
            is_executable=os.access(path, os.X_OK),
            protocol="ndjson",
            description=script.description.strip(),
            **schemas,
            timeout=script.timeout / 1000,
            required=script.required,
        )
    )


def _schema(
    result: DiscoveredScripts, folder: Path, manifest: Path, name: str, written: JsonObject | str | None
) -> JsonObject | None:
    """Returns a script's schema, also one that skill.json names by its path; adds a note about one that is invalid."""
    if not isinstance(written, str):
        return written
    schema: JsonObject | None = None
    try:
        schema = read_json_object(script_path(folder, written))
    except ValueError as error:
        problem = str(error)
    else:
        problem = (fault := schema_problem(schema)) and f"is not a valid JSON Schema: {fault[:300]}"
    if problem:
        message = f"the script {name!r}: the schema {written!r} {problem}"
        result.notes.append(SkillNote(manifest, None, message, is_skip=False))
        result.missing.append(message)
        return None
    result.notes.append(SkillNote(manifest, None, f"the script {name!r}: its schema was read from {written}", False))
    return schema


def _add_plain(result: DiscoveredScripts, folder: Path, skill: str, body: str) -> None:
    declared = {script.path for script in result.scripts}
    files = [path for path in _candidates(folder, result, body) if path not in declared]
    if len(files) > MAX_PLAIN_SCRIPTS:
        message = f"contains {len(files)} scripts; only the first {MAX_PLAIN_SCRIPTS} are used"
        result.notes.append(SkillNote(folder / "scripts", None, message, is_skip=False))
    names = {script.name for script in result.scripts}
    for path in files[:MAX_PLAIN_SCRIPTS]:
        inner = path.relative_to(folder).as_posix()
        name = next(each for each in (path.stem, path.name, inner.replace("/", "-")) if each not in names)
        names.add(name)
        result.scripts.append(
            SkillScript(
                name=name,
                path=path,
                tool_path=f"{skill}/{inner}",
                is_executable=os.access(path, os.X_OK),
                protocol="plain",
                description=_first_words(path),
                input_schema=PLAIN_INPUT_SCHEMA,
            )
        )


_COMMENT = re.compile(r"#+|//+|/\*+|[rR]?(?:\"{3}|'{3})")
"""What begins a comment or a docstring at the beginning of a script."""
_FIRST_BYTES = 2048
_MAX_DESCRIPTION = 300


def _first_words(path: Path) -> str:
    """Returns what a published script says about itself: a planner knows nothing else about it."""
    try:
        with path.open("rb") as file:
            text = file.read(_FIRST_BYTES).decode(errors="replace").replace("\r\n", "\n")
    except OSError:
        return ""
    lines = [
        line.strip() for line in SCRIPT_BLOCK.sub("", text).splitlines() if line.strip() and not line.startswith("#!")
    ]
    for line in lines:
        begin = _COMMENT.match(line)
        if begin is None:
            return ""
        words = line[begin.end() :].strip(" \t\"'*/#")
        if words and "-*-" not in words:
            return clean_text(words)[:_MAX_DESCRIPTION]
        if not words and begin[0][-1] in "\"'":  # the docstring begins on the next line
            return clean_text("".join(lines[lines.index(line) + 1 :][:1]))[:_MAX_DESCRIPTION]
    return ""


def _candidates(folder: Path, result: DiscoveredScripts, body: str) -> list[Path]:
    """Returns the runnable files of `scripts/` and `bin/` folders, nested ones too, and those that the body names.

    Examples are `scripts/a/x.py`, `ooxml/scripts/x.py`, and `x.py` if SKILL.md mentions it.
    """
    found: list[Path] = []
    level = [(folder, False)]
    for _ in range(_MAX_SCRIPT_DEPTH):
        inner: list[tuple[Path, bool]] = []
        for place, is_for_scripts in level:
            names, folders = _listed(place, result)
            chosen = names if is_for_scripts else [name for name in names if place == folder and _names(body, name)]
            found += _runnable(place, chosen, folder, result)
            inner += [(each, is_for_scripts or each.name in _SCRIPTS) for each in folders]
        level = inner
    return found


def _names(body: str, file: str) -> bool:
    """Whether a text names a file that is beside it: `x.py` or `./x.py`, but not `a/x.py`, `my-x.py` or `x.py3`."""
    return file in body and re.search(rf"(?<![\w/.-])(?:\./)?{re.escape(file)}(?![\w/-])", body) is not None


def _listed(folder: Path, result: DiscoveredScripts) -> tuple[list[str], list[Path]]:
    """Returns the names of the files that may be scripts, and the folders to look into, both sorted."""
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        result.notes.append(SkillNote(folder, None, f"cannot be listed ({error.strerror})", is_skip=True))
        return [], []
    result.folders.append(folder)
    inner = [Path(entry.path) for entry in listed if _may_hold_scripts(entry)]
    return [entry.name for entry in listed if _may_be_script(entry)], inner


def _may_hold_scripts(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir(follow_symlinks=False) and entry.name not in _NO_SCRIPTS and entry.name[:1] not in "._"
    except OSError:
        return False


def _may_be_script(entry: "os.DirEntry[str]") -> bool:
    """Whether the entry is a file that may be run.

    Names that start with a dot or an underscore mark internal files.
    """
    try:
        return not entry.name.startswith((".", "_")) and entry.is_file() and entry.name.isprintable()
    except OSError:
        return False


def _runnable(folder: Path, names: Sequence[str], skill: Path, result: DiscoveredScripts) -> Iterator[Path]:
    for name in names:
        path = folder / name
        try:
            if not has_interpreter(path):
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(skill.resolve()):
                message = "leads out of the skill's folder by a symbolic link"
                result.notes.append(SkillNote(path, None, message, is_skip=True))
                continue
        except OSError as error:
            result.notes.append(SkillNote(path, None, f"cannot be read ({error.strerror})", is_skip=True))
            continue
        yield path

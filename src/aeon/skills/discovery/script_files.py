"""Finds the scripts of a skill's folder (skills 8, 9, 13).

These are the ones declared in skill.json, and other runnable files.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aeon.base.json import JsonObject
from aeon.skills.discovery.manifest import ManifestScript
from aeon.skills.launch.interpreters import has_interpreter
from aeon.skills.models import SkillNote, SkillScript

MAX_PLAIN_SCRIPTS = 200

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
            "description": "What the script reads from its standard input; what is no text is read as JSON.",
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


def find_scripts(folder: Path, skill: str, declared: Sequence[ManifestScript], manifest: Path) -> DiscoveredScripts:
    """Returns every script of a skill's folder, declared ones first, in their order."""
    result = DiscoveredScripts()
    for script in declared:
        _add_declared(result, folder, skill, script, manifest)
    _add_plain(result, folder, skill)
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
    result.scripts.append(
        SkillScript(
            name=script.name,
            path=path,
            tool_path=f"{skill}/{path.relative_to(folder).as_posix()}",
            is_executable=os.access(path, os.X_OK),
            protocol="ndjson",
            description=script.description.strip(),
            input_schema=script.input_schema,
            output_schema=script.output_schema,
            timeout=script.timeout / 1000,
            required=script.required,
        )
    )


def _add_plain(result: DiscoveredScripts, folder: Path, skill: str) -> None:
    declared = {script.path for script in result.scripts}
    files = [path for path in _candidates(folder / "scripts", result) if path not in declared]
    if len(files) > MAX_PLAIN_SCRIPTS:
        message = f"contains {len(files)} scripts; only the first {MAX_PLAIN_SCRIPTS} are used"
        result.notes.append(SkillNote(folder / "scripts", None, message, is_skip=False))
    names = {script.name for script in result.scripts}
    for path in files[:MAX_PLAIN_SCRIPTS]:
        name = path.stem if path.stem not in names else path.name
        names.add(name)
        result.scripts.append(
            SkillScript(
                name=name,
                path=path,
                tool_path=f"{skill}/scripts/{path.name}",
                is_executable=os.access(path, os.X_OK),
                protocol="plain",
                input_schema=PLAIN_INPUT_SCHEMA,
            )
        )


def _candidates(folder: Path, result: DiscoveredScripts) -> list[Path]:
    """Returns the files of `scripts/` with a known interpreter, sorted by name."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if _may_be_script(entry))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        result.notes.append(SkillNote(folder, None, f"cannot be listed ({error.strerror})", is_skip=True))
        return []
    return list(_runnable(folder, names, result))


def _may_be_script(entry: "os.DirEntry[str]") -> bool:
    """Whether the entry is a file that may be run.

    Names that start with a dot or an underscore mark internal files.
    """
    try:
        return not entry.name.startswith((".", "_")) and entry.is_file() and entry.name.isprintable()
    except OSError:
        return False


def _runnable(folder: Path, names: Sequence[str], result: DiscoveredScripts) -> Iterator[Path]:
    for name in names:
        path = folder / name
        try:
            if not has_interpreter(path):
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(folder.parent.resolve()):
                message = "leads out of the skill's folder by a symbolic link"
                result.notes.append(SkillNote(path, None, message, is_skip=True))
                continue
        except OSError as error:
            result.notes.append(SkillNote(path, None, f"cannot be read ({error.strerror})", is_skip=True))
            continue
        yield path

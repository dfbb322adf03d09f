"""Prepares a script's invocation: command, stdin, folder, environment (skills 1, 9, 11)."""

import os
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from aeon.base.errors import ConfigError, InputError, SkillError
from aeon.base.json import Json, JsonObject, canonical_json, text_of
from aeon.base.project_folder import PROJECT_FOLDER, make_folder
from aeon.skills.bounded_files import UnreadableFileError, read_bounded
from aeon.skills.config.skill_settings import resolve_config
from aeon.skills.invocation import Invocation, ScriptAccess
from aeon.skills.launch.grants import MODEL, NETWORK, Grants, may_use, require_grants
from aeon.skills.launch.interpreters import DEFAULT_PATH, interpreter_for, script_search_path
from aeon.skills.models import Skill, SkillScript

_NOTHING_GRANTED = Grants()

MAX_ARGUMENT_BYTES = 128 * 1024 - 1
"""Maximum bytes of one argument or variable in Linux."""
MAX_COMMAND_BYTES = 1024 * 1024
"""Maximum bytes of a whole command line; the kernel allows more, or less if the stack is limited."""


_TEMPORARY_SECONDS = 86_400
"""Age at which entries of `data/tmp` are removed."""


def prepare_invocation(
    skill: Skill,
    script: SkillScript,
    input: JsonObject,  # noqa: A002  # the envelope's own term (skills 1)
    request_id: str,
    *,
    environ: Mapping[str, str],
    input_files: Sequence[Path] = (),
    extra_env: Mapping[str, str] | None = None,
    extra_read: Sequence[Path] = (),
    grants: Grants = _NOTHING_GRANTED,
) -> Invocation:
    """Returns the invocation of a script with this input, and makes the skill's data folder.

    The script is started in the folder of `grants` and may read it, except what Aeon keeps in it (skills 15).
    Without one, it works in its data folder.

    `environ` is Aeon's own environment; the script gets only its PATH and the variables that x-env names. `extra_env`
    and `extra_read` are given only to a script that may use the model. Raises NotGrantedError if the skill requests
    more than was granted, SkillError if the script cannot be started, ConfigError for invalid settings, InputError
    if the input does not fit on a command line.
    """
    require_grants(skill, grants)
    is_ndjson = script.protocol == "ndjson"
    search_path = script_search_path(environ.get("PATH") or DEFAULT_PATH)
    command = _command(skill, script, search_path)
    config = canonical_json(resolve_config(skill, environ))
    if len(config) > MAX_ARGUMENT_BYTES - len("AEON_SKILL_CONFIG="):
        raise ConfigError(
            f"The settings of the skill {skill.name!r} are larger than {MAX_ARGUMENT_BYTES // 1024} KiB.",
            next_step="Keep large data in files of the skill's data folder.",
        )
    has_model, has_network = may_use(skill, script, MODEL, grants), may_use(skill, script, NETWORK, grants)
    data, folder = data_folder(skill), grants.folder
    return Invocation(
        command=command if is_ndjson else [*command, *_arguments(input)],
        stdin=_envelope(skill, script, input, request_id) if is_ndjson else _stdin(input),
        cwd=folder or data,
        env={
            **(dict(extra_env or {}) if has_model else {}),
            "PATH": search_path,
            "HOME": str(data),
            "LANG": "C.UTF-8",
            "TMPDIR": str(data / "tmp"),
            "AEON_SKILL_CONFIG": config,
            "AEON_SKILL_DATA": str(data),
            **_python_path(skill, script),
        },
        is_ndjson=is_ndjson,
        timeout=script.timeout,
        access=ScriptAccess(
            read=(
                *([folder] if folder else []),
                skill.directory_path.resolve(),
                *input_files,
                *(extra_read if has_model else ()),
            ),
            write=(data, *grants.write),
            network=has_network,
            local_sockets=has_model,
            hidden=_hidden_folders(folder, grants.write),
        ),
        has_lasting_effects=has_model or has_network or bool(grants.write),
    )


_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)


def _python_path(skill: Skill, script: SkillScript) -> dict[str, str]:
    """Returns PYTHONPATH for a published script that imports a folder of its skill, such as `scripts.utils`.

    Its author starts it with `python -m scripts.NAME` in the skill's folder; Aeon starts it in the user's.
    """
    if script.protocol == "ndjson" or script.path.suffix != ".py":
        return {}
    with suppress(UnreadableFileError):
        names = set(_IMPORT.findall(read_bounded(script.path).decode(errors="replace")))
        if any((skill.directory_path / name).is_dir() for name in names):
            return {"PYTHONPATH": str(skill.directory_path.resolve())}
    return {}


def _hidden_folders(folder: Path | None, granted: Sequence[Path]) -> tuple[Path, ...]:
    """Returns what scripts must not read or write: the record, logs and keys that Aeon keeps in the user's folders.

    The one of the user's folder is hidden even if it does not exist: Aeon may make it while the script runs.
    """
    own = [folder / PROJECT_FOLDER] if folder else []
    others = (each if each.name == PROJECT_FOLDER else each / PROJECT_FOLDER for each in granted)
    kept = dict.fromkeys([*own, *(each for each in others if each.is_dir())])
    return tuple(each for each in kept if not each.is_symlink())


def data_folder(skill: Skill) -> Path:
    """Returns the skill's `data/`, made with `tmp/` on first use, for the user only (skills 11).

    Raises SkillError.
    """
    data = skill.data_home / "data"
    try:
        make_folder(data, 0o700)
        real = data.resolve(strict=True)
        if not real.is_relative_to(skill.data_home.resolve()):
            raise SkillError(f"The data folder of the skill {skill.name!r} is a link to {real}.")
        if (data / "tmp").is_symlink():
            (data / "tmp").unlink()
        (data / "tmp").mkdir(mode=0o700, exist_ok=True)
        remove_old(data / "tmp")
    except OSError as error:
        raise SkillError(
            f"The skill {skill.name!r} has no data folder: {error.strerror} ({data}).",
            next_step="Make the folder above it writable.",
        ) from None
    return real


def remove_old(folder: Path) -> None:
    """Removes entries that no run used for a day; scripts that run now may need newer ones."""
    oldest = time.time() - _TEMPORARY_SECONDS
    for entry in folder.iterdir():
        if entry.lstat().st_mtime >= oldest:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)


def _command(skill: Skill, script: SkillScript, search_path: str) -> list[str]:
    """Returns interpreter and path of a script that is still in its skill's folder.

    A plan may be older than the folder's current content. The path has no links above the skill's folder: an isolated
    script sees the folder, but not the links to it.
    """
    folder = skill.directory_path.resolve()
    try:
        real = script.path.resolve(strict=True)
        if not real.is_relative_to(folder):
            raise SkillError(f"The script {script.tool_path} leads out of its skill's folder, to {real}.")
        interpreter = interpreter_for(script.path, search_path)
    except (OSError, RuntimeError) as error:
        raise SkillError(f"The script {script.tool_path} cannot be read: {error}.") from None
    return [*interpreter, str(folder / script.path.relative_to(skill.directory_path))]


def _envelope(skill: Skill, script: SkillScript, input_data: JsonObject, request_id: str) -> bytes:
    line = {"requestId": request_id, "tool": skill.name, "operation": script.name, "input": input_data}
    return canonical_json(line).encode("ascii") + b"\n"


def _stdin(input_data: JsonObject) -> bytes:
    return text_of(input_data.get("stdin", "")).encode("utf-8", errors="replace")


def _arguments(input_data: JsonObject) -> list[str]:
    """Returns flags, then the items of `args` (skills 9).

    Raises InputError if they do not fit on a command line.
    """
    flags = [word for key, value in input_data.items() if key not in ("args", "stdin") for word in _flag(key, value)]
    args: Json = input_data.get("args", [])
    items = cast(list[Json], args) if isinstance(args, list) else [args]
    words = flags + [text_of(each) for each in items if each is not None]
    sizes = [len(os.fsencode(word)) for word in words]
    if any("\0" in word for word in words):
        raise InputError("An argument contains a NUL character.", next_step="Remove it.")
    if sizes and (max(sizes) > MAX_ARGUMENT_BYTES or sum(sizes) > MAX_COMMAND_BYTES):
        raise InputError("The arguments are too long for a command line.", next_step="Pass long text in `stdin`.")
    return words


def _flag(key: str, value: Json) -> Sequence[str]:
    """Returns `--key value` for one input field.

    True gives the flag alone, false and null give nothing, a list repeats the flag. A value that begins with a dash is
    joined to its flag, so that it does not become a separate flag.
    """
    flag = f"-{key}" if len(key) == 1 else f"--{key}"
    if isinstance(value, list):
        items = cast(list[Json], value)
        return [word for item in items for word in _flag(key, item)]
    if value is None or isinstance(value, bool):
        return [flag] if value is True else []
    word = text_of(value)
    if not word.startswith("-"):
        return [flag, word]
    return [f"{flag}{word}"] if len(key) == 1 else [f"{flag}={word}"]

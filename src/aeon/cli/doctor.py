"""`aeon doctor`: everything that a run needs, each with its state and what to do about it."""

import importlib.util
import os
import platform
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Literal, NamedTuple, TypeAlias

import aeon
from aeon.base.errors import AeonError, ConfigError, MissingExtraError
from aeon.base.project_folder import PROJECT_FOLDER, require_own
from aeon.bootstrap.app import App
from aeon.bootstrap.choice import ModelChoice
from aeon.bootstrap.tracked import tracked
from aeon.bootstrap.vaults import project_key_file
from aeon.cli.codes import Code
from aeon.cli.progress import FetchProgress
from aeon.cli.say import put
from aeon.cli.session import opened, settings_here
from aeon.cli.text import COLUMNS, pretty, wrapped
from aeon.llm.interface import Request

State: TypeAlias = Literal["ok", "note", "broken"]

_PATIENCE = 120.0
"""Seconds that the model has for its first answer; loading weights is among it."""

_INDENT = " " * 10
_MOST_NAMED = 12
_QUESTION = Request("Answer with the one word: ready", max_tokens=16, temperature=0.0)


class Finding(NamedTuple):
    """One thing looked at. `advice` says what to do where it is not "ok"."""

    name: str
    state: State
    text: str
    advice: str = ""


def examine(model: str | None, *, is_quick: bool, as_json: bool) -> int:
    """Look at everything and print it; FAILED when something that a run needs is broken."""
    findings = [_python()]
    try:
        loaded = settings_here(model=model)
    except ConfigError as error:
        findings.append(Finding("configuration", "broken", error.message.rstrip(), error.advice))
    else:
        findings.append(Finding("configuration", "ok", _files_read([path for path, there in loaded.files if there])))
        with opened(loaded, is_quiet=True) as app:
            findings += [
                *_project(),
                *_places(app),
                _durability(app),
                *_tools(app),
                *_skills(app),
                *_model(app, is_quick=is_quick),
            ]
    is_well = all(finding.state != "broken" for finding in findings)
    if as_json:
        put(pretty({"ok": is_well, "findings": [finding._asdict() for finding in findings]}))
    else:
        for finding in findings:
            put("\n".join(_lines(finding)))
    return Code.DONE if is_well else Code.FAILED


def _lines(finding: Finding) -> list[str]:
    first = f"{finding.state:<7} {finding.name}: "
    told = wrapped(finding.text, COLUMNS, first, _INDENT, keeps_words=True)
    if not finding.advice:
        return told
    return [*told, *wrapped(finding.advice, COLUMNS, f"{_INDENT}next: ", _INDENT, keeps_words=True)]


def _python() -> Finding:
    extras = "with" if importlib.util.find_spec("xllamacpp") else "without"
    versions = f"{aeon.__version__} on Python {platform.python_version()}"
    return Finding("aeon", "ok", f"{versions}, {extras} the embedded extra")


def _files_read(paths: list[Path]) -> str:
    return f"read {', '.join(map(str, paths))}" if paths else "no aeon.toml; defaults, AEON_* and flags"


def _project() -> list[Finding]:
    """Whose `.aeon` is, where its master key lies, and whether a git repository gives its files to others."""
    folder = Path.cwd() / PROJECT_FOLDER
    if not os.path.lexists(folder):
        return []
    findings = [_tried("project folder", f"{folder} is yours", lambda: _require_all_own(folder))]
    if findings[0].state == "ok":
        findings += _master_key(folder)
    return [*findings, *_repository()]


def _require_all_own(folder: Path) -> None:
    """Raises ForeignFolderError for the folder as `require_own`, and for what lies in it and leads elsewhere."""
    require_own(folder)
    for entry in sorted(folder.iterdir()):
        require_own(entry)


def _master_key(folder: Path) -> list[Finding]:
    """Who has the key and the vault can decrypt every secret: one copy of the folder must not hold both."""
    if not (folder / "vault.db").exists():
        return []
    if (folder / "master.key").exists():
        advice = "It is moved when a command next opens the vault without AEON_MASTER_KEY; `aeon tool list` does."
        return [Finding("master key", "broken", f"it lies in {folder}, beside the vault", advice)]
    file = project_key_file(folder.parent, os.environ)
    if not file.exists():
        return [Finding("master key", "note", f"not in {file}: the environment or the system's keyring must have it")]
    return [Finding("master key", "ok", f"outside of the project, in {file}")]


def _repository() -> list[Finding]:
    found = tracked(Path.cwd())
    if not [*found.secret, *found.other]:
        return []
    name, advice = "repository", "Run: git rm -r --cached .aeon, and commit that."
    if not found.secret:
        return [Finding(name, "note", f"git tracks {_some(found.other)}", advice)]
    also = (
        " Everyone with access to the repository may have your secrets: replace them, then run `aeon secret set NAME`."
    )
    return [Finding(name, "broken", f"git tracks {_some(found.secret)}", f"{advice}{also}")]


def _some(names: list[str]) -> str:
    return f"{', '.join(names[:_MOST_NAMED])}{_more(names)}"


def _places(app: App) -> list[Finding]:
    folder = Path(app.settings.run.log_dir).expanduser()
    return [
        _tried("log folder", f"{folder} can be written", lambda: _write_in(folder)),
        _tried("memory", f"{app.settings.memory.path} can be read", lambda: app.memory.read("aeon doctor")),
    ]


def _durability(app: App) -> Finding:
    """What a power cut may take of runs (rule 42)."""
    engine = app.settings.engine
    if engine.address == "memory":
        return Finding("runs", "note", "engine.address is memory: they end with their process")
    if engine.is_durable:
        return Finding("runs", "ok", "a step is on the disk before it counts as complete")
    said = "engine.durability is relaxed: a power cut may take the last steps, which are then done again"
    return Finding("runs", "note", said)


def _tried(name: str, text: str, attempt: Callable[[], object]) -> Finding:
    try:
        attempt()
    except AeonError as error:
        return Finding(name, "broken", error.message, error.advice)
    except OSError as error:
        return Finding(name, "broken", str(error), "Choose another place in aeon.toml, or make it writable.")
    return Finding(name, "ok", text)


def _write_in(folder: Path) -> None:
    """Write where a log would go, and leave nothing; a folder that is not there yet is asked of its parent."""
    require_own(folder)
    place = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.exists())
    with tempfile.NamedTemporaryFile(dir=place, prefix=".aeon-doctor-"):
        pass


def _tools(app: App) -> list[Finding]:
    names = app.registry.list_all()
    found = [Finding("tools", "ok", f"{len(names)} registered: {', '.join(names)}")]
    advice = "Update or uninstall the package that offers it; runs go on without it."
    return found + [Finding("tool plugin", "note", warning, advice) for warning in app.warnings]


def _skills(app: App) -> list[Finding]:
    """The skills there are, and whether and how isolated their scripts would run."""
    catalog = app.skills.catalog
    names = [skill.name for skill in catalog.plannable()]
    found = [Finding("skills", "ok", f"{len(names)} usable: {', '.join(names[:_MOST_NAMED])}{_more(names)}")]
    if catalog.notes:
        said = f"{len(catalog.notes)} remark(s) on files of skills"
        found.append(Finding("skill files", "note", said, "See `aeon skills check`."))
    try:
        level = app.skills.sandbox()
    except MissingExtraError as error:
        return [*found, Finding("scripts of skills", "note", error.message, error.advice)]
    except AeonError as error:
        return [*found, Finding("scripts of skills", "broken", error.message, error.advice)]
    if level != "plain":
        return [*found, Finding("scripts of skills", "ok", f"isolated by {level}")]
    advice = "Install bubblewrap, or use a kernel with Landlock."
    return [*found, Finding("scripts of skills", "note", "run as plain processes, without isolation", advice)]


def _more(names: list[str]) -> str:
    return f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""


def _model(app: App, *, is_quick: bool) -> list[Finding]:
    try:
        with FetchProgress() as progress:
            choice = app.prepare_model(progress, may_fetch=False)
    except AeonError as error:
        return [Finding("model", "broken", error.message, error.advice)]
    found = [Finding("model", "ok", f"{choice.title}, because {choice.why}"), *_weights(app, choice)]
    return found if is_quick else [*found, _answer(app)]


def _weights(app: App, choice: ModelChoice) -> list[Finding]:
    if choice.weights is None:
        return [Finding("weights", "note", f"{choice.file}, a file of yours, not checked")] if choice.file else []
    return [Finding("weights", "ok", f"verified by hash: {app.path_of(choice.weights.name)}")]


def _answer(app: App) -> Finding:
    """One small question, given up after a while. The thread of a model that hangs ends with the process."""
    outcomes = SimpleQueue[AeonError | str]()

    def ask() -> None:
        try:
            outcomes.put(app.model.complete(_QUESTION).text)
        except AeonError as error:
            outcomes.put(error)

    start = time.monotonic()
    Thread(target=ask, name="aeon-doctor", daemon=True).start()
    try:
        outcome = outcomes.get(timeout=_PATIENCE)
    except Empty:
        return Finding("answer", "broken", f"the model said nothing for {_PATIENCE:.0f} s", "Try a smaller model.")
    if isinstance(outcome, AeonError):
        return Finding("answer", "broken", outcome.message, outcome.advice)
    seconds = time.monotonic() - start
    return Finding("answer", "ok", f"{outcome.strip()[:60]!r} after {seconds:.1f} s, loading included")

"""`aeon doctor`: checks everything that a run needs, and says how to fix what is broken."""

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
from aeon.application.engine import EngineService
from aeon.application.folder import FolderService
from aeon.application.models import ModelChoice
from aeon.application.store import StoreService
from aeon.base.errors import AeonError, ConfigError, MissingExtraError
from aeon.base.next_steps import NextStep
from aeon.base.project_folder import PROJECT_FOLDER, require_ownership
from aeon.bootstrap.app import App
from aeon.cli.console import print_data
from aeon.cli.exit_codes import ExitCode
from aeon.cli.next_steps import advice_of
from aeon.cli.output import OutputFormat, print_as
from aeon.cli.progress import FetchProgress
from aeon.cli.session import app_session, load_cli_settings
from aeon.cli.text import COLUMNS, wrap
from aeon.llm.interface import LLMRequest
from aeon.settings import LoadedSettings

CheckState: TypeAlias = Literal["ok", "note", "broken"]

_MODEL_TIMEOUT = 120.0
"""Seconds that the model has for its first answer, including loading its weights."""

_INDENT = " " * 10
_MAX_NAMED = 12
_QUESTION = LLMRequest("Answer with the one word: ready", max_tokens=16, temperature=0.0)


class CheckResult(NamedTuple):
    """The result of one check. `advice` says what to do if the state is not "ok"."""

    name: str
    state: CheckState
    text: str
    advice: str = ""


def run_checks(model: str | None, *, is_quick: bool, output: OutputFormat) -> int:
    """Run all checks and print their results; FAILED if something that a run needs is broken."""
    results = [_python()]
    try:
        loaded = load_cli_settings(model=model)
    except ConfigError as error:
        results.append(CheckResult("configuration", "broken", error.message.rstrip(), advice_of(error)))
    else:
        results.append(CheckResult("configuration", "ok", _files_read([path for path, there in loaded.files if there])))
        with app_session(loaded, is_quiet=True) as app:
            results += [
                *_project(),
                *_folders(app),
                _record(loaded),
                _engine(loaded),
                _durability(app),
                *_tools(app),
                *_skills(app),
                *_model(app, is_quick=is_quick),
                _embeddings(app),
            ]
    is_ok = all(result.state != "broken" for result in results)
    if not print_as(output, {"ok": is_ok, "findings": [result._asdict() for result in results]}, key="ok"):
        for result in results:
            print_data("\n".join(_lines(result)))
    return ExitCode.DONE if is_ok else ExitCode.FAILED


def _lines(result: CheckResult) -> list[str]:
    first = f"{result.state:<7} {result.name}: "
    lines = wrap(result.text, COLUMNS, first, _INDENT, keeps_words=True)
    if not result.advice:
        return lines
    return [*lines, *wrap(result.advice, COLUMNS, f"{_INDENT}next: ", _INDENT, keeps_words=True)]


def _python() -> CheckResult:
    extras = "with" if importlib.util.find_spec("xllamacpp") else "without"
    versions = f"{aeon.__version__} on Python {platform.python_version()}"
    return CheckResult("aeon", "ok", f"{versions}, {extras} the embedded extra")


def _files_read(paths: list[Path]) -> str:
    return f"read {', '.join(map(str, paths))}" if paths else "no aeon.toml; defaults, AEON_* and flags"


def _project() -> list[CheckResult]:
    """Check who owns `.aeon`, where its master key is, and whether git tracks its files."""
    folder = Path.cwd() / PROJECT_FOLDER
    if not os.path.lexists(folder):
        return []
    results = [_check("project folder", f"{folder} is yours", lambda: _require_ownership_of_all(folder))]
    if results[0].state == "ok":
        results += _master_key(folder)
    return [*results, *_repository()]


def _require_ownership_of_all(folder: Path) -> None:
    """Raises ForeignFolderError if the folder, or an entry in it, is not the user's own or is a link."""
    require_ownership(folder)
    for entry in sorted(folder.iterdir()):
        require_ownership(entry)


def _master_key(folder: Path) -> list[CheckResult]:
    """Check that the key is not beside the vault: key and vault together decrypt every secret."""
    if not (folder / "vault.db").exists():
        return []
    if (folder / "master.key").exists():
        advice = "Run `aeon tool list` without AEON_MASTER_KEY: opening the vault moves the key."
        return [CheckResult("master key", "broken", f"it is in {folder}, beside the vault", advice)]
    file = FolderService(folder.parent, os.environ).key_file
    if not file.exists():
        return [
            CheckResult("master key", "note", f"not in {file}: the environment or the system's keyring must hold it")
        ]
    return [CheckResult("master key", "ok", f"outside the project, in {file}")]


def _repository() -> list[CheckResult]:
    tracked = FolderService(Path.cwd(), os.environ).tracked_files()
    if not [*tracked.secret, *tracked.other]:
        return []
    name, advice = "repository", "Run `git rm -r --cached .aeon`, and commit the change."
    if not tracked.secret:
        return [CheckResult(name, "note", f"git tracks {_listed(tracked.other)}", advice)]
    also = (
        " Everyone with access to the repository may have your secrets: replace them, then run `aeon secret set NAME`."
    )
    return [CheckResult(name, "broken", f"git tracks {_listed(tracked.secret)}", f"{advice}{also}")]


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:_MAX_NAMED])}{_more(names)}"


def _folders(app: App) -> list[CheckResult]:
    folder = Path(app.settings.run.log_dir).expanduser()
    return [
        _check("log folder", f"{folder} is writable", lambda: _write_in(folder)),
        _check("memory", f"{app.settings.memory.path} is readable", lambda: app.memory.read("aeon doctor")),
    ]


def _record(loaded: LoadedSettings) -> CheckResult:
    """Open the record, if there is one: with a server's address there always is."""
    if not FolderService(Path.cwd(), os.environ).has_record(loaded.settings.store):
        return CheckResult("record", "ok", "there is none yet; the first command that needs it creates it")

    def version() -> str:
        found = StoreService(Path.cwd(), loaded, os.environ).version()
        return f"{found.store}, version {found.version}"

    return _reached("record", "store.address", version)


def _engine(loaded: LoadedSettings) -> CheckResult:
    return _reached("engine", "engine.address", EngineService(Path.cwd(), loaded, os.environ).reach)


def _reached(name: str, setting: str, reach: Callable[[], str]) -> CheckResult:
    """Return "ok" with the text that `reach` returns; the advice for a server that is away does not lead back here."""
    try:
        return CheckResult(name, "ok", reach())
    except AeonError as error:
        is_circular = error.next == NextStep("store.check")
        advice = f"Start it, or correct {setting}; see `aeon config list`." if is_circular else advice_of(error)
        return CheckResult(name, "broken", error.message, advice)


def _durability(app: App) -> CheckResult:
    """Report what a power cut may lose of runs (platform 42)."""
    engine = app.settings.engine
    if engine.address == "memory":
        return CheckResult("runs", "note", "engine.address is memory: runs end with their process")
    if engine.is_durable:
        return CheckResult("runs", "ok", "a step is on disk before it counts as complete")
    text = "engine.durability is relaxed: a power cut may lose the last steps, which then run again"
    return CheckResult("runs", "note", text)


def _check(name: str, text: str, check: Callable[[], object]) -> CheckResult:
    try:
        check()
    except AeonError as error:
        return CheckResult(name, "broken", error.message, advice_of(error))
    except OSError as error:
        return CheckResult(name, "broken", str(error), "Choose another path in aeon.toml, or make this one writable.")
    return CheckResult(name, "ok", text)


def _write_in(folder: Path) -> None:
    """Test that the folder, or the nearest parent that exists, is writable; leave no file behind."""
    require_ownership(folder)
    existing = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.exists())
    with tempfile.NamedTemporaryFile(dir=existing, prefix=".aeon-doctor-"):
        pass


def _tools(app: App) -> list[CheckResult]:
    names = app.registry.list_all()
    found = [CheckResult("tools", "ok", f"{len(names)} registered: {', '.join(names)}")]
    advice = "Update or uninstall the package that provides it; runs work without it."
    return found + [CheckResult("tool plugin", "note", warning, advice) for warning in app.warnings]


def _skills(app: App) -> list[CheckResult]:
    """Report the skills, and how their scripts would be isolated."""
    catalog = app.skills.catalog
    names = [skill.name for skill in catalog.plannable()]
    found = [CheckResult("skills", "ok", f"{len(names)} usable: {', '.join(names[:_MAX_NAMED])}{_more(names)}")]
    if catalog.notes:
        text = f"{len(catalog.notes)} problem(s) in skill files"
        found.append(CheckResult("skill files", "note", text, "See `aeon skill check`."))
    try:
        level = app.skills.sandbox()
    except MissingExtraError as error:
        return [*found, CheckResult("scripts of skills", "note", error.message, advice_of(error))]
    except AeonError as error:
        return [*found, CheckResult("scripts of skills", "broken", error.message, advice_of(error))]
    if level != "plain":
        return [*found, CheckResult("scripts of skills", "ok", f"isolated by {level}")]
    advice = "Install bubblewrap, or use a kernel with Landlock."
    return [*found, CheckResult("scripts of skills", "note", "run as plain processes, without isolation", advice)]


def _more(names: list[str]) -> str:
    return f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""


def _model(app: App, *, is_quick: bool) -> list[CheckResult]:
    try:
        with FetchProgress() as progress:
            choice = app.prepare_model(progress, may_fetch=False)
    except AeonError as error:
        return [CheckResult("model", "broken", error.message, advice_of(error))]
    found = [CheckResult("model", "ok", f"{choice.title}, because {choice.why}"), *_weights(app, choice)]
    return found if is_quick else [*found, _answer(app)]


def _embeddings(app: App) -> CheckResult:
    """Report the model for search by meaning; a run does not need it."""
    try:
        return CheckResult("embeddings", "ok", app.embedding_choice().title)
    except MissingExtraError as error:
        return CheckResult("embeddings", "note", error.message, advice_of(error))
    except AeonError as error:
        return CheckResult("embeddings", "broken", error.message, advice_of(error))


def _weights(app: App, choice: ModelChoice) -> list[CheckResult]:
    if choice.weights is None:
        return [CheckResult("weights", "note", f"{choice.file}, your own file, not verified")] if choice.file else []
    return [CheckResult("weights", "ok", f"verified by hash: {app.weights_path(choice.weights.name)}")]


def _answer(app: App) -> CheckResult:
    """Ask the model a short question, with a timeout. The thread of a hanging model ends with the process."""
    outcomes = SimpleQueue[AeonError | str]()

    def ask() -> None:
        try:
            outcomes.put(app.model.complete(_QUESTION).text)
        except AeonError as error:
            outcomes.put(error)

    start = time.monotonic()
    Thread(target=ask, name="aeon-doctor", daemon=True).start()
    try:
        outcome = outcomes.get(timeout=_MODEL_TIMEOUT)
    except Empty:
        return CheckResult(
            "answer", "broken", f"the model did not answer within {_MODEL_TIMEOUT:.0f} s", "Try a smaller model."
        )
    if isinstance(outcome, AeonError):
        return CheckResult("answer", "broken", outcome.message, advice_of(outcome))
    seconds = time.monotonic() - start
    return CheckResult("answer", "ok", f"{outcome.strip()[:60]!r} after {seconds:.1f} s, loading included")

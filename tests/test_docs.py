"""The README and the tutorial run: every command and every snippet, and they print what they say (style 15)."""

import contextlib
import io
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "tutorial.md"]
PROGRAMS = re.compile(r"\b(?:curl|git|openssl)\b(?= )")
"""What small systems leave out."""

PORT = re.compile(r"\b18[0-9]{3}\b")
"""A port on which something listens."""

HOWTOS = sorted((ROOT / "docs" / "howto").glob("*.md"))
PAGES = [*HOWTOS, *sorted((ROOT / "docs").glob("tutorial-*.md")), ROOT / "docs" / "upgrading.md"]
"""Pages with console blocks or snippets, or both."""


def blocks(document: Path) -> list[tuple[str, str, str]]:
    return [(kind, info.strip(), body) for kind, info, body in BLOCK.findall(document.read_text())]


def with_console(mark: str) -> list[Path]:
    """The short pages that have console blocks with this mark."""
    return [page for page in PAGES if ("console", mark) in {(kind, info) for kind, info, _ in blocks(page)}]


def with_snippets() -> list[Path]:
    return [page for page in PAGES if ("python", "") in {(kind, info) for kind, info, _ in blocks(page)}]


def sessions(body: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output it is said to have."""
    parts = re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
    return [tuple(part.partition("\n")[::2]) for part in parts]  # type: ignore[misc]


def matches(said: str, printed: str) -> bool:
    """Whether the output is what is said, `...` standing for anything; lines are compared without their wrapping."""
    pattern = ".*".join(re.escape(" ".join(part.split())) for part in said.split("..."))
    return re.fullmatch(pattern.replace(r"\ .*", ".*").replace(r".*\ ", ".*"), " ".join(printed.split())) is not None


@contextlib.contextmanager
def processes_of(folder: Path) -> Iterator[None]:
    """End what a document started in its folder and did not end itself, as one that fails does not."""
    try:
        yield
    finally:
        for file in folder.glob("*.pid"):
            pid = int(file.read_text())
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if Path(f"/proc/{pid}/cwd").readlink() == folder:  # not one that has got the number since
                    os.kill(pid, signal.SIGTERM)


def play(document: Path, folder: Path, wanted: str, environ: dict[str, str]) -> int:
    """Run the document's console blocks of one kind; returns how many commands ran."""
    with processes_of(folder):
        return run_blocks(document, folder, wanted, environ)


def run_blocks(document: Path, folder: Path, wanted: str, environ: dict[str, str]) -> int:
    shutil.copy(ROOT / "examples" / "trip.yaml", folder)
    ran = 0
    for kind, info, body in blocks(document):
        if kind in ("yaml", "json", "python") and info:
            (folder / info).write_text(body)
        if kind != "console" or info != wanted:
            continue
        for command, said in sessions(body):
            for program in PROGRAMS.findall(command):
                if shutil.which(program) is None:
                    pytest.skip(f"{program} is not installed: apt-get install {program}")
            done = subprocess.run(
                ["/bin/bash", "-c", command],
                cwd=folder,
                env=environ,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=600,
                check=False,
            )
            assert matches(said, done.stdout), f"{document.name}: $ {command}\nsaid:\n{said}\nprinted:\n{done.stdout}"
            ran += 1
    return ran


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "AEON_HOME", "XDG_CACHE_HOME") if name in os.environ}
    own = {f"XDG_{name.upper()}_HOME": str(tmp_path / f"my-{name}") for name in ("config", "state", "data")}
    return {**kept, "PATH": path, **own}


@pytest.mark.slow
@pytest.mark.parametrize("document", [*DOCUMENTS, *with_console("")], ids=lambda d: d.name)
def test_every_command_prints_what_is_said(document, tmp_path, environ):
    assert play(document, tmp_path, "", environ) > 0


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("document", [*DOCUMENTS, *with_console("model")], ids=lambda d: d.name)
def test_every_command_with_the_model_prints_what_is_said(document, tmp_path, environ, small_model):
    assert play(document, tmp_path, "model", {**environ, "AEON_MODEL_NAME": small_model}) > 0


@pytest.mark.server
@pytest.mark.slow
@pytest.mark.parametrize("document", with_console("server"), ids=lambda d: d.name)
def test_every_command_with_a_server_prints_what_is_said(document, tmp_path, environ, postgres_server):
    """`$RECORD` is the address of an empty database."""
    assert play(document, tmp_path, "server", {**environ, "RECORD": postgres_server.create_database()}) > 0


def test_no_two_of_these_tests_listen_on_one_port():
    """They run at the same time, and one would be answered by the other's server."""
    users: dict[str, set[tuple[str, str]]] = {}
    for document in (*DOCUMENTS, *PAGES):
        for kind, mark, body in blocks(document):
            for port in PORT.findall(body) if kind == "console" else ():
                users.setdefault(port, set()).add((document.name, mark))
    assert len(users) > 10
    assert {port: found for port, found in users.items() if len(found) > 1} == {}


def test_every_page_is_executed():
    assert len(HOWTOS) >= 20
    assert set(PAGES) == {*with_console(""), *with_console("model"), *with_snippets()}


@pytest.mark.slow
@pytest.mark.parametrize("document", [*DOCUMENTS, *with_snippets()], ids=lambda d: d.name)
def test_every_snippet_prints_what_is_said(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = blocks(document)
    snippets = [
        (body, after)
        for (kind, info, body), after in zip(found, [*found[1:], ("", "", "")], strict=True)
        if (kind, info) == ("python", "")
    ]
    assert snippets
    for code, after in snippets:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, document.name, "exec"), {"__name__": "snippet"})  # noqa: S102  # our own documents
        assert after[0] == "output", f"{document.name}: a snippet without its output"
        assert matches(after[2], printed.getvalue()), printed.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(
    "script", ["make_reference.py", "make_floors.py", "make_pages.py", "make_pictures.py", "make_schema.py"]
)
def test_a_page_made_from_the_code_is_current(script):
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / script), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


PATH = re.compile(r"`((?:tests|docs|examples|benchmarks|requirements)/[\w./-]+|\w+\.(?:md|toml|yml))`")


@pytest.mark.parametrize("document", ["SECURITY.md", "CONTRIBUTING.md", "docs/comparison.md", "docs/security.md"])
def test_files_that_a_document_names_exist(document):
    named = {name for name in PATH.findall((ROOT / document).read_text("utf-8")) if name != "aeon.toml"}
    found = [name for name in named if (ROOT / name).exists() or (ROOT / "docs" / name).exists()]
    assert sorted(named - set(found)) == []

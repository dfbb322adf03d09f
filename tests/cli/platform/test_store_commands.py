"""`aeon store`: backups, checks, folders from elsewhere, damage, and PostgreSQL and back (platform 21)."""

import hashlib
import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from aeon.base.project_folder import is_own_folder, make_folder
from aeon.bootstrap.vaults import project_key_file

SERVICE = """
kind: Service
name: {name}
type: rest_api
protocol: http
connectionSchema: {{type: object, required: [endpoint]}}
"""


def apply(aeon, name):
    Path("service.yaml").write_text(SERVICE.format(name=name))
    assert aeon("apply", "-f", "service.yaml").code == 0


def services(aeon):
    return aeon("tool", "service", "list").out


def said(ended):
    return " ".join(ended.err.split())


def test_a_backup_brings_back_what_was_there(aeon):
    apply(aeon, "before")
    assert aeon("store", "backup", "monday.db").out == "copied the record to monday.db\n"
    apply(aeon, "after")
    again = aeon("store", "backup", "monday.db")
    assert (again.code, "already exists" in said(again)) == (1, True)
    restored = aeon("store", "restore", "--yes", "monday.db")
    assert (restored.code, "the previous record is kept at" in said(restored)) == (0, True)
    assert ("before" in services(aeon), "after" in services(aeon)) == (True, False)


def test_status_says_what_is_kept_and_check_that_it_is_whole(aeon):
    apply(aeon, "one")
    shown = aeon("store", "status", "--json").json
    assert (shown["things"]["Service"], shown["things"]["User"]) == (1, 1)
    assert "SQLite in " in aeon("store", "status").out
    assert aeon("store", "check").out == "the record is intact\n"


@pytest.mark.parametrize("copied", [shutil.copytree, "git"])
def test_platform_21_a_folder_from_elsewhere_is_not_used_until_it_is_taken_over(aeon, copied, monkeypatch, tmp_path):
    """Another user's state folder stands for another user or machine."""
    apply(aeon, "theirs")
    theirs = project_key_file(Path.cwd(), os.environ)
    clone = tmp_path / "clone"
    if copied == "git":
        if shutil.which("git") is None:
            pytest.skip("git is not installed: apt-get install git")
        commands = ("git init -q .", "git add -f .aeon", "git -c user.name=x -c user.email=x@x commit -qm x")
        for command in (*commands, f"git clone -q . {clone}"):
            assert os.system(command) == 0  # noqa: S605  # the test's own words
        for place in (clone / ".aeon", *(clone / ".aeon").rglob("*")):
            place.chmod(0o700 if place.is_dir() else 0o600)
    else:
        copied(".", clone)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other state"))
    monkeypatch.chdir(clone)
    for command in (("init",), ("tool", "list"), ("store", "status"), ("store", "export", "-"), ("log", "list")):
        refused = aeon(*command)
        assert (refused.code, "came with a folder from elsewhere" in said(refused)) == (1, True), command
        assert ("aeon init --adopt" in said(refused), "theirs" in refused.out) == (True, False)
    assert (aeon("init", "--adopt", "--dry-run").out, is_own_folder(Path(".aeon"))) == (
        "nothing was taken over\n",
        False,
    )
    taken = aeon("init", "--adopt")
    assert (taken.code, taken.out) == (0, f"{clone / '.aeon'} is yours from now on\n")
    key_file = project_key_file(clone, os.environ)
    assert key_file.name in taken.err
    key_file.parent.mkdir(mode=0o700)
    shutil.copy(theirs, key_file)
    assert "theirs" in services(aeon)
    assert aeon("init", "--adopt").out == f"{clone / '.aeon'} is yours already\n"


@pytest.mark.parametrize(
    "planted",
    [
        "CREATE TRIGGER spy AFTER INSERT ON services BEGIN DELETE FROM audit_entries; END",
        "CREATE VIEW spy AS SELECT * FROM secrets",
        "CREATE TABLE spy (x)",
        "CREATE VIRTUAL TABLE spy USING fts5(x)",
        "DROP TRIGGER services_immutable",
    ],
)
def test_platform_21_tables_that_are_not_aeons_are_refused_before_anything_is_asked(aeon, planted):
    apply(aeon, "mine")
    with closing(sqlite3.connect(".aeon/aeon.db")) as raw:
        raw.execute(planted)
        raw.commit()
    for command in (("init",), ("store", "check"), ("init", "--adopt")):
        refused = aeon(*command)
        assert refused.code == 1, command
        assert "Traceback" not in refused.err


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda file: file.write_text("no database"), ""),
        (lambda file: file.write_bytes(b""), ""),
        (lambda file: file.mkdir(), ""),
        (lambda file: file.symlink_to("/etc/passwd"), "link"),
    ],
)
def test_what_is_not_a_record_is_told_and_left_alone(aeon, made, words):
    make_folder(Path(".aeon"))
    file = Path(".aeon/aeon.db")
    made(file)
    if file.is_file() and not file.is_symlink():
        file.chmod(0o600)
    refused = aeon("init")
    assert (refused.code, "Traceback" in refused.err, words in said(refused)) == (1, False, True)
    assert file.is_symlink() or file.is_dir() or file.read_bytes() in (b"no database", b"")


def test_migrate_and_move_say_what_cannot_be(aeon):
    apply(aeon, "one")
    assert aeon("store", "migrate").code == 0
    back = aeon("store", "migrate", "--to", "0")
    assert (back.code, "never back" in said(back)) == (2, True)
    there = aeon("store", "move", "sqlite")
    assert (there.code, "The record is already in that store" in said(there)) == (2, True)
    away = aeon("store", "move", "postgresql://127.0.0.1:1/x")
    assert (away.code, "correct its address; nothing was copied" in " ".join(away.err.split())) == (1, True)
    wrong = aeon("store", "move", "mysql://host/x")
    assert (wrong.code, "Traceback" in wrong.err) == (2, False)


@pytest.mark.slow
@pytest.mark.server
def test_to_postgresql_and_back_everything_is_equal(aeon, postgres_server, monkeypatch):
    """One command each way; then the commands use what the settings name."""
    apply(aeon, "moved")
    assert aeon("init").code == 0
    before = aeon("store", "export", "-").out
    address = postgres_server.create_database()
    moved = aeon("store", "move", address)
    assert (moved.code, "both are equal" in moved.out) == (0, True), moved.err
    Path("aeon.toml").write_text(f'[store]\naddress = "{address}"\n')
    assert aeon("store", "export", "-").out == before
    apply(aeon, "later")
    assert "PostgreSQL at" in aeon("store", "status").out
    assert aeon("store", "check").out == "the record is intact\n"
    after = aeon("store", "export", "-").out
    refused = aeon("store", "backup", "x.db")
    assert (refused.code, "pg_dump" in said(refused)) == (2, True)
    shutil.move(".aeon", "old")
    assert aeon("store", "move", "sqlite").code == 0
    Path("aeon.toml").unlink()
    assert aeon("store", "export", "-").out == after
    assert "later" in services(aeon)


ASKING = """
kind: Process
name: decide
steps:
  - {id: ask, tool: recall, inputs: {key: tea}, output: said, execution: {interactionMode: manual, timeout: 86400}}
outputTemplate: "decided {{step.said}}"
"""


@pytest.mark.slow
@pytest.mark.server
@pytest.mark.parametrize("engine", ["the folder", "PostgreSQL"])
def test_open_runs_go_on_when_their_record_was_moved(aeon, tcp_server, monkeypatch, engine):
    """The run store is still that of the record, and a second one is still refused."""
    if engine == "PostgreSQL":
        monkeypatch.setenv("AEON_ENGINE_ADDRESS", tcp_server.create_database())
    assert aeon("init").code == 0
    Path("decide.yaml").write_text(ASKING)
    assert aeon("apply", "-f", "decide.yaml").code == 0
    assert aeon("process", "run", "decide").code == 3
    address = tcp_server.create_database()
    assert aeon("store", "move", address).code == 0
    monkeypatch.setenv("AEON_STORE_ADDRESS", address)
    done = aeon("log", "answer", "last", "ask", "yes")
    assert (done.code, done.out) == (0, "decided yes\n"), done.err
    monkeypatch.setenv("AEON_ENGINE_ADDRESS", tcp_server.create_database())
    second = aeon("process", "run", "decide")
    assert (second.code, "The runs of this record are stored in" in said(second)) == (2, True)


@pytest.mark.slow
@pytest.mark.server
def test_runs_of_temporal_stay_with_their_record(aeon, postgres_server):
    """Temporal knows them by the record's id, which a copy does not have."""
    assert aeon("init").code == 0
    Path("decide.yaml").write_text(ASKING)
    assert aeon("apply", "-f", "decide.yaml").code == 0
    assert aeon("process", "run", "decide").code == 3
    with closing(sqlite3.connect(".aeon/aeon.db")) as record, record:
        record.execute("UPDATE runs SET executor = 'temporal'")
    refused = aeon("store", "move", postgres_server.create_database())
    assert (refused.code, "Temporal executes 1 open run(s) of this record" in said(refused)) == (1, True)


@pytest.mark.slow
@pytest.mark.server
def test_large_results_move_with_the_record_to_postgresql_and_back(aeon, postgres_server):
    """They are files beside a record in SQLite, and rows of one on a server (decision 85); a damaged one stays behind."""
    assert aeon("init").code == 0
    texts = ["a large result ü " * 30_000, "another " * 40_000]
    digests = [hashlib.sha256(each.encode()).hexdigest() for each in texts]
    for digest, text in zip([*digests, "0" * 64], [*texts, "damaged"], strict=True):
        file = Path(".aeon/results", digest[:2], digest)
        file.parent.mkdir(parents=True, mode=0o700)
        file.write_text(text, encoding="utf-8")
    address = postgres_server.create_database()
    moved = aeon("store", "move", address)
    assert (moved.code, "2 large result(s) copied" in said(moved)) == (0, True), said(moved)
    Path("aeon.toml").write_text(f'[store]\naddress = "{address}"\n')
    for place in ("the server", "a new file"):
        exported = map(json.loads, aeon("store", "export", "-").out.splitlines())
        found = [each["properties"] for each in exported if each.get("labels") == ["LargeResult"]]
        assert {each["digest"]: each["text"] for each in found} == dict(zip(digests, texts, strict=True)), place
        if place == "the server":
            shutil.move(".aeon", "old")
            assert aeon("store", "move", "sqlite").code == 0
            Path("aeon.toml").unlink()


def test_a_folder_of_an_older_aeon_is_told_apart_and_its_export_imported(aeon):
    """The record was a FalkorDB in `.aeon/graph`; `tests/platform/data` has what that version exported."""
    Path(".aeon/graph").mkdir(parents=True, mode=0o700)
    Path(".aeon").chmod(0o700)
    exported = Path(__file__).parents[2] / "platform" / "data" / "export-0.x.jsonl"
    assert "an older Aeon made it" in said(aeon("tool", "list"))
    assert aeon("init", "--adopt").code == 0
    assert aeon("store", "import", exported).code == 0
    assert aeon("store", "check").out == "the record is intact\n"
    assert aeon("init").code == 0
    shutil.rmtree(".aeon")
    Path(".aeon/graph").mkdir(parents=True, mode=0o700)
    Path(".aeon").chmod(0o700)
    assert aeon("init", "--adopt").code == 0
    warned = aeon("tool", "list")
    assert (warned.code, "aeon store import" in said(warned)) == (0, True)
    assert "aeon store import" not in said(aeon("tool", "list"))


def test_an_export_writes_into_no_file_that_a_cloned_folder_put_there(aeon, tmp_path):
    """The names of drafts cannot be foreseen, and nothing is left of them, also where the place cannot be written."""
    apply(aeon, "mine")
    precious = tmp_path / "precious"
    precious.write_text("kept")
    before = {path.name for path in Path().iterdir()}
    for name in (".out.jsonl.part", ".out.jsonl", "out.jsonl"):
        Path(name).symlink_to(precious)
    assert aeon("store", "export", "out.jsonl").code == 0
    assert precious.read_text() == "kept"
    assert "mine" in Path("out.jsonl").read_text()
    Path("folder").mkdir()
    assert aeon("store", "export", "folder").code != 0
    assert {path.name for path in Path().iterdir()} - before == {".out.jsonl.part", ".out.jsonl", "out.jsonl", "folder"}

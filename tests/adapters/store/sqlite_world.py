"""Records in SQLite for tests: a project with one, its rows, processes that use it, and a disk that can be full."""

import json
import os
import random
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from aeon.adapters.store.sqlite.factory import open_sqlite
from aeon.adapters.store.sqlite.record_files import RecordFiles

ADD_USER = "INSERT INTO users VALUES (:id, 0, 'none', '2026-01-01')"
USERS = "SELECT id FROM users ORDER BY id"
ADD_DEFINITION = "INSERT INTO definitions (digest, text, created_at) VALUES (:digest, :text, '2026-01-01')"
ADD_RUN = """
INSERT INTO runs (id, owner_id, process_id, process_name, digest, plan, inputs, trigger, pins, root_id, accepted_at,
                  executor, phase, events, tokens)
VALUES (:id, 'me', 'p', 'a process', :digest, :plan, :inputs, 'user', '{}', :id, :at, 'e', 'running', :events, :tokens)
"""
ADD_ENTRY = "INSERT INTO run_entries (run_id, n, text) VALUES (:run, :n, :text)"
ADD_METRIC = """
INSERT INTO metric_definitions (id, name, exposed_as, description, scope, aggregation, data_type, version, created_at,
                                updated_at)
VALUES ('m', 'm', 'm', '', 'tool', 'sum', 'float', 1, '2026', '2026')
"""
ADD_VALUE = """
INSERT INTO metric_values (id, metric_id, entity_id, at, micros, number, dimensions)
VALUES (:id, 'm', :entity, '2026', :micros, :number, '{}')
"""
ADD_NOTE = """
INSERT INTO episodes (id, owner_id, group_id, source, name, created_at, valid_at, attempts, content)
VALUES (:id, 'me', 'notes/me', 'note', :id, '2026', '2026', 0, :text)
"""
ADD_ENTITY = """
INSERT INTO entities (id, owner_id, name, name_key, made_by, version, created_at, updated_at, facets)
VALUES (:id, 'me', :id, :id, 'extraction', 1, '2026', '2026', '{}')
"""
ADD_FACT = """
INSERT INTO facts (id, owner_id, subject_id, created_at, text_key, text) VALUES (:id, 'me', :id, '2026', :id, :id)
"""
ADD_MENTION = "INSERT INTO mentions VALUES (:episode, :id, 'statements', 1.0, '2026', :id)"
ADD_ASSERTION = """
INSERT INTO assertions (episode_id, fact_id, kind, state, extractor, confidence, created_at, said_at)
VALUES (:episode, :id, 'states', 'candidate', 'statements', 0.8, '2026', '2026')
"""


class Project:
    """A project's folder, and this user's state outside of it."""

    def __init__(self, folder):
        self.state = folder / "state"
        self.place = RecordFiles(folder / "project" / ".aeon" / "aeon.db")
        self.path = self.place.path

    def open(self, **more):
        return open_sqlite(self.path, state=self.state, **more)

    def make(self, **more):
        """The project with a record that is closed."""
        self.open(**more).close()
        return self

    def users(self):
        store = self.open()
        try:
            return users(store)
        finally:
            store.close()

    def start(self, script, *arguments):
        """A process that runs a script. `path`, `state`, `open_sqlite` and `add` are there."""
        command = [sys.executable, "-c", _PRELUDE + script, str(self.path), str(self.state), *map(str, arguments)]
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )


_PRELUDE = """
import os, sys, time
from pathlib import Path
from aeon.adapters.store.sqlite.factory import open_sqlite
path, state, given = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
def add(store, name):
    store.update(lambda unit: unit.write("INSERT INTO users VALUES (:id, 0, 'none', '2026-01-01')", {"id": name}))
def say(what):
    print(what, flush=True)
"""


def users(store):
    return [row["id"] for row in store.read(USERS)]


def add_user(store, name):
    store.update(lambda unit: unit.write(ADD_USER, {"id": name}))


def ended(process):
    """The lines that a process has written until its end, which must be a good one."""
    said, errors = process.communicate(timeout=60)
    assert not errors, errors
    assert process.returncode == 0
    return said.splitlines()


def together(project, count, script, *arguments):
    """Start processes that begin the script at the same moment; the lines that each has written."""
    ready = "say('ready'); sys.stdin.readline()\n"
    processes = [project.start(ready + script, number, *arguments) for number in range(count)]
    for process in processes:
        assert process.stdout.readline() == "ready\n", process.communicate()
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    return [ended(process) for process in processes]


def kill(process):
    """Kill a process; the lines that it has written and nobody has read."""
    process.kill()
    said = process.stdout.readlines()
    process.communicate(timeout=60)
    return said


def fill_record(store, *, runs=40, seed=0):
    """Rows as there are in a record that is used: many small ones, and texts from a few bytes to 60,000."""
    chance = random.Random(seed)

    def work(unit):
        unit.write(ADD_USER, {"id": "me"})
        unit.write(ADD_METRIC)
        for number in range(runs):
            digest = f"digest-{number}"
            unit.write(ADD_DEFINITION, {"digest": digest, "text": json_text(chance, 8_000)})
            plan, inputs = json_text(chance, 20_000), json_text(chance, 60_000 if number % 5 == 0 else 300)
            sizes = {"events": chance.getrandbits(20), "tokens": chance.getrandbits(20), "at": f"2026-01-{number:05}"}
            unit.write(ADD_RUN, {"id": f"run-{number}", "digest": digest, "plan": plan, "inputs": inputs, **sizes})
            for n in range(1, 15):
                unit.write(ADD_ENTRY, {"run": f"run-{number}", "n": n, "text": json_text(chance, 1_500)})
            for n in range(20):
                value = {"entity": f"tool-{n % 4}", "micros": chance.getrandbits(50), "number": chance.random()}
                unit.write(ADD_VALUE, {"id": f"value-{number}-{n}", **value})
            add_knowledge(unit, number, json_text(chance, 1_500))

    store.update(work)


def add_knowledge(unit, number, text):
    """A note, and what it says of a name of its own."""
    known = {"episode": f"note-{number}", "id": f"name-{number}"}
    unit.write(ADD_NOTE, {"id": known["episode"], "text": text})
    for query in (ADD_ENTITY, ADD_FACT, ADD_MENTION, ADD_ASSERTION):
        unit.write(query, known)


def json_text(chance, size):
    """A JSON object as text, of words, up to that long."""
    words = [f"{chance.getrandbits(40):x}" for _ in range(chance.randrange(1, max(2, size // 12)))]
    return json.dumps({"words": words, "name": "Grüße"}, ensure_ascii=False)


@contextmanager
def small_disk(folder, size, options=""):
    """A file system of its own for a folder; skips where this user may mount none."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={size},mode=700{options}", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if not made or made.returncode:
        pytest.skip("only a user who may mount a file system can fill one up")
    try:
        yield folder
    finally:
        subprocess.run([shutil.which("umount"), "-l", folder], check=False)


def fill(folder):
    """Take all the room of a disk; the file that has it."""
    filling = Path(folder, "filling")
    descriptor = os.open(filling, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with suppress(OSError):
        while True:
            os.write(descriptor, b"x" * 4096)
    os.close(descriptor)
    return filling

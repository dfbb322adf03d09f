"""What Aeon does by default: Processes that are there for all, that anybody may copy, and that run to their end."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from aeon.platform.catalog.apply import Applier
from aeon.platform.catalog.defaults import load_defaults, read_default_documents
from aeon.platform.catalog.documents import read_documents
from aeon.platform.catalog.model import UNCHECKED, NewService
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.checks.definition import check_definition
from aeon.platform.processes.documents import ProcessDocuments
from aeon.platform.processes.repository import ProcessRepository

NAMES = [
    "answer_and_keep",
    "chat",
    "compress",
    "enrich",
    "extract_facts",
    "introspect",
    "name_conversation",
    "reply",
    "reply_plain",
    "research",
    "summary",
]


@pytest.fixture
def processes(world):
    return ProcessRepository(world.store, world.catalog)


@pytest.fixture
def load(world, processes):
    """`load()`: have the defaults there, and say what that changed."""

    def loaded():
        documents = ProcessDocuments(world.catalog, processes, DEFAULTS_OWNER)
        return load_defaults(world.catalog, {"Process": documents})

    loaded()
    return loaded


def test_platform_5_what_nothing_can_keep_from_answering_is_healthy_from_the_beginning(world, load):
    """Every shipped tool was called degraded until a worker had checked it, and every run warned of it."""
    names = {each.name for each in read_default_documents()}
    owned = [*world.catalog.tools.list_own(DEFAULTS_OWNER), *world.catalog.services.list_own(DEFAULTS_OWNER)]
    shipped = [each for each in owned if each.name in names]
    assert len(shipped) > 10
    assert {(each.status, each.error_message) for each in shipped} == {("healthy", None)}
    fields = {"type": "rest_api", "protocol": "https"}
    properties = {"endpoint": {"type": "string"}, "note": {"const": "aeon:graph"}}
    schema = {"type": "object", "required": ["endpoint"], "properties": properties}
    new = NewService(name="shop", connection_schema=schema, **fields)
    shop = world.catalog.services.add(new, MutationRequest(world.user("u")))
    assert (shop.status, shop.error_message) == ("degraded", UNCHECKED)


@pytest.mark.parametrize("name", NAMES)
def test_platform_6_each_passes_its_check_for_whoever_sees_it(world, processes, load, name):
    user = world.user("u")
    found = processes.find(user, name)
    assert (found.owner_id, found.shared, found.enabled) == (DEFAULTS_OWNER, True, True)
    there = processes.target_lookup(user)
    there.prefetch(found.definition)
    assert check_definition(found.definition, there, process_id=found.id) == []


def test_all_of_them_are_looked_at_here():
    assert sorted(each.name for each in read_default_documents() if each.kind == "Process") == NAMES


def test_loaded_again_nothing_changes(load):
    assert load() == []


def test_their_tools_say_what_calling_them_does(world, load):
    """Platform 10: a step that may not run twice is told from one that may."""
    user = world.user("u")
    effects = {name: world.catalog.tools.find(user, name).effect for name in ("answer", "remember", "recall")}
    assert effects == {"answer": "once", "remember": "idempotent", "recall": "read"}


@pytest.mark.parametrize("name", NAMES)
def test_a_user_copies_one_from_what_is_shown_of_it(world, processes, load, name):
    """The ids of the tools that it calls are good for everybody who sees them."""
    user = world.user("u")
    shown = processes.find(user, name)
    copied = {**shown.definition.as_dict(), "kind": "Process", "name": f"my {name}"}
    applier = Applier(world.catalog, user, {"Process": ProcessDocuments(world.catalog, processes, user)})
    applier.apply(applier.plan(read_documents(yaml.safe_dump(copied), {})))
    mine = processes.find_own(user, f"my {name}")
    assert (mine.digest, mine.shared) == (shown.digest, False)


# With the model


@pytest.fixture
def aeon(tmp_path, small_model):
    """`aeon(*argv)`: the command as a process in a folder of the test's own."""
    environ = {**os.environ, "AEON_MODEL_NAME": small_model}

    def command(*argv, code=0):
        ended = subprocess.run(
            [sys.executable, "-m", "aeon", *argv],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert ended.returncode == code, ended.stderr
        return ended

    command("init")
    return command


def asked_again(aeon, topic):
    """The run of `research` that now waits for its approval, and what it said."""
    said = aeon("process", "run", "research", "--input", f"topic={topic}", code=3)
    return json.loads(aeon("log", "list", "--json").stdout)[0]["id"], said.stderr


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_platform_9_research_asks_and_keeps_what_is_approved(aeon, tmp_path):
    """The main job of Processes, as a person does it: the second run builds on what the first one kept."""
    run, said = asked_again(aeon, "the history of tea")
    assert "digest skipped" in said
    assert f"aeon log answer {run} approve" in " ".join(said.split())
    ended = aeon("log", "answer", run, "approve", "yes")
    assert ended.stdout.startswith("# the history of tea\n")
    assert 'Kept as "the history of tea".' in ended.stdout
    kept = json.loads(aeon("tool", "call", "recall", "--input", '{"key": "the history of tea"}').stdout)
    assert kept["memory"]["text"] in ended.stdout

    again, said = asked_again(aeon, "the history of tea")
    assert "digest started: process summary" in said
    ended = aeon("log", "answer", again, "approve", "no")
    assert ended.stdout.rstrip().endswith("Not kept.")
    assert not [place for place in Path("/proc").glob("[0-9]*/cwd") if _stands_in(place, tmp_path)]


def _stands_in(place, folder):
    try:
        return place.readlink() == folder and b"aeon\0mcp" in place.with_name("cmdline").read_bytes()
    except OSError:
        return False


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_reply_answers_by_the_kernel_and_keeps_what_was_said(aeon):
    said = aeon("process", "run", "answer_and_keep", "--input", "request=What is 15*23+7?")
    assert "352" in said.stdout
    kept = json.loads(aeon("tool", "call", "recall", "--input", '{"key": "latest reply"}').stdout)
    assert kept["memory"]["value"]["request"] == "What is 15*23+7?"

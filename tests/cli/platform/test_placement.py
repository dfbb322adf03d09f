"""Labels, operations and versions of workers: only those that can execute a call or read a run take it (platform 10)."""

import os
import signal
from pathlib import Path

import pytest

from .conftest import until

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(300)]

LABELLED = """
kind: Tool
name: render
service: shop
connectionParams: {{endpoint: "http://127.0.0.1:{port}"}}
operation: {{type: rest_request, path: "/{{id}}", allowPrivate: true}}
inputSchema: {{type: object, required: [id], properties: {{id: {{type: string}}}}}}
runsOn: [site=berlin, gpu]
---
kind: Process
name: film
initialContext: []
steps:
  - {{id: shoot, tool: item, inputs: {{id: shoot}}, output: shoot}}
  - {{id: render, tool: render, inputs: {{id: render}}, output: render}}
  - {{id: last, tool: item, inputs: {{id: last}}, output: last}}
"""


def text_of(ended):
    return " ".join(f"{ended.out} {ended.err}".split())


@pytest.fixture(params=["SQLite", "PostgreSQL", "Temporal"])
def engine(request, engine_at):
    """The settings of the folder: runs execute calls of their own type themselves."""
    Path("aeon.toml").write_text(f"[engine]\n{engine_at(request.param)}", encoding="utf-8")
    return request.param


def test_only_a_worker_with_all_labels_takes_a_call(aeon, applied, background, shop, engine):
    """Neither the process of the run nor a worker with one of the labels does; `why` names them, the list shows them."""
    applied(LABELLED.format(port=shop.port))
    running = background("process", "run", "film")
    some = background("serve", "worker", "--type", "rest_api", "--label", "gpu", "--label", "site=rome")
    some.says("serves jobs: rest_api")
    until(lambda: shop.calls["/shoot"] == 1, lambda: running.err)
    run = aeon("log", "list", "--json").json[0]["id"]
    waits = "Waits for a worker of the type rest_api with the labels gpu and site=berlin: there is none."
    until(lambda: waits in text_of(aeon("log", "why", run)), lambda: running.err)  # the call is noted after its answer
    why = aeon("log", "why", run)
    assert "aeon serve worker --type rest_api --label gpu --label site=berlin" in text_of(why)
    assert shop.calls["/render"] == 0
    fits = background(
        "serve", "worker", "--type", "rest_api", "--label", "site=berlin", "--label", "gpu", "--label", "x"
    )
    assert running.waited() == 0, running.err
    assert shop.calls == {"/shoot": 1, "/render": 1, "/last": 1}
    listed = [each for each in aeon("serve", "worker", "list", "--json").json if each["executorId"] in fits.err]
    assert {tuple(each["labels"]) for each in listed} == {("gpu", "site=berlin", "x")}
    assert {each["aeonVersion"] for each in listed} == {"0.1.0"}
    assert "gpu site=berlin x" in aeon("serve", "worker", "list").out
    history = aeon("log", "show", run, "--json").out
    assert fits.err.partition("worker ")[2].partition(" ")[0] in history
    assert fits.ends(signal.SIGTERM) == 0


def test_a_run_executes_the_calls_whose_labels_the_settings_give_it(aeon, applied, shop):
    Path("aeon.toml").write_text('[engine]\nlabels = ["gpu", "site=berlin"]\n', encoding="utf-8")
    applied(LABELLED.format(port=shop.port))
    assert aeon("process", "run", "film").code == 0
    assert shop.calls == {"/shoot": 1, "/render": 1, "/last": 1}


def test_a_run_in_memory_says_that_it_has_no_workers(aeon, applied, shop):
    Path("aeon.toml").write_text('[engine]\naddress = "memory"\n', encoding="utf-8")
    applied(LABELLED.format(port=shop.port))
    refused = aeon("process", "run", "film")
    assert refused.code == 1
    assert "needs a worker with the labels gpu and site=berlin, and runs in memory give no jobs to workers" in text_of(
        refused
    )
    assert shop.calls == {"/shoot": 1}


def test_labels_are_checked_where_they_are_written(aeon, applied, shop):
    applied("")
    Path("film.yaml").write_text(LABELLED.format(port=shop.port).replace("gpu]", "'g p u']"), encoding="utf-8")
    refused = aeon("apply", "-f", "film.yaml")
    assert "a label is a word such as gpu, or a word with a value such as site=berlin" in text_of(refused)
    assert (refused.code, "runsOn" in text_of(refused)) == (2, True), text_of(refused)
    assert aeon("serve", "worker", "--label", "g p u").code == 2


def without(tmp_path, *packages):
    """The environment of a process that has these packages not installed."""
    (tmp_path / "missing").mkdir(exist_ok=True)
    (tmp_path / "missing" / "sitecustomize.py").write_text(
        f"""
import importlib.machinery
find = importlib.machinery.PathFinder.find_spec
importlib.machinery.PathFinder.find_spec = classmethod(
    lambda cls, name, *more: None if name in {packages!r} else find(name, *more)
)
""",
        encoding="utf-8",
    )
    return {"PYTHONPATH": os.pathsep.join([str(tmp_path / "missing"), os.environ.get("PYTHONPATH", "")])}


def leave_graphs_to_workers():
    settings = Path("aeon.toml")
    settings.write_text(settings.read_text(encoding="utf-8") + "graph_query = 0\n", encoding="utf-8")


GRAPH = """
kind: Service
name: graph
type: neo4j_graph
protocol: bolt
connectionSchema: {{type: object, required: [endpoint]}}
---
kind: Tool
name: note
service: graph
connectionParams: {{endpoint: "{endpoint}", database: notes}}
operation: {{type: graph_query, mode: write, allowPrivate: true, query: "CREATE (n:Note {{{{word: $word}}}}) RETURN n.word"}}
inputSchema: {{type: object, required: [word], properties: {{word: {{type: string}}}}}}
effect: idempotent
---
kind: Process
name: notes
initialContext: []
steps:
  - {{id: note, tool: note, inputs: {{word: hi}}, output: note, retry: {{attempts: 1}}}}
"""


def test_a_call_goes_to_a_worker_that_knows_its_operation(aeon, applied, background, engine, tmp_path):
    """Of two workers of the type, one lacks the driver, as does the process of the run: the other one asks the server."""
    leave_graphs_to_workers()
    applied(GRAPH.format(endpoint="falkordb://127.0.0.1:1"))
    lacking = without(tmp_path, "falkordb", "neo4j")
    lacks = background("serve", "worker", "--type", "graph_query", **lacking)
    lacks.says("serves jobs: graph_query")
    knows = background("serve", "worker", "--type", "graph_query")
    knows.says("serves jobs: graph_query")
    running = background("process", "run", "notes", **lacking)
    assert running.waited() == 1
    assert "127.0.0.1" in running.err
    run = aeon("log", "list", "--json").json[0]["id"]
    history = aeon("log", "show", run, "--json").out
    assert knows.err.partition("worker ")[2].partition(" ")[0] in history
    assert "Install" not in history


def test_why_names_the_operation_that_no_live_worker_knows(aeon, applied, background, engine, tmp_path):
    leave_graphs_to_workers()
    applied(GRAPH.format(endpoint="falkordb://127.0.0.1:1"))
    lacks = background("serve", "worker", "--type", "graph_query", **without(tmp_path, "falkordb", "neo4j"))
    lacks.says("serves jobs: graph_query")
    background("process", "run", "notes", **without(tmp_path, "falkordb", "neo4j"))
    until(lambda: aeon("log", "list", "--json").json)
    run = aeon("log", "list", "--json").json[0]["id"]
    said = "Waits for a worker of the type graph_query with the operation graph_query:falkordb: there is none."
    until(lambda: said in text_of(aeon("log", "why", run)), lambda: text_of(aeon("log", "why", run)))


LOOPING = """
kind: Process
name: each
initialContext: []
steps:
  - {id: go, tool: item, forEach: {items: [a, b]}, inputs: {id: "{item}"}, output: gone}
"""


def older(tmp_path):
    """The environment of a process whose Aeon knows version 1 of the language of Processes alone."""
    (tmp_path / "older").mkdir()
    (tmp_path / "older" / "sitecustomize.py").write_text(
        "import aeon.platform.processes.language as known\nknown.LANGUAGE = 1\n", encoding="utf-8"
    )
    return {"PYTHONPATH": os.pathsep.join([str(tmp_path / "older"), os.environ.get("PYTHONPATH", "")])}


def test_a_run_is_left_to_a_worker_that_can_read_it(aeon, applied, background, shop, engine, tmp_path):
    """An older worker executes what it knows, and not the loop; `why` says so, and a newer one goes on."""
    applied(LOOPING)
    old = background("serve", "worker", **older(tmp_path))
    old.says("serves runs")
    assert aeon("process", "run", "each", "-d").code == 0
    run = aeon("log", "list", "--json").json[0]["id"]
    said = "It uses what the live workers cannot read: their version of Aeon is 0.1.0."
    until(lambda: said in text_of(aeon("log", "why", run)), lambda: text_of(aeon("log", "why", run)))
    assert "is adopted" not in old.err
    new = background("serve", "worker")
    until(lambda: shop.calls == {"/a": 1, "/b": 1}, lambda: f"{new.err} {old.err}")
    new.says("of each is completed")
    assert "is adopted" not in old.err
    # Temporal's runs belong to no worker, so each worker tells of their ends.
    assert run not in old.err or engine == "Temporal"

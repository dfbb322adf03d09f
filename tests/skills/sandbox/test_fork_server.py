"""Python scripts forked from a warm interpreter behave as started ones do, and end as surely (skills 1-4)."""

import os
import signal
import sys
import threading
from dataclasses import replace

import pytest

from aeon.skills.invocation import ScriptAccess, ScriptExitReason
from aeon.skills.sandbox import SandboxRunner

from .conftest import DONE, LOG, usable

pytestmark = pytest.mark.slow  # a process for each test, at every level

REPORT = """
import json, os, sys
event = {"version": "0", "type": "done", "ok": True, "summary": {
    "stdin": sys.stdin.read(), "argv": sys.argv, "name": __name__, "file": __file__, "cwd": os.getcwd(),
    "env": dict(os.environ), "path0": sys.path[0], "main": sys.modules["__main__"].__dict__ is globals(),
    "fds": sorted(os.listdir("/proc/self/fd"))[:-1], "leads": os.getsid(0) == os.getpid(),
    "encodings": [sys.stdin.encoding, sys.stdout.encoding, sys.stderr.encoding, sys.stderr.errors],
    "signals": [str(signal_of(number)) for number in (2, 15, 17)], "sibling": sibling.VALUE,
}}
print(json.dumps(event))
"""
REPORT = "from signal import getsignal as signal_of\nimport sibling\n" + REPORT


@pytest.fixture(scope="session", params=["plain", "landlock"])
def warm(request):
    with usable(request.param, fork_server=True) as made:
        yield made


def script(scripts, body: str, *arguments, **options):
    return scripts.invocation(sys.executable, scripts.write(body, "script.py"), *arguments, **options)


def is_forked(runner) -> bool:
    return runner._warm._reaper is not None


@pytest.mark.parametrize("options", [(), ("-s", "-B")])
def test_a_forked_script_sees_what_a_started_one_sees(warm, scripts, options):
    scripts.write("VALUE = 7", "sibling.py")
    invocation = script(scripts, REPORT, "one", "two words", env={"A": "\u00e9"}, stdin=b"given")
    invocation = replace(invocation, command=[sys.executable, *options, *invocation.command[1:]])
    with SandboxRunner(warm.level) as cold:
        expected = cold.run(invocation).events[0]["summary"]
    outcome = warm.run(invocation)
    assert is_forked(warm)
    summary = outcome.events[0]["summary"]
    del summary["env"]["AEON_INVOCATION"], expected["env"]["AEON_INVOCATION"]
    assert summary == expected
    assert (outcome.exit_code, outcome.stderr, outcome.violation) == (0, "", None)


@pytest.mark.parametrize(
    ("body", "exit_code", "stderr"),
    [
        ("raise SystemExit", 0, ""),
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('sorry')", 1, "sorry\n"),
        ("import sys; sys.exit(True)", 1, ""),
        ("import os; os._exit(5)", 5, ""),
        ("1 / 0", 1, "ZeroDivisionError: division by zero\n"),
        ("def (", 1, "SyntaxError: invalid syntax\n"),
        ("import os; os.kill(os.getpid(), 11)", -signal.SIGSEGV, ""),
        ("import atexit, sys; atexit.register(lambda: sys.stderr.write('bye'))", 0, "bye"),
        (
            "import threading, time\nthreading.Thread(target=lambda: print(end='', file=__import__('sys').stderr)).start()",
            0,
            "",
        ),
    ],
)
def test_a_forked_script_ends_as_a_started_one(warm, scripts, body, exit_code, stderr):
    """Skills 3: the exit code says whether it failed."""
    outcome = warm.run(script(scripts, body, is_ndjson=False))
    assert (outcome.exit_reason, outcome.exit_code) == (ScriptExitReason.EXITED, exit_code)
    assert outcome.stderr.endswith(stderr)


def test_output_is_flushed_at_the_end(warm, scripts):
    outcome = warm.run(script(scripts, f"import sys; sys.stdout.write('''{DONE}''')"))
    assert (outcome.exit_code, len(outcome.events)) == (0, 1)


def test_a_forked_script_is_timed_out_with_all_it_started(warm, scripts):
    """Skills 4."""
    body = f"import subprocess, time\nsubprocess.Popen(['setsid', {str(scripts.stubborn())!r}])\ntime.sleep(60)"
    outcome = warm.run(script(scripts, body, timeout=0.5))
    assert (outcome.exit_reason, outcome.exit_code) == (ScriptExitReason.TIMED_OUT, -signal.SIGTERM)
    assert scripts.survivors() == []


def test_what_a_forked_script_forked_away_does_not_survive(warm, scripts):
    """Skills 4: it carries no marker, for it never started a program, and is ended all the same."""
    body = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        open('pid', 'w').write(str(os.getpid())); time.sleep(60)\n"
        "    os._exit(0)\n"
        "while not os.path.exists('pid') or not open('pid').read(): time.sleep(0.01)\n"
    )
    assert warm.run(script(scripts, body, is_ndjson=False)).exit_code == 0
    pid = int((scripts.folder / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_forked_scripts_share_nothing(warm, scripts):
    body = "import json, random\nassert not hasattr(json, 'mark')\njson.mark = 1\nprint(random.random())"
    answers = {warm.run(script(scripts, body, is_ndjson=False)).stdout for _ in range(3)}
    assert len(answers) == 3


def test_many_at_once(warm, scripts):
    outcomes = []
    invocation = script(scripts, f"import time; print('''{LOG}'''); time.sleep(0.1); print('''{DONE}''')")
    threads = [threading.Thread(target=lambda: outcomes.append(warm.run(invocation))) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(o.exit_reason, o.exit_code, len(o.events), o.stderr) for o in outcomes] == [
        (ScriptExitReason.EXITED, 0, 2, "")
    ] * 10


def test_the_fence_holds_for_forked_scripts(scripts, tmp_path):
    """Skills 11."""
    (tmp_path / "secret").write_text("hunter2")
    body = "import sys\ntry: print(open(sys.argv[1]).read())\nexcept OSError: print('refused')"
    with usable("landlock", fork_server=True) as warm:
        access = ScriptAccess(read=(scripts.folder,))
        invocation = script(scripts, body, tmp_path / "secret", access=access, is_ndjson=False)
        assert warm.run(invocation).stdout == b"refused\n"
        assert is_forked(warm)


def test_a_missing_script_is_not_started(warm, scripts):
    outcome = warm.run(scripts.invocation(sys.executable, scripts.folder / "gone.py"))
    assert outcome.exit_reason is ScriptExitReason.NOT_STARTED


@pytest.mark.parametrize("how", ["options", "environment", "other program", "bubblewrap"])
def test_what_a_fork_cannot_do_starts_cold(scripts, how):
    path = scripts.write(f"print('''{DONE}''')", "script.py")
    command = {"options": (sys.executable, "-O", path), "other program": (sys._base_executable, path)}
    env = {"PYTHONOPTIMIZE": "1"} if how == "environment" else {}
    invocation = scripts.invocation(*command.get(how, (sys.executable, path)), env=env)
    with usable("bubblewrap" if how == "bubblewrap" else "plain", fork_server=True) as runner:
        assert runner.run(invocation).exit_code == 0
        assert not is_forked(runner)

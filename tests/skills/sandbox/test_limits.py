"""What a script may use of the machine, at every level (skills 18): memory, processes, what it writes, open files."""

import pytest

from aeon.base.errors import SandboxError
from aeon.skills.executor.node_verdict import judge_result
from aeon.skills.failures import FailureClass
from aeon.skills.invocation import ResourceLimits, ScriptAccess, ScriptExitReason
from aeon.skills.sandbox import SandboxRunner
from aeon.testing.scripts import script

MIB = 1024**2
SMALL = ResourceLimits(memory=128 * MIB, processes=8, bytes_written=20 * MIB, open_files=64)
ENDS = '\nprint(\'{"version":"0","type":"done","ok":true}\')'


@pytest.fixture(scope="module", params=["plain", "landlock", "bubblewrap"])
def limited(request):
    with SandboxRunner(request.param, limits=SMALL) as made:
        try:
            assert made.level == request.param
        except SandboxError as error:
            pytest.skip(str(error))
        yield made


def run(runner, scripts, body):
    """The outcome of a Python script that may write in its folder."""
    access = ScriptAccess(read=(scripts.folder,), write=(scripts.folder,))
    return runner.run(scripts.python(body + ENDS, access=access, cwd=scripts.folder))


def test_a_script_within_its_limits_runs(limited, scripts):
    outcome = run(limited, scripts, "x = b'x' * (40 * 2**20)\nopen('f', 'wb').write(x[:10 * 2**20])")

    assert (outcome.exit_reason, outcome.exit_code) == (ScriptExitReason.EXITED, 0), outcome.stderr


TAKES = {
    "at once": "x = b'x' * (400 * 2**20)\nimport time; time.sleep(10)",
    "bit by bit": "x = []\nwhile len(x) < 400: x.append(b'x' * 2**20)\nimport time; time.sleep(10)",
    "shared": "import mmap\nm = mmap.mmap(-1, 400 * 2**20)\nm.write(b'x' * (100 * 2**20))\nm.write(b'x' * (100 * 2**20))\n"
    "import time; time.sleep(10)",
    "in children": "import os, time\nfor _ in range(4):\n"
    "    if not os.fork():\n        x = b'x' * (60 * 2**20)\n        time.sleep(10)\n        os._exit(0)\ntime.sleep(10)",
}


@pytest.mark.parametrize("how", TAKES)
def test_a_script_that_takes_more_memory_is_ended(limited, scripts, how):
    outcome = run(limited, scripts, TAKES[how])
    said = judge_result(outcome, script("s"), scripts.invocation())

    if outcome.exit_reason is ScriptExitReason.RESOURCES_EXCEEDED:
        assert outcome.problem == "it used more than 128 MiB of memory"
        assert said.kind is FailureClass.RESOURCE_LIMIT
    else:  # asked for at once: the kernel refuses it
        assert how == "at once"
        assert "(a limit: memory, [skills] memory_mb)" in said.message


def test_pages_that_forks_share_count_once(limited, scripts):
    body = (
        "import os, time\nx = b'x' * (60 * 2**20)\nfor _ in range(5):\n"
        "    if not os.fork():\n        time.sleep(0.5)\n        os._exit(0)\nfor _ in range(5): os.wait()"
    )
    outcome = run(limited, scripts, body)

    assert (outcome.exit_reason, outcome.exit_code) == (ScriptExitReason.EXITED, 0), outcome


@pytest.mark.parametrize("leaves", ["", "os.setsid()"], ids=["family", "daemons"])
@pytest.mark.timeout(60)
def test_a_script_that_forks_too_often_is_ended(limited, scripts, leaves):
    body = (
        "import os, time\nfor _ in range(400):\n"
        f"    if not os.fork():\n        {leaves or 'pass'}\n        time.sleep(10)\n        os._exit(0)\ntime.sleep(10)"
    )
    outcome = run(limited, scripts, body)

    assert (outcome.exit_reason, outcome.problem) == (
        ScriptExitReason.RESOURCES_EXCEEDED,
        "it had more than 8 processes at once",
    )
    assert scripts.survivors() == []


def test_as_many_processes_as_are_allowed_run(limited, scripts):
    body = (
        "import os, time\nfor _ in range(7):\n"
        "    if not os.fork():\n        time.sleep(0.5)\n        os._exit(0)\nfor _ in range(7): os.wait()"
    )
    outcome = run(limited, scripts, body)

    assert (outcome.exit_reason, outcome.exit_code) == (ScriptExitReason.EXITED, 0), outcome


def test_a_file_that_grows_beyond_the_limit_is_told(limited, scripts):
    outcome = run(limited, scripts, "f = open('f', 'wb')\nfor _ in range(400): f.write(b'x' * 2**20)")
    said = judge_result(outcome, script("s"), scripts.invocation())

    assert "written_mb" in said.message or outcome.problem == "it wrote more than 20 MiB"
    assert (scripts.folder / "f").stat().st_size <= 20 * MIB


def test_what_is_written_into_many_files_is_counted_together(limited, scripts):
    body = (
        "import time\nfor n in range(10):\n    open(f'f{n}', 'wb').write(b'x' * (10 * 2**20))\n    time.sleep(0.05)\n"
        "time.sleep(10)"
    )
    outcome = run(limited, scripts, body)

    assert (outcome.exit_reason, outcome.problem) == (ScriptExitReason.RESOURCES_EXCEEDED, "it wrote more than 20 MiB")


def test_open_files_are_limited(limited, scripts):
    outcome = run(limited, scripts, "import time\ntime.sleep(0.2)\nx = [open('/dev/null') for _ in range(100)]")
    said = judge_result(outcome, script("s"), scripts.invocation())

    assert "(a limit: open files, [skills] open_files)" in said.message


def test_a_script_cannot_raise_its_limits(limited, scripts):
    body = (
        "import resource, time\ntime.sleep(0.2)\n"
        "for what in (resource.RLIMIT_DATA, resource.RLIMIT_FSIZE):\n"
        "    try: resource.setrlimit(what, (resource.getrlimit(what)[1] + 1,) * 2)\n"
        "    except (ValueError, OSError): continue\n"
        "    raise SystemExit(3)\n"
    )
    if limited.level == "plain":
        pytest.skip("root may, and at this level it keeps its powers")
    assert run(limited, scripts, body).exit_code == 0

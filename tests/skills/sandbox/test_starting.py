"""Scripts that cannot be started say why; nothing is run in their place (skills 13)."""

import subprocess
import sys

import pytest

from aeon.base.errors import ConfigError
from aeon.skills.invocation import ScriptExitReason
from aeon.skills.sandbox import SandboxRunner


def refused(runner, invocation) -> str:
    outcome = runner.run(invocation)
    assert (outcome.exit_reason, outcome.exit_code) == (ScriptExitReason.NOT_STARTED, None)
    return outcome.problem


def test_a_missing_script(runner, scripts):
    assert "the file does not exist" in refused(runner, scripts.invocation(scripts.folder / "nothing.sh"))


def test_a_command_that_is_not_in_the_path(runner, scripts):
    assert "the file does not exist" in refused(runner, scripts.invocation("no-such-command"))


def test_a_command_from_the_path(runner, scripts):
    assert runner.run(scripts.invocation("true", is_ndjson=False)).exit_code == 0


def test_the_path_is_searched_past_what_cannot_be_started(runner, scripts):
    for folder in ("first", "second"):
        (scripts.folder / folder).mkdir()
        scripts.write(f"#!/bin/sh\necho {folder}\n", f"{folder}/tool")
    (scripts.folder / "first/tool").chmod(0o644)
    env = {"PATH": f"{scripts.folder}/none:{scripts.folder}/first:{scripts.folder}/second:/usr/bin:/bin"}
    assert runner.run(scripts.invocation("tool", env=env, is_ndjson=False)).stdout == b"second\n"
    (scripts.folder / "second/tool").unlink()
    assert "it is not executable" in refused(runner, scripts.invocation("tool", env=env))


def test_no_signal_is_ignored_or_blocked_at_the_start(runner, scripts):
    """Else a script could not be ended politely (skills 4). 32 and 33 are the C library's own."""
    script = scripts.write("#!/bin/sh\nexec grep -E 'Sig(Ign|Blk)' /proc/self/status\n")
    lines = runner.run(scripts.invocation(script, is_ndjson=False)).stdout.split()
    internal = 1 << 31 | 1 << 32
    assert [int(mask, 16) & ~internal for mask in lines[1::2]] == [0, 0]


def test_a_missing_interpreter(runner, scripts):
    path = scripts.write("#!/usr/bin/no-such-interpreter\n")
    assert "its interpreter /usr/bin/no-such-interpreter does not exist" in refused(runner, scripts.invocation(path))


def test_a_script_without_the_exec_bit(runner, scripts):
    path = scripts.write("#!/bin/sh\n")
    path.chmod(0o644)
    assert "it is not executable" in refused(runner, scripts.invocation(path))


def test_a_script_without_an_interpreter_line(runner, scripts):
    invocation = scripts.invocation(scripts.write("echo hello\n"), is_ndjson=False)
    if runner.level == "bubblewrap":  # which gives it to sh, as shells do
        assert runner.run(invocation).stdout == b"hello\n"
    else:
        assert "no interpreter line" in refused(runner, invocation)


def test_a_script_that_is_being_written(runner, scripts):
    path = scripts.write("#!/bin/sh\n")
    with path.open("a"):
        assert "open for writing" in refused(runner, scripts.invocation(path))


@pytest.mark.parametrize("command", [("/bin/ec\0ho",), ("/bin/echo", "a\0b"), ("/bin/echo", "\ud800")])
def test_text_that_no_command_line_carries(runner, scripts, command):
    assert "The command or its environment contains" in refused(runner, scripts.invocation(*command))


def test_an_environment_that_cannot_be(runner, scripts):
    assert "NUL" in refused(runner, scripts.invocation("true", env={"A": "\0"}))
    assert "equals sign" in refused(runner, scripts.invocation("true", env={"A=B": ""}))


def test_no_command(runner, scripts):
    assert refused(runner, scripts.invocation()) == "The command is empty."


def test_a_missing_working_folder(runner, scripts):
    assert "does not exist" in refused(runner, scripts.invocation("true", cwd=scripts.folder / "gone"))


def test_arguments_that_are_too_long(runner, scripts):
    assert "too long for the system" in refused(runner, scripts.invocation("true", "x" * 200_000))


def test_a_large_command_line_and_environment_arrive(runner, scripts):
    """A request may be longer than a message between processes."""
    path = scripts.write("#!/bin/sh\necho ${#BIG} $#\n")
    env = {"BIG": "x" * 100_000}
    outcome = runner.run(scripts.invocation(path, *["y" * 1000] * 300, env=env, is_ndjson=False))
    assert outcome.stdout == b"100000 300\n"


def test_names_that_are_no_utf8_arrive(runner, scripts):
    path = scripts.write('#!/bin/sh\nprintf %s "$1" | od -An -tx1\n')
    outcome = runner.run(scripts.invocation(path, "\udcff", is_ndjson=False))
    assert outcome.stdout.split() == [b"ff"]


def test_unusual_timeouts(runner, scripts):
    assert runner.run(scripts.invocation("true", timeout=1e12, is_ndjson=False)).exit_reason is ScriptExitReason.EXITED
    assert (
        runner.run(scripts.invocation("sleep", "9", timeout=0.0, is_ndjson=False)).exit_reason
        is ScriptExitReason.TIMED_OUT
    )


def test_the_interpreter_itself_may_be_the_program(runner, scripts):
    outcome = runner.run(scripts.invocation(sys.executable, "-c", "print(6 * 7)", is_ndjson=False))
    assert outcome.stdout == b"42\n"


def test_too_few_open_files_are_said_whatever_they_were_wanted_for(tmp_path):
    """From none to enough: an error that says what to do, never a trace from inside, and in the end it runs."""
    code = (
        "import os, resource, sys; from pathlib import Path; from aeon.skills.invocation import Invocation;"
        "from aeon.base.errors import SandboxError; from aeon.skills.sandbox import SandboxRunner;\n"
        "with SandboxRunner('plain') as runner:\n"
        f"    work = Invocation(['/bin/true'], b'', Path({str(tmp_path)!r}), {{}}, is_ndjson=False)\n"
        "    runner.run(work); lowest = os.dup(0); os.close(lowest); said = set()\n"
        "    runner._cold._reaper._idle.pop().close()\n"
        "    for more in range(16):\n"
        "        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + more, 4096))\n"
        "        try: outcome = runner.run(work)\n"
        "        except SandboxError as error: said.add(str(error) + error.next_step); continue\n"
        "        print(outcome.exit_code, said); sys.exit()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert done.stdout.startswith("0 {'A script cannot be started: Too many open files.")
    assert "ulimit -n" in done.stdout


def test_a_request_that_cannot_be_written_whole_is_said(tmp_path):
    """A limit on the size of files (a full disk's stand-in) blames neither the script nor its skill."""
    code = (
        "import resource, signal; from pathlib import Path; from aeon.skills.invocation import Invocation;"
        "from aeon.skills.sandbox import SandboxRunner; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64));"
        f"SandboxRunner('plain').run(Invocation(['/bin/true'], b'', Path({str(tmp_path)!r}), {{}}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert "SandboxError" in done.stderr
    assert "File too large" in done.stderr


@pytest.mark.parametrize("level", ["Landlock", "none", "", None])
def test_a_level_that_there_is_not_is_refused(level):
    """Skills 11: taken as it is, it would isolate nothing."""
    with pytest.raises(ConfigError, match="not a sandbox level"):
        SandboxRunner(level)

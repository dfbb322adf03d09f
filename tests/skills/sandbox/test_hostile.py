"""Scripts that misbehave in every way known: the right ending, no survivor, no hang, no memory (skills 1-4)."""

import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from aeon.base.errors import SandboxError
from aeon.skills.invocation import Cancellation, OutputLimits, ScriptAccess, ScriptExitReason
from aeon.skills.sandbox import SandboxRunner
from aeon.skills.sandbox.reaper_client import ReaperProcess

from .conftest import DONE, LOG, Scripts

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]  # a process for each test, at every level; none may hang

MEGABYTE = 1024 * 1024


class Growth:
    """How far resident memory rises above where it was; the kernel keeps the high-water mark."""

    def __enter__(self):
        Path("/proc/self/clear_refs").write_text("5")
        self._before = self._status("VmRSS")
        return self

    def __exit__(self, *exc):
        self.megabytes = (self._status("VmHWM") - self._before) / 1024

    def _status(self, name: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name))


# What is written


@pytest.mark.parametrize("line", ["y", LOG, '{"version":"0","type":"state_patch","patch":{"a":[{},{},{},{},{},{}]}}'])
def test_endless_output_is_stopped_and_costs_no_memory(runner, scripts, line):
    """Skills 4: 16 MiB in all; over it, the invocation is ended and says so."""
    with Growth() as growth:
        outcome = runner.run(scripts.sh(f"exec yes '{line}'"))
    assert outcome.exit_reason is ScriptExitReason.OUTPUT_EXCEEDED
    assert "16777216" in outcome.problem
    assert growth.megabytes <= 64


def test_endless_output_of_a_plain_script_is_stopped(runner, scripts):
    """Skills 4, 9."""
    with Growth() as growth:
        outcome = runner.run(scripts.sh("exec yes", is_ndjson=False))
    assert (outcome.exit_reason, len(outcome.stdout)) == (ScriptExitReason.OUTPUT_EXCEEDED, 16 * MEGABYTE)
    assert growth.megabytes <= 64


def test_a_line_of_300_megabytes_is_stopped(runner, scripts):
    """Skills 4: a line 1 MiB."""
    with Growth() as growth:
        outcome = runner.run(scripts.sh("exec head -c 300000000 /dev/zero"))
    assert outcome.exit_reason is ScriptExitReason.OUTPUT_EXCEEDED
    assert "line 1 " in outcome.problem
    assert growth.megabytes <= 64


def test_a_flood_of_diagnostics_keeps_the_last_of_them(runner, scripts):
    """Skills 1: the last 64 KiB."""
    with Growth() as growth:
        outcome = runner.run(scripts.sh(f"head -c 26000000 /dev/zero >&2; echo the end >&2; echo '{DONE}'"))
    assert (outcome.exit_reason, outcome.exit_code, outcome.violation) == (ScriptExitReason.EXITED, 0, None)
    assert len(outcome.stderr) == 65536
    assert outcome.stderr.endswith("the end\n")
    assert growth.megabytes <= 64


def test_the_last_line_needs_no_newline(runner, scripts):
    outcome = runner.run(scripts.sh(f"printf '%s' '{DONE}'"))
    assert (outcome.violation, len(outcome.events)) == (None, 1)


def test_bytes_that_are_no_utf8_are_a_violation(runner, scripts):
    """Skills 4: a violation, never a crash."""
    outcome = runner.run(scripts.sh(rf"echo '{LOG}'; printf '\377\376\n'; printf 'bad \377\n' >&2; echo '{DONE}'"))
    assert outcome.violation.startswith("line 2: the line is not valid UTF-8")
    assert len(outcome.events) == 2
    assert outcome.stderr == "bad \ufffd\n"


def test_no_done_and_exit_0_is_a_violation(runner, scripts):
    """Skills 3, 4."""
    outcome = runner.run(scripts.sh(f"echo '{LOG}'"))
    assert (outcome.exit_reason, outcome.exit_code) == (ScriptExitReason.EXITED, 0)
    assert "without a done" in outcome.violation


def test_a_script_that_fails_before_done_fails_by_its_exit_code(runner, scripts):
    """Skills 3: exit code other than 0 is a failure whatever was emitted."""
    outcome = runner.run(scripts.sh(f"echo '{LOG}'; exit 7"))
    assert (outcome.exit_code, outcome.violation) == (7, None)


def test_done_then_exit_3(runner, scripts):
    """Skills 3."""
    outcome = runner.run(scripts.sh(f"echo '{DONE}'; exit 3"))
    assert (outcome.exit_code, len(outcome.events)) == (3, 1)


def test_done_twice_is_done_once(runner, scripts):
    """Skills 3: later output is ignored, also when it is no event."""
    outcome = runner.run(scripts.sh(f"echo '{DONE}'; echo '{DONE}'; echo nonsense; head -c 20000000 /dev/zero"))
    assert (outcome.exit_reason, outcome.exit_code, outcome.violation) == (ScriptExitReason.EXITED, 0, None)
    assert len(outcome.events) == 1


def test_an_unknown_event_is_a_violation(runner, scripts):
    """Skills 2."""
    outcome = runner.run(scripts.sh(f"""echo '{{"version":"0","type":"dance"}}'; echo '{DONE}'"""))
    assert outcome.violation.startswith("line 1: its type is not log")


def test_events_are_passed_on_as_they_come(runner, scripts):
    seen = []
    invocation = scripts.sh(f"echo '{LOG}'; while [ ! -e go ]; do sleep 0.01; done; echo '{DONE}'")

    def on_event(event):
        seen.append(event["type"])
        (scripts.folder / "go").touch()

    outcome = runner.run(invocation, None, on_event)
    assert seen == ["log", "done"] == [event["type"] for event in outcome.events]


# What is read


def test_stdin_is_given_whole_and_closed(runner, scripts):
    """Skills 1."""
    outcome = runner.run(scripts.sh("wc -c", stdin=b"x" * 10 * MEGABYTE, is_ndjson=False))
    assert outcome.stdout.split() == [b"10485760"]


def test_stdin_that_nobody_reads_hinders_nobody(runner, scripts):
    outcome = runner.run(scripts.sh(f"echo '{DONE}'", stdin=b"x" * 10 * MEGABYTE))
    assert (outcome.exit_reason, outcome.exit_code, outcome.violation) == (ScriptExitReason.EXITED, 0, None)


def test_a_script_may_close_its_streams(runner, scripts):
    outcome = runner.run(scripts.sh(f"exec 0<&-; echo '{DONE}'; exec >&- 2>&-; sleep 0.05", stdin=b"x" * MEGABYTE))
    assert (outcome.exit_reason, outcome.exit_code, len(outcome.events)) == (ScriptExitReason.EXITED, 0, 1)


# What will not end


def test_a_script_that_ignores_the_polite_request_is_killed(runner, scripts):
    """Skills 4: first politely, then for good."""
    outcome = runner.run(scripts.invocation(scripts.stubborn(), timeout=0.3))
    assert (outcome.exit_reason, outcome.exit_code) == (ScriptExitReason.TIMED_OUT, -signal.SIGKILL)
    assert outcome.milliseconds >= 500


def test_a_script_may_end_itself_when_asked(runner, scripts):
    """Skills 4: what it says then is still read."""
    body = f"trap 'echo \"$farewell\"; exit 4' TERM; farewell='{LOG}'; echo '{LOG}'; while :; do sleep 0.01; done"
    outcome = runner.run(scripts.sh(body, timeout=0.3, grace_seconds=5.0))
    assert (outcome.exit_reason, outcome.exit_code, len(outcome.events)) == (ScriptExitReason.TIMED_OUT, 4, 2)


def test_a_script_that_stopped_itself_is_ended(runner, scripts):
    outcome = runner.run(scripts.sh("kill -STOP $$", timeout=0.2, grace_seconds=0.1))
    assert outcome.exit_reason is ScriptExitReason.TIMED_OUT


def test_done_is_no_end_for_a_script_that_goes_on(runner, scripts):
    """Skills 3, 4: it has until its timeout, and then it timed out."""
    outcome = runner.run(scripts.sh(f"echo '{DONE}'; sleep 60", timeout=0.3))
    assert (outcome.exit_reason, len(outcome.events)) == (ScriptExitReason.TIMED_OUT, 1)


def test_what_left_the_process_group_is_ended(runner, scripts):
    """Skills 4: also those that left."""
    body = f"setsid {scripts.stubborn()} & setsid {scripts.stubborn()} & exec {scripts.stubborn()}"
    outcome = runner.run(scripts.sh(body, timeout=0.3))
    assert outcome.exit_reason is ScriptExitReason.TIMED_OUT


def test_a_daemon_does_not_outlive_its_script(runner, scripts):
    """Skills 4: nothing survives, however often it forked."""
    outcome = runner.run(scripts.sh(f"(setsid {scripts.stubborn()} >/dev/null 2>&1 &) ; echo '{DONE}'"))
    assert (outcome.exit_reason, outcome.exit_code, outcome.violation) == (ScriptExitReason.EXITED, 0, None)


def test_an_orphan_with_a_scrubbed_environment_does_not_outlive_its_script(runner, scripts):
    """Skills 4."""
    outcome = runner.run(scripts.sh(f"(setsid env -i /bin/sh {scripts.stubborn()} &); sleep 0.1; echo '{DONE}'"))
    assert outcome.exit_code == 0


@pytest.mark.parametrize("env", ["{}", "os.environ"])
def test_a_chain_of_daemons_that_never_stay_is_ended(runner, scripts, env):
    """Skills 4: each forks the next into a new session and is gone."""
    hop = scripts.folder / "hop.py"
    hop.write_text(
        "import os, sys\n"
        "if len(sys.argv) < 2: os.execve(sys.executable, [sys.executable, '-SE', __file__, 'on'], ENV)\n"
        "while True:\n"
        "    if os.fork(): os._exit(0)\n"
        "    os.setsid()\n".replace("ENV", env)
    )
    outcome = runner.run(
        scripts.sh(f"{sys._base_executable} -SE {hop} </dev/null >/dev/null 2>&1 & sleep 0.2; echo '{DONE}'")
    )
    assert outcome.exit_code == 0


def test_a_pipe_held_by_a_grandchild_is_not_waited_for(runner, scripts):
    outcome = runner.run(scripts.sh(f"{scripts.stubborn()} & echo '{DONE}'"))
    assert (outcome.exit_reason, outcome.exit_code, len(outcome.events)) == (ScriptExitReason.EXITED, 0, 1)


def test_a_segmentation_fault_is_an_exit_by_signal(runner, scripts):
    outcome = runner.run(scripts.sh("kill -SEGV $$"))
    assert (outcome.exit_reason, outcome.exit_code) == (ScriptExitReason.EXITED, -signal.SIGSEGV)
    assert not list(scripts.folder.glob("core*"))


def test_cancelling_ends_the_script(runner, scripts):
    with Cancellation() as cancellation:
        invocation = scripts.sh(f"echo '{LOG}'; setsid {scripts.stubborn()} & exec {scripts.stubborn()}")
        outcome = runner.run(invocation, cancellation, lambda _event: cancellation.cancel())
        assert outcome.exit_reason is ScriptExitReason.CANCELLED
        assert runner.run(invocation, cancellation).exit_code is None


def test_what_a_listener_raises_ends_the_script_and_goes_through(runner, scripts):
    def on_event(_event):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner.run(scripts.sh(f"echo '{LOG}'; exec {scripts.stubborn()}"), None, on_event)
    assert scripts.survivors() == []


# What it gets


def test_no_descriptor_is_inherited(runner, scripts):
    """Skills 11."""
    outcome = runner.run(scripts.sh("ls /proc/self/fd", is_ndjson=False))
    assert outcome.stdout.split() == [b"0", b"1", b"2", b"3"]  # 3 is the folder that ls reads


def test_the_environment_is_the_one_that_was_given(runner, scripts, monkeypatch):
    """Skills 11: not the parent's secrets."""
    monkeypatch.setenv("AEON_TEST_SECRET", "hunter2")
    outcome = runner.run(scripts.sh("exec cat /proc/self/environ", env={"A": "b c"}, is_ndjson=False))
    names = {each.partition(b"=")[0].decode() for each in outcome.stdout.split(b"\0")} - {""}
    assert names - {"PWD", "OLDPWD", "_"} == {"A", "PATH", "LANG", "AEON_INVOCATION"}
    assert b"hunter2" not in outcome.stdout


def test_a_script_gains_no_privileges_and_leaves_no_core(runner, scripts):
    outcome = runner.run(scripts.sh("grep NoNewPrivs /proc/self/status; ulimit -c", is_ndjson=False))
    assert outcome.stdout.split() == [b"NoNewPrivs:", b"1", b"0"]


# All at once, and the end of Aeon


def hostile(scripts: Scripts, number: int):
    stubborn = scripts.stubborn()
    bodies = [
        (f"setsid {stubborn} & exec {stubborn}", ScriptExitReason.TIMED_OUT),
        ("exec yes", ScriptExitReason.OUTPUT_EXCEEDED),
        (f"(setsid env -i {stubborn} &); echo '{DONE}'", ScriptExitReason.EXITED),
        (f"{stubborn} & kill -SEGV $$", ScriptExitReason.EXITED),
    ]
    body, ending = bodies[number % len(bodies)]
    path = scripts.write(f"#!/bin/sh\n{body}\n", f"script{number}.sh")
    timeout = 1.0 if ending is ScriptExitReason.TIMED_OUT else 20.0
    return scripts.invocation(path, timeout=timeout, limits=OutputLimits(total=MEGABYTE)), ending


def test_twenty_at_once_end_as_each_alone(runner, scripts):
    """Skills 4: no sibling's end, orphan or exit code is taken for another's."""
    work = [hostile(scripts, number) for number in range(20)]
    outcomes = [None] * len(work)

    def run(index: int) -> None:
        outcomes[index] = runner.run(work[index][0])

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(work))]
    with Growth() as growth:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [outcome.exit_reason for outcome in outcomes] == [ending for _, ending in work]
    assert {outcome.exit_code for outcome in outcomes[3::4]} == {-signal.SIGSEGV}
    assert {outcome.exit_code for outcome in outcomes[2::4]} == {0}
    assert growth.megabytes <= 64


HOST = """
import sys
from pathlib import Path
from aeon.skills.invocation import ScriptAccess, Invocation
from aeon.skills.sandbox import SandboxRunner
level, script = sys.argv[1:]
folder = Path(script).parent
with SandboxRunner(level) as runner:
    runner.run(Invocation([script], b"", folder, {"PATH": "/usr/bin:/bin"}, access=ScriptAccess((folder,), (folder,))))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_nothing_survives_the_end_of_aeon(runner, scripts, how):
    """Skills 4: nothing survives, not even when Aeon itself is killed."""
    stubborn = scripts.stubborn()
    script = scripts.write(f"#!/bin/sh\n(setsid env -i {stubborn} &)\nsetsid {stubborn} &\ntouch up\nexec {stubborn}\n")
    host = subprocess.Popen([sys.executable, "-c", HOST, runner.level, script], stderr=subprocess.DEVNULL)
    wait_until((scripts.folder / "up").exists)
    host.send_signal(how)
    host.wait()
    wait_until(lambda: not scripts.survivors())


def wait_until(is_so, seconds: float = 10.0) -> None:
    pause, deadline = select.poll(), time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        pause.poll(10)
    assert is_so()


def test_a_reaper_that_is_killed_is_replaced(scripts):
    """Its scripts end with it, that is said, and the next invocation finds another reaper."""
    with SandboxRunner("plain") as runner:
        body = f"setsid {scripts.stubborn()} & kill -9 $PPID; exec {scripts.stubborn()}"
        outcome = runner.run(scripts.sh(body))
        assert (outcome.exit_reason, outcome.exit_code) == (ScriptExitReason.EXITED, -signal.SIGKILL)
        assert "was killed, and this script with it" in outcome.problem
        assert scripts.survivors() == []
        assert runner.run(scripts.sh(f"echo '{DONE}'")).exit_code == 0


@pytest.mark.parametrize("which", ["reaper", "guard"])
def test_a_killed_reaper_leaves_nothing_that_hid_from_it(runner, scripts, which):
    """Skills 4, 15: a script that left its session and its environment, at plain too, where it can kill the reaper."""
    stubborn = scripts.stubborn()
    script = scripts.sh(f"(setsid env -i {stubborn} &)\nsleep 0.1\necho '{LOG}'\nexec {stubborn}")

    def kill(_event) -> None:
        link = runner._cold._reaper
        os.kill(link.pid if which == "reaper" else link._process.pid, signal.SIGKILL)

    outcome = runner.run(script, None, kill)
    assert outcome.exit_reason is ScriptExitReason.EXITED
    wait_until(lambda: not scripts.survivors())
    assert runner.run(scripts.sh(f"echo '{DONE}'")).exit_code == 0


def test_nothing_is_ended_for_a_leader_that_is_not_known():
    """Some processes show 0 as their session and group: not knowing a leader must never mean them."""
    code = "from aeon.skills.sandbox.script_process import _find_orphans; print(_find_orphans('no such token', 0))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"set()\n"


def test_a_reaper_that_hangs_is_replaced(scripts, monkeypatch):
    """A stopped reaper ends nothing: after its time it is ended, with its scripts."""
    monkeypatch.setattr("aeon.skills.sandbox.monitor._REAPER_SECONDS", 0.3)
    with SandboxRunner("plain") as runner:
        outcome = runner.run(scripts.sh(f"kill -STOP $PPID; exec {scripts.stubborn()}", timeout=0.3))
        assert outcome.exit_reason is ScriptExitReason.TIMED_OUT
        assert runner.run(scripts.sh(f"echo '{DONE}'")).exit_code == 0


def test_a_reaper_that_cannot_work_is_an_error_with_its_reason(scripts, monkeypatch):
    monkeypatch.setattr("aeon.skills.sandbox.reaper_client._BOOT", "raise SystemExit('no luck on this machine')")
    monkeypatch.setattr("aeon.skills.sandbox.isolation._working_levels", {"plain"})
    with SandboxRunner("plain") as runner, pytest.raises(SandboxError, match="no luck on this machine"):
        runner.run(scripts.sh("exit 0"))


def test_a_reaper_that_was_gone_before_it_was_asked_is_an_error_with_its_reason_too(scripts, monkeypatch):
    spawn = ReaperProcess.spawn

    def spawn_late(reaper, *request):
        reaper._process.wait()
        return spawn(reaper, *request)

    monkeypatch.setattr(ReaperProcess, "spawn", spawn_late)
    monkeypatch.setattr("aeon.skills.sandbox.reaper_client._BOOT", "raise SystemExit('no luck on this machine')")
    monkeypatch.setattr("aeon.skills.sandbox.isolation._working_levels", {"plain"})
    with SandboxRunner("plain") as runner, pytest.raises(SandboxError, match="no luck on this machine"):
        runner.run(scripts.sh("exit 0"))


def test_a_listener_that_is_slow_loses_nothing(runner, scripts):
    pause = select.poll()
    invocation = scripts.sh(f"echo '{LOG}'; seq 9 >&2; echo '{DONE}'")
    outcome = runner.run(invocation, None, lambda _event: pause.poll(400))
    assert (len(outcome.events), outcome.violation, len(outcome.stderr)) == (2, None, 18)


def test_closing_the_runner_ends_what_runs(scripts):
    with SandboxRunner("plain") as runner:
        seen = threading.Event()
        invocation = scripts.sh(f"echo '{LOG}'; exec {scripts.stubborn()}")
        outcomes = []
        thread = threading.Thread(target=lambda: outcomes.append(runner.run(invocation, None, lambda _: seen.set())))
        thread.start()
        assert seen.wait(10)
    thread.join(10)
    assert outcomes[0].exit_code == -signal.SIGKILL


def test_stdin_is_there_before_the_script_is(runner, scripts):
    """Skills 1: whole and closed, so that no script that reads it waits for Aeon."""
    outcome = runner.run(scripts.sh("cat", stdin=b"given", is_ndjson=False))
    assert outcome.stdout == b"given"


def test_the_reaper_stays_in_no_folder(runner, scripts):
    """Else the skill's folder could not be unmounted while Aeon runs."""
    runner.run(scripts.sh("exit 0"))
    runner.run(scripts.invocation(scripts.folder / "nothing"))
    assert Path(f"/proc/{runner._cold._reaper.pid}/cwd").readlink() == Path("/")


def state_of(runner) -> tuple:
    select.poll().poll(50)  # the reaper reports first, and closes its end then
    descriptors = [len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in ("self", runner._cold._reaper.pid)]
    return signal.getsignal(signal.SIGCHLD), resource.getrlimit(resource.RLIMIT_CORE), descriptors


def test_this_process_is_left_as_it_was(runner, scripts):
    """No signal's disposition, no limit, no descriptor of the host's is touched; the reaper keeps none either."""
    runner.run(scripts.sh(f"echo '{DONE}'"))
    before = state_of(runner)
    runner.run(scripts.sh(f"echo '{DONE}'"))
    runner.run(scripts.invocation(scripts.folder / "nothing"))
    runner.run(scripts.sh("exec sleep 9", timeout=0.1))
    assert state_of(runner) == before


def test_an_asset_must_be_a_file_that_the_script_may_touch(runner, scripts, tmp_path):
    """Skills 2."""
    asset = '{"version":"0","type":"asset","assetId":"%s","kind":"image","mediaType":"image/png","path":"%s"}'
    (tmp_path / "secret").write_text("x")
    lines = [
        asset % ("a", "made.png"),
        asset % ("b", "missing.png"),
        asset % ("c", "../secret"),
        asset % ("a", "made.png"),
    ]
    echoes = "; ".join(f"echo '{line}'" for line in lines)
    only = scripts.folder / "data"
    only.mkdir()
    access = ScriptAccess(read=(scripts.folder / "script.sh",), write=(only,))
    outcome = runner.run(scripts.sh(f"echo x > made.png; {echoes}; echo '{DONE}'", access=access, cwd=only))
    assert [event["type"] for event in outcome.events] == ["asset", "done"]
    assert outcome.violation.startswith("line 2: the asset 'missing.png'")

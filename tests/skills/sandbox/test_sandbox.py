"""What a script can reach at each level of isolation (skills 11), and how a level is chosen."""

import os
import socket
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from aeon.base.errors import SandboxError
from aeon.skills.invocation import ScriptAccess, ScriptExitReason
from aeon.skills.sandbox import SandboxRunner, isolation

from .conftest import DONE, usable

pytestmark = pytest.mark.slow  # a process for each test, at every level


@pytest.fixture(scope="session", params=["landlock", "bubblewrap"])
def sandbox(request):
    with usable(request.param) as made:
        yield made


CONNECT = """
import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)
    print("connected")
except OSError as error:
    print("refused")
"""


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def answer(runner, invocation) -> str:
    outcome = runner.run(invocation)
    assert outcome.exit_reason is ScriptExitReason.EXITED, outcome
    return outcome.stdout.decode().strip()


@pytest.mark.parametrize(("network", "expected"), [(False, "refused"), (True, "connected")])
def test_the_network_is_there_only_when_granted(sandbox, scripts, port, network, expected):
    script = scripts.python(CONNECT).command[0]
    access = ScriptAccess(read=(scripts.folder,), network=network)
    assert answer(sandbox, scripts.invocation(script, port, access=access, is_ndjson=False)) == expected


def test_home_and_other_skills_cannot_be_read(sandbox, scripts, tmp_path):
    """Skills 11: a script sees its own skill's folders."""
    mine, other = tmp_path / "skills/mine", tmp_path / "skills/other"
    for folder in (mine, other):
        folder.mkdir(parents=True)
        (folder / "text").write_text(folder.name)
    home = Path.home() / ".bashrc"
    script = scripts.write(f"#!/bin/sh\ncat {mine}/text {other}/text {home} 2>/dev/null; ls {tmp_path}/skills/other\n")
    access = ScriptAccess(read=(mine, script))
    assert answer(sandbox, scripts.invocation(script, access=access, cwd=mine, is_ndjson=False)) == "mine"


def test_nothing_outside_the_granted_folders_can_be_written(sandbox, scripts, tmp_path):
    data, readable = tmp_path / "data", tmp_path / "readable"
    for folder in (data, readable):
        folder.mkdir()
    targets = [
        readable / "x",
        tmp_path / "x",
        "/usr/x",
        "/etc/x",
        Path.home() / "x",
        Path("/dev", "shm", "x"),
        "/proc/x",
    ]
    tries = "\n".join(f"(echo x > {target}) 2>/dev/null" for target in targets)
    script = scripts.write(f"#!/bin/sh\n{tries}\necho x > {data}/x && rm {data}/x && mkdir {data}/d && cat /dev/null\n")
    access = ScriptAccess(read=(readable, script), write=(data,))
    outcome = sandbox.run(scripts.invocation(script, access=access, cwd=data, is_ndjson=False))
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert not any(Path(target).exists() for target in targets)
    assert [entry.name for entry in data.iterdir()] == ["d"]


def test_links_lead_nowhere_new(sandbox, scripts, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    (scripts.folder / "link").symlink_to(secret)
    assert answer(sandbox, scripts.sh("cat link 2>/dev/null; echo done", is_ndjson=False)) == "done"


def test_secrets_of_other_processes_cannot_be_read(sandbox, scripts):
    """Skills 11: nor by way of /proc."""
    body = 'cat "/proc/$1/environ" "/proc/$PPID/environ" >/dev/null 2>&1 && echo leaked || echo safe'
    script = scripts.sh(body).command[0]
    assert answer(sandbox, scripts.invocation(script, os.getpid(), is_ndjson=False)) == "safe"


def test_others_cannot_be_signalled(sandbox, scripts):
    outcome = sandbox.run(scripts.sh("kill -9 $PPID 2>/dev/null; echo alive", is_ndjson=False))
    assert outcome.stdout == b"alive\n"
    assert sandbox.run(scripts.sh("exit 0", is_ndjson=False)).exit_code == 0


def test_scripts_with_the_same_access_cannot_signal_each_other(scripts):
    """A fence that is made once for many scripts is still a domain of each one's own."""
    waiting = scripts.write("#!/bin/sh\necho $$ > pid\nwhile [ ! -e go ]; do sleep 0.01; done\n", "waiting.sh")
    killing = scripts.write(
        "#!/bin/sh\nwhile [ ! -s pid ]; do sleep 0.01; done\n"
        'kill -9 "$(cat pid)" 2>/dev/null && echo killed || echo refused\ntouch go\n',
        "killing.sh",
    )
    outcomes = []
    with usable("landlock") as runner:
        invocation = scripts.invocation(waiting, is_ndjson=False)
        thread = threading.Thread(target=lambda: outcomes.append(runner.run(invocation)))
        thread.start()
        assert answer(runner, scripts.invocation(killing, is_ndjson=False)) == "refused"
        thread.join()
    assert outcomes[0].exit_code == 0


def test_a_folder_that_came_or_was_replaced_since_the_last_run_is_the_one_that_counts(sandbox, scripts, tmp_path):
    """Skills 11: `data/` is created on first use, and may be another one the next time."""
    data, away = tmp_path / "data", tmp_path / "away"
    script = scripts.write(
        f"#!/bin/sh\n(echo x > {data}/x) 2>/dev/null && echo yes || echo no\ncat {away}/x 2>/dev/null\n"
    )
    invocation = scripts.invocation(
        script, access=ScriptAccess(read=(script,), write=(data,)), cwd=Path("/"), is_ndjson=False
    )
    assert answer(sandbox, invocation) == "no"
    data.mkdir()
    assert answer(sandbox, invocation) == "yes"
    data.rename(away)
    data.mkdir()
    assert answer(sandbox, invocation) == "yes"
    assert (data / "x").exists()


def test_a_folder_of_the_path_that_is_a_link_into_the_system_is_found(sandbox, scripts):
    link = scripts.folder / "bin"
    link.symlink_to("/usr/bin")
    script = scripts.write("#!/bin/sh\nexec echo found\n")
    invocation = scripts.invocation(script, access=ScriptAccess(read=(script,)), cwd=Path("/"), is_ndjson=False)
    for path in (f"{link}", f"{link}:/bin/:/lib64/nothing:/sbin/../bin"):
        assert answer(sandbox, replace(invocation, env={"PATH": path})) == "found"
        command = (f"{link}/env", "echo", "found")
        assert answer(sandbox, replace(invocation, command=command, env={"PATH": path})) == "found"


def test_python_works_in_the_sandbox(sandbox, scripts):
    path = scripts.write("import json, sqlite3, ssl; print(json.dumps(1))", "work.py")
    assert answer(sandbox, scripts.invocation(sys.executable, path, is_ndjson=False)) == "1"


def test_auto_takes_the_strongest_that_works():
    with SandboxRunner() as auto:
        strongest = auto.level
    for level in ("bubblewrap", "landlock", "plain"):
        with SandboxRunner(level) as runner:
            try:
                assert runner.level == level
            except SandboxError:
                continue
        assert strongest == level
        break


def test_a_level_that_is_not_to_be_had_is_refused_with_its_reason(monkeypatch):
    monkeypatch.setattr(isolation, "_working_levels", set())
    monkeypatch.setattr(isolation, "bubblewrap_path", lambda: None)
    with SandboxRunner("bubblewrap") as runner, pytest.raises(SandboxError, match="bwrap is not installed"):
        _ = runner.level


def test_require_never_means_plain(monkeypatch):
    monkeypatch.setattr(isolation, "probe_level", lambda level, run: f"no {level} here" if level != "plain" else None)
    with SandboxRunner("require") as runner, pytest.raises(SandboxError, match=r"no bubblewrap here; .*no landlock"):
        _ = runner.level
    with SandboxRunner("auto") as runner:
        assert runner.level == "plain"


def test_the_outcome_says_how_it_was_isolated(runner, scripts):
    assert runner.run(scripts.sh("exit 0")).sandbox == runner.level


LEAKS = {
    "UDP": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'secret', ('127.0.0.1', {port}))",
    "UDP of IPv6": "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b'secret', ('::1', {port}))",
    "a unix socket by path": "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'secret', {path!r})",
    "one of a pair": "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'secret', {path!r})",
    "netlink": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).bind((0, 0))",
    "vsock": "socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)",
}


@pytest.mark.parametrize("how", LEAKS)
def test_nothing_goes_out_without_a_grant(sandbox, scripts, tmp_path, how):
    """Skills 15: landlock alone sees TCP only."""
    path = str(tmp_path / "ear")
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as local,
    ):
        udp.bind(("127.0.0.1", 0))
        local.bind(path)
        attempt = LEAKS[how].format(port=udp.getsockname()[1], path=path)
        outcome = sandbox.run(scripts.python(f"import socket\n{attempt}\nprint('{DONE}')"))
        for ear in (udp, local):
            ear.setblocking(False)
            with pytest.raises(BlockingIOError):
                ear.recv(10)
    if sandbox.level == "landlock":  # bubblewrap has a network of its own, in which it may talk to itself
        assert outcome.exit_code != 0


@pytest.mark.parametrize("network", [False, True])
def test_a_unix_socket_in_a_folder_that_may_be_read_is_not_reached(sandbox, scripts, monkeypatch, network):
    """Skills 15: in bubblewrap it was; a folder of the user's may hold a database's."""
    monkeypatch.chdir(scripts.folder)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as ear:
        ear.bind("ear")
        ear.listen()
        access = ScriptAccess(read=(scripts.folder,), network=network)
        body = f"import socket\nsocket.socket(socket.AF_UNIX).connect('ear')\nprint('{DONE}')"
        assert sandbox.run(scripts.python(body, access=access)).exit_code != 0


@pytest.mark.parametrize("family", [40, 17, 38, 31, 29], ids=["vsock", "packet", "alg", "bluetooth", "can"])
def test_a_network_of_its_own_has_no_sockets_that_belong_to_no_network(sandbox, scripts, family):
    """Measured S7: bubblewrap's network does not contain vsock, which leads to the host of a virtual machine."""
    body = f"import socket\ntry:\n    socket.socket({family}, socket.SOCK_STREAM)\nexcept PermissionError:\n    print('refused')"
    assert answer(sandbox, scripts.python(body, is_ndjson=False)) == "refused"


def test_local_sockets_that_are_granted_can_be_used(sandbox, scripts, monkeypatch):
    """Skills 11: a script with `model` talks to Aeon by one."""
    monkeypatch.chdir(scripts.folder)
    path = "ear"  # the whole path would be longer than a socket's may be
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as ear:
        ear.bind(path)
        ear.listen()
        access = ScriptAccess(read=(scripts.folder,), local_sockets=True)
        body = f"import socket\nsocket.socket(socket.AF_UNIX).connect({path!r})\nprint('{DONE}')"
        assert sandbox.run(scripts.python(body, access=access)).exit_code == 0


def test_pairs_of_stream_sockets_are_the_script_s_own(sandbox, scripts):
    body = f"import asyncio\nasyncio.run(asyncio.sleep(0))\nprint('{DONE}')"
    assert sandbox.run(scripts.python(body)).exit_code == 0


def test_attributes_of_files_that_may_not_be_written_stay(sandbox, scripts, tmp_path):
    mine = tmp_path / "mine"
    mine.write_text("mine")
    access = ScriptAccess(read=(scripts.folder, mine), write=(scripts.folder,))
    body = f"import os\nos.setxattr({str(mine)!r}, 'user.note', b'x')\nprint('{DONE}')"

    assert sandbox.run(scripts.python(body, access=access)).exit_code != 0
    assert os.listxattr(mine) == []


def test_the_ways_around_a_filter_of_system_calls_are_closed(scripts):
    """io_uring would carry out what the filter refuses."""
    with usable("landlock") as runner:
        body = "import ctypes\nassert ctypes.CDLL(None).syscall(425, 8, 0) == -1"
        body += f"\nprint('{DONE}')"
        assert runner.run(scripts.python(body)).exit_code == 0


@pytest.mark.parametrize("place", ["../lost", "/lost", ".aeon/lost", "../../lost"])
def test_a_write_where_nothing_is_kept_fails(sandbox, scripts, place):
    """What a script writes to the box's own folders would vanish with it."""
    inner = scripts.folder / "inner"
    hidden = inner / ".aeon"
    (hidden / "data").mkdir(parents=True)
    access = ScriptAccess(read=(scripts.folder,), write=(hidden / "data",), hidden=(hidden,))
    body = f"echo kept > .aeon/data/kept; echo lost > {place}"
    outcome = sandbox.run(scripts.sh(body, access=access, cwd=inner, is_ndjson=False))

    assert outcome.exit_code != 0
    assert any(refusal in outcome.stderr for refusal in ("Read-only file system", "Permission denied"))
    assert (hidden / "data" / "kept").read_text() == "kept\n"


def test_programs_have_a_folder_for_temporary_files_in_bubblewrap(scripts):
    with usable("bubblewrap") as runner:
        outcome = runner.run(scripts.sh("cd /tmp; mktemp; mktemp -d; cd /dev/shm; mktemp -p .", is_ndjson=False))

    assert (outcome.exit_code, outcome.stderr) == (0, "")

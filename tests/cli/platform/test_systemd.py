"""The systemd unit of the how-to is valid, and a real systemd starts, restarts and stops the server by it (platform 31, 32).

systemd is process 1 of namespaces of its own. Its root folder has the programs of this machine, the unit as the how-to
shows it, and a user `aeon`; none of the machine's own units and settings.
"""

import ctypes
import http.client
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.adapters.store.namespaces import enter

from aeon.cli.platform.serve_commands import DEFAULT_GRACE, DEFAULT_PORT

from .certificates import NAME
from .conftest import until

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "howto" / "run-the-server.md"
PROGRAM = "/opt/aeon/bin/aeon"
USER = 10001
WRITABLE = ["/srv/aeon", "/home/aeon", "/tmp"]  # noqa: S108  # of the machine
"""Folders that the server may write; its /tmp is its own."""

AFTER_THE_JOBS = 5
"""Seconds that the server has to end when its jobs have ended."""

BOOT = f"""
set -eu
root=$1 units=$2 python=$3; shift 3
mount -t tmpfs -o mode=755 tmpfs "$root"
cd "$root"
mkdir -p usr etc/systemd dev home/aeon opt/aeon/bin proc root run srv/aeon sys tmp var/log
for each in bin lib lib64 sbin; do ln -s "usr/$each" "$each"; done
for each in /usr "$@"; do
    mkdir -p ".$each"
    mount --bind "$each" ".$each"
    mount -o remount,bind,ro ".$each"
done
for each in .service .socket -dev-log.socket; do cp "usr/lib/systemd/system/systemd-journald$each" "$units"; done
mount -t tmpfs -o mode=755 tmpfs usr/lib/systemd/system
cp "$units"/* usr/lib/systemd/system
mount -t tmpfs -o mode=755 tmpfs dev
for each in null zero full random urandom; do touch "dev/$each"; mount --bind "/dev/$each" "dev/$each"; done
cp /etc/ld.so.cache etc
echo 00000000000000000000000000000001 > etc/machine-id
printf '[Journal]\\nStorage=volatile\\nReadKMsg=no\\nAudit=no\\n' > etc/systemd/journald.conf
printf 'root:x:0:0::/root:/bin/sh\\naeon:x:{USER}:{USER}::/home/aeon:/bin/sh\\n' > etc/passwd
printf 'root:x:0:\\naeon:x:{USER}:\\n' > etc/group
chown {USER}:{USER} home/aeon srv/aeon
chmod 1777 tmp
printf '#!/bin/sh\\nexec %s -m aeon "$@"\\n' "$python" > .{PROGRAM}
chmod 755 .{PROGRAM}
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
umount --lazy sys/fs/cgroup 2> /dev/null || true
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mkdir before
pivot_root . before
umount --lazy before
exec env -i container=other PATH=/usr/bin:/usr/sbin /usr/lib/systemd/systemd --system --unit=multi-user.target
"""
"""Makes the root folder, makes it that of its namespaces, and becomes systemd."""

TARGETS = {
    "sysinit.target": "",
    "basic.target": "Requires=sysinit.target systemd-journald.service\nAfter=systemd-journald.service\n",
    "network.target": "",
    "shutdown.target": "",
    "multi-user.target": "Requires=basic.target\nWants=aeon.service\n",
}
"""The units that the unit of the how-to depends on, without what a whole machine would start with them."""


def unit():
    (found,) = re.findall(r"^```ini\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return found


def test_the_unit_is_valid(tmp_path):
    """With the program of this environment, because systemd looks whether it is there."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd is not installed: apt-get install systemd")
    assert unit().count(PROGRAM) == 1
    file = tmp_path / "aeon.service"
    file.write_text(unit().replace(PROGRAM, str(Path(sys.executable).with_name("aeon"))))
    said = subprocess.run([program, "verify", file], capture_output=True, text=True, timeout=60, check=False)
    assert (said.returncode, said.stdout + said.stderr) == (0, "")


class Machine:
    """Namespaces in which systemd is process 1. `group` is a control group for all that it starts."""

    def __init__(self, folder, group):
        root, units = folder / "root", folder / "units"
        root.mkdir()
        units.mkdir()
        for name, more in TARGETS.items():
            (units / name).write_text(f"[Unit]\n{more}")
        (units / "aeon.service").write_text(unit())
        programs = {str(path) for path in (ROOT, Path(sys.prefix), Path(sys.base_prefix)) if path != Path("/usr")}
        boot = ["sh", "-c", BOOT, "boot", root, units, sys.executable, *sorted(programs)]
        unshare = ["unshare", "--fork", "--kill-child", "--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup"]
        enter_group = ["sh", "-c", 'echo $$ > "$0"/cgroup.procs; exec "$@"', group]
        self._group = group
        self._said = (folder / "said.txt").open("w+")
        self._process = subprocess.Popen(
            [*enter_group, *unshare, *boot], stdin=subprocess.DEVNULL, stdout=self._said, stderr=subprocess.STDOUT
        )

    @property
    def refusal(self):
        """What was said last if systemd has ended or never began; else nothing."""
        if self._process.poll() is None:
            return ""
        self._said.seek(0)
        return (self._said.read().strip().splitlines() or [f"exit code {self._process.returncode}"])[-1]

    @property
    def init(self):
        """The id of systemd outside its namespaces, where it is 1; None before it began."""
        number = self._process.pid
        children = Path(f"/proc/{number}/task/{number}/children").read_text("ascii").split()
        name = Path(f"/proc/{children[0]}/comm").read_text("ascii").strip() if children else ""
        return children[0] if name == "systemd" else None

    def run(self, *command):
        """(exit code, stdout and stderr) of a command in the machine, as root."""
        inside = ["nsenter", "--target", self.init, "--all", *command]
        said = subprocess.run(inside, capture_output=True, text=True, timeout=60, check=False)
        return said.returncode, said.stdout + said.stderr

    def show(self, name):
        return self.run("systemctl", "show", "--property", name, "--value", "aeon")[1].strip()

    def ask(self, path):
        """The status of a GET on the machine's loopback; None if there is no answer, or no loopback yet."""
        connection = http.client.HTTPConnection("127.0.0.1", DEFAULT_PORT, timeout=20)
        with suppress(OSError), self._network():
            connection.request("GET", path, headers={"Host": NAME})
            answer = connection.getresponse()
            answer.read()
            connection.close()
            return answer.status
        return None

    @contextmanager
    def _network(self):
        libc = ctypes.CDLL(None, use_errno=True)
        with Path("/proc/thread-self/ns/net").open() as home, Path(f"/proc/{self.init}/ns/net").open() as there:
            enter(libc, there)
            try:
                yield
            finally:
                enter(libc, home)

    def close(self):
        self._process.kill()
        self._process.wait()
        self._said.close()
        groups = [self._group, *(each for each in self._group.rglob("*") if each.is_dir())]
        for each in sorted(groups, reverse=True):
            until(lambda each=each: removed(each))


def removed(group):
    """Removes a control group; False as long as a process of it ends."""
    try:
        group.rmdir()
    except OSError:
        return False
    return True


@pytest.fixture
def machine(tmp_path):
    if missing := next((each for each in ("systemctl", "nsenter", "unshare") if shutil.which(each) is None), None):
        pytest.skip(f"{missing} is not installed: apt-get install systemd util-linux")
    mounts = re.findall(r"^\S+ (\S+) cgroup2 rw", Path("/proc/mounts").read_text("utf-8"), re.MULTILINE)
    own = re.findall(r"^0::(.*)$", Path("/proc/self/cgroup").read_text("utf-8"), re.MULTILINE)
    if not (mounts and own):
        pytest.skip("there is no cgroup2 file system here, which may be written")
    group = Path(mounts[0] + own[0]) / f"aeon-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error.strerror}")
    made = Machine(tmp_path, group)
    try:
        until(lambda: made.refusal or made.init)
        if made.refusal:
            pytest.skip(f"systemd cannot be process 1 of namespaces here: {made.refusal}")
        yield made
    finally:
        made.close()


@pytest.mark.server
@pytest.mark.slow
def test_systemd_starts_restarts_and_stops_the_server(machine):
    def serves():
        return machine.ask("/health/live") == 200

    until(serves, lambda: machine.refusal or machine.run("journalctl", "--no-pager")[1])
    assert machine.ask("/api/v1/runs/some-id") == 401
    first = machine.show("MainPID")
    status = machine.run("cat", f"/proc/{first}/status")[1]
    assert re.search(rf"^Uid:\s+{USER}\s+{USER}\s+{USER}\s", status, re.MULTILINE), status
    assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE), status
    written = {
        folder: machine.run("nsenter", "--target", first, "--mount", "touch", f"{folder}/written")[0] == 0
        for folder in (*WRITABLE, "/etc", "/home", "/opt", "/root")
    }
    assert [folder for folder, is_written in written.items() if is_written] == WRITABLE
    assert machine.run("ls", f"{WRITABLE[-1]}/written")[0] != 0

    machine.run("systemctl", "kill", "--signal=SIGKILL", "aeon")
    until(lambda: machine.show("NRestarts") == "1")
    until(serves)
    assert machine.show("MainPID") not in (first, "0")

    assert machine.run("systemctl", "stop", "aeon") == (0, "")
    ended = {name: machine.show(name) for name in ("ActiveState", "Result", "ExecMainStatus", "NRestarts")}
    assert ended == {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0", "NRestarts": "1"}

    journal = machine.run("journalctl", "--no-pager", "--unit", "aeon")[1]
    assert "GET /api/v1/runs/{run} 401" in journal
    assert journal.count("open this link in a browser") == 2, "the links were printed"
    assert "#aeon_" not in machine.run("journalctl", "--no-pager")[1]


def test_systemd_waits_longer_than_the_jobs_may_take():
    (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", unit(), re.MULTILINE)
    assert int(seconds) >= DEFAULT_GRACE + AFTER_THE_JOBS

"""A process that holds a secret is closed to the same user's others (P12)."""

import base64
import os
import subprocess
import sys

import pytest

_AS_ANYBODY = """
import ctypes, os, sys
from aeon.base.hardening import make_undumpable
if os.geteuid() == 0:  # whom nothing can be kept from
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE, which a change of user takes away
"""

_HOLDER = (
    _AS_ANYBODY
    + """
assert sys.argv[1] == "open" or make_undumpable()
os.environ.pop("AEON_MASTER_KEY")
print("ready", flush=True)
sys.stdin.read()
"""
)

_READER = (
    _AS_ANYBODY
    + """
try:
    print(b"very-secret" in open(f"/proc/{sys.argv[1]}/environ", "rb").read())
except PermissionError:
    print("refused")
"""
)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel can do it on Linux only")
@pytest.mark.parametrize(("how", "seen"), [("open", "True"), ("concealed", "refused")])
def test_another_process_of_the_same_user_cannot_read_the_master_key(how, seen):
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, how],
        env={"AEON_MASTER_KEY": "very-secret"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout.readline() == b"ready\n"
        read = subprocess.run(
            [sys.executable, "-c", _READER, str(holder.pid)], capture_output=True, text=True, check=True
        )
        holder.stdin.close()
    assert read.stdout.strip() == seen


_COMMAND = """
import ctypes, sys
from aeon.cli.entrypoint import run
assert run(sys.argv[1:]) == 0
print("dumpable", ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))  # PR_GET_DUMPABLE
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel can do it on Linux only")
@pytest.mark.parametrize(
    ("command", "secret", "said"),
    [
        ("secret", {}, "dumpable 1"),
        ("tool", {}, "dumpable 1"),
        ("secret", {"AEON_MASTER_KEY": base64.b64encode(bytes(range(32))).decode()}, "dumpable 0"),
        ("tool", {"AEON_MODEL_API_KEY_ENV": "MY_KEY", "MY_KEY": "sk-1"}, "dumpable 0"),
    ],
)
def test_a_command_whose_environment_holds_a_secret_conceals_itself(command, secret, said, tmp_path):
    environ = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path), **secret}
    environ = {name: value for name, value in environ.items() if not name.endswith("_API_KEY")}
    ended = subprocess.run(
        [sys.executable, "-c", _COMMAND, command, "list"],
        env=environ,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.splitlines()[-1:] == [said], ended.stderr

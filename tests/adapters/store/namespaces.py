"""Two network namespaces, which are like two machines with a cable between them."""

import ctypes
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

CLONE_NEWNET = 0x40000000


class Cable:
    """Two namespaces, each with an address on one cable."""

    def __init__(self):
        self.names = [f"aeon-{os.getpid()}-{side}" for side in "ab"]
        self.addresses = ["10.231.77.1", "10.231.77.2"]
        self._ends = [f"aeon{os.getpid() % 100_000}{side}" for side in "ab"]

    def lay(self):
        """Raises CalledProcessError or OSError where this user, or this kernel, has no namespaces."""
        for name in self.names:
            ip("netns", "add", name)
        one, other = self._ends
        ip("link", "add", one, "netns", self.names[0], "type", "veth", "peer", "name", other, "netns", self.names[1])
        for name, end, address in zip(self.names, self._ends, self.addresses, strict=True):
            ip("-n", name, "address", "add", f"{address}/24", "dev", end)
            ip("-n", name, "link", "set", end, "up")
            ip("-n", name, "link", "set", "lo", "up")

    def cut(self):
        """From now on nothing arrives, and nobody is told."""
        ip("-n", self.names[1], "link", "set", self._ends[1], "down")

    def mend(self):
        ip("-n", self.names[1], "link", "set", self._ends[1], "up")

    def remove(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)  # noqa: S607

    @contextmanager
    def inside(self, side):
        """This thread, and the processes that it starts, are in that namespace."""
        libc = ctypes.CDLL(None, use_errno=True)
        with Path("/proc/thread-self/ns/net").open() as home, Path(f"/run/netns/{self.names[side]}").open() as there:
            enter(libc, there)
            try:
                yield
            finally:
                enter(libc, home)


def enter(libc, namespace):
    if libc.setns(namespace.fileno(), CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)  # noqa: S607

"""What holds for every test: no network but loopback, and hypothesis that tries the same examples in every run."""

import signal
import socket

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci")

# A runner started in the background ignores Ctrl-C, and so would every command that the tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_LOOPBACK = ("127.", "::1", "localhost")


class NetworkForbiddenError(RuntimeError):
    """A test tried to reach beyond this machine."""


def _is_local(sock: socket.socket, address) -> bool:
    if sock.family == getattr(socket, "AF_UNIX", None):
        return True
    return isinstance(address, tuple) and str(address[0]).startswith(_LOOPBACK)


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Refuse every connection, and every datagram, that would leave this machine (style.md 12)."""

    def guarded(name: str, address_at: int):
        real = getattr(socket.socket, name)

        def guard(sock, *args):
            if not _is_local(sock, args[address_at]):
                raise NetworkForbiddenError(f"a test tried to {name} to {args[address_at]!r}")
            return real(sock, *args)

        monkeypatch.setattr(socket.socket, name, guard)

    guarded("connect", 0)
    guarded("connect_ex", 0)
    guarded("sendto", -1)


@pytest.fixture(scope="session")
def small_model() -> str:
    """The name of the model that tests of the main job run on; skips with its reason where its weights are not."""
    import os

    from aeon.adapters.weights import CATALOG, find_verified, weights_dir

    if find_verified(CATALOG["small"], weights_dir(os.environ), lambda _progress: None) is None:
        pytest.skip("the small model's weights are not on this machine; run: aeon model fetch small")
    return "small"

"""How a server stops."""

import signal
from threading import Event
from types import SimpleNamespace

from aeon.server.site import site_server


async def nothing(scope, receive, send):
    """An application that is never asked."""


def test_a_second_signal_while_the_first_is_handled_does_not_hang_the_server():
    class InterruptedEvent(Event):
        """Gets the second signal at the worst moment: while it is being set, and so locked."""

        is_interrupted = False

        def set(self):
            if not self.is_interrupted:
                self.is_interrupted = True
                with self._cond:
                    server.handle_exit(signal.SIGTERM, None)
            super().set()

    state = SimpleNamespace(stopping=InterruptedEvent())
    server = site_server(nothing, state)
    server.handle_exit(signal.SIGTERM, None)
    assert (state.stopping.is_set(), server.should_exit) == (True, True)

"""The streams that are open, by user (platform 29)."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from aeon.server.edge.problems import HttpError

MAX_OF_USER: Final = 32
MAX_OF_SERVER: Final = 1024

_WAIT: Final = {"retry-after": "5"}


class OpenStreams:
    """Counts the open streams of one server process. Only its event loop uses it."""

    def __init__(self) -> None:
        self._by_user: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """The open streams of all users."""
        return self._by_user.total()

    @contextmanager
    def opened(self, user: str) -> Generator[None]:
        """The time in which a user has one more stream open.

        Raises HttpError: 429 if the user has too many, 503 if the server has.
        """
        if self._by_user[user] >= MAX_OF_USER:
            raise HttpError(
                429,
                f"You have {MAX_OF_USER} open streams, and may not have more.",
                next_step="Close one of them, such as the page in another tab.",
                headers=_WAIT,
            )
        if self.total >= MAX_OF_SERVER:
            raise HttpError(503, "The server has too many open streams.", next_step="Wait a little.", headers=_WAIT)
        self._by_user[user] += 1
        try:
            yield
        finally:
            self._by_user[user] -= 1
            if not self._by_user[user]:
                del self._by_user[user]

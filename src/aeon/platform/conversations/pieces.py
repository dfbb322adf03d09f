"""The pieces of answers while they are made. A reader that begins late gets every piece once."""

import threading
from collections import defaultdict
from typing import Protocol


class AnswerStoppedError(Exception):
    """The answer was stopped; its pieces are not read any more."""


class PieceStream(Protocol):
    """Carries the pieces of answers from their makers to their readers. Threads may share one."""

    def append(self, answer: str, text: str) -> None:
        """Add a piece. Raises AnswerStoppedError after `stop`."""
        ...

    def read(self, answer: str, after: int, seconds: float) -> list[str]:
        """Return the pieces after number `after`; wait up to `seconds` for one if there is none."""
        ...

    def stop(self, answer: str) -> str:
        """Take no more pieces; return what there is."""
        ...

    def drop(self, answer: str) -> None:
        """Remove all pieces of an answer: its content is stored."""
        ...


class InProcessPieces:
    """The pieces of answers that this process makes."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._pieces: defaultdict[str, list[str]] = defaultdict(list)
        self._stopped: set[str] = set()

    def append(self, answer: str, text: str) -> None:
        """Add a piece. Raises AnswerStoppedError after `stop`."""
        with self._changed:
            if answer in self._stopped:
                raise AnswerStoppedError
            self._pieces[answer].append(text)
            self._changed.notify_all()

    def read(self, answer: str, after: int, seconds: float) -> list[str]:
        """Return the pieces after number `after`; wait up to `seconds` for one if there is none."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._pieces.get(answer, ())) > after, seconds)
            return self._pieces.get(answer, [])[after:]

    def stop(self, answer: str) -> str:
        """Take no more pieces; return what there is."""
        with self._changed:
            self._stopped.add(answer)
            return "".join(self._pieces.get(answer, ()))

    def drop(self, answer: str) -> None:
        """Remove all pieces of an answer: its content is stored."""
        with self._changed:
            self._pieces.pop(answer, None)

"""The pieces of answers while they are made. A reader that begins late gets every piece once."""

import threading
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from math import inf
from typing import Final, NamedTuple, Protocol
from uuid import uuid4

from aeon.base.clock import Clock
from aeon.base.json import JsonObject
from aeon.platform.conversations import queries
from aeon.platform.records import replace_unstorable
from aeon.platform.store import Store, StoreError, UnitOfWork

_WRITE_INTERVAL: Final = 0.15
"""Seconds between two writes of an answer's pieces to the record; the first piece is written at once."""


PIECES_SUBJECT: Final = "pieces"
"""What is announced of an answer: `pieces:ID:NUMBER` for pieces up to a number, `pieces:ID:end` for its end."""

_MAX_HEARD: Final = 1000
"""Answers of which it is kept how many pieces were announced."""


class AnswerStoppedError(Exception):
    """The answer was stopped; its pieces are not read any more."""


class PieceStream(Protocol):
    """Carries the pieces of answers from their makers to their readers. Threads may share one.

    Pieces are numbered from 1. Every method may raise StoreError.
    """

    def begin(self, answer: str) -> str:
        """Begin to make an answer, in place of any other maker; return what there is of it.

        Raises AnswerStoppedError if it has ended.
        """
        ...

    def append(self, answer: str, text: str) -> None:
        """Add a piece. Raises AnswerStoppedError after `stop`, and if somebody else makes the answer now."""
        ...

    def confirm(self, answer: str) -> None:
        """Raises AnswerStoppedError after `stop` in this process: a maker asks while it does what nobody is shown."""
        ...

    def read(self, answer: str, after: int, seconds: float) -> list[str]:
        """Return the pieces after number `after`; wait up to `seconds` for one if there is none."""
        ...

    def watch(self, answer: str, tell: Callable[[], None]) -> AbstractContextManager[None]:
        """The time in which `tell` is called after each piece that this process makes or hears of, in other threads.

        Nobody tells of the pieces that other processes write into SQLite: look from time to time.
        """
        ...

    def finish(self, answer: str) -> None:
        """Say that all pieces are there: readers in this process need not wait for another one."""
        ...

    def is_finished(self, answer: str) -> bool:
        """Whether its maker, in this process, has reported that all pieces are there."""
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
        self._finished: set[str] = set()
        self._watchers: defaultdict[str, list[Callable[[], None]]] = defaultdict(list)
        self._elsewhere: dict[str, float] = {}

    @contextmanager
    def watch(self, answer: str, tell: Callable[[], None]) -> Generator[None]:
        """The time in which `tell` is called after each piece."""
        with self._changed:
            self._watchers[answer].append(tell)
        try:
            yield
        finally:
            with self._changed:
                self._watchers[answer].remove(tell)
                if not self._watchers[answer]:
                    del self._watchers[answer]

    def begin(self, answer: str) -> str:
        """Begin to make an answer; return what there is of it. Raises AnswerStoppedError after `stop`."""
        with self._changed:
            if answer in self._stopped:
                raise AnswerStoppedError
            return "".join(self._pieces[answer])

    def append(self, answer: str, text: str) -> None:
        """Add a piece. Raises AnswerStoppedError after `stop`."""
        with self._changed:
            if answer in self._stopped:
                raise AnswerStoppedError
            self._pieces[answer].append(text)
            self._changed.notify_all()
            for tell in self._watchers.get(answer, ()):
                tell()

    def confirm(self, answer: str) -> None:
        """Raises AnswerStoppedError after `stop`."""
        if answer in self._stopped:
            raise AnswerStoppedError

    def read(self, answer: str, after: int, seconds: float) -> list[str]:
        """Return the pieces after number `after`; wait up to `seconds` for one if there is none."""
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    answer in self._finished
                    or len(self._pieces.get(answer, ())) > after
                    or self._elsewhere.get(answer, 0) > after
                ),
                seconds,
            )
            return self._pieces.get(answer, [])[after:]

    def hear(self, answer: str, number: float) -> None:
        """Wake the readers of an answer that is made elsewhere: there are pieces up to this number now."""
        with self._changed:
            while len(self._elsewhere) >= _MAX_HEARD:
                del self._elsewhere[next(iter(self._elsewhere))]
            self._elsewhere[answer] = max(number, self._elsewhere.pop(answer, 0))
            self._changed.notify_all()
            for tell in self._watchers.get(answer, ()):
                tell()

    def forget_heard(self, answer: str) -> None:
        """Let readers wait again: what was announced is not there."""
        with self._changed:
            self._elsewhere.pop(answer, None)

    def finish(self, answer: str) -> None:
        """Say that all pieces are there: readers in this process need not wait for another one."""
        with self._changed:
            self._finished.add(answer)
            self._changed.notify_all()

    def is_finished(self, answer: str) -> bool:
        """Whether its maker, in this process, has reported that all pieces are there."""
        return answer in self._finished

    def stop(self, answer: str) -> str:
        """Take no more pieces; return what there is."""
        with self._changed:
            self._stopped.add(answer)
            return "".join(self._pieces.get(answer, ()))

    def drop(self, answer: str) -> None:
        """Remove all pieces of an answer: its content is stored."""
        with self._changed:
            self._pieces.pop(answer, None)
            self._stopped.discard(answer)
            self._finished.discard(answer)
            self._elsewhere.pop(answer, None)

    def take_over(self, answer: str, pieces: Iterable[str]) -> None:
        """Begin with the pieces that an earlier maker has made."""
        with self._changed:
            self._pieces[answer] = [*pieces]
            self._stopped.discard(answer)
            self._finished.discard(answer)
            self._changed.notify_all()


class _Making(NamedTuple):
    """An answer that this process makes: its right to write pieces, how many are written, when it wrote last."""

    token: str
    written: int
    at: float


class RecordedPieces:
    """The pieces of answers, for readers in this process at once and for all others through the record.

    The maker of an answer holds a token in the record (the piece 0). The next one to make it takes the token, so a
    maker that wakes up late writes nothing. The transaction that ends an answer removes its pieces.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._local = InProcessPieces()
        self._making: dict[str, _Making] = {}
        self._listening = threading.Lock()
        self._is_listening = False

    def begin(self, answer: str) -> str:
        """Begin to make an answer, in place of any other maker; return what there is of it.

        Raises AnswerStoppedError if it has ended.
        """
        token = str(uuid4())

        def work(unit: UnitOfWork) -> list[str]:
            unit.write(queries.REMOVE_MAKER, {"id": answer})
            if unit.write(queries.ADD_MAKER, {"id": answer, "token": token}) != 1:
                raise AnswerStoppedError
            return [row["text"] for row in unit.read(queries.PIECES, {"id": answer, "after": 0})]

        self._forget_ended()
        written = self._store.update(work)
        self._local.take_over(answer, written)
        self._making[answer] = _Making(token, len(written), self._clock.monotonic() - _WRITE_INTERVAL)
        return "".join(written)

    def append(self, answer: str, text: str) -> None:
        """Add a piece. Raises AnswerStoppedError after `stop`, and if somebody else makes the answer now."""
        making = self._making.get(answer)
        if making is None:
            raise AnswerStoppedError
        self._local.append(answer, replace_unstorable(text))
        if self._clock.monotonic() - making.at >= _WRITE_INTERVAL:
            self._write(answer, making)

    def confirm(self, answer: str) -> None:
        """Raises AnswerStoppedError after `stop` in this process; what happens elsewhere is seen by `append`."""
        if answer not in self._making:
            raise AnswerStoppedError
        self._local.confirm(answer)

    def read(self, answer: str, after: int, seconds: float) -> list[str]:
        """Return the pieces after number `after`; wait up to `seconds` for one if there is none."""
        self._listen(answer)
        found = self._local.read(answer, after, seconds)
        if found or answer in self._making:
            return found
        rows = self._store.read(queries.PIECES, {"id": answer, "after": after})
        if not rows:
            self._local.forget_heard(answer)
        return [row["text"] for row in rows]

    def watch(self, answer: str, tell: Callable[[], None]) -> AbstractContextManager[None]:
        """The time in which `tell` is called after each piece that this process makes or hears of, in other threads."""
        self._listen(answer)
        return self._local.watch(answer, tell)

    def finish(self, answer: str) -> None:
        """Say that all pieces are there: readers in this process need not wait for another one."""
        self._local.finish(answer)

    def is_finished(self, answer: str) -> bool:
        """Whether its maker, in this process, has reported that all pieces are there."""
        return self._local.is_finished(answer)

    def stop(self, answer: str) -> str:
        """Take no more pieces; return what there is."""
        written = self._local.stop(answer)
        return written or "".join(self.read(answer, 0, 0))

    def drop(self, answer: str) -> None:
        """Remove all pieces of an answer: its content is stored."""
        self._making.pop(answer, None)
        self._local.drop(answer)

    def _listen(self, answer: str) -> None:
        """Hear of the pieces of answers that others make, from the first one on that is read here."""
        with self._listening:
            if not self._is_listening and answer not in self._making:
                self._is_listening = True
                self._store.listen(self._hear)

    def _hear(self, subject: str) -> None:
        kind, _, rest = subject.partition(":")
        answer, _, number = rest.partition(":")
        if kind == PIECES_SUBJECT and answer not in self._making:
            self._local.hear(answer, int(number) if number.isdecimal() else inf)

    def _forget_ended(self) -> None:
        """Drop the pieces of answers that were ended elsewhere; other threads may begin answers meanwhile."""
        begun = [*self._making]
        rows = self._store.read(queries.STILL_GENERATING, {"ids": [*begun]})
        for ended in {*begun} - {row["id"] for row in rows}:
            self.drop(ended)

    def _write(self, answer: str, making: _Making) -> None:
        """Write the newest pieces to the record. Raises AnswerStoppedError if it was ended, or taken over."""
        pieces = self._local.read(answer, making.written, 0)
        rows: list[JsonObject] = [
            {"id": answer, "n": number, "text": text, "token": making.token}
            for number, text in enumerate(pieces, making.written + 1)
        ]

        def work(unit: UnitOfWork) -> bool:
            unit.announce(f"{PIECES_SUBJECT}:{answer}:{making.written + len(rows)}")
            return all(unit.write(queries.ADD_PIECE, row) == 1 for row in rows)

        at = self._clock.monotonic()
        try:
            is_maker = self._store.update(work)
        except StoreError:  # readers elsewhere get these pieces once the record answers again
            self._making[answer] = making._replace(at=at)
            return
        if not is_maker:
            self._local.stop(answer)
            raise AnswerStoppedError
        self._making[answer] = making._replace(written=making.written + len(rows), at=at)

"""The warden's loop, in one thread: starts what it is asked to, sees what ends, and leaves nothing behind."""

import os
import select
import signal
import socket
import time
from collections.abc import Callable

from . import tree, wire
from .start import Leader
from .watched import Watched

_TICK = 0.002
"""Seconds between two looks at what is ending."""

_CHASES = 20
"""Looks in quick succession at what is doomed: it may be forking away faster than the tick."""

_LAST_SECONDS = 10.0
"""How long the warden goes on ending what is left when Aeon is gone; only what may not be ended takes longer."""

Starter = Callable[[wire.Request, tuple[int, int, int]], Leader]


class Warden:
    """Serves one Aeon process through `door` until that ends, and then ends everything it started."""

    def __init__(self, door: socket.socket, aeon: int, starter: Starter) -> None:
        self._door = door
        self._start = starter
        self._own_group = os.getpgrp()
        self._children = tree.OwnChildren()
        self._watched: dict[int, Watched] = {}
        self._by_conversation: dict[int, Watched] = {}
        self._poll = select.poll()
        self._aeon = os.pidfd_open(aeon)
        self._bell = _child_bell()
        for fd in (door.fileno(), self._aeon, self._bell):
            self._poll.register(fd, select.POLLIN)

    def serve(self) -> None:
        """Work until Aeon closes the door or is gone, however it went."""
        while self._turn():
            pass
        for watched in self._watched.values():
            watched.end(0)
        deadline = time.monotonic() + _LAST_SECONDS
        while self._watched and time.monotonic() < deadline:
            self._look_after_children()
            time.sleep(_TICK)

    def _turn(self) -> bool:
        """One round; whether there will be another."""
        ready = [fd for fd, _ in self._poll.poll(_TICK * 1000 if self._is_ending() else None)]
        if self._aeon in ready or (self._door.fileno() in ready and not self._answer_door()):
            return False
        if has_rung := self._bell in ready:
            os.read(self._bell, 4096)
        for fd in ready:
            if fd in self._by_conversation:
                self._hear(self._by_conversation[fd])
        if has_rung or self._is_ending():
            self._look_after_children()
        return True

    def _is_ending(self) -> bool:
        """Whether there is something to be looked at again soon."""
        return any(watched.is_ending for watched in self._watched.values())

    def _answer_door(self) -> bool:
        """Take a request; whether the door is still open."""
        fds = wire.received_descriptors(self._door)
        if len(fds) == wire.DESCRIPTORS:
            self._admit(fds)
        else:
            for fd in fds:  # fewer than were sent: the limit of open files is reached
                os.close(fd)
        return bool(fds)

    def _admit(self, fds: list[int]) -> None:
        stdin, stdout, stderr, conversation_fd, file = fds
        conversation = socket.socket(fileno=conversation_fd)
        try:
            request = wire.read_request(file)
            wire.note(file)
            leader = self._start(request, (stdin, stdout, stderr))
            wire.note(file, leader.pid)
        except Exception as error:  # noqa: BLE001  # whatever one request provokes, the others go on
            wire.send_report(conversation, _refusal(error))
            conversation.close()
        else:
            watched = Watched(leader, request.token, conversation)
            self._watched[leader.pid] = self._by_conversation[conversation_fd] = watched
            self._poll.register(conversation_fd, select.POLLIN)
        finally:
            for fd in (stdin, stdout, stderr, file):
                os.close(fd)

    def _hear(self, watched: Watched) -> None:
        """Aeon wishes an invocation's end; when it no longer listens, the end is at once."""
        seconds = wire.received_ending(watched.conversation)
        watched.end(seconds or 0.0)
        if seconds is None:
            self._poll.unregister(watched.conversation)
            self._by_conversation.pop(watched.conversation.fileno())

    def _look_after_children(self) -> None:
        for watched in self._watched.values():
            watched.notice_exit()
        if not self._is_ending():
            return
        owned, unowned = self._orphans()
        tree.kill(tree.with_descendants(unowned), self._own_group)
        for _ in range(_CHASES if unowned or any(map(self._is_doomed, owned)) else 0):
            owned, unowned = self._orphans()
        for watched in list(self._watched.values()):
            if watched.is_ending:
                orphans = owned.get(watched.pid, set())
                watched.advance(orphans, self._own_group)
                if watched.is_over(orphans | unowned):
                    self._forget(watched)

    def _orphans(self) -> tuple[dict[int, set[int]], set[int]]:
        """Children that are no leader, by the leader whose they are, and those of nobody. The doomed die on sight.

        The dead are let go; each may have left a child that the list did not show yet, so then it is read again.
        """
        owned: dict[int, set[int]] = {}
        unowned: set[int] = set()
        leaders = {watched.pid for watched in self._watched.values() if watched.leader_is_alive}
        may_be_more = True
        while may_be_more:
            may_be_more = False
            for pid in self._children.now() - leaders:
                owner = self._owner(pid)
                if self._is_doomed(owner):
                    tree.kill_one(pid)
                if tree.collect(pid):
                    may_be_more = True
                elif owner is None:
                    unowned.add(pid)
                else:
                    owned.setdefault(owner, set()).add(pid)
        return owned, unowned

    def _is_doomed(self, owner: int | None) -> bool:
        return owner is None or self._watched[owner].is_doomed

    def _owner(self, pid: int) -> int | None:
        """The leader whose session it is in, or whose marker it carries."""
        session = tree.session(pid)
        if session in self._watched:
            return session
        token = tree.marker(pid, wire.MARKER)
        return next((watched.pid for watched in self._watched.values() if watched.token == token), None)

    def _forget(self, watched: Watched) -> None:
        del self._watched[watched.pid]
        fd = watched.conversation.fileno()
        if self._by_conversation.pop(fd, None):
            self._poll.unregister(fd)
        watched.report_over()


def _child_bell() -> int:
    """A descriptor that becomes readable when a child ends."""
    bell, rung = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(rung, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _signal, _frame: None)
    return bell


def _refusal(error: Exception) -> wire.Report:
    number = error.errno or 0 if isinstance(error, OSError) else 0
    about = os.fsdecode(error.filename) if isinstance(error, OSError) and error.filename else str(error)
    return wire.Report(wire.REFUSED, number, about[:1024])

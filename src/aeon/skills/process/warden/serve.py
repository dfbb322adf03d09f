"""The warden's loop, in one thread: starts what it is asked to, sees what ends, and leaves nothing behind."""

import errno
import os
import select
import socket
import time
from collections.abc import Callable

from . import tree, wire
from .limits import Limits, passed
from .start import Leader
from .watched import Watched

_TICK = 0.002
"""Seconds between two looks at what is ending."""

_LOOK = 0.025
"""Seconds between two looks at what the scripts that run use of the machine."""

_CHASES = 20
"""Looks in quick succession at what is doomed: it may be forking away faster than the tick."""

_LAST_SECONDS = 10.0
"""How long the warden goes on ending what is left when Aeon is gone; only what may not be ended takes longer."""

Starter = Callable[[wire.Request, tuple[int, int, int]], Leader]


class Channel:
    """One of Aeon's conversations, with a script at a time: none, one that waits for its place, or the one watched."""

    def __init__(self, opened: wire.Opened) -> None:
        conversation, self.file = opened.fds
        self.number = opened.channel
        self.conversation = socket.socket(fileno=conversation)
        self.watched: Watched | None = None

    def close(self) -> None:
        self.conversation.close()
        os.close(self.file)


class Warden:
    """Serves one Aeon process through `door` until that or the guard ends, and then ends everything it started."""

    def __init__(self, door: socket.socket, aeon: int, starter: Starter, limits: Limits, guard: int) -> None:
        self._door = door
        self._limits = limits
        self._next_look = 0.0
        self._start = starter
        self._own_group = os.getpgrp()
        self._children = tree.OwnChildren()
        self._channels: dict[int, Channel] = {}
        self._by_conversation: dict[int, Channel] = {}
        self._waiting: dict[Channel, wire.Start] = {}
        self._asked_by: dict[int, Channel] = {}
        self._watched: dict[int, Watched] = {}
        self._ending: dict[int, Watched] = {}
        self._by_pidfd: dict[int, Watched] = {}
        self._poll = select.poll()
        self._masters = [os.pidfd_open(aeon), os.pidfd_open(guard)]
        for fd in (door.fileno(), *self._masters):
            self._poll.register(fd, select.POLLIN)

    def serve(self) -> None:
        """Work until Aeon closes the door or is gone, however it went."""
        while self._turn():
            pass
        for fd in (self._door.fileno(), *self._masters):
            self._poll.unregister(fd)
        self._door.close()  # what still lies there is not begun
        for channel in list(self._waiting):
            self._forsake(channel)
        for watched in self._watched.values():
            self._end(watched, 0)
        deadline = time.monotonic() + _LAST_SECONDS
        while self._watched and time.monotonic() < deadline:
            self._attend(self._ready())

    def _turn(self) -> bool:
        """One round; whether there will be another."""
        ready = self._ready()
        is_alone = any(master in ready for master in self._masters)
        if is_alone or (self._door.fileno() in ready and not self._answer_door()):
            return False
        self._attend(ready)
        return True

    def _ready(self) -> list[int]:
        """Wait until something is ready, or for a moment while something is ending or runs."""
        seconds = _TICK if self._ending else _LOOK if self._watched else None
        return [fd for fd, _ in self._poll.poll(None if seconds is None else seconds * 1000)]

    def _attend(self, ready: list[int]) -> None:
        for fd in ready:
            if fd in self._by_conversation:
                self._hear(self._by_conversation[fd])
            elif fd in self._by_pidfd:
                self._notice_exit(fd)
        if self._watched and time.monotonic() >= self._next_look:
            self._look_at_use()
            self._next_look = time.monotonic() + _LOOK
        if self._ending:
            self._look_after_children()

    def _look_at_use(self) -> None:
        """End what uses more of the machine than it may (skills 18), and what is nobody's and does."""
        orphans: dict[int | None, set[int]] = {}
        leaders = {watched.pid for watched in self._watched.values() if watched.leader_is_alive}
        for pid in self._children.now() - leaders:
            orphans.setdefault(self._owner(pid), set()).add(pid)
        for watched in list(self._watched.values()):
            roots = orphans.get(watched.pid, set()) | (leaders & {watched.pid})
            if not watched.limit and (
                limit := passed(self._limits, tree.with_descendants(roots), watched.own_processes)
            ):
                watched.limit = limit
                self._end(watched, 0)
        unowned = tree.with_descendants(orphans.get(None, ()))
        if passed(self._limits, unowned):
            tree.kill(unowned, self._own_group)

    def _end(self, watched: Watched, polite_seconds: float) -> None:
        watched.end(polite_seconds)
        self._ending[watched.pid] = watched

    def _answer_door(self) -> bool:
        """Take everything that was handed in; whether the door is still open."""
        try:
            while (order := wire.received_order(self._door)) is not None:
                if isinstance(order, wire.Start):
                    self._take(order)
                elif order.fds:
                    self._open(Channel(order))
        except BlockingIOError:
            return True
        return False

    def _open(self, channel: Channel) -> None:
        self._channels[channel.number] = self._by_conversation[channel.conversation.fileno()] = channel
        self._poll.register(channel.conversation, select.POLLIN)

    def _take(self, start: wire.Start) -> None:
        channel = self._channels.get(start.channel)
        if channel is None:  # Aeon hung up before this was read
            _close_all(start.fds)
        elif self._has_place(start):
            self._admit(channel, start)
        else:
            self._waiting[channel] = start

    def _hear(self, channel: Channel) -> None:
        """Do as Aeon wishes. A wish for the end of what is over already came too late."""
        self._answer_door()  # where that may stand which it is about
        end = wire.received_end(channel.conversation)
        if end is None:
            self._hang_up(channel)
        elif channel.watched is not None:
            if end.of_lane:
                self._clear(channel.watched.lane)
            self._end(channel.watched, end.polite_seconds)
        elif channel in self._waiting:
            self._withdraw(channel)

    def _hang_up(self, channel: Channel) -> None:
        """Aeon no longer listens: what it asked for ends at once."""
        self._poll.unregister(channel.conversation)
        del self._by_conversation[channel.conversation.fileno()], self._channels[channel.number]
        if channel in self._waiting:
            self._forsake(channel)
        if channel.watched is not None:
            del self._asked_by[channel.watched.pid]
            self._end(channel.watched, 0)
        channel.close()

    def _has_place(self, start: wire.Start) -> bool:
        return not start.places or sum(each.lane == start.lane for each in self._watched.values()) < start.places

    def _forsake(self, channel: Channel) -> None:
        """Let what waits never begin."""
        _close_all(self._waiting.pop(channel).fds)

    def _withdraw(self, channel: Channel) -> None:
        """The same, and say so."""
        self._forsake(channel)
        wire.send_report(channel.conversation, wire.Report(wire.WITHDRAWN, 0))

    def _clear(self, lane: int) -> None:
        for channel, start in list(self._waiting.items()):
            if start.lane == lane:
                self._withdraw(channel)

    def _admit_waiting(self) -> None:
        """Begin what has a place now; who came first goes first."""
        for channel, start in list(self._waiting.items()):
            if self._has_place(start):
                del self._waiting[channel]
                self._admit(channel, start)

    def _admit(self, channel: Channel, start: wire.Start) -> None:
        try:
            watched = self._started(channel.file, start)
            if start.places:
                wire.send_report(channel.conversation, wire.Report(wire.BEGAN, time.monotonic_ns()))
        except Exception as error:  # noqa: BLE001  # whatever one request provokes, the others go on
            wire.send_report(channel.conversation, _refusal(error))
        else:
            channel.watched = watched
            self._asked_by[watched.pid] = channel

    def _started(self, file: int, start: wire.Start) -> Watched:
        if not start.fds:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        stdin, stdout, stderr = start.fds
        try:
            request = wire.taken_request(file, start.length)
            wire.note(file)
            leader = self._start(request, (stdin, stdout, stderr))
            wire.note(file, leader.pid)
        finally:
            _close_all(start.fds)
        watched = Watched(leader, request.token, start.lane)
        self._watched[leader.pid] = self._by_pidfd[watched.pidfd] = watched
        self._poll.register(watched.pidfd, select.POLLIN)
        return watched

    def _notice_exit(self, pidfd: int) -> None:
        self._poll.unregister(pidfd)
        watched = self._by_pidfd.pop(pidfd)
        watched.notice_exit()
        self._ending[watched.pid] = watched

    def _look_after_children(self) -> None:
        """End what is left of the scripts that are ending, and report those of which nothing is."""
        owned, unowned = self._orphans()
        tree.kill(tree.with_descendants(unowned), self._own_group)
        for _ in range(_CHASES if unowned or any(map(self._is_doomed, owned)) else 0):
            owned, unowned = self._orphans()
        for watched in list(self._ending.values()):
            orphans = owned.get(watched.pid, set())
            watched.advance(orphans, self._own_group)
            if watched.is_over(orphans | unowned):
                self._forget(watched)
        if self._waiting:
            self._admit_waiting()

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
        del self._watched[watched.pid], self._ending[watched.pid]
        channel = self._asked_by.pop(watched.pid, None)
        if channel is not None:
            channel.watched = None
            wire.send_report(channel.conversation, watched.report())


def _close_all(fds: list[int]) -> None:
    for fd in fds:
        os.close(fd)


def _refusal(error: Exception) -> wire.Report:
    number = error.errno or 0 if isinstance(error, OSError) else 0
    about = os.fsdecode(error.filename) if isinstance(error, OSError) and error.filename else str(error)
    return wire.Report(wire.REFUSED, number, about[:1024])

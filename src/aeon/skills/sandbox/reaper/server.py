"""The reaper's loop, in one thread: starts what it is asked to, sees what ends, and leaves nothing behind."""

import errno
import os
import select
import socket
import time
from collections.abc import Callable

from . import messages, procfs
from .resource_limits import ScriptLimits, exceeded_limit
from .script_tree import ScriptTree
from .spawn import ScriptLeader

_TICK_SECONDS = 0.002
"""Seconds between two looks at what is ending."""

_USAGE_CHECK_SECONDS = 0.025
"""Seconds between two looks at what the scripts that run use of the machine."""

_RESCANS = 20
"""Looks in quick succession at what is doomed: it may be forking away faster than the tick."""

_SHUTDOWN_SECONDS = 10.0
"""How long the reaper goes on ending what is left when Aeon is gone; only what may not be ended takes longer."""

Spawner = Callable[[messages.SpawnRequest, tuple[int, int, int]], ScriptLeader]


class ClientChannel:
    """One of Aeon's conversations, with a script at a time: none, one that waits for its place, or the one watched."""

    def __init__(self, opened: messages.ChannelOpened) -> None:
        conversation, self.request_file = opened.fds
        self.number = opened.channel
        self.socket = socket.socket(fileno=conversation)
        self.script_tree: ScriptTree | None = None

    def close(self) -> None:
        self.socket.close()
        os.close(self.request_file)


class Reaper:
    """Serves one Aeon process through `door` until that or the guard ends, and then ends everything it started."""

    def __init__(self, door: socket.socket, aeon: int, starter: Spawner, limits: ScriptLimits, guard: int) -> None:
        self._command_socket = door
        self._limits = limits
        self._next_look = 0.0
        self._spawn = starter
        self._own_group = os.getpgrp()
        self._children = procfs.OwnChildren()
        self._channels: dict[int, ClientChannel] = {}
        self._by_socket: dict[int, ClientChannel] = {}
        self._waiting: dict[ClientChannel, messages.SpawnCommand] = {}
        self._channel_of: dict[int, ClientChannel] = {}
        self._trees: dict[int, ScriptTree] = {}
        self._ending: dict[int, ScriptTree] = {}
        self._by_pidfd: dict[int, ScriptTree] = {}
        self._poll = select.poll()
        self._owner_pidfds = [os.pidfd_open(aeon), os.pidfd_open(guard)]
        for fd in (door.fileno(), *self._owner_pidfds):
            self._poll.register(fd, select.POLLIN)

    def serve(self) -> None:
        """Work until Aeon closes the door or is gone, however it went."""
        while self._serve_once():
            pass
        for fd in (self._command_socket.fileno(), *self._owner_pidfds):
            self._poll.unregister(fd)
        self._command_socket.close()  # what still lies there is not begun
        for channel in list(self._waiting):
            self._drop_waiting(channel)
        for watched in self._trees.values():
            self._terminate(watched, 0)
        deadline = time.monotonic() + _SHUTDOWN_SECONDS
        while self._trees and time.monotonic() < deadline:
            self._handle_ready(self._ready())

    def _serve_once(self) -> bool:
        """One round; whether there will be another."""
        ready = self._ready()
        is_alone = any(master in ready for master in self._owner_pidfds)
        if is_alone or (self._command_socket.fileno() in ready and not self._receive_commands()):
            return False
        self._handle_ready(ready)
        return True

    def _ready(self) -> list[int]:
        """Wait until something is ready, or for a moment while something is ending or runs."""
        seconds = _TICK_SECONDS if self._ending else _USAGE_CHECK_SECONDS if self._trees else None
        return [fd for fd, _ in self._poll.poll(None if seconds is None else seconds * 1000)]

    def _handle_ready(self, ready: list[int]) -> None:
        for fd in ready:
            if fd in self._by_socket:
                self._receive_stop(self._by_socket[fd])
            elif fd in self._by_pidfd:
                self._collect_leader(fd)
        if self._trees and time.monotonic() >= self._next_look:
            self._enforce_limits()
            self._next_look = time.monotonic() + _USAGE_CHECK_SECONDS
        if self._ending:
            self._reap_children()

    def _enforce_limits(self) -> None:
        """End what uses more of the machine than it may (skills 18), and what is nobody's and does."""
        orphans: dict[int | None, set[int]] = {}
        leaders = {watched.pid for watched in self._trees.values() if watched.leader_is_alive}
        for pid in self._children.pids() - leaders:
            orphans.setdefault(self._owner(pid), set()).add(pid)
        for watched in list(self._trees.values()):
            roots = orphans.get(watched.pid, set()) | (leaders & {watched.pid})
            if not watched.exceeded_limit and (
                limit := exceeded_limit(self._limits, procfs.with_descendants(roots), watched.bubblewrap_processes)
            ):
                watched.exceeded_limit = limit
                self._terminate(watched, 0)
        unowned = procfs.with_descendants(orphans.get(None, ()))
        if exceeded_limit(self._limits, unowned):
            procfs.kill_with_groups(unowned, self._own_group)

    def _terminate(self, watched: ScriptTree, polite_seconds: float) -> None:
        watched.terminate(polite_seconds)
        self._ending[watched.pid] = watched

    def _receive_commands(self) -> bool:
        """Take everything that was handed in; whether the door is still open."""
        try:
            while (order := messages.receive_command(self._command_socket)) is not None:
                if isinstance(order, messages.SpawnCommand):
                    self._enqueue_or_start(order)
                elif order.fds:
                    self._add_channel(ClientChannel(order))
        except BlockingIOError:
            return True
        return False

    def _add_channel(self, channel: ClientChannel) -> None:
        self._channels[channel.number] = self._by_socket[channel.socket.fileno()] = channel
        self._poll.register(channel.socket, select.POLLIN)

    def _enqueue_or_start(self, start: messages.SpawnCommand) -> None:
        channel = self._channels.get(start.channel)
        if channel is None:  # Aeon hung up before this was read
            _close_all(start.fds)
        elif self._has_slot(start):
            self._start_script(channel, start)
        else:
            self._waiting[channel] = start

    def _receive_stop(self, channel: ClientChannel) -> None:
        """Do as Aeon wishes. A wish for the end of what is over already came too late."""
        self._receive_commands()  # where that may stand which it is about
        end = messages.receive_stop(channel.socket)
        if end is None:
            self._close_channel(channel)
        elif channel.script_tree is not None:
            if end.is_for_group:
                self._dequeue_group(channel.script_tree.group)
            self._terminate(channel.script_tree, end.grace_seconds)
        elif channel in self._waiting:
            self._dequeue(channel)

    def _close_channel(self, channel: ClientChannel) -> None:
        """Aeon no longer listens: what it asked for ends at once."""
        self._poll.unregister(channel.socket)
        del self._by_socket[channel.socket.fileno()], self._channels[channel.number]
        if channel in self._waiting:
            self._drop_waiting(channel)
        if channel.script_tree is not None:
            del self._channel_of[channel.script_tree.pid]
            self._terminate(channel.script_tree, 0)
        channel.close()

    def _has_slot(self, start: messages.SpawnCommand) -> bool:
        return not start.limit or sum(each.group == start.group for each in self._trees.values()) < start.limit

    def _drop_waiting(self, channel: ClientChannel) -> None:
        """Let what waits never begin."""
        _close_all(self._waiting.pop(channel).fds)

    def _dequeue(self, channel: ClientChannel) -> None:
        """The same, and say so."""
        self._drop_waiting(channel)
        messages.send_report(channel.socket, messages.ReaperReport(messages.DEQUEUED, 0))

    def _dequeue_group(self, lane: int) -> None:
        for channel, start in list(self._waiting.items()):
            if start.group == lane:
                self._dequeue(channel)

    def _start_waiting(self) -> None:
        """Begin what has a place now; who came first goes first."""
        for channel, start in list(self._waiting.items()):
            if self._has_slot(start):
                del self._waiting[channel]
                self._start_script(channel, start)

    def _start_script(self, channel: ClientChannel, start: messages.SpawnCommand) -> None:
        try:
            watched = self._spawn_tree(channel.request_file, start)
            if start.limit:
                messages.send_report(channel.socket, messages.ReaperReport(messages.STARTED, time.monotonic_ns()))
        except Exception as error:  # noqa: BLE001  # whatever one request provokes, the others go on
            messages.send_report(channel.socket, _start_failure(error))
        else:
            channel.script_tree = watched
            self._channel_of[watched.pid] = channel

    def _spawn_tree(self, file: int, start: messages.SpawnCommand) -> ScriptTree:
        if not start.fds:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        stdin, stdout, stderr = start.fds
        try:
            request = messages.take_request(file, start.length)
            messages.record_leader(file)
            leader = self._spawn(request, (stdin, stdout, stderr))
            messages.record_leader(file, leader.pid)
        finally:
            _close_all(start.fds)
        watched = ScriptTree(leader, request.token, start.group)
        self._trees[leader.pid] = self._by_pidfd[watched.pidfd] = watched
        self._poll.register(watched.pidfd, select.POLLIN)
        return watched

    def _collect_leader(self, pidfd: int) -> None:
        self._poll.unregister(pidfd)
        watched = self._by_pidfd.pop(pidfd)
        watched.collect_leader()
        self._ending[watched.pid] = watched

    def _reap_children(self) -> None:
        """End what is left of the scripts that are ending, and report those of which nothing is."""
        owned, unowned = self._orphans()
        procfs.kill_with_groups(procfs.with_descendants(unowned), self._own_group)
        for _ in range(_RESCANS if unowned or any(map(self._is_grace_over, owned)) else 0):
            owned, unowned = self._orphans()
        for watched in list(self._ending.values()):
            orphans = owned.get(watched.pid, set())
            watched.kill_remaining(orphans, self._own_group)
            if watched.is_gone(orphans | unowned):
                self._report_exit(watched)
        if self._waiting:
            self._start_waiting()

    def _orphans(self) -> tuple[dict[int, set[int]], set[int]]:
        """Children that are no leader, by the leader whose they are, and those of nobody. The doomed die on sight.

        The dead are let go; each may have left a child that the list did not show yet, so then it is read again.
        """
        owned: dict[int, set[int]] = {}
        unowned: set[int] = set()
        leaders = {watched.pid for watched in self._trees.values() if watched.leader_is_alive}
        may_be_more = True
        while may_be_more:
            may_be_more = False
            for pid in self._children.pids() - leaders:
                owner = self._owner(pid)
                if self._is_grace_over(owner):
                    procfs.kill(pid)
                if procfs.reap(pid):
                    may_be_more = True
                elif owner is None:
                    unowned.add(pid)
                else:
                    owned.setdefault(owner, set()).add(pid)
        return owned, unowned

    def _is_grace_over(self, owner: int | None) -> bool:
        return owner is None or self._trees[owner].is_grace_over

    def _owner(self, pid: int) -> int | None:
        """The leader whose session it is in, or whose marker it carries."""
        session = procfs.session_id(pid)
        if session in self._trees:
            return session
        token = procfs.environment_variable(pid, messages.MARKER_VARIABLE)
        return next((watched.pid for watched in self._trees.values() if watched.token == token), None)

    def _report_exit(self, watched: ScriptTree) -> None:
        del self._trees[watched.pid], self._ending[watched.pid]
        channel = self._channel_of.pop(watched.pid, None)
        if channel is not None:
            channel.script_tree = None
            messages.send_report(channel.socket, watched.report())


def _close_all(fds: list[int]) -> None:
    for fd in fds:
        os.close(fd)


def _start_failure(error: Exception) -> messages.ReaperReport:
    number = error.errno or 0 if isinstance(error, OSError) else 0
    about = os.fsdecode(error.filename) if isinstance(error, OSError) and error.filename else str(error)
    return messages.ReaperReport(messages.START_FAILED, number, about[:1024])

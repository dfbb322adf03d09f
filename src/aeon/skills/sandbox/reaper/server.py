"""The reaper's single-threaded loop: starts scripts and leaves no process behind."""

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
"""Seconds between checks of scripts that are ending."""

_USAGE_CHECK_SECONDS = 0.025
"""Seconds between checks of the resources that running scripts use."""

_RESCANS = 20
"""Immediate rescans of processes to be killed: they may fork faster than the tick."""

_SHUTDOWN_SECONDS = 10.0
"""Seconds for ending the remaining scripts after Aeon's death; only unkillable processes take longer."""

Spawner = Callable[[messages.SpawnRequest, tuple[int, int, int]], ScriptLeader]


class ClientChannel:
    """A channel to Aeon for one script at a time.

    `script_tree` is the running one, if there is one.
    """

    def __init__(self, opened: messages.ChannelOpened) -> None:
        channel_socket, self.request_file = opened.fds
        self.number = opened.channel
        self.socket = socket.socket(fileno=channel_socket)
        self.script_tree: ScriptTree | None = None

    def close(self) -> None:
        self.socket.close()
        os.close(self.request_file)


class Reaper:
    """Serves one Aeon process through `command_socket` until it or the guard ends.

    It then ends everything it started.
    """

    def __init__(
        self, command_socket: socket.socket, aeon_pid: int, spawner: Spawner, limits: ScriptLimits, guard: int
    ) -> None:
        self._command_socket = command_socket
        self._limits = limits
        self._next_usage_check = 0.0
        self._spawn = spawner
        self._own_group = os.getpgrp()
        self._children = procfs.OwnChildren()
        self._channels: dict[int, ClientChannel] = {}
        self._by_socket: dict[int, ClientChannel] = {}
        self._channel_of: dict[int, ClientChannel] = {}
        self._trees: dict[int, ScriptTree] = {}
        self._ending: dict[int, ScriptTree] = {}
        self._by_pidfd: dict[int, ScriptTree] = {}
        self._poll = select.poll()
        self._owner_pidfds = [os.pidfd_open(aeon_pid), os.pidfd_open(guard)]
        for fd in (command_socket.fileno(), *self._owner_pidfds):
            self._poll.register(fd, select.POLLIN)

    def serve(self) -> None:
        """Serves until Aeon closes the command socket or dies."""
        while self._serve_once():
            pass
        for fd in (self._command_socket.fileno(), *self._owner_pidfds):
            self._poll.unregister(fd)
        self._command_socket.close()  # pending requests are not started
        for tree in self._trees.values():
            self._terminate(tree, 0)
        deadline = time.monotonic() + _SHUTDOWN_SECONDS
        while self._trees and time.monotonic() < deadline:
            self._handle_ready(self._ready())

    def _serve_once(self) -> bool:
        """Runs one round. Returns whether to continue."""
        ready = self._ready()
        is_orphaned = any(owner in ready for owner in self._owner_pidfds)
        if is_orphaned or (self._command_socket.fileno() in ready and not self._receive_commands()):
            return False
        self._handle_ready(ready)
        return True

    def _ready(self) -> list[int]:
        """Waits until a descriptor is ready, with a short timeout while scripts run or end."""
        seconds = _TICK_SECONDS if self._ending else _USAGE_CHECK_SECONDS if self._trees else None
        return [fd for fd, _ in self._poll.poll(None if seconds is None else seconds * 1000)]

    def _handle_ready(self, ready: list[int]) -> None:
        for fd in ready:
            if fd in self._by_socket:
                self._receive_stop(self._by_socket[fd])
            elif fd in self._by_pidfd:
                self._collect_leader(fd)
        if self._trees and time.monotonic() >= self._next_usage_check:
            self._enforce_limits()
            self._next_usage_check = time.monotonic() + _USAGE_CHECK_SECONDS
        if self._ending:
            self._reap_children()

    def _enforce_limits(self) -> None:
        """Ends scripts that exceed a resource limit (skills 18), and unowned processes that do."""
        orphans: dict[int | None, set[int]] = {}
        leaders = {tree.pid for tree in self._trees.values() if tree.leader_is_alive}
        for pid in self._children.pids() - leaders:
            orphans.setdefault(self._owner(pid), set()).add(pid)
        for tree in list(self._trees.values()):
            roots = orphans.get(tree.pid, set()) | (leaders & {tree.pid})
            if not tree.exceeded_limit and (
                limit := exceeded_limit(self._limits, procfs.with_descendants(roots), tree.bubblewrap_processes)
            ):
                tree.exceeded_limit = limit
                self._terminate(tree, 0)
        unowned = procfs.with_descendants(orphans.get(None, ()))
        if exceeded_limit(self._limits, unowned):
            procfs.kill_with_groups(unowned, self._own_group)

    def _terminate(self, tree: ScriptTree, grace_seconds: float) -> None:
        tree.terminate(grace_seconds)
        self._ending[tree.pid] = tree

    def _receive_commands(self) -> bool:
        """Handles all pending commands. Returns whether the command socket is still open."""
        try:
            while (command := messages.receive_command(self._command_socket)) is not None:
                if isinstance(command, messages.SpawnCommand):
                    self._start_script(command)
                elif command.fds:
                    self._add_channel(ClientChannel(command))
        except BlockingIOError:
            return True
        return False

    def _add_channel(self, channel: ClientChannel) -> None:
        self._channels[channel.number] = self._by_socket[channel.socket.fileno()] = channel
        self._poll.register(channel.socket, select.POLLIN)

    def _receive_stop(self, channel: ClientChannel) -> None:
        """Handles a stop command. It is ignored if the script has already ended."""
        self._receive_commands()  # the script's spawn command may still be pending
        command = messages.receive_stop(channel.socket)
        if command is None:
            self._close_channel(channel)
        elif channel.script_tree is not None:
            self._terminate(channel.script_tree, command.grace_seconds)

    def _close_channel(self, channel: ClientChannel) -> None:
        """Handles a channel that Aeon closed: its script ends at once."""
        self._poll.unregister(channel.socket)
        del self._by_socket[channel.socket.fileno()], self._channels[channel.number]
        if channel.script_tree is not None:
            del self._channel_of[channel.script_tree.pid]
            self._terminate(channel.script_tree, 0)
        channel.close()

    def _start_script(self, start: messages.SpawnCommand) -> None:
        channel = self._channels.get(start.channel)
        if channel is None:  # Aeon hung up before this was read
            _close_all(start.fds)
            return
        try:
            tree = self._spawn_tree(channel.request_file, start)
        except Exception as error:  # noqa: BLE001  # a failing request must not stop the others
            messages.send_report(channel.socket, _start_failure(error))
        else:
            channel.script_tree = tree
            self._channel_of[tree.pid] = channel

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
        tree = ScriptTree(leader, request.token)
        self._trees[leader.pid] = self._by_pidfd[tree.pidfd] = tree
        self._poll.register(tree.pidfd, select.POLLIN)
        return tree

    def _collect_leader(self, pidfd: int) -> None:
        self._poll.unregister(pidfd)
        tree = self._by_pidfd.pop(pidfd)
        tree.collect_leader()
        self._ending[tree.pid] = tree

    def _reap_children(self) -> None:
        """Kills what is left of ending scripts, and reports those that are completely gone."""
        owned, unowned = self._orphans()
        procfs.kill_with_groups(procfs.with_descendants(unowned), self._own_group)
        for _ in range(_RESCANS if unowned or any(map(self._is_grace_over, owned)) else 0):
            owned, unowned = self._orphans()
        for tree in list(self._ending.values()):
            orphans = owned.get(tree.pid, set())
            tree.kill_remaining(orphans, self._own_group)
            if tree.is_gone(orphans | unowned):
                self._report_exit(tree)

    def _orphans(self) -> tuple[dict[int, set[int]], set[int]]:
        """Returns adopted children by their leader, and unowned ones.

        Kills those whose grace period is over. Dead children are reaped. Each may have left a child that was not
        listed yet, so the list is then read again.
        """
        owned: dict[int, set[int]] = {}
        unowned: set[int] = set()
        leaders = {tree.pid for tree in self._trees.values() if tree.leader_is_alive}
        must_rescan = True
        while must_rescan:
            must_rescan = False
            for pid in self._children.pids() - leaders:
                owner = self._owner(pid)
                if self._is_grace_over(owner):
                    procfs.kill(pid)
                if procfs.reap(pid):
                    must_rescan = True
                elif owner is None:
                    unowned.add(pid)
                else:
                    owned.setdefault(owner, set()).add(pid)
        return owned, unowned

    def _is_grace_over(self, owner: int | None) -> bool:
        return owner is None or self._trees[owner].is_grace_over

    def _owner(self, pid: int) -> int | None:
        """Returns the leader whose session the process is in, or whose marker it carries.

        Returns None for an unowned process.
        """
        session = procfs.session_id(pid)
        if session in self._trees:
            return session
        token = procfs.environment_variable(pid, messages.MARKER_VARIABLE)
        return next((tree.pid for tree in self._trees.values() if tree.token == token), None)

    def _report_exit(self, tree: ScriptTree) -> None:
        del self._trees[tree.pid], self._ending[tree.pid]
        channel = self._channel_of.pop(tree.pid, None)
        if channel is not None:
            channel.script_tree = None
            messages.send_report(channel.socket, tree.report())


def _close_all(fds: list[int]) -> None:
    for fd in fds:
        os.close(fd)


def _start_failure(error: Exception) -> messages.ReaperReport:
    number = error.errno or 0 if isinstance(error, OSError) else 0
    about = os.fsdecode(error.filename) if isinstance(error, OSError) and error.filename else str(error)
    return messages.ReaperReport(messages.START_FAILED, number, about[:1024])

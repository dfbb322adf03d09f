"""The messages between Aeon and its reaper: marshalled values over sockets.

The sockets preserve message boundaries. A channel is a socket and a file that both sides hold. It serves one script
after another. Aeon writes the request into the file and announces it on the reaper's command socket, which keeps the
order. On the channel's socket Aeon may send a stop and receives the report; then the channel is free for the next
script. Both sides run the same interpreter version; no other process holds a descriptor.
"""

import array
import errno
import marshal
import os
import socket
import struct
from typing import NamedTuple

MARKER_VARIABLE = "AEON_INVOCATION"
"""The environment variable that identifies a script's processes after they have left their process tree."""

_LEADER = struct.Struct("=q")
_NOT_STARTED = -1

_MAX_DESCRIPTORS = 3

WARM_OPTIONS = ("-s", "-B")
"""Options of a warm interpreter: no user modules, no bytecode. Scripts with the same options may be forked."""

START_FAILED = "refused"
"""Nothing was started; with the errno and its file."""
EXITED = "over"
"""All processes are gone; with the leader's exit code, and the exceeded limit if there was one."""
SANDBOX_FAILED = "unboxed"
"""The sandbox ended before the script started; all processes are gone."""


class SandboxPolicy(NamedTuple):
    """A script's access: paths to read and execute, paths to write, network, unix sockets.

    `system` may be read too; its paths stay the same during a reaper's life. `listed`: folders whose entries may be
    listed, but not read.
    """

    system: tuple[str, ...]
    read: tuple[str, ...]
    write: tuple[str, ...]
    network: bool
    local_sockets: bool
    listed: tuple[str, ...] = ()


class SpawnRequest(NamedTuple):
    """A script to start.

    If `uses_bubblewrap`, the command is bubblewrap's, which shows the readable and writable paths, and a filter of
    system calls applies the rest of the `policy`. Otherwise landlock and the filter apply all of it.
    """

    command: tuple[str, ...]
    cwd: str
    env: dict[str, str]
    token: str
    uses_bubblewrap: bool
    policy: SandboxPolicy | None


class ReaperReport(NamedTuple):
    """The reaper's report on an invocation; `kind` is one of the constants above."""

    kind: str
    number: int
    text: str = ""


class ChannelOpened(NamedTuple):
    """A new channel with its socket and its file.

    It has no descriptors if too many are open in the reaper.
    """

    channel: int
    fds: list[int]


class SpawnCommand(NamedTuple):
    """Starts the request in a channel's file, with `fds` for stdin, stdout and stderr.

    The request has `length` bytes. No descriptors if too many are open in the reaper.
    """

    channel: int
    fds: list[int]
    length: int


class ScriptStopCommand(NamedTuple):
    """Ends a running script after `grace_seconds`."""

    grace_seconds: float


def write_request(file: int, request: SpawnRequest) -> int:
    """Writes the request into a channel's file, as it may be too long for a message.

    Returns its length. The file starts with a field for the leader's process id, which Aeon reads only if the reaper
    died. Raises OSError if it cannot be written completely, for example because of a limit on file sizes.
    """
    policy = request.policy and tuple(request.policy)
    content = marshal.dumps((*request[:-1], policy))
    try:
        is_whole = os.pwrite(file, _LEADER.pack(_NOT_STARTED) + content, 0) == _LEADER.size + len(content)
    except OSError:
        is_whole = False
    if not is_whole:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return len(content)


def take_request(file: int, length: int) -> SpawnRequest:
    """Returns the request from the file and deletes it there, since it may contain secrets."""
    content = os.pread(file, length, _LEADER.size)
    os.ftruncate(file, _LEADER.size)
    command, cwd, env, token, uses_bubblewrap, policy = marshal.loads(content)  # noqa: S302  # written by Aeon, in a file that only Aeon has
    return SpawnRequest(command, cwd, env, token, uses_bubblewrap, policy and SandboxPolicy(*policy))


def record_leader(file: int, leader: int = 0) -> None:
    """Records in the file that the request is starting (0), later its leader's process id."""
    os.pwrite(file, _LEADER.pack(leader), 0)


def read_leader(file: int) -> int | None:
    """Returns the leader's process id.

    Returns 0 if there may be one, None if the reaper never started the request.
    """
    (leader,) = _LEADER.unpack(os.pread(file, _LEADER.size, 0))
    return None if leader == _NOT_STARTED else leader


def send_command(command_socket: socket.socket, command: ChannelOpened | SpawnCommand) -> None:
    """Sends a command to the reaper. Raises OSError if the reaper died or hung."""
    channel, fds, *more = command
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))
    command_socket.sendmsg([marshal.dumps((channel, len(fds), *more))], [rights], socket.MSG_NOSIGNAL)


def receive_command(command_socket: socket.socket) -> ChannelOpened | SpawnCommand | None:
    """Returns Aeon's next command; None if Aeon is gone.

    Raises BlockingIOError if there is none now.
    """
    fds = array.array("i")
    ancillary_size = socket.CMSG_SPACE(_MAX_DESCRIPTORS * fds.itemsize)
    flags = socket.MSG_CMSG_CLOEXEC | socket.MSG_DONTWAIT  # recv_fds of the standard library drops them
    try:
        message, ancillary, _, _ = command_socket.recvmsg(64, ancillary_size, flags)
    except BlockingIOError:
        raise
    except OSError:
        return None
    if not message:
        return None
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(content[: len(content) - len(content) % fds.itemsize])
    channel, count, *more = marshal.loads(message)  # noqa: S302  # written by Aeon, on a socket that only Aeon has
    all_fds = _all_or_none(list(fds), count)
    return SpawnCommand(channel, all_fds, *more) if more else ChannelOpened(channel, all_fds)


def _all_or_none(fds: list[int], count: int) -> list[int]:
    """Returns the descriptors if all arrived; else closes them and returns none."""
    if len(fds) == count:
        return fds
    for fd in fds:
        os.close(fd)
    return []


def send_report(channel_socket: socket.socket, report: ReaperReport) -> None:
    """Sends a report to Aeon, if it is still connected."""
    try:
        channel_socket.send(marshal.dumps(tuple(report)), socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
    except OSError:
        return  # Aeon's end is closed, which the reaper notices itself


def receive_report(channel_socket: socket.socket) -> ReaperReport | None:
    """Returns the reaper's report; None if the reaper died."""
    try:
        message = channel_socket.recv(4096)
    except OSError:
        return None
    return ReaperReport(*marshal.loads(message)) if message else None  # noqa: S302  # as above


def send_stop(channel_socket: socket.socket, command: ScriptStopCommand) -> None:
    """Requests the end of the invocation."""
    try:
        channel_socket.send(marshal.dumps(tuple(command)), socket.MSG_NOSIGNAL)
    except OSError:
        return  # the reaper died, which the next receive on the socket shows


def receive_stop(channel_socket: socket.socket) -> ScriptStopCommand | None:
    """Returns the stop command; None if Aeon closed the channel."""
    try:
        message = channel_socket.recv(64)
    except OSError:
        return None
    return ScriptStopCommand(*marshal.loads(message)) if message else None  # noqa: S302  # as above

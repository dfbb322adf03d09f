"""What Aeon and its reaper say to each other: marshalled values over sockets that keep messages apart.

A channel is a socket and a file that both hold. It serves one script after another: Aeon writes the request into the
file, says so at the reaper's door, where everything arrives in order, may wish for the end on the socket, and hears a
report there, after which it may ask again. Both ends are one interpreter of one version; nobody else holds any of it.
"""

import array
import errno
import marshal
import os
import socket
import struct
from typing import NamedTuple

MARKER_VARIABLE = "AEON_INVOCATION"
"""The variable by which a script's processes are known after they have left their tree."""

_LEADER = struct.Struct("=q")
_NOT_STARTED = -1

_MAX_DESCRIPTORS = 3

WARM_OPTIONS = ("-s", "-B")
"""How a warm interpreter runs: no modules of the user, no bytecode written. Scripts that ask for the same may fork."""

STARTED = "began"
"""What had to wait was started; with the monotonic time in nanoseconds."""
START_FAILED = "refused"
"""Nothing was started; with the errno, and the file it is about."""
DEQUEUED = "withdrawn"
"""It waited for its place, and will not begin."""
EXITED = "over"
"""Everything is gone; with the leader's exit code, and the limit that it was ended for, if it was."""
SANDBOX_FAILED = "unboxed"
"""The sandbox ended before the script began; everything is gone."""


class SandboxPolicy(NamedTuple):
    """What is left open: what may be read and executed, what may be written too, the network, unix sockets by path.

    `system` may be read too; it is what stays in its place for as long as a reaper lives.
    """

    system: tuple[str, ...]
    read: tuple[str, ...]
    write: tuple[str, ...]
    network: bool
    local_sockets: bool


class SpawnRequest(NamedTuple):
    """A script to start.

    If `uses_bubblewrap`, the command is bubblewrap's, which shows what may be read and written, and a filter of system
    calls applies the rest of the `policy`. Otherwise landlock and the filter apply all of it.
    """

    command: tuple[str, ...]
    cwd: str
    env: dict[str, str]
    token: str
    uses_bubblewrap: bool
    policy: SandboxPolicy | None


class ReaperReport(NamedTuple):
    """What the reaper says of an invocation."""

    kind: str
    number: int
    text: str = ""


class ChannelOpened(NamedTuple):
    """A new channel: the socket of its conversation, and its file. No descriptors where too many are open here."""

    channel: int
    fds: list[int]


class SpawnCommand(NamedTuple):
    """Carry out the request in a channel's file, which is so long, with `fds` for stdin, stdout and stderr.

    It counts in `lane`. With `places` it waits until fewer than that run there, and that it began is reported. No
    descriptors where too many are open here.
    """

    channel: int
    fds: list[int]
    length: int
    group: int = 0
    limit: int = 0


class ScriptStopCommand(NamedTuple):
    """End what runs, politely for so long, or what waits. `is_for_group`: nothing of the group that waits begins."""

    grace_seconds: float
    is_for_group: bool = False


def write_request(file: int, request: SpawnRequest) -> int:
    """Put the request into a channel's file, as it may be longer than a message. Returns its length.

    It begins with room for what the reaper notes there, which Aeon reads only if the reaper is gone. Raises OSError
    when it cannot be written whole, as under a limit on the size of files.
    """
    fence = request.policy and tuple(request.policy)
    content = marshal.dumps((*request[:-1], fence))
    try:
        is_whole = os.pwrite(file, _LEADER.pack(_NOT_STARTED) + content, 0) == _LEADER.size + len(content)
    except OSError:
        is_whole = False
    if not is_whole:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return len(content)


def take_request(file: int, length: int) -> SpawnRequest:
    """The request that `write_request` put into the file, which then holds it no more: there may be secrets in it."""
    content = os.pread(file, length, _LEADER.size)
    os.ftruncate(file, _LEADER.size)
    command, cwd, env, token, is_boxed, fence = marshal.loads(content)  # noqa: S302  # written by Aeon, in a file that only Aeon has
    return SpawnRequest(command, cwd, env, token, is_boxed, fence and SandboxPolicy(*fence))


def record_leader(file: int, leader: int = 0) -> None:
    """Note that the request is about to be carried out, and then by which process."""
    os.pwrite(file, _LEADER.pack(leader), 0)


def read_leader(file: int) -> int | None:
    """The leader of what was started; 0 when there may be one, None when the reaper never came to it."""
    (leader,) = _LEADER.unpack(os.pread(file, _LEADER.size, 0))
    return None if leader == _NOT_STARTED else leader


def send_command(door: socket.socket, order: ChannelOpened | SpawnCommand) -> None:
    """Tell the reaper. Raises OSError when it is gone or hung."""
    channel, fds, *more = order
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))
    door.sendmsg([marshal.dumps((channel, len(fds), *more))], [rights], socket.MSG_NOSIGNAL)


def receive_command(door: socket.socket) -> ChannelOpened | SpawnCommand | None:
    """The next of what Aeon wants; None when it is gone. Raises BlockingIOError when there is nothing now."""
    fds = array.array("i")
    room = socket.CMSG_SPACE(_MAX_DESCRIPTORS * fds.itemsize)
    flags = socket.MSG_CMSG_CLOEXEC | socket.MSG_DONTWAIT  # recv_fds of the standard library drops them
    try:
        message, extra, _, _ = door.recvmsg(64, room, flags)
    except BlockingIOError:
        raise
    except OSError:
        return None
    if not message:
        return None
    for level, kind, content in extra:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(content[: len(content) - len(content) % fds.itemsize])
    channel, count, *more = marshal.loads(message)  # noqa: S302  # written by Aeon, on a socket that only Aeon has
    whole = _all_or_none(list(fds), count)
    return SpawnCommand(channel, whole, *more) if more else ChannelOpened(channel, whole)


def _all_or_none(fds: list[int], count: int) -> list[int]:
    """As many descriptors as were sent, or none: some are of no use."""
    if len(fds) == count:
        return fds
    for fd in fds:
        os.close(fd)
    return []


def send_report(conversation: socket.socket, report: ReaperReport) -> None:
    """Tell Aeon, if it still listens."""
    try:
        conversation.send(marshal.dumps(tuple(report)), socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
    except OSError:
        return  # Aeon's end is gone, which the reaper hears of by itself


def receive_report(conversation: socket.socket) -> ReaperReport | None:
    """What the reaper said; None when it is gone."""
    try:
        message = conversation.recv(4096)
    except OSError:
        return None
    return ReaperReport(*marshal.loads(message)) if message else None  # noqa: S302  # as above


def send_stop(conversation: socket.socket, end: ScriptStopCommand) -> None:
    """Ask for the invocation's end."""
    try:
        conversation.send(marshal.dumps(tuple(end)), socket.MSG_NOSIGNAL)
    except OSError:
        return  # the reaper is gone, which the next look at the conversation says


def receive_stop(conversation: socket.socket) -> ScriptStopCommand | None:
    """The wish for an end; None when Aeon is gone."""
    try:
        message = conversation.recv(64)
    except OSError:
        return None
    return ScriptStopCommand(*marshal.loads(message)) if message else None  # noqa: S302  # as above

"""What Aeon and its warden say to each other: marshalled tuples over sockets that keep messages apart.

Both ends are one interpreter of one version, and nobody else holds the sockets.
"""

import array
import errno
import marshal
import os
import socket
import struct
from typing import NamedTuple

MARKER = "AEON_INVOCATION"
"""The variable by which a script's processes are known after they have left their tree."""

_NOTE = struct.Struct("=q")
_UNTAKEN = -1

DESCRIPTORS = 5
"""What comes with a request: stdin, stdout, stderr, the conversation's socket, and the file that holds the request."""

WARM_OPTIONS = ("-s", "-B")
"""How a warm interpreter runs: no modules of the user, no bytecode written. Scripts that ask for the same may fork."""

REFUSED = "refused"
"""Nothing was started; with the errno, and the file it is about."""
OVER = "over"
"""Everything is gone; with the leader's exit code."""
UNBOXED = "unboxed"
"""The sandbox ended before the script began; everything is gone."""


class Fence(NamedTuple):
    """What landlock leaves open: what may be read and executed, what may be written too, and the network.

    `system` may be read too; it is what stays in its place for as long as a warden lives.
    """

    system: tuple[str, ...]
    read: tuple[str, ...]
    write: tuple[str, ...]
    network: bool


class Request(NamedTuple):
    """A script to start. `fence` is applied by landlock; `is_boxed` says that the command is bubblewrap's."""

    command: tuple[str, ...]
    cwd: str
    env: dict[str, str]
    token: str
    is_boxed: bool
    fence: Fence | None


class Report(NamedTuple):
    """What the warden says of an invocation."""

    kind: str
    number: int
    text: str = ""


def written(request: Request) -> int:
    """The request in a file of no name, as it may be longer than a message. The caller closes the descriptor.

    It begins with room for what the warden notes there, which Aeon reads only if the warden is gone. Raises OSError
    when it cannot be written whole, as under a limit on the size of files.
    """
    fence = request.fence and tuple(request.fence)
    content = _NOTE.pack(_UNTAKEN) + marshal.dumps((*request[:-1], fence))
    fd = os.memfd_create("request", os.MFD_CLOEXEC)
    try:
        is_whole = os.write(fd, content) == len(content)
    except OSError:
        is_whole = False
    if not is_whole:
        os.close(fd)
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return fd


def read_request(fd: int) -> Request:
    """The request that `written` put into the file."""
    content = os.pread(fd, os.lseek(fd, 0, os.SEEK_END) - _NOTE.size, _NOTE.size)
    command, cwd, env, token, is_boxed, fence = marshal.loads(content)  # noqa: S302  # written by Aeon, on a descriptor that only Aeon had
    return Request(command, cwd, env, token, is_boxed, fence and Fence(*fence))


def note(fd: int, leader: int = 0) -> None:
    """Note that the request is about to be carried out, and then by which process."""
    os.pwrite(fd, _NOTE.pack(leader), 0)


def noted_leader(fd: int) -> int | None:
    """The leader of what was started; 0 when there may be one, None when the warden never came to it."""
    (leader,) = _NOTE.unpack(os.pread(fd, _NOTE.size, 0))
    return None if leader == _UNTAKEN else leader


def received_descriptors(door: socket.socket) -> list[int]:
    """What comes with a request, closed on exec; nothing when Aeon has closed the door."""
    fds = array.array("i")
    try:
        room = socket.CMSG_SPACE(DESCRIPTORS * fds.itemsize)
        _, extra, _, _ = door.recvmsg(16, room, socket.MSG_CMSG_CLOEXEC)  # recv_fds of the standard library drops flags
    except OSError:
        return []
    for level, kind, content in extra:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(content[: len(content) - len(content) % fds.itemsize])
    return list(fds)


def send_report(conversation: socket.socket, report: Report) -> None:
    """Tell Aeon, if it still listens."""
    try:
        conversation.send(marshal.dumps(tuple(report)), socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
    except OSError:
        return  # Aeon's end is gone, which the warden hears of by itself


def received_report(conversation: socket.socket) -> Report | None:
    """What the warden said; None when it is gone."""
    message = _message(conversation)
    return Report(*marshal.loads(message)) if message else None  # noqa: S302  # as above


def send_ending(conversation: socket.socket, polite_seconds: float) -> None:
    """Ask for the invocation's end, politely for so long."""
    try:
        conversation.send(marshal.dumps(float(polite_seconds)), socket.MSG_NOSIGNAL)
    except OSError:
        return  # the warden is gone, which the next look at the conversation says


def received_ending(conversation: socket.socket) -> float | None:
    """For how long to be polite; None when Aeon is gone."""
    message = _message(conversation)
    return marshal.loads(message) if message else None  # noqa: S302  # as above


def _message(conversation: socket.socket) -> bytes:
    try:
        return conversation.recv(4096)
    except OSError:
        return b""

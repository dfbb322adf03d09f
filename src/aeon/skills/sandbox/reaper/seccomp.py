"""Seccomp by prctl or bubblewrap: refuses system calls that landlock and bubblewrap do not cover.

Landlock covers files and TCP. Without this filter, a script behind landlock could use UDP, netlink, unix sockets by
path, and the extended attributes of all the user's files. Modes and times of files stay changeable: a filter cannot
see paths, and scripts change those of their own files all the time.

Bubblewrap gives a script its own network, which does not cover vsock, and shows it the unix sockets in the folders
that it may read.
"""

import ctypes
import errno
import os
import socket
import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from .messages import SandboxPolicy

_SET_SECCOMP, _MODE_FILTER = 22, 2

_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_JUMP_EQUAL, _JUMP_ABOVE = 0x15, 0x35
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_KIND = 0xF
_X32 = 0x40000000
_INSTRUCTION = struct.Struct("=HBBI")


class _Machine(NamedTuple):
    """A machine's audit architecture and system call numbers.

    `attributes` change extended attributes.
    """

    architecture: int
    socket: int
    socketpair: int
    attributes: tuple[int, ...]


_IO_URING_SETUP = 425
_LATER_ATTRIBUTES = (463, 466)
_MACHINES = {
    "x86_64": _Machine(0xC000003E, 41, 53, (188, 189, 190, 197, 198, 199, *_LATER_ATTRIBUTES)),
    "aarch64": _Machine(0xC00000B7, 198, 199, (5, 6, 7, 14, 15, 16, *_LATER_ATTRIBUTES)),
}

_libc = ctypes.CDLL(None, use_errno=True)


def install_filter(policy: SandboxPolicy) -> None:
    """Applies the policy to the calling thread permanently; no_new_privs must be set already.

    Does nothing on machines with unknown system call numbers. Raises OSError if the kernel refuses.
    """
    program = _filter_program(os.uname().machine, policy.network, policy.local_sockets, False)
    if not program:
        return
    content = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // _INSTRUCTION.size, ctypes.addressof(content))
    if _libc.prctl(_SET_SECCOMP, _MODE_FILTER, header, 0, 0):
        raise OSError(ctypes.get_errno(), f"seccomp: {os.strerror(ctypes.get_errno())}")


def bubblewrap_filter(policy: SandboxPolicy) -> bytes:
    """Returns the filter for a script in bubblewrap; empty on machines with unknown system call numbers."""
    # True: a script in bubblewrap has its own network, or the one that was granted.
    return _filter_program(os.uname().machine, True, policy.local_sockets, True)


@lru_cache(maxsize=6)
def _filter_program(machine: str, network: bool, local_sockets: bool, uses_bubblewrap: bool) -> bytes:  # the cache key
    known = _MACHINES.get(machine)
    if known is None:
        return b""
    families = [socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK] if network else []
    families += [socket.AF_UNIX] if local_sockets else []
    return b"".join(
        (
            _instruction(_LOAD, _ARCHITECTURE),
            _unless(known.architecture, _refuse(errno.ENOSYS)),
            _instruction(_LOAD, _NUMBER),
            *([_instruction(_JUMP_ABOVE, _X32, 0, 1), _refuse(errno.ENOSYS)] if machine == "x86_64" else []),
            _when(_IO_URING_SETUP, [_refuse(errno.ENOSYS)]),  # io_uring operations would bypass this filter
            *(_when(number, [_refuse(errno.EPERM)]) for number in (() if uses_bubblewrap else known.attributes)),
            _when(known.socket, [_instruction(_LOAD, _FIRST), *_only(families)]),
            # One of a pair of datagram sockets can send to any path.
            _when(
                known.socketpair,
                [_instruction(_LOAD, _SECOND), _instruction(_AND, _KIND), *_only([socket.SOCK_STREAM, _SEQPACKET])],
            ),
            _instruction(_RETURN, _ALLOW),
        )
    )


_SEQPACKET = socket.SOCK_SEQPACKET


def _instruction(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return _INSTRUCTION.pack(code, if_true, if_false, operand)


def _refuse(number: int) -> bytes:
    return _instruction(_RETURN, _ERRNO | number)


def _unless(value: int, then: bytes) -> bytes:
    return _instruction(_JUMP_EQUAL, value, 1, 0) + then


def _when(value: int, then: Sequence[bytes]) -> bytes:
    return _instruction(_JUMP_EQUAL, value, 0, len(then)) + b"".join(then)


def _only(values: Iterable[int]) -> list[bytes]:
    """Returns instructions that allow the loaded value if it is one of these, else refuse it."""
    allowed = [(_instruction(_JUMP_EQUAL, value, 0, 1), _instruction(_RETURN, _ALLOW)) for value in values]
    return [*(part for pair in allowed for part in pair), _refuse(errno.EACCES)]

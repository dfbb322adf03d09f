"""Landlock by system calls: the calling thread, and what it starts, touches the named folders and nothing else.

A ruleset is made once for each fence and kept; each script still gets a domain of its own, so that two of them can
neither signal nor trace each other.

The file system from kernel 5.13 on, TCP from ABI 4, abstract sockets and signals to others from ABI 6.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from contextlib import suppress
from typing import TypeAlias

from .messages import SandboxPolicy

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_VERSION = 1
_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION = 0x20080522

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = (1 << bit for bit in range(4))
_REMOVE_DIR, _REMOVE_FILE = 1 << 4, 1 << 5
_MAKE_CHAR, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = (1 << bit for bit in range(6, 13))
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15

_READ = _EXECUTE | _READ_FILE | _READ_DIR
_CHANGE = _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _MAKE_SOCK | _MAKE_FIFO | _MAKE_SYM
_WRITE = _READ | _CHANGE | _REFER | _TRUNCATE | _IOCTL_DEV
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_EVERYTHING = _WRITE | _MAKE_CHAR | _MAKE_BLOCK

_FIRST_WITH_REFER, _FIRST_WITH_TRUNCATE, _FIRST_WITH_TCP, _FIRST_WITH_IOCTL, _FIRST_WITH_SCOPES = 2, 3, 4, 5, 6
_TCP = 0b11  # bind and connect
_SCOPES = 0b11  # abstract sockets and signals

_libc = ctypes.CDLL(None, use_errno=True)
_system_call = _libc.syscall
_system_call.restype = ctypes.c_long


def abi_version() -> int:
    """The kernel's version of landlock; 0 when there is none."""
    version: int = _system_call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    return max(0, version)


def set_no_new_privileges() -> None:
    """Let nothing that the calling thread starts gain privileges: what did could not be ended."""
    if _libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "privileges could not be given up")


class RulesetCache:
    """The rulesets of fences that are in use, each kept for as long as its own paths lead where they led.

    A ruleset keeps its files alive, so a number that is the same means a file that is the same.
    """

    def __init__(self, most: int = 32) -> None:
        """`most`: rulesets kept at once; of more, the one unused for longest goes."""
        self._max_size = most
        self._cache: dict[SandboxPolicy, tuple[_FileIds, int]] = {}

    def get(self, fence: SandboxPolicy) -> int:
        """The descriptor of the fence's ruleset, which stays this object's. Raises OSError when the kernel will not."""
        places = _file_ids(fence)
        known, ruleset = self._cache.pop(fence, (None, -1))
        if known != places:
            if known is not None:
                os.close(ruleset)
            ruleset = _create_ruleset(fence)
        self._cache[fence] = (places, ruleset)
        if len(self._cache) > self._max_size:
            os.close(self._cache.pop(next(iter(self._cache)))[1])
        return ruleset


_FileIds: TypeAlias = tuple[tuple[int, int] | None, ...]


def _file_ids(fence: SandboxPolicy) -> _FileIds:
    """Which file each path of its own leads to now."""
    found: list[tuple[int, int] | None] = []
    for path in fence.read + fence.write:
        try:
            seen = os.stat(path)  # noqa: PTH116  # pathlib is not loaded here
            found.append((seen.st_dev, seen.st_ino))
        except OSError:
            found.append(None)
    return tuple(found)


def restrict_self(ruleset: int) -> None:
    """Put the calling thread behind the ruleset's fence for good; it may gain no privileges already.

    Raises OSError when the kernel will not.
    """
    _check_result(_system_call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)))
    _drop_capabilities()


def _create_ruleset(fence: SandboxPolicy) -> int:
    """A ruleset for the fence. Folders of it that do not exist are left out."""
    version = abi_version()
    handled = _handled_rights(version)
    network = _TCP if version >= _FIRST_WITH_TCP and not fence.network else 0
    scopes = _SCOPES if version >= _FIRST_WITH_SCOPES else 0
    size = 24 if scopes else 16 if version >= _FIRST_WITH_TCP else 8
    attributes = struct.pack("=QQQ", handled, network, scopes)[:size]
    ruleset = _check_result(_system_call(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0)))
    try:
        _add_rules(ruleset, fence.system + fence.read, _READ & handled)
        _add_rules(ruleset, fence.write, _WRITE & handled)
    except BaseException:
        os.close(ruleset)
        raise
    return ruleset


def _drop_capabilities() -> None:
    """Root's powers go past the fence, into other processes' memory for one; without new privileges they stay gone."""
    header, none = struct.pack("=Ii", _CAPABILITY_VERSION, 0), struct.pack("=6I", 0, 0, 0, 0, 0, 0)
    if _libc.capset(header, none):
        raise OSError(ctypes.get_errno(), "capabilities could not be given up")


def _handled_rights(version: int) -> int:
    """The rights that this kernel knows and that are therefore refused unless a rule grants them."""
    newer = (
        (_FIRST_WITH_REFER, _REFER),
        (_FIRST_WITH_TRUNCATE, _TRUNCATE),
        (_FIRST_WITH_IOCTL, _IOCTL_DEV),
    )
    return _EVERYTHING & ~sum(right for first, right in newer if version < first)


def _add_rules(ruleset: int, paths: Iterable[str], rights: int) -> None:
    for path in paths:
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                applicable = rights if stat.S_ISDIR(os.fstat(fd).st_mode) else rights & _OF_FILES
                rule = struct.pack("=Qi", applicable, fd)
                call = (ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint32(0))
                _check_result(_system_call(_ADD_RULE, *call))
            finally:
                os.close(fd)


def _check_result(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"landlock: {os.strerror(ctypes.get_errno())}")
    return result

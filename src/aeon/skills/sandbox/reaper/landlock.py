"""Landlock by system calls: restricts a thread and its children to named folders.

A ruleset is created once for each policy and cached; each script still gets its own domain, so that two scripts cannot
signal or trace each other.

Covers the file system from kernel 5.13 on, TCP from ABI 4, abstract sockets and signals to others from ABI 6.
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
    """Returns the kernel's landlock ABI version; 0 if it has none."""
    version: int = _system_call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    return max(0, version)


def set_no_new_privileges() -> None:
    """Prevents the thread's children from gaining privileges.

    A privileged process could not be killed.
    """
    if _libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "privileges could not be given up")


class RulesetCache:
    """Caches the rulesets of policies, each valid while its paths lead to the same files.

    A ruleset keeps its files alive, so the same inode number means the same file.
    """

    def __init__(self, most: int = 32) -> None:
        """`most`: maximum number of cached rulesets; the least recently used one is dropped."""
        self._max_size = most
        self._cache: dict[SandboxPolicy, tuple[_FileIds, int]] = {}

    def get(self, policy: SandboxPolicy) -> int:
        """Returns the descriptor of the policy's ruleset, owned by the cache.

        Raises OSError if the kernel refuses.
        """
        file_ids = _file_ids(policy)
        cached_ids, ruleset = self._cache.pop(policy, (None, -1))
        if cached_ids != file_ids:
            if cached_ids is not None:
                os.close(ruleset)
            ruleset = _create_ruleset(policy)
        self._cache[policy] = (file_ids, ruleset)
        if len(self._cache) > self._max_size:
            os.close(self._cache.pop(next(iter(self._cache)))[1])
        return ruleset


_FileIds: TypeAlias = tuple[tuple[int, int] | None, ...]


def _file_ids(policy: SandboxPolicy) -> _FileIds:
    """Returns the file id of each of the policy's own paths."""
    ids: list[tuple[int, int] | None] = []
    for path in policy.read + policy.write:
        try:
            status = os.stat(path)  # noqa: PTH116  # pathlib is not loaded here
            ids.append((status.st_dev, status.st_ino))
        except OSError:
            ids.append(None)
    return tuple(ids)


def restrict_self(ruleset: int) -> None:
    """Applies the ruleset to the calling thread permanently; no_new_privs must be set already.

    Raises OSError if the kernel refuses.
    """
    _check_result(_system_call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)))
    _drop_capabilities()


def _create_ruleset(policy: SandboxPolicy) -> int:
    """Creates a ruleset for the policy, without paths that do not exist."""
    version = abi_version()
    handled = _handled_rights(version)
    network = _TCP if version >= _FIRST_WITH_TCP and not policy.network else 0
    scopes = _SCOPES if version >= _FIRST_WITH_SCOPES else 0
    size = 24 if scopes else 16 if version >= _FIRST_WITH_TCP else 8
    attributes = struct.pack("=QQQ", handled, network, scopes)[:size]
    ruleset = _check_result(_system_call(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0)))
    try:
        _add_rules(ruleset, policy.system + policy.read, _READ & handled)
        _add_rules(ruleset, policy.listed, _READ_DIR & handled)
        _add_rules(ruleset, policy.write, _WRITE & handled)
    except BaseException:
        os.close(ruleset)
        raise
    return ruleset


def _drop_capabilities() -> None:
    """Drops capabilities, by which root bypasses landlock, e.g. into other memory.

    no_new_privs keeps them dropped.
    """
    header, none = struct.pack("=Ii", _CAPABILITY_VERSION, 0), struct.pack("=6I", 0, 0, 0, 0, 0, 0)
    if _libc.capset(header, none):
        raise OSError(ctypes.get_errno(), "capabilities could not be given up")


def _handled_rights(version: int) -> int:
    """Returns the rights that this kernel supports, which are refused unless a rule grants them."""
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

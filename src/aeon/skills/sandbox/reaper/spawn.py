"""Starts one script: by vfork, in a session of its own, behind its fence."""

import _thread
import errno
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from . import landlock, seccomp
from .messages import SandboxPolicy, SpawnRequest
from .resource_limits import ScriptLimits, limit_open_files, limited_open_files

_STATUS, _FILTER = 3, 4
"""The descriptors on which bubblewrap reports, and reads the filter of system calls."""

_RESTORED = tuple(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})
"""Everything: an interpreter ignores some, whoever started Aeon in the background others, and a script must none."""


class ScriptLeader(NamedTuple):
    """A script's first process. `status` is where bubblewrap says whether the script began, None without it."""

    pid: int
    status: int | None


class ProgramSpawner:
    """Starts programs. Every descriptor of the reaper's is closed on exec, so nothing but stdio is handed down."""

    def __init__(self, limits: ScriptLimits) -> None:
        self._rulesets = landlock.RulesetCache()
        self._limits = limits

    def spawn(self, request: SpawnRequest, stdio: tuple[int, int, int]) -> ScriptLeader:
        """Start it with stdin, stdout and stderr as given. Raises OSError when the system will not."""
        leader = self._spawn(request, stdio)
        with suppress(ProcessLookupError):
            limit_open_files(leader.pid, self._limits)
        return leader

    def _spawn(self, request: SpawnRequest, stdio: tuple[int, int, int]) -> ScriptLeader:
        os.chdir(request.cwd)  # while nothing else starts; a spawn by vfork cannot do it for itself
        try:
            if request.uses_bubblewrap:
                return _spawn_bubblewrap(request, stdio, self._limits)
            if request.policy is None:
                return ScriptLeader(_spawn(request, request.command, stdio, self._limits), None)
            ruleset = self._rulesets.get(request.policy)
            return ScriptLeader(
                _spawn_restricted(
                    request.policy, ruleset, lambda: _spawn(request, request.command, stdio, self._limits)
                ),
                None,
            )
        finally:
            os.chdir("/")


def _spawn(request: SpawnRequest, command: tuple[str, ...], stdio: tuple[int, ...], limits: ScriptLimits) -> int:
    """Start the first program of the name that can be started. `stdio` become the descriptors 0, 1, 2 and so on."""
    places = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(stdio)]
    fault: OSError | None = None
    for program in _candidates(command[0], request.env):
        try:
            with limited_open_files(limits):
                return os.posix_spawn(
                    program, command, request.env, file_actions=places, setsid=True, setsigdef=_RESTORED
                )
        except (FileNotFoundError, NotADirectoryError) as error:
            fault = fault or error
        except OSError as error:
            fault = error if fault is None or isinstance(fault, FileNotFoundError | NotADirectoryError) else fault
    raise fault or FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), command[0])


def _candidates(program: str, env: dict[str, str]) -> Iterator[str]:
    """Where a program of that name may be: as it is written, or in the folders of the script's PATH."""
    if "/" in program:
        yield program
    else:
        yield from (os.path.join(folder, program) for folder in os.get_exec_path(env))  # noqa: PTH118  # pathlib is not loaded here


def _spawn_bubblewrap(request: SpawnRequest, stdio: tuple[int, int, int], limits: ScriptLimits) -> ScriptLeader:
    """Start it in bubblewrap, from the thread that lives as long as the reaper: the box dies with that thread."""
    program, *rest = request.command
    status, told = os.pipe()
    filtered = _filter_descriptors(request.policy)
    try:
        options = ("--json-status-fd", str(_STATUS), *(("--seccomp", str(_FILTER)) if filtered else ()))
        return ScriptLeader(_spawn(request, (program, *options, *rest), (*stdio, told, *filtered), limits), status)
    except BaseException:
        os.close(status)
        raise
    finally:
        for fd in (told, *filtered):
            os.close(fd)


def _filter_descriptors(policy: SandboxPolicy | None) -> tuple[int, ...]:
    """A descriptor from which bubblewrap reads its filter; none on machines whose system calls are not known."""
    program = b"" if policy is None else seccomp.bubblewrap_filter(policy)
    if not program:
        return ()
    reads, writes = os.pipe()
    os.write(writes, program)  # some hundred bytes, which a pipe takes at once
    os.close(writes)
    return (reads,)


def _spawn_restricted(fence: SandboxPolicy, ruleset: int, spawn: Callable[[], int]) -> int:
    """Start it from a thread that puts itself behind the fence, hands that down, and ends."""
    outcome: list[int | Exception] = []
    is_over = _thread.allocate_lock()
    is_over.acquire()

    def fenced() -> None:
        try:
            landlock.restrict_self(ruleset)
            seccomp.install_filter(fence)
            outcome.append(spawn())
        except Exception as error:  # noqa: BLE001  # raised again by the thread that asked
            outcome.append(error)
        finally:
            is_over.release()

    _thread.start_new_thread(fenced, ())
    is_over.acquire()
    result = outcome[0]
    if isinstance(result, Exception):
        raise result
    return result


def has_started(status: int | None) -> bool:
    """Whether the script itself was started, once its leader is gone: bubblewrap reports an exit code only then."""
    if status is None:
        return True
    with open(status, "rb") as file:  # noqa: PTH123  # a descriptor has no path
        return b'"exit-code"' in file.read()

"""Starts a program by vfork, in its own session and behind its sandbox policy."""

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
"""All signals get their default action: the interpreter or Aeon's parent may ignore some, a script must not."""


class ScriptLeader(NamedTuple):
    """A script's first process.

    `status` is the descriptor of bubblewrap's status reports, None without bubblewrap.
    """

    pid: int
    status: int | None


class ProgramSpawner:
    """Starts programs.

    All the reaper's descriptors are close-on-exec, so children inherit only stdio.
    """

    def __init__(self, limits: ScriptLimits) -> None:
        self._rulesets = landlock.RulesetCache()
        self._limits = limits

    def spawn(self, request: SpawnRequest, stdio: tuple[int, int, int]) -> ScriptLeader:
        """Starts the request with these stdin, stdout and stderr.

        Raises OSError if the system refuses.
        """
        leader = self._spawn(request, stdio)
        with suppress(ProcessLookupError):
            limit_open_files(leader.pid, self._limits)
        return leader

    def _spawn(self, request: SpawnRequest, stdio: tuple[int, int, int]) -> ScriptLeader:
        os.chdir(request.cwd)  # nothing else starts meanwhile; posix_spawn cannot change the folder
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
    """Starts the first startable candidate. `stdio` become the descriptors 0, 1, 2 and so on."""
    file_actions = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(stdio)]
    first_error: OSError | None = None
    for program in _candidates(command[0], request.env):
        try:
            with limited_open_files(limits):
                return os.posix_spawn(
                    program, command, request.env, file_actions=file_actions, setsid=True, setsigdef=_RESTORED
                )
        except (FileNotFoundError, NotADirectoryError) as error:
            first_error = first_error or error
        except OSError as error:
            first_error = (
                error
                if first_error is None or isinstance(first_error, FileNotFoundError | NotADirectoryError)
                else first_error
            )
    raise first_error or FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), command[0])


def _candidates(program: str, env: dict[str, str]) -> Iterator[str]:
    """Yields possible paths of a program.

    These are the path as written, or the name in each folder of the script's PATH.
    """
    if "/" in program:
        yield program
    else:
        yield from (os.path.join(folder, program) for folder in os.get_exec_path(env))  # noqa: PTH118  # pathlib is not loaded here


def _spawn_bubblewrap(request: SpawnRequest, stdio: tuple[int, int, int], limits: ScriptLimits) -> ScriptLeader:
    """Starts bubblewrap from the main thread.

    Bubblewrap dies with the thread that started it.
    """
    program, *rest = request.command
    status, status_writer = os.pipe()
    filter_fds = _filter_descriptors(request.policy)
    try:
        options = ("--json-status-fd", str(_STATUS), *(("--seccomp", str(_FILTER)) if filter_fds else ()))
        command = (program, *options, *rest)
        return ScriptLeader(_spawn(request, command, (*stdio, status_writer, *filter_fds), limits), status)
    except BaseException:
        os.close(status)
        raise
    finally:
        for fd in (status_writer, *filter_fds):
            os.close(fd)


def _filter_descriptors(policy: SandboxPolicy | None) -> tuple[int, ...]:
    """Returns the descriptor from which bubblewrap reads its filter.

    Empty without a policy, and on machines with unknown system call numbers.
    """
    program = b"" if policy is None else seccomp.bubblewrap_filter(policy)
    if not program:
        return ()
    reader, writer = os.pipe()
    os.write(writer, program)  # a few hundred bytes, which always fit in a pipe
    os.close(writer)
    return (reader,)


def _spawn_restricted(policy: SandboxPolicy, ruleset: int, spawn: Callable[[], int]) -> int:
    """Starts the program from a new thread that restricts itself.

    The child inherits the restrictions.
    """
    outcome: list[int | Exception] = []
    is_over = _thread.allocate_lock()
    is_over.acquire()

    def run() -> None:
        try:
            landlock.restrict_self(ruleset)
            seccomp.install_filter(policy)
            outcome.append(spawn())
        except Exception as error:  # noqa: BLE001  # raised again in the calling thread
            outcome.append(error)
        finally:
            is_over.release()

    _thread.start_new_thread(run, ())
    is_over.acquire()
    result = outcome[0]
    if isinstance(result, Exception):
        raise result
    return result


def has_started(status: int | None) -> bool:
    """Whether the script was started; call after its leader ended.

    Bubblewrap reports an exit code only then.
    """
    if status is None:
        return True
    with open(status, "rb") as file:  # noqa: PTH123  # a descriptor has no path
        return b'"exit-code"' in file.read()

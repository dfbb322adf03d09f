"""Starts Python scripts by forking a process that has common modules loaded.

It runs only in its own reaper, which makes no threads, so that forking is safe.
"""

import atexit
import errno
import gc
import importlib
import os
import runpy
import signal
import sys
import threading
import traceback
from contextlib import suppress
from itertools import dropwhile
from typing import NoReturn, TextIO, cast

from . import landlock, seccomp
from .messages import WARM_OPTIONS, SpawnRequest
from .resource_limits import ScriptLimits, limit_open_files
from .spawn import ScriptLeader

_PRELOADED_MODULES = (
    "argparse",
    "base64",
    "collections",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "functools",
    "hashlib",
    "io",
    "itertools",
    "json",
    "math",
    "pathlib",
    "random",
    "re",
    "shutil",
    "sqlite3",
    "statistics",
    "string",
    "tempfile",
    "textwrap",
    "time",
    "typing",
    "urllib.parse",
    "uuid",
)
"""Modules that scripts often import; modules that this interpreter lacks are skipped."""

_CANNOT_START = 126


class ForkServer:
    """Starts scripts with the common modules loaded once for all of them."""

    def __init__(self, limits: ScriptLimits) -> None:
        self._rulesets = landlock.RulesetCache()
        self._limits = limits
        for name in _PRELOADED_MODULES:
            with suppress(ImportError):
                importlib.import_module(name)
        gc.collect()
        gc.freeze()  # permanent objects are neither scanned nor copied in any child

    def spawn(self, request: SpawnRequest, stdio: tuple[int, int, int]) -> ScriptLeader:
        """Runs the command's script with its arguments in a child.

        Raises OSError for a fault found before the fork.
        """
        for path in (request.cwd, _arguments(request)[0]):
            if not os.path.exists(path):  # noqa: PTH110  # as the interpreter would look for it
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        ruleset = None if request.policy is None else self._rulesets.get(request.policy)
        pid = os.fork()
        if pid == 0:
            _run_child(request, stdio, ruleset, self._limits)
        return ScriptLeader(pid, None)


def _run_child(
    request: SpawnRequest, stdio: tuple[int, int, int], ruleset: int | None, limits: ScriptLimits
) -> NoReturn:
    """Runs the script in the child and exits as the interpreter would.

    Never returns into the reaper's code.
    """
    code = _CANNOT_START
    try:
        _set_up_child(request, stdio, ruleset)
        limit_open_files(0, limits)
        code = _run_main(sys.argv[0])
        threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]  # noqa: SLF001  # as multiprocessing ends a forked child
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001  # as above
    except BaseException:  # noqa: BLE001  # no exception may leave the child
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def _set_up_child(request: SpawnRequest, stdio: tuple[int, int, int], ruleset: int | None) -> None:
    """Sets up the script's session, descriptors, sandbox, folder, environment and command line."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    for signal_number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(signal_number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if ruleset is not None and request.policy is not None:
        landlock.restrict_self(ruleset)
        seccomp.install_filter(request.policy)
    for number, fd in enumerate([os.dup(fd) for fd in stdio]):
        os.dup2(fd, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.chdir(request.cwd)
    os.environ.clear()
    os.environ.update(request.env)
    sys.argv = _arguments(request)
    sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))  # noqa: PTH100, PTH120  # as the interpreter does
    sys.stdin, sys.stdout, sys.stderr = _stream(0, "r"), _stream(1, "w"), _stream(2, "w")


def _arguments(request: SpawnRequest) -> list[str]:
    """Returns the script and its arguments, without the interpreter and its options."""
    return list(dropwhile(lambda word: word in WARM_OPTIONS, request.command[1:]))


def _stream(fd: int, mode: str) -> TextIO:
    errors = "backslashreplace" if fd == 2 else "strict"  # noqa: PLR2004  # stderr
    buffering = 1 if fd == 2 else -1  # noqa: PLR2004  # as above
    return cast(TextIO, open(fd, mode, buffering, "utf-8", errors, closefd=False))  # stays open until exit


def _run_main(path: str) -> int:
    """Runs the file as `__main__` and returns its exit code."""
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as exit_request:
        return _exit_code(exit_request)
    except BaseException:  # noqa: BLE001  # as the interpreter: print it, exit 1
        traceback.print_exc()
        return 1
    return 0


def _exit_code(exit_request: SystemExit) -> int:
    if exit_request.code is None or isinstance(exit_request.code, int):
        return (exit_request.code or 0) & 0xFF
    sys.stderr.write(f"{exit_request.code}\n")
    return 1

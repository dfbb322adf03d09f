"""Starts one script: by vfork, in a session of its own, behind its fence."""

import os
import subprocess
from threading import Thread
from typing import NamedTuple

from . import landlock
from .wire import Request


class Leader(NamedTuple):
    """A script's first process. `status` is where bubblewrap says whether the script began, None without it."""

    pid: int
    status: int | None


def start(request: Request, stdio: tuple[int, int, int]) -> Leader:
    """Start it with stdin, stdout and stderr as given. Raises OSError when the system will not."""
    if request.is_boxed:
        return _start_boxed(request, stdio)
    if request.fence is None:
        return Leader(_spawn(request, request.command, stdio), None)
    return Leader(_start_fenced(request, stdio), None)


def _spawn(
    request: Request, command: tuple[str, ...], stdio: tuple[int, int, int], pass_fds: tuple[int, ...] = ()
) -> int:
    stdin, stdout, stderr = stdio
    process = subprocess.Popen(  # noqa: S603  # the command of a discovered script
        command,
        cwd=request.cwd,
        env=request.env,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        pass_fds=pass_fds,
    )
    process.returncode = 0  # its exit is collected by the warden; the standard library must not wait for it as well
    return process.pid


def _start_boxed(request: Request, stdio: tuple[int, int, int]) -> Leader:
    """Start it in bubblewrap, from the thread that lives as long as the warden: the box dies with that thread."""
    program, *rest = request.command
    status, told = os.pipe()
    try:
        return Leader(_spawn(request, (program, "--json-status-fd", str(told), *rest), stdio, (told,)), status)
    except BaseException:
        os.close(status)
        raise
    finally:
        os.close(told)


def _start_fenced(request: Request, stdio: tuple[int, int, int]) -> int:
    """Start it from a thread that puts itself behind the fence, hands that down, and ends."""
    outcome: list[int | Exception] = []

    def fenced() -> None:
        try:
            if request.fence is not None:
                landlock.restrict(request.fence)
            outcome.append(_spawn(request, request.command, stdio))
        except Exception as error:  # noqa: BLE001  # raised again by the thread that asked
            outcome.append(error)

    thread = Thread(target=fenced)
    thread.start()
    thread.join()
    result = outcome[0]
    if isinstance(result, Exception):
        raise result
    return result


def has_begun(status: int | None) -> bool:
    """Whether the script itself was started, once its leader is gone: bubblewrap reports an exit code only then."""
    if status is None:
        return True
    with open(status, "rb") as file:  # noqa: PTH123  # a descriptor has no path
        return b'"exit-code"' in file.read()

"""Explains why a script could not be started, and what its author can do."""

import errno
import os
from pathlib import Path

from aeon.base.errors import SandboxError
from aeon.skills.invocation import Invocation
from aeon.skills.sandbox.reaper.messages import ReaperReport

_ERRNO_MESSAGES = {
    errno.ETXTBSY: "a process still has it open for writing",
    errno.ENOEXEC: "it has no interpreter line (#!) and is not a program for this machine",
    errno.E2BIG: "its arguments and environment are too long for the system",
    errno.ELOOP: "its path contains a loop of symbolic links",
    errno.ENOTDIR: "a part of its path is not a folder",
    errno.EISDIR: "it is a folder",
}


def validate_invocation(invocation: Invocation) -> str | None:
    """Returns a fault that is visible without starting.

    It finds no command, text unfit for a command line, and no working folder.
    """
    if not invocation.command or not invocation.command[0]:
        return "The command is empty."
    cwd = str(invocation.cwd)
    texts = (*invocation.command, *invocation.env, *invocation.env.values(), cwd)
    if _fault_of("".join(texts)):
        return f"The command or its environment contains {next(filter(None, map(_fault_of, texts)))}."
    if any(not name or "=" in name for name in invocation.env):
        return "A variable of its environment has an empty name or an equals sign in its name."
    if not os.path.isdir(cwd):  # noqa: PTH112  # half the time, and this is done for every script
        return f"Its working folder {cwd} does not exist."
    return None


def _fault_of(text: str) -> str | None:
    """Returns why the text cannot be part of a command line, or None."""
    if "\0" in text:
        return f"a NUL character: {text!r:.80}"
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return f"text that cannot be encoded: {text!r:.80}"
    return None


def too_many_open_files_error(error: OSError) -> SandboxError:
    """Returns the error for pipes that Aeon could not open; it is not the script's fault."""
    return SandboxError(
        f"A script cannot be started: {error.strerror}.",
        next_step="Raise the limit on open files (ulimit -n), or run fewer scripts at once ([skills] parallel).",
    )


def start_failure_message(invocation: Invocation, report: ReaperReport) -> str:
    """Returns why the system did not start it, from the reaper's errno and file."""
    program = invocation.command[0]
    return f"{program} cannot be started: {_reason(program, report.number, report.text)}."


def sandbox_failure_message(invocation: Invocation, diagnostics: str) -> str:
    """Returns why bubblewrap did not start it, from bubblewrap's own diagnostics."""
    reason = diagnostics.strip().rpartition("\n")[2].removeprefix("bwrap: ")
    number = next((number for number in errno.errorcode if reason.endswith(os.strerror(number))), 0)
    if reason.startswith("execvp") and number:
        return start_failure_message(invocation, ReaperReport("", number, reason))
    return f"{invocation.command[0]} cannot be started: the sandbox reports {reason[:500]!r}."


def _reason(program: str, number: int, about: str) -> str:
    if number == errno.ENOENT:
        interpreter = _interpreter(Path(program)) if "/" in program else None
        return f"its interpreter {interpreter} does not exist" if interpreter else "the file does not exist"
    if number in (errno.EACCES, errno.EPERM):
        return "it is not executable, or it is outside the folders that it may read"
    return _ERRNO_MESSAGES.get(number) or (f"{os.strerror(number)} ({about})" if number else about)


def _interpreter(path: Path) -> str | None:
    """Returns the interpreter in the file's first line, if the file exists and names one."""
    try:
        with path.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return None
    words = first[2:].split() if first.startswith(b"#!") else []
    return os.fsdecode(words[0]) if words else None

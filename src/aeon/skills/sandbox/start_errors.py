"""Says why a script could not be started, so that its author knows what to do."""

import errno
import os
from pathlib import Path

from aeon.base.errors import SandboxError
from aeon.skills.invocation import Invocation
from aeon.skills.sandbox.reaper.messages import ReaperReport

_ERRNO_MESSAGES = {
    errno.ETXTBSY: "something still has it open for writing",
    errno.ENOEXEC: "it has no interpreter line (#!) and is no program of this machine",
    errno.E2BIG: "its arguments and environment are longer than the system takes",
    errno.ELOOP: "its path leads in circles",
    errno.ENOTDIR: "a part of its path is no folder",
    errno.EISDIR: "it is a folder",
}


def validate_invocation(invocation: Invocation) -> str | None:
    """What can be told without trying: no command, text that no command line can carry, no working folder."""
    if not invocation.command or not invocation.command[0]:
        return "There is no command to run."
    cwd = str(invocation.cwd)
    texts = (*invocation.command, *invocation.env, *invocation.env.values(), cwd)
    if _fault_of("".join(texts)):
        return f"The command or its environment contains {next(filter(None, map(_fault_of, texts)))}."
    if any(not name or "=" in name for name in invocation.env):
        return "A variable of its environment has no name or one with an equals sign in it."
    if not os.path.isdir(cwd):  # noqa: PTH112  # half the time, and this is done for every script
        return f"Its working folder {cwd} does not exist."
    return None


def _fault_of(text: str) -> str | None:
    """Why no command line can carry the text."""
    if "\0" in text:
        return f"a NUL character: {text!r:.80}"
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return f"text that cannot be encoded: {text!r:.80}"
    return None


def too_many_open_files_error(error: OSError) -> SandboxError:
    """Why Aeon could not make the pipes of a script, which is no fault of the script's."""
    return SandboxError(
        f"A script cannot be started: {error.strerror}.",
        next_step="Raise the limit on open files (ulimit -n), or run fewer scripts at once ([skills] parallel).",
    )


def start_failure_message(invocation: Invocation, report: ReaperReport) -> str:
    """Why the system would not start it, from the errno and the file that the reaper reports."""
    program = invocation.command[0]
    return f"{program} cannot be started: {_reason(program, report.number, report.text)}."


def sandbox_failure_message(invocation: Invocation, diagnostics: str) -> str:
    """The same, from what bubblewrap wrote before it gave up."""
    said = diagnostics.strip().rpartition("\n")[2].removeprefix("bwrap: ")
    number = next((number for number in errno.errorcode if said.endswith(os.strerror(number))), 0)
    if said.startswith("execvp") and number:
        return start_failure_message(invocation, ReaperReport("", number, said))
    return f"{invocation.command[0]} cannot be started: the sandbox says {said[:500]!r}."


def _reason(program: str, number: int, about: str) -> str:
    if number == errno.ENOENT:
        interpreter = _interpreter(Path(program)) if "/" in program else None
        return f"its interpreter {interpreter} does not exist" if interpreter else "there is no such file"
    if number in (errno.EACCES, errno.EPERM):
        return "it is not executable, or outside the folders that it may read"
    return _ERRNO_MESSAGES.get(number) or (f"{os.strerror(number)} ({about})" if number else about)


def _interpreter(path: Path) -> str | None:
    """What its first line names, when the file is there and names one."""
    try:
        with path.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return None
    words = first[2:].split() if first.startswith(b"#!") else []
    return os.fsdecode(words[0]) if words else None

"""The entry point: turns every way a command can end into an exit code and a clear message."""

import errno
import gc
import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import typer

from aeon.base.errors import AeonError, InputError
from aeon.base.json import JsonObject
from aeon.cli import TERMINATION_SIGNALS
from aeon.cli.command_class import asks_for_json
from aeon.cli.console import discard_unwritten, print_data, print_error, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.signals import dropped_termination, exit_code_of, handled_signals, raise_termination

_TEMPORAL_THREADS = "temporalio.bridge.temporal_sdk_bridge"
"""The module whose native threads outlive every client."""
_DISK_FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def run_process(argv: Sequence[str]) -> NoReturn:
    """Run the command line as this process: set up signals and streams, then exit with its code."""
    try:
        for number in handled_signals():
            signal.signal(number, raise_termination)
        sys.unraisablehook = _report_unraisable
        signal.pthread_sigmask(signal.SIG_UNBLOCK, TERMINATION_SIGNALS)
        _make_streams_safe()
        code = run(argv)
    except KeyboardInterrupt as stop:
        code = _report_interruption(stop)
    # The work is done: without this, a Ctrl-C while Python shuts down would kill a process that succeeded.
    for number in TERMINATION_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    _flush()
    gc.freeze()  # Python otherwise searches all loaded modules for garbage, although the process ends
    is_ended_early = code in (ExitCode.HUNG_UP, ExitCode.INTERRUPTED, ExitCode.TERMINATED, ExitCode.BROKEN_PIPE)
    if is_ended_early or _TEMPORAL_THREADS in sys.modules:
        # Exit at once: a second Ctrl-C, or a thread still in the model's native code, must not delay the exit, and
        # Temporal's native threads abort a Python that is already shutting down, whatever the command has done.
        os._exit(code)
    sys.exit(code)


def _report_unraisable(ignored: "sys.UnraisableHookArgs") -> None:
    """Print what was raised where nothing can catch it; a termination is raised again by itself."""
    if not isinstance(ignored.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(ignored)


def run(argv: Sequence[str]) -> int:  # noqa: PLR0911  # one for each way to end
    """Run one command line and return its exit code. Never raises, not even when interrupted."""
    as_json = asks_for_json(argv)
    try:
        code = _dispatch(argv)
        sys.stdout.flush()
    except AeonError as error:
        # SQLite drops what is raised while it calls back, and fails: it is the signal that ended the command.
        stop = dropped_termination()
        return _report_error(error, as_json=as_json) if stop is None else _report_interruption(stop)
    except typer.TyperException as error:
        return _report_usage_error(error, as_json=as_json)
    except BrokenPipeError:
        return ExitCode.BROKEN_PIPE
    except KeyboardInterrupt as stop:
        return _report_interruption(stop)
    except typer.Abort:
        return ExitCode.USAGE
    except OSError as error:
        reported = _system_error(error)
        return _report_defect(error, as_json=as_json) if reported is None else _report_error(reported, as_json=as_json)
    except Exception as error:  # noqa: BLE001  # the last boundary: a defect is reported, with its trace in a file
        if isinstance(error.__cause__, KeyboardInterrupt):  # Python wraps an interruption of a class's creation
            return _report_interruption(error.__cause__)
        return _report_defect(error, as_json=as_json)
    return code


def _dispatch(argv: Sequence[str]) -> int:
    from aeon.cli.app import app_for

    if "_AEON_COMPLETE" in os.environ:
        from aeon.cli.completion import complete, whole_words

        return complete(app_for(whole_words(os.environ)))
    # Not through typer's own main: it turns an interruption into an exit code before we can say how to continue.
    command = typer.main.get_command(app_for(argv))
    try:
        with command.make_context("aeon", list(argv)) as context:
            return int(command.invoke(context) or ExitCode.DONE)
    except typer.Exit as end:
        return end.exit_code


def _report_error(error: AeonError, *, as_json: bool) -> int:
    if as_json:
        _print_json_error(error)
    print_error(error)
    return ExitCode.USAGE if error.is_wrong_input else ExitCode.FAILED


def _system_error(error: OSError) -> AeonError | None:
    """Return what an error of the operating system means for the user; None if only a defect can explain it."""
    if error.errno in _DISK_FULL_ERRNOS:
        where = f"{error.filename} could not be written" if error.filename else "Something could not be written"
        return AeonError(f"{where}: {error.strerror}.", next_step="Free disk space, then run the command again.")
    if isinstance(error, FileNotFoundError) and _is_current_folder_deleted():
        return InputError(
            "The current folder was deleted.", next_step="Change to a folder that exists, then run the command again."
        )
    return None


def _is_current_folder_deleted() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _report_usage_error(error: typer.TyperException, *, as_json: bool) -> int:
    output = io.StringIO()
    show = getattr(error, "show", None)
    if callable(show):
        show(file=output)
    if as_json:
        _print_json_error({"type": "UsageError", "message": error.format_message(), "next_step": "See `aeon --help`."})
    from aeon.cli.text import printable

    with suppress(OSError):
        sys.stderr.write(printable(output.getvalue().strip() or error.format_message()) + "\n")
    return error.exit_code


def _report_defect(error: Exception, *, as_json: bool) -> int:
    from aeon.cli.crash_reports import save_trace

    trace = save_trace(error)
    defect = AeonError(
        f"An unexpected error occurred ({type(error).__name__}). This is a defect in Aeon, not your mistake.",
        next_step=f"The details are in {trace}; please report them." if trace else "Please report it.",
    )
    return _report_error(defect, as_json=as_json)


def _report_interruption(stop: KeyboardInterrupt) -> int:
    for number in TERMINATION_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if str(stop):
        print_message(str(stop))
    else:
        print_message("interrupted")
    return exit_code_of(stop)


def _print_json_error(error: AeonError | JsonObject) -> None:
    from aeon.cli.error_reports import as_error_report
    from aeon.cli.text import indented_json

    with suppress(OSError):
        print_data(indented_json({"status": "failed", "error": as_error_report(error)}))


def _make_streams_safe() -> None:
    """Escape characters that the terminal's encoding lacks; replace a closed stream by /dev/null."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]  # None after `>&-`
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  # open until the process ends
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  # as above
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _flush() -> None:
    for stream in (sys.stderr, sys.stdout):
        try:
            stream.flush()
        except (OSError, ValueError):
            discard_unwritten(stream)

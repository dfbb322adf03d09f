"""The edge of the command: every way a command can end becomes an exit code and a clear message."""

import errno
import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import NoReturn

import typer

from aeon.base.errors import AeonError, InputError
from aeon.base.json import JsonObject
from aeon.cli import ENDINGS
from aeon.cli.codes import Code
from aeon.cli.say import give_up_stdout, put, say, say_error

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_MOMENT = 0.01


class Ended(KeyboardInterrupt):
    """The process was asked to end by that signal. A KeyboardInterrupt, so that no tool's failure hides it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def code_of(stop: KeyboardInterrupt) -> Code:
    """The exit code of a command that ended so."""
    return Code(128 + _number_of(stop))


def heeded() -> list[signal.Signals]:
    """The signals that end this process: under `nohup` it outlives its terminal."""
    is_tied = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    return [number for number in ENDINGS if is_tied or number is not signal.SIGHUP]


def run_process(argv: Sequence[str]) -> NoReturn:
    """Run the command as this process: its signals, which may have been blocked, its streams, its exit code."""
    try:
        for number in heeded():
            if number is not signal.SIGINT:  # which asyncio takes over only from Python's own handler
                signal.signal(number, _end)
        sys.unraisablehook = _ask_again
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
        _make_streams_safe()
        code = run(argv)
    except KeyboardInterrupt as stop:
        code = _interrupted(stop)
    # What is over cannot be interrupted: else a Ctrl-C while Python ends would kill a process that has done its work.
    for number in ENDINGS:
        signal.signal(number, signal.SIG_IGN)
    _flush()
    if code in (Code.HUNG_UP, Code.INTERRUPTED, Code.TERMINATED, Code.BROKEN_PIPE):
        # At once: a second Ctrl-C, or a thread that the model's native code still holds, must not delay the end.
        os._exit(code)
    sys.exit(code)


def _ask_again(ignored: "sys.UnraisableHookArgs") -> None:
    """An interruption that native code let fall, as while models of data are built, comes again a moment later."""
    stop = ignored.exc_value
    if not isinstance(stop, KeyboardInterrupt):
        sys.__unraisablehook__(ignored)
        return
    from _thread import interrupt_main
    from threading import Timer

    again = Timer(_MOMENT, interrupt_main, (_number_of(stop),))
    again.daemon = True
    again.start()


def run(argv: Sequence[str]) -> int:  # noqa: PLR0911  # one for each way to end
    """Run one command line and return its exit code. Raises nothing, interruption included."""
    as_json = "--json" in _before_dashes(argv)
    try:
        code = _dispatch(argv)
        sys.stdout.flush()
    except AeonError as error:
        return _refused(error, as_json=as_json)
    except typer.TyperException as error:
        return _misused(error, as_json=as_json)
    except BrokenPipeError:
        return Code.BROKEN_PIPE
    except KeyboardInterrupt as stop:
        return _interrupted(stop)
    except typer.Abort:
        return Code.USAGE
    except OSError as error:
        return _refused(_full(error), as_json=as_json) if error.errno in _FULL else _unexpected(error, as_json=as_json)
    except Exception as error:  # noqa: BLE001  # the last boundary: a defect is reported, with its trace in a file
        if isinstance(error.__cause__, KeyboardInterrupt):  # as Python wraps what stopped the making of a class
            return _interrupted(error.__cause__)
        return _unexpected(error, as_json=as_json)
    return code


def _dispatch(argv: Sequence[str]) -> int:
    from aeon.cli.app import app

    # Not through typer's own main: it would turn an interruption into an exit code before we can say how to go on.
    command = typer.main.get_command(app)
    try:
        with command.make_context("aeon", list(argv)) as context:
            return int(command.invoke(context) or Code.DONE)
    except typer.Exit as end:
        return end.exit_code


def _refused(error: AeonError, *, as_json: bool) -> int:
    if as_json:
        _put_error(error)
    say_error(error)
    return Code.USAGE if isinstance(error, InputError) else Code.FAILED


def _full(error: OSError) -> AeonError:
    where = f"{error.filename} could not be written" if error.filename else "Something could not be written"
    return AeonError(f"{where}: {error.strerror}.", next_step="Free space, then give the command again.")


def _misused(error: typer.TyperException, *, as_json: bool) -> int:
    told = io.StringIO()
    show = getattr(error, "show", None)
    if callable(show):
        show(file=told)
    if as_json:
        _put_error({"type": "UsageError", "message": error.format_message(), "next_step": "See `aeon --help`."})
    from aeon.cli.text import clean

    with suppress(OSError):
        sys.stderr.write(clean(told.getvalue().strip() or error.format_message()) + "\n")
    return error.exit_code


def _unexpected(error: Exception, *, as_json: bool) -> int:
    from aeon.cli.crash import keep_trace

    trace = keep_trace(error)
    told = AeonError(
        f"Aeon met something it did not expect ({type(error).__name__}). This is a defect, not your mistake.",
        next_step=f"The details are in {trace}; please report them." if trace else "Please report it.",
    )
    return _refused(told, as_json=as_json)


def _interrupted(stop: KeyboardInterrupt) -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if str(stop):
        say(str(stop))
    else:
        say("interrupted")
    return code_of(stop)


def _number_of(stop: KeyboardInterrupt) -> int:
    return stop.number if isinstance(stop, Ended) else signal.SIGINT


def _put_error(error: AeonError | JsonObject) -> None:
    from aeon.cli.reports import reported
    from aeon.cli.text import pretty

    with suppress(OSError):
        put(pretty({"status": "failed", "error": reported(error)}))


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    raise Ended(number)


def _make_streams_safe() -> None:
    """Characters the terminal's encoding lacks are escaped; a closed stream becomes one that takes everything."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]  # so it is after `>&-`
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  # open until the process ends
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  # as above
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _flush() -> None:
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        give_up_stdout()


def _before_dashes(argv: Sequence[str]) -> Sequence[str]:
    return argv[: argv.index("--")] if "--" in argv else argv

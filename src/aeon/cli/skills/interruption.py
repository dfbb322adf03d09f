"""Handles signals during a skills run: ends the scripts and keeps the result.

A second signal kills them.
"""

import os
import signal
from collections.abc import Callable
from threading import Thread
from types import FrameType, TracebackType
from typing import Self

from aeon.application.skills import GRACE_SECONDS, Cancellation
from aeon.cli.console import print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.signals import exit_code_for, handled_signals, raise_termination
from aeon.observability.events import Event, PlanReady
from aeon.observability.skill_events import ReplanRequested

_ONCE, _AGAIN, _OVER = b"1", b"2", b"0"


class SkillInterruptHandler:
    """Turns a signal into a cancellation.

    While no script runs, a signal ends the command at once. The second signal kills the scripts, by `end_all` in a
    separate thread; the third does not wait for that.
    """

    def __init__(self, cancellation: Cancellation, end_all: Callable[[], None]) -> None:
        self.code = ExitCode.INTERRUPTED
        self.is_requested = False
        self._cancellation = cancellation
        self._end_all = end_all
        self._is_forced = False
        self._is_executing = False
        self._previous_handlers: dict[int, object] = {}
        self._signalled, self._signal = os.pipe()
        self._thread = Thread(target=self._handle_signals, name="aeon-interruption", daemon=True)

    def observe(self, event: Event) -> None:
        """Records whether scripts are running."""
        if isinstance(event, PlanReady):
            self._is_executing = True
        elif isinstance(event, ReplanRequested):
            self._is_executing = False

    def __enter__(self) -> Self:
        self._thread.start()
        for number in handled_signals():
            self._previous_handlers[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._previous_handlers.items():
            signal.signal(number, before)  # pyright: ignore[reportArgumentType]  # what signal.signal returned
        os.write(self._signal, _OVER)
        self._thread.join()
        os.close(self._signal)
        os.close(self._signalled)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        # Take no lock and print nothing here: the interrupted thread may hold the lock or be printing.
        self.code = exit_code_for(number)
        if not self._is_executing or self._is_forced:
            raise_termination(number, frame)
            return
        self._is_forced = self.is_requested
        self.is_requested = True
        self._cancellation.cancel()
        os.write(self._signal, _AGAIN if self._is_forced else _ONCE)

    def _handle_signals(self) -> None:
        while (message := os.read(self._signalled, 1)) != _OVER:
            if message == _ONCE:
                print_message(f"ending the scripts within {GRACE_SECONDS:.0f} s; interrupt again to kill them at once")
            else:
                self._end_all()

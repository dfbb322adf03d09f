"""Shows the progress of fetching weights on stderr: a bar on a terminal, else a line every 10 %."""

import sys
from types import TracebackType
from typing import Self

from aeon.application.models import WeightsPhase, WeightsProgress
from aeon.cli.console import print_message

_PERCENT_STEP = 10
_MEASURED_PHASES = (WeightsPhase.DOWNLOADING, WeightsPhase.JOINING, WeightsPhase.VERIFYING)


class FetchProgress:
    """Shows each `WeightsProgress` that it is called with. Prints nothing if the weights are already there."""

    def __init__(self) -> None:
        self._bar = _Bar() if sys.stderr.isatty() else None
        self._printed: tuple[str, int] = ("", -1)
        self._announced: set[WeightsPhase] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if isinstance(error, KeyboardInterrupt) and WeightsPhase.TRYING in self._announced:
            print_message("the downloaded part is kept; continue with: aeon model fetch")

    def __call__(self, progress: WeightsProgress) -> None:
        if progress.phase in _MEASURED_PHASES and progress.total:
            if progress.phase is WeightsPhase.VERIFYING and not self._announced:
                self._announce(WeightsPhase.VERIFYING, f"verifying the weights of the model {progress.model!r}, once")
            self._show_count(progress)
        elif progress.phase is WeightsPhase.TRYING:
            self._announce(
                WeightsPhase.TRYING,
                f"fetching the weights of the model {progress.model!r}, once; Ctrl-C pauses it and loses nothing",
            )
            print_message(f"from {progress.source}:", "  ")
        elif progress.phase in (WeightsPhase.WAITING, WeightsPhase.REJECTED):
            print_message(progress.reason)
        elif progress.phase is WeightsPhase.SOURCE_FAILED:
            print_message(f"{progress.source}: {progress.reason}", "  ", "  ")

    def _announce(self, phase: WeightsPhase, text: str) -> None:
        if phase not in self._announced:
            print_message(text)
        self._announced.add(phase)

    def _show_count(self, progress: WeightsProgress) -> None:
        if self._bar is not None:
            self._bar.show(progress)
            return
        percent = 100 * progress.done // progress.total
        current = (progress.phase.value, percent // _PERCENT_STEP)
        if current != self._printed:
            self._printed = current
            print_message(f"  {progress.phase.value} {progress.model}: {percent}% of {progress.total / 1e6:,.0f} MB")


class _Bar:
    """Progress bars drawn by rich, one for each phase."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
        from rich.progress import Progress as Bars

        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True, highlight=False),
        )
        self._tasks = {
            phase: self._bars.add_task(phase.value, visible=False, start=False) for phase in _MEASURED_PHASES
        }
        self._is_shown = False

    def show(self, progress: WeightsProgress) -> None:
        if not self._is_shown:
            self._bars.start()
            self._is_shown = True
        task = self._tasks[progress.phase]
        if not self._bars.tasks[task].started:
            self._bars.start_task(task)
        self._bars.update(task, completed=progress.done, total=progress.total, visible=True)

    def stop(self) -> None:
        if self._is_shown:
            self._bars.stop()

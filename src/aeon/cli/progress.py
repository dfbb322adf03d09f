"""The progress of fetching weights on stderr: a bar on a terminal, a line now and then elsewhere."""

import sys
from types import TracebackType
from typing import Self

from aeon.bootstrap.stored import Phase, Progress
from aeon.cli.say import say

_STEP = 10
_COUNTED = (Phase.DOWNLOADING, Phase.JOINING, Phase.VERIFYING)


class FetchProgress:
    """Receives each `Progress`. Says nothing at all when the weights are there already."""

    def __init__(self) -> None:
        self._bar = _Bar() if sys.stderr.isatty() else None
        self._told: tuple[str, int] = ("", -1)
        self._announced: set[Phase] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if isinstance(error, KeyboardInterrupt) and Phase.TRYING in self._announced:
            say("what was downloaded is kept; go on with: aeon model fetch")

    def __call__(self, progress: Progress) -> None:
        if progress.phase in _COUNTED and progress.total:
            if progress.phase is Phase.VERIFYING and not self._announced:
                self._announce(Phase.VERIFYING, f"checking the weights of the model {progress.model!r}, once")
            self._count(progress)
        elif progress.phase is Phase.TRYING:
            self._announce(
                Phase.TRYING,
                f"fetching the weights of the model {progress.model!r}, once; Ctrl-C stops it and loses nothing",
            )
            say(f"from {progress.source}:", "  ")
        elif progress.phase in (Phase.WAITING, Phase.REJECTED):
            say(progress.reason)
        elif progress.phase is Phase.SOURCE_FAILED:
            say(f"{progress.source}: {progress.reason}", "  ", "  ")

    def _announce(self, phase: Phase, text: str) -> None:
        if phase not in self._announced:
            say(text)
        self._announced.add(phase)

    def _count(self, progress: Progress) -> None:
        if self._bar is not None:
            self._bar.show(progress)
            return
        percent = 100 * progress.done // progress.total
        told = (progress.phase.value, percent // _STEP)
        if told != self._told:
            self._told = told
            say(f"  {progress.phase.value} {progress.model}: {percent}% of {progress.total / 1e6:,.0f} MB")


class _Bar:
    """A bar for each phase, drawn by rich."""

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
        self._tasks = {phase: self._bars.add_task(phase.value, visible=False, start=False) for phase in _COUNTED}
        self._is_shown = False

    def show(self, progress: Progress) -> None:
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

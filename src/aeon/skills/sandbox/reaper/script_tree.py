"""One script as the reaper sees it: from its start until nothing of it is left."""

import os
import signal
import time
from contextlib import suppress

from . import messages, procfs
from .spawn import ScriptLeader, has_started


class ScriptTree:
    """A running invocation. Its leader's process id, session and group are one number, taken until it is over.

    `pidfd` is readable once the leader has ended, and closed when that was noticed.
    """

    def __init__(self, leader: ScriptLeader, token: str, lane: int) -> None:
        self.pid = leader.pid
        self.group = lane
        self.pidfd = os.pidfd_open(leader.pid)
        self.token = token
        self._status = leader.status
        self._exit_code: int | None = None
        self._deadline: float | None = None
        self._was_terminated = False
        self.exceeded_limit = ""
        """Which limit it was ended for; empty for none."""

    @property
    def leader_is_alive(self) -> bool:
        """Whether its leader has not been waited for yet."""
        return self._exit_code is None

    @property
    def bubblewrap_processes(self) -> int:
        """How many of its processes are bubblewrap's."""
        return 0 if self._status is None else 2

    @property
    def is_grace_over(self) -> bool:
        """Whether the time for ending politely has passed."""
        return self._deadline is not None and time.monotonic() >= self._deadline

    def terminate(self, polite_seconds: float) -> None:
        """Let it end, politely for so long. A later wish never gives more time."""
        deadline = time.monotonic() + polite_seconds
        self._deadline = deadline if self._deadline is None else min(deadline, self._deadline)

    def collect_leader(self) -> None:
        """The leader ended: if by itself, what it left behind ends at once (skills 4)."""
        if self._deadline is None:
            self.terminate(0)
            with suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)
        self._exit_code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.pidfd)

    def kill_remaining(self, orphans: set[int], own_group: int) -> None:
        """Ask what is left of it to end, or end it for good. `orphans` are those that may be its own."""
        left = procfs.with_descendants(orphans | ({self.pid} if self.leader_is_alive else set()))
        if self.is_grace_over:
            procfs.kill_with_groups(left, own_group)
        elif not self._was_terminated:
            self._was_terminated = True
            procfs.terminate(left - self._bubblewrap_pids())

    def _bubblewrap_pids(self) -> set[int]:
        """Bubblewrap's own processes, which would end the script at once when asked to end."""
        return {self.pid} if self._status is not None else set()

    def is_gone(self, orphans: set[int]) -> bool:
        """Whether nothing is left of it, nor of anybody unknown."""
        return self._exit_code is not None and not orphans

    def report(self) -> messages.ReaperReport:
        """How it ended, once it is over."""
        code = self._exit_code or 0
        return messages.ReaperReport(
            messages.EXITED if has_started(self._status) or code < 0 else messages.SANDBOX_FAILED,
            code,
            self.exceeded_limit,
        )

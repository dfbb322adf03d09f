"""The processes of one script, from its start until none is left."""

import os
import signal
import time
from contextlib import suppress

from . import messages, procfs
from .spawn import ScriptLeader, has_started


class ScriptTree:
    """A running invocation.

    Its leader's process id, session and process group are one number, reserved until its end. `pidfd` is readable once
    the leader has ended, and closed when the leader is collected.
    """

    def __init__(self, leader: ScriptLeader, token: str) -> None:
        self.pid = leader.pid
        self.pidfd = os.pidfd_open(leader.pid)
        self.token = token
        self._status = leader.status
        self._exit_code: int | None = None
        self._deadline: float | None = None
        self._was_terminated = False
        self.exceeded_limit = ""
        """The exceeded limit that it was ended for; empty if none."""

    @property
    def leader_is_alive(self) -> bool:
        """Whether its leader has not been collected yet."""
        return self._exit_code is None

    @property
    def bubblewrap_processes(self) -> int:
        """Number of bubblewrap's own processes in it."""
        return 0 if self._status is None else 2

    @property
    def is_grace_over(self) -> bool:
        """Whether the grace period has passed."""
        return self._deadline is not None and time.monotonic() >= self._deadline

    def terminate(self, grace_seconds: float) -> None:
        """Starts the grace period. A later call can only shorten it."""
        deadline = time.monotonic() + grace_seconds
        self._deadline = deadline if self._deadline is None else min(deadline, self._deadline)

    def collect_leader(self) -> None:
        """Collects the ended leader.

        If it ended by itself, its remaining processes end at once (skills 4).
        """
        if self._deadline is None:
            self.terminate(0)
            with suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)
        self._exit_code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.pidfd)

    def kill_remaining(self, orphans: set[int], own_group: int) -> None:
        """Terminates the remaining processes, or kills them after the grace period.

        `orphans` may be its own.
        """
        remaining = procfs.with_descendants(orphans | ({self.pid} if self.leader_is_alive else set()))
        if self.is_grace_over:
            procfs.kill_with_groups(remaining, own_group)
        elif not self._was_terminated:
            self._was_terminated = True
            procfs.terminate(remaining - self._bubblewrap_pids())

    def _bubblewrap_pids(self) -> set[int]:
        """Returns bubblewrap's own processes: on SIGTERM they would end the script at once."""
        return {self.pid} if self._status is not None else set()

    def is_gone(self, orphans: set[int]) -> bool:
        """Whether no process of it, or of unknown origin, is left."""
        return self._exit_code is not None and not orphans

    def report(self) -> messages.ReaperReport:
        """Returns the report of its end, once it has ended."""
        code = self._exit_code or 0
        return messages.ReaperReport(
            messages.EXITED if has_started(self._status) or code < 0 else messages.SANDBOX_FAILED,
            code,
            self.exceeded_limit,
        )

"""Ends what a warden left behind when it was itself ended: found by the marker in the environment."""

import os
import time
from pathlib import Path

from aeon.skills.process.warden import tree
from aeon.skills.process.warden.wire import MARKER_VARIABLE

_SECONDS = 5.0
_PAUSE = 0.01


def kill_orphans(token: str, leader: int) -> None:
    """End every process that carries the marker, and the leader's session, for good. Returns when none is left.

    `leader` is 0 when it is not known; that is never taken for a session, for some processes say theirs is 0.

    What has scrubbed its environment and left the session is not found: a warden would have ended that too.
    """
    deadline = time.monotonic() + _SECONDS
    while (left := _find_orphans(token, leader)) and time.monotonic() < deadline:
        tree.kill_with_groups(left, os.getpgrp())
        time.sleep(_PAUSE)


def _find_orphans(token: str, leader: int) -> set[int]:
    found: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*"):
        if _is_ours(int(entry.name), token, leader):
            found.add(int(entry.name))
    return found


def _is_ours(pid: int, token: str, leader: int) -> bool:
    is_named = tree.environment_variable(pid, MARKER_VARIABLE) == token or (
        leader > 0 and tree.session_id(pid) == leader
    )
    return is_named and not tree.has_exited(pid)

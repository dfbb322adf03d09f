"""Exit codes, the same for every command."""

from enum import IntEnum


class Code(IntEnum):
    """How a command ended."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    EXPIRED = 3
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    TERMINATED = 143

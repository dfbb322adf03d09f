"""Exit codes, the same for every command."""

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended; after a signal, 128 plus its number."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    EXPIRED = 3
    UNTRUSTED = 4
    HUNG_UP = 129
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    TERMINATED = 143

"""How many jobs a process takes out of their queue: those that wait for a service keep no worker from another one."""

_MAX_WAITING = 100
"""Jobs that one process has wait; of more the queue keeps the rest, and what stands behind them."""


def prefetch_limit(count: int, waiting: int) -> int:
    """So many may have been taken at once where `count` are carried out at once and so many of those taken wait."""
    return count + min(waiting, _MAX_WAITING)

"""The counters of one server process, in the text format of Prometheus (text/plain; version=0.0.4)."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import Final

_BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper bounds of the histogram, in seconds."""

_REQUESTS: Final = "aeon_http_requests_total"
_SECONDS: Final = "aeon_http_request_seconds"
_STREAMS: Final = "aeon_http_streams_open"


class _Histogram:
    def __init__(self) -> None:
        self.counts = [0] * (len(_BOUNDS) + 1)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(_BOUNDS, seconds)] += 1
        self.sum += seconds


class RequestCounters:
    """Requests by class and status, and how long they took. Only the server's event loop uses it."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: dict[str, _Histogram] = {}

    def add(self, kind: str, status: int, seconds: float) -> None:
        """Count a request of a class; `seconds` is the time until its answer began."""
        self._requests[kind, status] += 1
        self._seconds.setdefault(kind, _Histogram()).add(seconds)

    def format(self, streams: int) -> str:
        """All counters, and the number of open streams."""
        return "".join(f"{line}\n" for line in self._lines(streams))

    def _lines(self, streams: int) -> Iterator[str]:
        yield f"# HELP {_REQUESTS} Requests that this server process has answered."
        yield f"# TYPE {_REQUESTS} counter"
        for (kind, status), number in sorted(self._requests.items()):
            yield f'{_REQUESTS}{{class="{kind}",status="{status}"}} {number}'
        yield f"# HELP {_SECONDS} Seconds until the answer began."
        yield f"# TYPE {_SECONDS} histogram"
        for kind, histogram in sorted(self._seconds.items()):
            yield from _histogram_lines(kind, histogram)
        yield f"# HELP {_STREAMS} Streams that are open."
        yield f"# TYPE {_STREAMS} gauge"
        yield f"{_STREAMS} {streams}"


def _histogram_lines(kind: str, histogram: _Histogram) -> Iterator[str]:
    so_far = 0
    for bound, number in zip((*map(repr, _BOUNDS), "+Inf"), histogram.counts, strict=True):
        so_far += number
        yield f'{_SECONDS}_bucket{{class="{kind}",le="{bound}"}} {so_far}'
    yield f'{_SECONDS}_sum{{class="{kind}"}} {histogram.sum!r}'
    yield f'{_SECONDS}_count{{class="{kind}"}} {so_far}'

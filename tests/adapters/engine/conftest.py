"""One suite for all engines, on a real graph."""

import pytest

from aeon.adapters.graph import memory


@pytest.fixture(scope="session")
def store():
    graph = memory()
    yield graph
    graph.close()

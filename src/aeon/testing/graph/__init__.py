"""What every graph store must do, as tests: subclass `GraphConformance`, say how to build yours, run pytest.

    class TestMyGraph(GraphConformance):
        def graph(self):
            return MyGraph(...)

Each test asks for one empty store, and closes it. `other_graph` gives a second empty one, for round trips.
"""

from aeon.testing.graph.asking import Asking, Itself
from aeon.testing.graph.mutations import ManyAtOnce, Mutations
from aeon.testing.graph.transfer import Transfer
from aeon.testing.graph.values import Values

__all__ = ["GraphConformance"]


class GraphConformance(Values, Asking, Mutations, ManyAtOnce, Transfer, Itself):
    """The contract of `GraphStore` (decision 19)."""

"""A graph's structure has a version, and goes forward only."""

import pytest

from aeon.adapters.graph.embedded import memory
from aeon.platform.graph import DuplicateError, GraphError, Schema
from aeon.platform.versions import Migration, bring_up_to_date

SCHEMA = Schema(unique=(("Thing", "id"),))
RENAMED = Migration(
    2, "names are titles", ("MATCH (t:Thing) WHERE t.name IS NOT NULL SET t.title = t.name, t.name = NULL",)
)
MARKED = Migration(3, "all are marked", ("MATCH (t:Thing) SET t.marked = true",))


@pytest.fixture
def graph():
    store = memory()
    yield store
    store.close()


def version(store):
    return store.read("MATCH (v:AeonVersion) RETURN v.number AS number")


def test_an_empty_graph_is_made_at_the_newest_version(graph):
    assert bring_up_to_date(graph, (SCHEMA,), (RENAMED, MARKED)) == 3
    assert version(graph) == [{"number": 3}]
    graph.write("CREATE (:Thing {id: 1})")
    with pytest.raises(DuplicateError):
        graph.write("CREATE (:Thing {id: 1})")


def test_an_older_graph_gets_every_migration_once_and_in_order(graph):
    graph.write("CREATE (:Thing {id: 1, name: 'a'})")
    assert bring_up_to_date(graph, (SCHEMA,), (RENAMED,)) == 2
    assert graph.read("MATCH (t:Thing) RETURN t") == [{"t": {"id": 1, "title": "a"}}]
    graph.write("MATCH (t:Thing) SET t.name = 'later'")
    assert bring_up_to_date(graph, (SCHEMA,), (RENAMED, MARKED)) == 3
    assert graph.read("MATCH (t:Thing) RETURN t") == [{"t": {"id": 1, "title": "a", "name": "later", "marked": True}}]
    assert bring_up_to_date(graph, (SCHEMA,), (RENAMED, MARKED)) == 3


def test_a_migration_that_was_cut_off_begins_anew(graph):
    graph.write("CREATE (:Thing {id: 1, name: 'a'})")
    broken = Migration(2, "fails in its middle", (*RENAMED.queries, "THIS IS NO QUERY"))
    with pytest.raises(GraphError):
        bring_up_to_date(graph, (SCHEMA,), (broken,))
    assert version(graph) == []
    assert bring_up_to_date(graph, (SCHEMA,), (RENAMED,)) == 2
    assert graph.read("MATCH (t:Thing) RETURN t.title AS title") == [{"title": "a"}]


def test_a_graph_of_a_newer_aeon_is_left_alone(graph):
    bring_up_to_date(graph, (SCHEMA,), (RENAMED, MARKED))
    with pytest.raises(GraphError, match="structure 3; this Aeon knows 1"):
        bring_up_to_date(graph, (SCHEMA,), ())
    assert version(graph) == [{"number": 3}]

"""A graph of what users know, in memory, and the public suite that every `KnowledgeGraph` must pass.

class TestMine(KnowledgeGraphConformance):
    @pytest.fixture
    def graph(self):
        return MyGraph(...)
"""

from collections.abc import Sequence

from aeon.platform.knowledge.extraction import ExtractionResult, WaitingEpisode
from aeon.platform.knowledge.model import Assertion, Entity, Fact, Source
from aeon.platform.knowledge.view import GraphState, KnowledgeGraph, KnowledgeView, SyncCounts, VisibleEpisode

_AT = "2026-05-01T10:00:00.000000+00:00"


class InMemoryKnowledgeGraph:
    """A `KnowledgeGraph` that keeps views. `found` is what it finds in every episode; `views` are by owner."""

    name = "graph in memory"

    def __init__(self, found: ExtractionResult | None = None) -> None:
        self.views: dict[str, KnowledgeView] = {}
        self.found = found or ExtractionResult()

    def state(self, owner: str) -> GraphState:
        """Returns what is kept of a user."""
        view = self.views.get(owner)
        return GraphState(f"group of {owner}", "" if view is None else view.stamp)

    def sync(self, view: KnowledgeView) -> SyncCounts:
        """Keeps a view in place of the one before."""
        before, after = _items(self.views.get(view.owner)), _items(view)
        self.views[view.owner] = view
        return SyncCounts(len(after - before), len(before - after))

    def follow(self, view: KnowledgeView) -> SyncCounts:
        """Does what `sync` does."""
        return self.sync(view)

    def extract(
        self, view: KnowledgeView, episode: WaitingEpisode, previous: Sequence[str], names: Sequence[str]
    ) -> ExtractionResult:
        """Returns what it is set to find; the graph then shows no view."""
        del episode, previous, names
        self.views[view.owner] = view._replace(stamp="")
        return self.found


def _items(view: KnowledgeView | None) -> set[str]:
    return set() if view is None else {repr(each) for part in view[2:] for each in part}


def sample_view(owner: str, stamp: str, *texts: str) -> KnowledgeView:
    """Returns a view of messages, each of which states itself of Tove."""
    tove = Entity(
        id=f"{owner}-tove",
        owner_id=owner,
        name="Tove",
        name_key="tove",
        made_by="extraction",
        category=None,
        category_by=None,
        version=1,
        created_at=_AT,
        updated_at=_AT,
        enriched_at=None,
        enriched_by=None,
        forgotten_at=None,
        summary=None,
        facets={},
        enrichment=None,
        kept_id=None,
    )
    episodes = [VisibleEpisode(f"{owner}-e{n}", "message", f"Turn:{n}", text, _AT, _AT) for n, text in enumerate(texts)]
    facts = [Fact(f"{each.id}-f", tove.id, None, each.content, _AT, [_stated(each.id)]) for each in episodes]
    return KnowledgeView(owner, stamp, episodes, [tove], [(each.id, tove.id) for each in episodes], facts)


def _stated(episode: str) -> Assertion:
    return Assertion(
        "states", "confirmed", "model", 1.0, Source(episode, "message", episode, "talk", _AT, True), None, None
    )


class KnowledgeGraphConformance:
    """The laws of a graph of what users know. A subclass has a fixture `graph` that is empty."""

    def test_nothing_is_there_at_first(self, graph: KnowledgeGraph) -> None:
        """A user of whom nothing was shown has a group and no stamp."""
        state = graph.state("record/ann")
        assert state.group
        assert state.stamp == ""

    def test_it_shows_the_view_that_was_synchronized_last(self, graph: KnowledgeGraph) -> None:
        """The stamp is that of the view; repeating it changes nothing."""
        assert graph.sync(sample_view("record/ann", "1", "Tove sails.")).written > 0
        assert graph.state("record/ann").stamp == "1"
        assert graph.sync(sample_view("record/ann", "1", "Tove sails.")) == SyncCounts(0, 0)
        counts = graph.sync(sample_view("record/ann", "2", "Tove rows.", "Tove swims."))
        assert counts.written > 0
        assert graph.state("record/ann").stamp == "2"
        assert graph.sync(sample_view("record/ann", "3")).removed > 0

    def test_who_follows_writes_what_who_synchronizes_writes(self, graph: KnowledgeGraph) -> None:
        """After `follow`, `sync` finds nothing to do."""
        for number, text in enumerate(("Tove sails.", "Tove rows.", "Tove swims.")):
            assert graph.follow(sample_view("record/ann", str(number), text)).written > 0
        assert graph.sync(sample_view("record/ann", "2", "Tove swims.")) == SyncCounts(0, 0)

    def test_users_do_not_share_a_group(self, graph: KnowledgeGraph) -> None:
        """What one user's view shows does not change that of another one, also of the same name in another record."""
        owners = ("record/ann", "record/bea", "other/ann")
        for owner in owners:
            graph.sync(sample_view(owner, owner, "Tove sails."))
        assert len({graph.state(owner).group for owner in owners}) == len(owners)
        graph.sync(sample_view("record/ann", "empty"))
        assert graph.sync(sample_view("record/bea", "record/bea", "Tove sails.")) == SyncCounts(0, 0)

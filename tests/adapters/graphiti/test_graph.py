"""Graphiti finds by its own API what is on screen, and nothing else (platform 22, 35, 36)."""

from datetime import datetime

import pytest

from aeon.platform.conversations.erasing import ErasureRepository, ErasureTarget
from aeon.platform.episodes.writing import episode_id
from aeon.platform.knowledge.view import SyncCounts

from .conftest import Watched, run_in

pytestmark = pytest.mark.server

TOVE = "Tove Berg moved from Linz to Graz."
OBOE = "Ida plays the oboe in Bregenz."


def test_platform_36_the_search_of_graphiti_finds_what_was_said(watched):
    message, _ = watched.tell(TOVE, OBOE)
    watched.sync()
    assert watched.search("Who plays the oboe?")[0] == OBOE
    assert watched.search("moved to Graz")[0] == TOVE
    there = watched.facts_there()[TOVE]
    (fact,) = watched.about("Tove Berg")
    assert (there.uuid, there.episodes) == (fact.id, [episode_id(message.id)])
    assert there.valid_at == datetime.fromisoformat(message.created_at)


def test_episodes_entities_and_mentions_are_found_by_the_advanced_search(watched):
    (message,) = watched.tell(TOVE)
    watched.sync()
    found = watched.run(lambda graphiti: graphiti.search_("Tove Berg Graz", group_ids=[watched.group]))
    assert {each.name for each in found.nodes} >= {"Tove Berg", "Graz"}, "those that the fact joins"
    assert {each.uuid for each in found.nodes} >= {watched.entities.find(watched.user, "Graz").id}
    (episode,) = found.episodes
    assert (episode.uuid, episode.content) == (episode_id(message.id), f"user: {TOVE}")
    of_episode = watched.run(lambda graphiti: graphiti.get_nodes_and_edges_by_episode([episode.uuid]))
    assert [each.fact for each in of_episode.edges] == [TOVE]


def test_what_users_say_of_themselves_belongs_to_an_entity_of_theirs(watched):
    watched.tell("I have eaten pears for years.")
    watched.sync()
    assert watched.search("pears") == ["I have eaten pears for years."]


def test_platform_22_a_branch_that_was_left_is_not_there_and_is_again_when_it_is_chosen(watched):
    conversation = watched.conversation()
    first = watched.say(conversation, TOVE)
    watched.extract()
    watched.sync()
    second = watched.turns.edit(first.id, OBOE, watched.request())
    watched.extract()
    watched.sync()
    assert set(watched.facts_there()) == {OBOE}
    assert "Graz" not in watched.everything()
    watched.turns.activate(first.id, watched.request())
    watched.sync()
    assert watched.search("moved to Graz") == [TOVE]
    assert "oboe" not in watched.everything()
    watched.turns.activate(second.id, watched.request())
    watched.sync()
    assert set(watched.facts_there()) == {OBOE}


def test_another_user_is_not_found(watched, store, server):
    other = Watched(store, server)
    watched.tell(TOVE)
    other.tell(OBOE)
    watched.sync()
    other.sync()
    assert set(watched.facts_there()) == {TOVE}
    assert set(other.facts_there()) == {OBOE}
    assert OBOE not in watched.search("Who plays the oboe?")
    assert other.group != watched.group


def test_platform_28_forgetting_removes_every_byte(watched, store):
    first, _ = watched.tell("Zephyrine moved to Graz.", OBOE)
    watched.sync()
    assert "Zephyrine" in watched.everything()
    erasures = ErasureRepository(store, watched.world.catalog.ledger, watched.world.catalog.new_id)
    erasures.begin(ErasureTarget(watched.user, first.conversation_id, first.id), watched.request())
    assert watched.sync().removed > 0
    assert "Zephyrine" not in watched.everything()
    assert "Graz" not in watched.everything()
    assert set(watched.facts_there()) == {OBOE}


def test_a_rejected_fact_is_not_there(watched):
    watched.tell(TOVE)
    watched.sync()
    (fact,) = watched.about("Tove Berg")
    watched.facts.decide(fact.id, "rejected", watched.request())
    watched.sync()
    assert watched.facts_there() == {}


def test_platform_37_merged_entities_are_what_they_were_merged_into(watched):
    watched.tell("Tove Berg moved to Graz.", "Tove plays the oboe.")
    watched.entities.merge("Tove Berg", "Tove", watched.request())
    watched.sync()
    kept = watched.entities.get(watched.user, "Tove").id
    assert {each.source_node_uuid for each in watched.facts_there().values()} == {kept}
    watched.entities.unmerge("Tove", watched.request())
    watched.sync()
    assert len({each.source_node_uuid for each in watched.facts_there().values()}) == 2


def test_a_category_is_a_label_and_another_one_replaces_it(watched):
    from graphiti_core.nodes import EntityNode

    from aeon.platform.knowledge.entities import NamedEntityChange

    watched.tell(TOVE)
    for category in ("Person", "Project"):
        change = NamedEntityChange(category=category)
        watched.entities.change(watched.entities.find(watched.user, "Tove Berg").id, change, watched.request())
        watched.sync()
        found = watched.run(lambda graphiti: EntityNode.get_by_group_ids(graphiti.driver, [watched.group]))
        assert {frozenset(each.labels) for each in found if each.name == "Tove Berg"} == {
            frozenset({"Entity", category})
        }
    assert watched.search("moved to Graz") == [TOVE]


def test_only_the_difference_is_written(watched):
    watched.tell(TOVE)
    assert watched.sync().written > 0
    assert watched.sync() == SyncCounts(0, 0)
    watched.tell(OBOE)
    assert watched.sync() == SyncCounts(6, 0), "an episode, two entities, two mentions and a fact"


def test_who_follows_a_user_does_not_read_again_what_it_has_shown(watched, monkeypatch):
    from aeon.adapters.graphiti import projection

    watched.tell(TOVE)
    watched.sync()
    with monkeypatch.context() as patched:
        patched.setattr(projection, "read_shape", None)
        watched.tell(OBOE)
        assert watched.graph.follow(watched.views.read(watched.user)) == SyncCounts(6, 0)
    assert watched.sync() == SyncCounts(0, 0)
    assert set(watched.facts_there()) == {TOVE, OBOE}


def test_who_follows_a_user_reads_what_another_process_has_shown(watched, server):
    from aeon.adapters.graphiti import open_graphiti
    from aeon.testing.embedding import HashEmbedder

    watched.tell(TOVE)
    watched.sync()
    other = open_graphiti(server.address, server.password, HashEmbedder(), lambda: watched.model)
    (said,) = watched.tell(OBOE)
    other.sync(watched.views.read(watched.user))
    watched.turns.edit(said.id, "Ole sails to Visby.", watched.request())
    watched.extract()
    watched.graph.follow(watched.views.read(watched.user))
    assert set(watched.facts_there()) == {TOVE, "Ole sails to Visby."}


def test_what_others_wrote_into_the_group_is_put_right(watched):
    watched.tell(TOVE)
    watched.sync()
    before = watched.everything()

    async def damage(graphiti):
        await graphiti.driver.execute_query(
            "MATCH (n:Entity {group_id: $group}) SET n.summary = 'wrong', n.more = 1", group=watched.group
        )
        await graphiti.driver.execute_query(
            "MATCH ()-[e:RELATES_TO {group_id: $group}]->() SET e.invalid_at = e.valid_at", group=watched.group
        )
        await graphiti.driver.execute_query(
            "CREATE (:Community {group_id: $group, uuid: 'c', summary: 'all'})", group=watched.group
        )

    watched.run(damage)
    assert watched.sync() == SyncCounts(4, 0)
    assert sorted(watched.everything()) == sorted(before)


@pytest.mark.parametrize("stop", ["remove", "write", "_write_stamp"])
def test_a_synchronization_that_was_killed_halfway_is_completed_by_the_next(watched, monkeypatch, stop):
    first, _ = watched.tell(TOVE, OBOE)
    watched.sync()
    watched.turns.edit(first.id, "Ole sails to Visby.", watched.request())
    watched.extract()
    from aeon.adapters.graphiti import projection

    with monkeypatch.context() as patched:
        patched.setattr(projection, stop, killed_after(getattr(projection, stop)))
        with pytest.raises(KilledError):
            watched.sync()
    assert watched.graph.state(watched.views.owner(watched.user)).stamp != watched.views.stamp(watched.user)
    watched.sync()
    assert set(watched.facts_there()) == {OBOE, "Ole sails to Visby."}
    assert watched.sync() == SyncCounts(0, 0)
    assert watched.graph.state(watched.views.owner(watched.user)).stamp == watched.views.stamp(watched.user)


class KilledError(BaseException):
    """The process is gone."""


def killed_after(step):
    async def once(*given):
        await step(*given)
        raise KilledError

    return once


def test_another_embedding_model_writes_all_vectors_again(watched, server):
    from aeon.adapters.graphiti import open_graphiti
    from aeon.testing.embedding import HashEmbedder

    watched.tell(TOVE)
    watched.sync()
    other = open_graphiti(server.address, server.password, HashEmbedder(32, model="other"), lambda: watched.model)
    assert other.sync(watched.views.read(watched.user)) == SyncCounts(4, 0), "three entities and a fact"


def test_a_program_that_opens_graphiti_on_another_graph_finds_the_group(store, falkordb_server):
    """On FalkorDB, Graphiti's stock driver looks for a group in the graph of that name."""
    falkordb_server.clear()
    watched = Watched(store, falkordb_server)
    watched.tell(TOVE)
    watched.sync()

    async def search(graphiti):
        driver = graphiti.driver
        found = await graphiti.search("Graz", group_ids=[watched.group])
        assert graphiti.driver is driver
        return found

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("graphiti_core.driver.falkordb_driver.FalkorDriver.build_indices_and_constraints", nothing)
        assert [each.fact for each in run_in(watched.server, "another", search)] == [TOVE]


async def nothing(driver):
    """A clone of a driver builds indices in the background, and is closed before they are done."""

"""The view of a user in Graphiti's shape, and the difference of two shapes (platform 22, 35, 37)."""

from datetime import UTC, datetime

import pytest

from aeon.adapters.graphiti.difference import change_to
from aeon.adapters.graphiti.shape import GraphShape, group_of, shape_of, user_uuid
from aeon.platform.knowledge.model import Assertion, Entity, Fact, Source
from aeon.platform.knowledge.view import KnowledgeView, VisibleEpisode

EARLY, LATE = "2026-05-01T10:00:00.000000+00:00", "2026-06-01T10:00:00.000000+00:00"
NOTHING = GraphShape({}, {}, {}, {})


def episode(id_, content="Tove lives in Linz.", source="message", at=EARLY):
    return VisibleEpisode(id_, source, f"Turn:{id_}", content, at, at)


def entity(id_, name, **fields):
    known = {"category": None, "made_by": "extraction", "enriched_at": None, "summary": None, "kept_id": None, **fields}
    return Entity(
        id_, "ann", name, name.lower(), known["made_by"], known["category"], None, 1, EARLY, EARLY,
        known["enriched_at"], None, None, known["summary"], {}, None, known["kept_id"],
    )  # fmt: skip


def assertion(by, kind="states", at=EARLY, since=None, until=None, *, is_visible=True):
    return Assertion(kind, "confirmed", "model", 0.9, Source(by, "message", by, "talk", at, is_visible), since, until)


def fact(id_, subject, object_, *assertions, text="Tove lives in Linz."):
    return Fact(id_, subject, object_, text, EARLY, assertions)


def view(episodes=(), entities=(), mentions=(), facts=()):
    return KnowledgeView("record/ann", "stamp", episodes, entities, mentions, facts)


TOVE, LINZ = entity("tove", "Tove", category="Person"), entity("linz", "Linz")


def test_ids_are_those_of_the_record():
    known = view(
        [episode("e")], [TOVE, LINZ], [("e", "tove"), ("e", "linz")], [fact("f", "tove", "linz", assertion("e"))]
    )
    shape = shape_of(known)
    assert shape.episodes["e"].facts == ("f",)
    assert shape.episodes["e"].content == "user: Tove lives in Linz."
    assert (shape.facts["f"].source, shape.facts["f"].target, shape.facts["f"].episodes) == ("tove", "linz", ("e",))
    assert shape.entities["tove"].labels == {"Entity", "Person"}
    assert {(each.episode, each.entity) for each in shape.mentions.values()} == {("e", "tove"), ("e", "linz")}


@pytest.mark.parametrize(
    ("source", "content", "kind"),
    [("message", "user: Yes.", "message"), ("answer", "assistant: Yes.", "message"), ("note", "Yes.", "text")],
)
def test_an_episode_says_who_spoke_as_graphiti_expects_it(source, content, kind):
    made = shape_of(view([episode("e", "Yes.", source)])).episodes["e"]
    assert (made.content, made.source, made.source_description) == (content, kind, f"Aeon: {source}")


@pytest.mark.parametrize(
    ("subject", "object_", "ends"),
    [
        ("tove", "linz", ("tove", "linz")),
        ("tove", None, ("tove", "tove")),
        (None, "linz", (user_uuid("record/ann"), "linz")),
        (None, None, (user_uuid("record/ann"), user_uuid("record/ann"))),
        ("gone", "linz", ("linz", "linz")),
    ],
)
def test_a_fact_of_one_entity_leads_to_itself_and_one_of_none_belongs_to_the_user(subject, object_, ends):
    shape = shape_of(view([episode("e")], [TOVE, LINZ], [], [fact("f", subject, object_, assertion("e"))]))
    assert (shape.facts["f"].source, shape.facts["f"].target) == ends
    assert set(ends) <= set(shape.entities)


def test_platform_35_validity_is_derived_from_the_assertions():
    known = [episode("e"), episode("later", at=LATE)]
    told = fact("f", "tove", None, assertion("e", since="2020-05"))
    ended = fact("g", "tove", None, assertion("e"), assertion("later", "contradicts", LATE))
    past = fact("h", "tove", None, assertion("e", since="2020", until="2021-02-03"))
    shape = shape_of(view(known, [TOVE], [], [told, ended, past])).facts
    assert (shape["f"].valid_at, shape["f"].invalid_at) == (datetime(2020, 5, 1, tzinfo=UTC), None)
    assert shape["g"].valid_at == datetime.fromisoformat(EARLY)
    assert shape["g"].invalid_at == shape["g"].expired_at == datetime.fromisoformat(LATE)
    assert (shape["h"].invalid_at, shape["h"].expired_at) == (datetime(2021, 2, 3, tzinfo=UTC), None)


def test_a_contradiction_on_another_branch_ends_nothing():
    told = fact("f", "tove", None, assertion("e"), assertion("left", "contradicts", LATE, is_visible=False))
    assert shape_of(view([episode("e")], [TOVE], [], [told])).facts["f"].invalid_at is None


def test_a_day_that_does_not_exist_is_no_time():
    told = fact("f", "tove", None, assertion("e", since="2021-02-31", until="2021-13"))
    made = shape_of(view([episode("e")], [TOVE], [], [told])).facts["f"]
    assert (made.valid_at, made.invalid_at) == (datetime.fromisoformat(EARLY), None)


def test_platform_37_what_was_merged_is_what_it_was_merged_into():
    other = entity("berg", "Tove Berg", kept_id="tove")
    shape = shape_of(view([episode("e")], [TOVE, other], [("e", "berg")], [fact("f", "berg", None, assertion("e"))]))
    assert set(shape.entities) == {"tove"}
    assert shape.facts["f"].source == "tove"
    assert [each.entity for each in shape.mentions.values()] == ["tove"]


def test_only_what_is_visible_or_the_users_own_is_an_entity():
    own, hidden = entity("own", "Own", made_by="user"), entity("hidden", "Hidden")
    assert set(shape_of(view([episode("e")], [TOVE, own, hidden], [("e", "tove")])).entities) == {"tove", "own"}


def test_a_summary_is_of_what_is_visible_and_what_a_model_derived_of_all_branches_is_left_out():
    derived = entity("tove", "Tove", summary="Of all branches.", enriched_at=EARLY)
    assert shape_of(view([episode("e")], [derived], [("e", "tove")])).entities["tove"].summary == ""
    written = entity("tove", "Tove", summary="A friend.")
    shape = shape_of(view([episode("e")], [written], [], [fact("f", "tove", None, assertion("e"))]))
    assert shape.entities["tove"].summary == "A friend. Tove lives in Linz."


def test_groups_are_names_that_graphiti_accepts_and_differ_by_user_and_record():
    groups = {group_of(f"{record}/{user}") for record in "ab" for user in ("ann", "ann:b", "Zoë/é")}
    assert len(groups) == 6
    assert all(each.replace("_", "").isalnum() and each.isascii() for each in groups)


def full():
    mentions = [("e", "tove"), ("e", "linz")]
    return shape_of(view([episode("e")], [TOVE, LINZ], mentions, [fact("f", "tove", "linz", assertion("e"))]))


def test_nothing_changes_where_nothing_differs():
    change = change_to(full(), full(), has_other_vectors=False)
    assert (change.written, change.removed) == (0, 0)


def test_everything_is_written_into_an_empty_group_and_removed_for_an_empty_view():
    assert change_to(full(), NOTHING, has_other_vectors=True).written == 6
    change = change_to(NOTHING, full(), has_other_vectors=False)
    assert (change.removed_nodes, change.removed_edges) == (["e", "linz", "tove"], []), "edges go with their nodes"
    assert change.written == 0


def test_a_node_with_another_label_is_removed_and_written_with_its_edges():
    wanted = full()
    before = wanted._replace(entities={**wanted.entities, "tove": wanted.entities["tove"]._replace(labels=frozenset())})
    change = change_to(wanted, before, has_other_vectors=False)
    assert change.removed_nodes == ["tove"]
    assert [each.uuid for each in change.entities] == ["tove"]
    assert [each.entity for each in change.mentions] == ["tove"]
    assert [each.uuid for each in change.facts] == ["f"]
    assert change.removed == 0, "it is written again"


def test_an_edge_between_others_is_removed_and_written():
    wanted = full()
    moved = wanted._replace(facts={"f": wanted.facts["f"]._replace(target="tove")})
    change = change_to(wanted, moved, has_other_vectors=False)
    assert (change.removed_edges, [each.uuid for each in change.facts]) == (["f"], ["f"])


def test_vectors_of_another_model_are_written_again():
    change = change_to(full(), full(), has_other_vectors=True)
    assert (len(change.episodes), len(change.entities), len(change.mentions), len(change.facts)) == (0, 2, 0, 1)

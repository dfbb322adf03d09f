"""`project.knowledge`: what is known of what the user said, for Python programs."""

import asyncio

import pytest

from aeon.application.knowledge import NotFoundError
from aeon.platform.errors import RuleError


def say(project, words):
    place = project.conversations.create()
    return project.conversations.say(place.id, words)


def test_a_program_asks_what_is_known_decides_and_finds_what_was_said_platform_16_and_40(opened):
    project = opened()
    message = say(project, "Tove lives in Linz.")
    assert [each.entity.name for each in project.knowledge.list_entities().items] == ["Linz", "Tove"]
    (fact,) = project.knowledge.show("Tove").facts
    assert (fact.text, fact.state, fact.holds) == ("Tove lives in Linz.", "candidate", True)
    assert [each.source.alternative_id for each in fact.assertions] == [message.id]
    assert project.knowledge.decide(fact.id, "confirmed").state == "confirmed"
    (found,) = project.knowledge.search("Where does Tove live?")
    assert (found.text, found.alternative_id) == ("Tove lives in Linz.", message.id)


def test_the_branch_on_screen_decides_what_a_program_gets_platform_35(opened):
    project = opened()
    message = say(project, "Tove lives in Linz.")
    project.conversations.edit(message.id, "Tove lives in Graz.")
    believed = lambda: {each.text for each in project.knowledge.show("Tove").facts if each.holds}  # noqa: E731
    assert believed() == {"Tove lives in Graz."}
    assert [each.text for each in project.knowledge.search("Tove")] == ["Tove lives in Graz."]
    project.conversations.activate(message.id)
    assert believed() == {"Tove lives in Linz."}
    assert [each.text for each in project.knowledge.search("Tove")] == ["Tove lives in Linz."]


def test_async_programs_use_it_in_worker_threads(opened):
    project = opened()
    say(project, "Tove lives in Linz.")
    view = asyncio.run(project.in_thread(project.knowledge.show, "Tove"))
    assert [each.text for each in view.facts] == ["Tove lives in Linz."]


def test_another_user_of_the_folder_has_knowledge_of_their_own_platform_16(opened):
    mine, hers = opened(), opened(user="ann")
    say(mine, "Tove lives in Linz.")
    say(hers, "Tove rows in Graz.")
    assert [each.text for each in hers.knowledge.show("Tove").facts] == ["Tove rows in Graz."]
    assert [each.text for each in hers.knowledge.search("Tove")] == ["Tove rows in Graz."]
    with pytest.raises(NotFoundError):
        hers.knowledge.show("Linz")


def test_a_name_is_forgotten_with_what_was_merged_into_it_and_again_after_a_crash_platform_28(opened):
    """The facts go first and the name last, so what a crash has left is erased by the next try."""
    project = opened()
    say(project, "Tove lives in Linz.")
    say(project, "We met Tove Lindberg in Graz.")
    assert project.knowledge.list_candidates()
    kept = project.knowledge.merge("Tove Lindberg", "Tove")
    project.knowledge.forget_fact(project.knowledge.show("Tove").facts[0].id)
    project.knowledge.forget_entity("Tove", key="once")
    project.knowledge.forget_entity(kept.id, key="once")
    assert {each.entity.name for each in project.knowledge.list_entities().items} == {"Linz", "Graz"}
    assert project.knowledge.list_candidates() == []
    for name in ("Tove", "Tove Lindberg", kept.id):
        with pytest.raises(NotFoundError):
            project.knowledge.forget_entity(name)


def test_a_message_stands_for_the_only_fact_that_it_states_platform_40(opened):
    project = opened()
    message = say(project, "Tove lives in Linz.")
    assert project.knowledge.decide(message.id[:8], "rejected").text == "Tove lives in Linz."
    several = say(project, "Tove rows every day. Ida sings in Graz.")
    with pytest.raises(RuleError, match="states several facts") as refused:
        project.knowledge.decide(several.id, "rejected")
    assert "Tove rows every day." in str(refused.value)
    assert "Ida sings in Graz." in str(refused.value)
    with pytest.raises(NotFoundError):
        project.knowledge.decide("nothing", "rejected")


def test_what_is_written_while_extraction_is_off_is_not_extracted_later_platform_38(opened):
    """Without a difference to `paused`, its facts came back as soon as extraction was on again."""
    project = opened()
    say(project, "Tove lives in Linz.")
    project.knowledge.configure({"extraction": "off"})
    say(project, "Wanda Zed lives in Ulm.")
    assert (project.knowledge.status().queue.waiting, project.knowledge.backlog().episodes) == (0, 0)
    project.knowledge.configure({"extraction": "on"})
    assert project.knowledge.list_entities().items == []
    say(project, "Mara lives in Bergen.")
    assert sorted(each.entity.name for each in project.knowledge.list_entities().items) == ["Bergen", "Mara"]


def test_what_is_written_while_extraction_is_paused_is_extracted_later_platform_38(opened):
    project = opened()
    project.knowledge.configure({"extraction": "paused"})
    say(project, "Tove lives in Linz.")
    assert project.knowledge.status().queue.waiting == 1
    project.knowledge.configure({"extraction": "on"})
    assert [each.entity.name for each in project.knowledge.list_entities().items] == ["Linz", "Tove"]

"""What is mentioned often is described by a run of `enrich`, from what is on screen (platform 17)."""

import threading

import pytest

from aeon.application.entity_descriptions import EntityDescriptions
from aeon.application.workers import WorkerService
from aeon.platform.errors import ConflictError, RuleError
from aeon.testing.llm import ScriptedAdapter

from .test_knowledge import say

SAID = (
    "Tove is a carpenter.",
    "Tove lives in Linz.",
    "Tove works for Kendra.",
    "Tove has a dog.",
    "Tove likes old boats.",
)
FOUND = {
    "summary": "Tove is a carpenter who lives in Linz and works for Kendra.",
    "category": "Person",
    "domain": "professional",
    "status": "unknown",
    "sentiment": "neutral",
}


def described(project, name="Tove"):
    found = project.knowledge.show(name).description
    return None if found is None else found.text


def descriptions(project):
    return EntityDescriptions(project._workspace._platform, project.user, lambda: project.runs)


def test_what_is_mentioned_in_five_messages_is_described_once_platform_17(opened):
    model = ScriptedAdapter([FOUND])
    project = opened(model=model)
    for text in SAID[:4]:
        last = say(project, text)
    project.knowledge.list_entities()
    assert descriptions(project).begin(last.conversation_id) is None
    last = say(project, SAID[4])
    project.knowledge.list_entities()
    service = descriptions(project)
    run = service.begin(last.conversation_id)
    assert run is None or service.settle(run, 20), "it may end while it is begun"
    (request,) = model.requests
    assert all(text in request.prompt for text in SAID)
    assert "Linz" in request.prompt
    assert "never an order" in request.system_prompt
    found = project.knowledge.show("Tove").description
    assert (found.text, found.category) == (FOUND["summary"], "Person")
    assert found.facets == {"domain": ["professional"], "sentiment": ["neutral"]}
    assert found.confidence == {"summary": 1.0, "category": 0.5, "facets": {"domain": 0.5, "sentiment": 0.5}}
    assert project.runs.view(found.run_id).run.process_id == found.process_id
    assert service.begin(last.conversation_id) is None, "nothing was said since"


def test_a_description_goes_with_the_branch_and_comes_back_with_it_platform_35(opened):
    project = opened(
        model=ScriptedAdapter([FOUND, {**FOUND, "summary": "Tove is a carpenter with old boats in Graz."}])
    )
    messages = [say(project, text) for text in SAID]
    assert project.knowledge.describe("Tove").description.text == FOUND["summary"]
    edited = project.conversations.edit(messages[1].id, "Tove lives in Graz.")
    assert described(project) is None
    assert project.knowledge.describe("Tove").description.text == "Tove is a carpenter with old boats in Graz."
    project.conversations.activate(messages[1].id)
    assert described(project) == FOUND["summary"]
    project.conversations.activate(edited.id)
    assert described(project) == "Tove is a carpenter with old boats in Graz."


def test_a_description_goes_with_any_message_that_it_was_made_from_platform_28(opened, tmp_path):
    project = opened(model=ScriptedAdapter([FOUND]))
    messages = [say(project, text) for text in SAID]
    project.knowledge.describe("Tove")
    project.conversations.erasing.forget(messages[2].id)
    assert described(project) is None
    assert "Kendra" not in {each.entity.name for each in project.knowledge.list_entities().items}
    assert not [each for each in tmp_path.rglob("*") if each.is_file() and b"Kendra" in each.read_bytes()]


def test_what_the_user_calls_wrong_is_described_no_more_platform_40(opened):
    model = ScriptedAdapter([FOUND, {**FOUND, "summary": "Tove is a carpenter who lives in Linz."}])
    project = opened(model=model)
    for text in SAID:
        say(project, text)
    project.knowledge.describe("Tove")
    (wrong,) = [each for each in project.knowledge.show("Tove").facts if "Kendra" in each.text]
    project.knowledge.decide(wrong.id, "rejected")
    assert described(project) is None
    project.knowledge.describe("Tove")
    assert "works for Kendra" not in model.requests[-1].prompt


@pytest.mark.parametrize(
    "summary",
    [
        "Tove is a carpenter who lives in Berlin.",  # a name that nobody said
        "Tove has 3 dogs and lives in Linz.",  # a number that nobody said
        "An experienced professional appreciated by colleagues everywhere.",  # words that nobody said
        "",
    ],
)
def test_what_was_not_said_is_no_description_platform_36(opened, summary):
    project = opened(model=ScriptedAdapter([{**FOUND, "summary": summary}]))
    for text in SAID:
        say(project, text)
    with pytest.raises(ConflictError, match="your statements support"):
        project.knowledge.describe("Tove")
    assert described(project) is None


def test_of_whom_one_thing_was_said_nothing_is_described(opened):
    project = opened(model=ScriptedAdapter([]))
    say(project, "Tove lives in Linz. Does Tove like it?")
    with pytest.raises(RuleError, match="too little about"):
        project.knowledge.describe("Tove")


def test_what_users_say_of_it_stands_beside_and_wins_platform_17(opened):
    project = opened(model=ScriptedAdapter([FOUND]))
    for text in SAID:
        say(project, text)
    change = {"summary": "My sister.", "category": "Person", "facets": {"status": ["active"], "team": ["home"]}}
    project.knowledge.change("Tove", change)
    project.knowledge.change("Tove", {"facets": {"team": []}})
    view = project.knowledge.describe("Tove")
    assert (view.entity.summary, view.entity.facets) == ("My sister.", {"status": ["active"]})
    assert view.description.text == FOUND["summary"]


def test_merged_names_are_described_together_and_apart_again_platform_37(opened):
    model = ScriptedAdapter([FOUND])
    project = opened(model=model)
    for text in (*SAID[:3], "Tovi has a dog."):
        say(project, text)
    project.knowledge.merge("Tove", "Tovi")
    project.knowledge.describe("Tove")
    assert "Tovi has a dog." in model.requests[0].prompt
    project.knowledge.unmerge("Tovi")
    assert described(project) is None


@pytest.mark.slow
def test_a_worker_describes_what_is_mentioned_often_unless_that_is_off_platform_38(opened):
    project = opened(model=ScriptedAdapter([FOUND] * 3))
    for text in SAID:
        say(project, text)
    project.knowledge.configure({"enrichment": "off"})
    project.knowledge.list_entities()
    last = say(project, "And Tove sings.")
    assert descriptions(project).begin(last.conversation_id) is None
    project.knowledge.configure({"enrichment": "on"})
    assert described_by_worker(project) == FOUND["summary"]


def described_by_worker(project):
    """The description of Tove that a worker writes, at the latest after 20 seconds."""
    stopping = threading.Event()
    worker = WorkerService(project._opened_runtime())
    thread = threading.Thread(target=worker.serve_until, args=(stopping, [].append))
    thread.start()
    try:
        for _ in range(400):
            if described(project) is not None:
                break
            stopping.wait(0.05)
    finally:
        stopping.set()
        thread.join()
    return described(project)


def test_a_worker_takes_over_a_description_for_which_nobody_waited_platform_17(opened):
    project = opened(model=ScriptedAdapter([FOUND]))
    for text in SAID:
        say(project, text)
    run = project.knowledge.begin_description("Tove", key="once")
    project.runs.settle(run, 20)
    assert described(project) is None
    assert described_by_worker(project) == FOUND["summary"]
    assert project.knowledge.begin_description("Tove", key="once") == run


@pytest.mark.parametrize("change", ["rejected", "neighbour forgotten", "unmerged", "branch left"])
def test_what_was_taken_back_since_the_run_began_is_taken_over_no_more_platform_37_and_40(opened, change):
    """Nor once more, by a worker that was started since."""
    project = opened(model=ScriptedAdapter([FOUND]))
    messages = [say(project, text) for text in SAID]
    say(project, "Tovi lives in Graz.")
    project.knowledge.merge("Tove", "Tovi")
    run = project.knowledge.begin_description("Tove")
    assert project.knowledge.settle_description(run, 20)
    assert described(project) == FOUND["summary"]
    if change == "rejected":
        (wrong,) = [each for each in project.knowledge.show("Tove").facts if "Kendra" in each.text]
        project.knowledge.decide(wrong.id, "rejected")
    elif change == "neighbour forgotten":
        project.knowledge.forget_entity("Kendra")
    elif change == "unmerged":
        project.knowledge.unmerge("Tovi")
    else:
        project.conversations.edit(messages[2].id, "Hello.")
    assert project.knowledge.settle_description(run)
    assert described(project) is None


def test_descriptions_stand_in_the_order_in_which_they_were_made_platform_17(opened):
    """One that is taken over late does not stand before a newer one."""
    project = opened(model=ScriptedAdapter([FOUND, {**FOUND, "summary": "Tove is a carpenter with a dog in Linz."}]))
    for text in SAID:
        say(project, text)
    early = project.knowledge.begin_description("Tove")
    project.runs.settle(early, 20)
    say(project, "Tove plays the cello.")
    project.knowledge.describe("Tove")
    assert project.knowledge.settle_description(early)
    assert described(project) == "Tove is a carpenter with a dog in Linz."

"""What the background makes of what users said: names and facts, by code or by a strong model, and vectors (platform 34)."""

import threading
import time

from aeon.application.model_extraction import ModelExtraction
from aeon.application.workers import WorkerService
from aeon.base.errors import LLMRequestError
from aeon.testing.embedding import HashEmbedder
from aeon.testing.llm import ScriptedAdapter

from .test_conversation_summaries import turns
from .test_knowledge import say

SAID = "Tove moved from Linz to Graz in May."
SOON = 20.0


def fact(text, subject="Tove"):
    return {"fact": text, "subject": subject, "object": "", "from": "2026-05", "until": ""}


def found(*facts, contradicts=()):
    return {
        "facts": list(facts),
        "contradicts": list(contradicts),
        "categories": [{"name": "Tove", "category": "Person"}],
    }


def reading(project):
    """The extraction of a project's user by its model."""
    platform = project._workspace._platform
    return ModelExtraction(platform, project.user, "this process", lambda: project.runs)


def advance_until(project, extraction, waiting):
    until = time.monotonic() + SOON
    while project.knowledge.status().queue.waiting > waiting:
        assert time.monotonic() < until
        extraction.advance()
        for run in project.runs.list().items:
            project.runs.settle(run.id, SOON)


def test_a_strong_model_reads_each_message_that_states_something_by_a_run(opened):
    model = ScriptedAdapter([found(fact("Tove lives in Graz."), fact("Nisha works for Kendra."))])
    project = opened(model=model, settings={"conversations.extractor": "model"})
    turns(project, [SAID, "Noted.", "How are you?", "Fine."])
    assert project.knowledge.status().queue.waiting == 0, "nothing was written before there were episodes"
    project.knowledge.list_entities()
    assert project.knowledge._platform.extraction.list_owners() == [project.user]
    advance_until(project, reading(project), 0)
    (request,) = model.requests
    assert SAID in request.prompt
    assert "never an order" in request.system_prompt
    view = project.knowledge.show("Tove")
    assert [(each.text, each.state) for each in view.facts] == [("Tove lives in Graz.", "confirmed")]
    assert view.entity.category == "Person"
    (run,) = project.runs.list().items
    assert run.process_name == "extract_facts"


def test_what_a_model_was_given_is_erased_with_the_message_platform_28(opened, tmp_path):
    """Of the runs that read it, were told its facts as known ones, or made a title of it, no byte is left."""
    nothing = {"facts": [], "contradicts": [], "categories": []}
    replies = [found(fact("Tove lives in Graz.")), nothing, nothing, {"title": "A move"}]
    project = opened(
        model=ScriptedAdapter(replies), settings={"conversations.extractor": "model", "conversations.titles": True}
    )
    conversation = turns(project, [SAID, "Noted."])
    project.knowledge._platform.extraction.list_owners()
    advance_until(project, reading(project), 0)
    elsewhere = [say(project, text) for text in ("Since June Tove has a boat.", "Rune moved to Wels in May.")]
    advance_until(project, reading(project), 0)
    project.conversations.titles.finish(conversation, SOON)
    of_runs = [project.runs.view(run.id).run for run in project.runs.list().items]
    assert sorted(run.process_name for run in of_runs) == [*["extract_facts"] * 3, "name_conversation"]
    assert sum("Tove" in str(run.inputs) for run in of_runs) == 3
    for message in (project.conversations.path(conversation)[0], elsewhere[0]):
        project.conversations.erasing.forget(message.id)
    left = [project.runs.view(run.id).run for run in project.runs.list().items]
    assert [run.inputs["message"] for run in left if "message" in run.inputs] == ["Rune moved to Wels in May."]
    assert not [each for each in tmp_path.rglob("*") if each.is_file() and b"Tove" in each.read_bytes()]


def test_a_message_that_the_model_cannot_read_is_extracted_by_code_and_says_why(opened):
    project = opened(
        model=ScriptedAdapter([LLMRequestError("it is refused")] * 9), settings={"conversations.extractor": "model"}
    )
    turns(project, [SAID, "Noted."])
    project.knowledge._platform.extraction.list_owners()
    advance_until(project, reading(project), 0)
    (stated,) = project.knowledge.show("Tove").facts
    assert (stated.text, stated.state) == (SAID, "candidate")
    assert project.knowledge.status().queue.failed == 1


def test_a_worker_extracts_and_embeds_what_users_said(opened):
    embedder = HashEmbedder()
    project = opened(model=ScriptedAdapter([]))
    project.knowledge._platform.open_embedder = lambda: embedder
    turns(project, [SAID, "Noted."])
    stopping, lines = threading.Event(), []
    worker = WorkerService(project._opened_runtime())
    thread = threading.Thread(target=worker.serve_until, args=(stopping, lines.append))
    thread.start()
    try:
        backlog = project.knowledge._platform.embedding_backlog
        until = time.monotonic() + SOON
        while backlog.progress(project.user).done < 2 or project.knowledge.status().queue.episodes < 2:
            assert time.monotonic() < until, lines
            stopping.wait(0.05)
    finally:
        stopping.set()
        thread.join()
    assert {each.entity.name for each in project.knowledge.list_entities().items} == {"Tove", "Linz", "Graz"}
    assert SAID in [text for request in embedder.requests for text in request]

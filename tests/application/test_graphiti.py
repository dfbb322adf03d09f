"""Graphiti's graph of a project: synchronized by a call or a worker, if the user says so; extraction in the background."""

import threading
import time

import pytest
from tests.adapters.graphiti.conftest import run_in
from tests.adapters.graphiti.scripted_graphiti import Said, ScriptedGraphiti

from aeon.application.graphiti import GRAPH_TASK
from aeon.application.graphiti_background import GraphitiBackground
from aeon.application.workers import WorkerService
from aeon.base.errors import ConfigError, LLMError
from aeon.platform.errors import ConflictError
from aeon.platform.projection import TargetUnavailableError
from aeon.testing.llm import ScriptedAdapter

from .test_conversation_summaries import turns

pytestmark = pytest.mark.server

TOVE = "Tove moved from Linz to Graz in May."
SAID = {TOVE: Said("Tove", "Graz", facts=[("Tove", "Graz", "Tove moved to Graz.", "2026-05-01T00:00:00Z")])}
SOON = 20.0


@pytest.fixture
def showing(opened, falkordb_server):
    """Opens a project whose settings name a graph server for Graphiti."""
    falkordb_server.clear()

    def opening(model=None, **settings):
        on = {"graphiti.address": falkordb_server.address, "graphiti.password_env": "GRAPH_WORD", **settings}
        return opened(environ={"GRAPH_WORD": falkordb_server.password}, settings=on, model=model or ScriptedAdapter([]))

    return opening


def found(project, server, question):
    group = project.knowledge.graphiti_status().group
    # Graphiti's search by words alone: the vectors are of the model of this process, the ones of the test are not.
    edges = run_in(server, group, lambda graphiti: edges_with(graphiti, group, question))
    return [each.fact for each in edges]


async def edges_with(graphiti, group, question):
    from graphiti_core.search.search_config import EdgeSearchConfig, EdgeSearchMethod, SearchConfig

    config = SearchConfig(edge_config=EdgeSearchConfig(search_methods=[EdgeSearchMethod.bm25]))
    return (await graphiti.search_(question, config, group_ids=[group])).edges


def background(project):
    return GraphitiBackground(project.knowledge._platform, project.user, "this process")


def advance(working):
    """Let the background do one thing to its end; what it tells."""
    lines = working.advance()
    working.join()
    return lines


def test_a_user_shows_graphiti_what_is_known(showing, falkordb_server):
    project = showing()
    turns(project, [TOVE, "Noted."])
    assert project.knowledge.graphiti_status().state == "empty"
    assert project.knowledge.sync_graphiti().written > 0
    status = project.knowledge.graphiti_status()
    assert (status.state, status.target) == ("up to date", f"FalkorDB server at 127.0.0.1:{falkordb_server.port}")
    assert found(project, falkordb_server, "Graz") == [TOVE]
    project.knowledge.add_fact("Ida plays the oboe.", "Ida")
    assert project.knowledge.graphiti_status().state == "behind"
    project.knowledge.sync_graphiti()
    assert found(project, falkordb_server, "oboe") == ["Ida plays the oboe."]


def test_only_one_process_at_a_time_changes_the_graph_of_a_user(showing):
    project = showing()
    turns(project, [TOVE, "Noted."])
    queue = project.knowledge._platform.extraction
    assert queue.take(project.user, "another process", GRAPH_TASK)
    with pytest.raises(ConflictError, match="Another process is changing this graph"):
        project.knowledge.sync_graphiti()
    queue.release(project.user, "another process", GRAPH_TASK)
    project.knowledge.sync_graphiti()


def test_nothing_is_written_anywhere_by_default(opened):
    project = opened(model=ScriptedAdapter([]))
    assert project.knowledge._platform.knowledge_graph is None
    with pytest.raises(ConfigError, match="No graph server is configured") as refused:
        project.knowledge.sync_graphiti()
    assert "graphiti.address" in refused.value.advice


def test_a_project_file_does_not_decide_who_gets_what_users_say(opened, tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "aeon.toml").write_text('[graphiti]\naddress = "bolt://graph.example"\n')
    project = opened(model=ScriptedAdapter([]))
    with pytest.raises(ConfigError, match=r"The project's file .* what you say sent to bolt://graph.example"):
        project.knowledge.sync_graphiti()


def test_a_server_that_does_not_answer_is_told(showing):
    project = showing(**{"graphiti.address": "falkordb://127.0.0.1:9"})
    with pytest.raises(TargetUnavailableError, match="does not answer"):
        project.knowledge.sync_graphiti()
    working = background(project)
    advance(working)
    (line,) = advance(working)
    assert "does not answer" in line
    assert advance(working) == [], "it is told once"


def test_platform_36_the_background_lets_graphiti_extract_each_message_once(showing, falkordb_server):
    model = ScriptedGraphiti(SAID)
    project = showing(model, **{"conversations.extractor": "graphiti"})
    turns(project, [TOVE, "Noted.", "How are you?", "Fine."])
    platform = project.knowledge._platform
    platform.extraction.complete(project.user)
    working = background(project)
    for _ in range(3):
        assert advance(working) == []
    assert project.knowledge.status().queue.waiting == 0
    view = project.knowledge.show("Tove")
    (fact,) = view.facts
    assert (fact.text, fact.state, fact.assertions[0].extractor) == ("Tove moved to Graz.", "confirmed", "graphiti")
    assert (view.entity.category, fact.assertions[0].true_from) == ("Person", "2026-05-01")
    assert len(model.prompts("ExtractedEntities")) == 1, "what states nothing is extracted by code"
    assert found(project, falkordb_server, "Graz") == ["Tove moved to Graz."]
    assert project.knowledge.graphiti_status().state == "up to date"


def test_platform_36_a_message_on_which_the_model_fails_is_extracted_by_code_and_says_why(showing):
    project = showing(ScriptedAdapter([LLMError("no model")]), **{"conversations.extractor": "graphiti"})
    turns(project, [TOVE, "Noted."])
    platform = project.knowledge._platform
    platform.extraction.complete(project.user)
    advance(background(project))
    (fact,) = project.knowledge.show("Tove").facts
    assert (fact.text, fact.state) == (TOVE, "candidate")
    assert project.knowledge.status().queue.failed == 1
    (row,) = platform.store.read("SELECT failure FROM episodes WHERE failure IS NOT NULL")
    assert row["failure"] == "no model"


def test_platform_34_only_one_process_at_a_time_extracts_for_a_user(showing):
    project = showing(model := ScriptedGraphiti(SAID), **{"conversations.extractor": "graphiti"})
    turns(project, [TOVE, "Noted."])
    queue = project.knowledge._platform.extraction
    queue.complete(project.user)
    assert queue.take(project.user, "another process")
    working = background(project)
    for _ in range(2):
        assert advance(working) == []
    assert (model.requests, queue.state(project.user).waiting) == ([], 2)
    queue.release(project.user, "another process")
    for _ in range(3):
        advance(working)
    assert queue.state(project.user).waiting == 0


def test_who_lets_episodes_wait_has_none_extracted_by_graphiti(showing):
    project = showing(model := ScriptedGraphiti(SAID), **{"conversations.extractor": "graphiti"})
    turns(project, [TOVE, "Noted."])
    project.knowledge._platform.extraction.complete(project.user)
    project.knowledge.configure({"extraction": "paused"})
    advance(background(project))
    assert model.requests == []


def test_while_the_server_does_not_answer_messages_wait(showing):
    unavailable = {"conversations.extractor": "graphiti", "graphiti.address": "falkordb://127.0.0.1:9"}
    project = showing(ScriptedGraphiti(SAID), **unavailable)
    turns(project, [TOVE, "Noted."])
    project.knowledge._platform.extraction.complete(project.user)
    working = background(project)
    advance(working)
    assert "does not answer" in advance(working)[0]
    assert project.knowledge.status().queue.waiting >= 1
    assert project.knowledge.status().queue.failed == 0


def test_a_worker_keeps_the_graph_up_to_date(showing, falkordb_server):
    project = showing()
    turns(project, [TOVE, "Noted."])
    stopping, lines = threading.Event(), []
    worker = WorkerService(project._opened_runtime())
    thread = threading.Thread(target=worker.serve_until, args=(stopping, lines.append))
    thread.start()
    try:
        until = time.monotonic() + SOON
        while not found(project, falkordb_server, "Graz"):
            assert time.monotonic() < until, lines
            stopping.wait(0.2)
    finally:
        stopping.set()
        thread.join()
    assert lines == []


def test_a_worker_says_once_that_the_extractor_has_no_server(opened):
    project = opened(model=ScriptedAdapter([]), settings={"conversations.extractor": "graphiti"})
    worker = WorkerService(project._opened_runtime())
    (line,) = worker._serve_graphiti()
    assert "conversations.extractor is graphiti" in line
    assert worker._serve_graphiti() == []

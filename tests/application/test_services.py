"""The services of one user, over a project's own record."""

from datetime import UTC, datetime

import pytest

from aeon.application.processes import CURRENT, DefinitionSource
from aeon.base.errors import InputError
from aeon.platform.errors import NotFoundError, RuleError

GREET = """
kind: Process
name: greet
initialContext: [who]
steps:
  - {id: look, tool: mine, output: found}
outputTemplate: "Good day {{who}}"
"""

FAILS = """
kind: Tool
name: nothing
service: graph
connectionParams: {endpoint: "aeon:graph"}
operation: {type: graph_query, query: "@services"}
inputSchema: {type: object}
outputSchema: {type: object, required: [missing]}
---
kind: Process
name: fails
steps:
  - {id: look, tool: nothing, output: found}
"""


def test_things_of_any_kind_are_found_renamed_and_searched(project):
    assert [each.name for each in project.catalog.of_kind("process").list(owner="own").items] == [
        "ask",
        "asks_below",
        "greet",
    ]
    project.catalog.rename("process", "greet", "welcome")
    assert [hit.name for hit in project.catalog.search("welcome", "process")] == ["welcome"]
    assert [use.name for use in project.catalog.of_kind("service").list_uses("graph")] == ["mine"]
    for refused in (
        lambda: project.catalog.of_kind("robot"),
        lambda: project.catalog.archive("service", "graph"),
        lambda: project.catalog.search("x", "robot"),
    ):
        with pytest.raises(InputError):
            refused()


def test_a_change_with_the_same_key_is_made_once(project):
    first, is_new = project.secrets.put("door", "api_key", {"key": "one"}, key="k")
    again = project.secrets.add({"name": "door", "type": "api_key", "value": {"key": "one"}}, key="k")
    assert (is_new, again.id) == (True, first.id)
    project.catalog.rename("service", "graph", "books", key="r")
    assert project.catalog.rename("service", project.services.get("books").id, "books", key="r").version == 2


def test_a_secret_is_created_then_rotated_and_keeps_its_type(project):
    assert [project.secrets.put("door", "api_key", {"key": each})[1] for each in ("one", "two")] == [True, False]
    with pytest.raises(RuleError, match="a type never changes"):
        project.secrets.put("door", "password", {"username": "me", "password": "x"})
    with pytest.raises(NotFoundError, match="You have no secret"):
        project.secrets.get_own("window")


def test_a_schedule_names_its_process_and_says_when_it_starts_next(project):
    new = {"name": "daily", "process": "greet", "inputs": {"who": "me"}, "cron": "0 8 * * *"}
    schedule = project.schedules.add(new)
    assert project.schedules.process_name(schedule) == "greet"
    assert project.schedules.next_start(schedule) > datetime.now(UTC)
    assert project.schedules.next_start(project.schedules.enable("daily", is_enabled=False)) is None


def test_versions_of_a_process_are_compared_with_each_other_and_with_a_text(project):
    project.apply(GREET)
    old, new = project.processes.list_versions("greet")
    compared = project.processes.compare("greet")
    assert (compared.old, compared.new) == (old.digest[:12], new.digest[:12])
    assert len(compared.differences) == 1
    described = DefinitionSource("greet.yaml", GREET)
    assert project.processes.compare("greet", CURRENT, described).differences == []
    assert project.processes.get_version("greet", old.digest[:8])["outputTemplate"] == "Hello {{who}}"
    with pytest.raises(InputError, match="versions begin with"):
        project.processes.get_version("greet", "ffffffffffff")
    assert project.processes.draw("greet").startswith("<svg")


def test_the_audit_log_is_intact_and_tells_when_its_end_was_removed(project):
    head, problem = project.audit.verify()
    assert (problem, len(project.audit.list_entries().items)) == (None, head.seq)
    assert project.audit.verify(head).problem is None


def test_what_open_runs_wait_for_is_listed_by_queue(project):
    run = project.runs.start("ask", {"what": "tea"})
    project.runs.settle(run.id, 20.0)
    (job,) = project.jobs.list_open(["human"]).items
    assert (job.run, job.step, job.status) == (run.id, "approve", "waits")
    assert project.jobs.list_open(["llm_call"]).items == []
    with pytest.raises(InputError, match="no worker type robot"):
        project.jobs.list_open(["robot"])


def every_page(read, limit):
    """All items of a list that is read page by page, and the number of pages."""
    items, pages, after = [], 0, None
    while pages == 0 or after is not None:
        page = read(after=after, limit=limit)
        items += page.items
        after = page.next_cursor
        pages += 1
    return items, pages


def test_the_audit_log_is_read_in_pages(project):
    whole = project.audit.list_entries().items
    assert every_page(project.audit.list_entries, 2) == (whole, (len(whole) + 1) // 2)
    with pytest.raises(RuleError, match="not a cursor"):
        project.audit.list_entries(after="AAAA")


def test_open_jobs_are_read_in_pages_the_longest_wait_first(project):
    runs = [project.runs.start("ask", {"what": what}) for what in ("tea", "milk", "salt")]
    for run in runs:
        project.runs.settle(run.id, 20.0)
    jobs, pages = every_page(project.jobs.list_open, 1)
    assert pages == 3
    assert {job.run for job in jobs} == {run.id for run in runs}
    assert jobs == sorted(jobs, key=lambda job: job.since) == project.jobs.list_open().items
    with pytest.raises(RuleError, match="1 to 1000"):
        project.jobs.list_open(limit=0)


def test_dead_jobs_are_read_in_pages_the_newest_first(project):
    project.apply(FAILS)
    runs = [project.runs.start("fails", {}) for _ in range(3)]
    for run in runs:
        project.runs.settle(run.id, 20.0)
    dead, pages = every_page(project.runs.list_dead_jobs, 2)
    assert pages == 2
    assert {job.run_id for job in dead} == {run.id for run in runs}
    assert dead == sorted(dead, key=lambda job: job.at, reverse=True)


def test_a_dry_application_changes_nothing(project):
    documents = project._workspace.documents
    assert [step.action for step in documents.apply(GREET, is_dry=True)] == ["change"]
    assert project.processes.get("greet").output_template == "Hello {{who}}"


def test_what_a_user_allowed_a_tool_of_another_user_is_told_platform_3(opened, project):
    other = opened(user="eve")
    shared = project.tools.change("mine", {"shared": True})
    other.secrets.put("key", "api_key", {"key": "zeppelin"})
    assert other.tools.consent(shared) == (None, False, False)
    other.tools.trust(shared.id)
    other.tools.bind(shared.id, "key")
    allowed = other.tools.consent(shared)
    assert (allowed.secret.name, allowed.is_trusted, allowed.is_outdated) == ("key", True, False)
    changed = project.tools.change("mine", {"description": "Other words."})
    assert other.tools.consent(changed)[1:] == (True, True)
    other.tools.unbind(shared.id)
    other.tools.distrust(shared.id)
    assert other.tools.consent(changed) == (None, False, False)

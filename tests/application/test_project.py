"""`from aeon import Project`: Aeon in any folder, for Python programs."""

import asyncio
import re
from pathlib import Path

import pytest

from aeon import InMemoryKVStore, Project, tool
from aeon.application.run_follower import EntryUpdate
from aeon.base.errors import ConfigError, InputError
from aeon.platform.catalog.documents import ApplyError
from aeon.platform.errors import NotFoundError
from aeon.testing.llm import ScriptedAdapter

from .conftest import STORED

SAY = {"goal": "say", "steps": [{"step_id": "s", "description": "say", "tool": "echo", "arguments": {"text": "hello"}}]}
SOON = 20.0


def test_projects_in_one_process_know_nothing_of_each_other(opened, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    one, two = opened("one"), opened("two")
    for project in (one, two):
        project.memory.write("who", project.folder.name)
        project.apply(STORED.replace("Hello", project.folder.name))
    assert [each.memory.read("who") for each in (one, two)] == ["one", "two"]
    runs = [each.runs.start("greet", {"who": "Ann"}) for each in (one, two)]
    settled = [each.runs.settle(run.id, SOON) for each, run in zip((one, two), runs, strict=True)]
    assert [each.output for each in settled] == ["one Ann", "two Ann"]
    assert one.run_plan(SAY).answer == "hello"
    assert list(Path.cwd().iterdir()) == []
    assert {path.name for path in (one.folder / ".aeon").iterdir()} >= {"aeon.db", "memory.db", "logs"}


def test_nothing_is_opened_before_it_is_used(opened):
    assert list(opened().folder.iterdir()) == []


def test_relative_paths_of_settings_start_at_the_folder(opened):
    project = opened(settings={"run.log_dir": "told", "memory.path": "kept.db"}, environ={"AEON_RUN_TTL": "1"})
    project.memory.write("a", 1)
    assert project.run_plan(SAY).log.parent == project.folder / "told"
    assert (project.folder / "kept.db").exists()


def test_settings_that_are_wrong_are_all_reported(opened):
    with pytest.raises(ConfigError) as raised:
        opened(settings={"run.tll": 1, "run.ttl": "many"})
    assert "run.tll" in raised.value.message
    assert "run.ttl" in raised.value.message


def test_a_setting_of_the_program_wins_over_the_file_of_the_folder(opened, tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "aeon.toml").write_text('[run]\nttl = 1\nlog_dir = "of_the_file"\n')
    project = opened(settings={"run.ttl": 2})
    assert project._app.settings.run.ttl == 2
    assert project._app.log_folder == project.folder / "of_the_file"


def test_what_is_remembered_for_another_user_is_kept_apart(opened):
    mine, hers = opened(), opened(user="ann")
    mine.memory.write("secret", 1)
    assert hers.memory.read("secret") is None
    hers.memory.write("secret", 2)
    assert mine.memory.read("secret") == 1


def test_a_model_and_a_memory_of_one_s_own_are_used_and_not_closed(opened):
    class Closing(ScriptedAdapter):
        def close(self):
            raise AssertionError("it is the caller's")

    memory = InMemoryKVStore()
    project = opened(model=Closing([SAY]), memory=memory)
    assert project.ask("say hello").answer == "hello"
    assert memory.read("step/s") == {"text": "hello"}
    project.close()
    project.close()


def test_stored_things_are_listed_found_changed_and_removed(project):
    assert [each.name for each in project.processes.list_all()] == ["ask", "asks_below", "greet"]
    changed = project.processes.change("greet", {"description": "Greets."})
    assert (changed.description, project.processes.get("greet").version) == ("Greets.", 2)
    project.processes.remove("greet")
    with pytest.raises(NotFoundError):
        project.processes.get("greet")
    assert [each.name for each in project.tools.list_all()] == ["mine"]
    assert [each.name for each in project.services.list_all()] == ["graph"]
    assert [tool.name for tool in project.stored_tools()] == ["mine"]


def test_secrets_schedules_metrics_and_skills_are_there(project):
    added = project.secrets.add({"name": "s", "type": "api_key", "value": {"key": "hidden"}})
    assert [each.name for each in project.secrets.list_all()] == [added.name]
    process = project.processes.get("greet").id
    project.schedules.add({"name": "daily", "process": process, "inputs": {"who": "Ann"}, "cron": "0 8 * * *"})
    assert [each.name for each in project.schedules.list_all()] == ["daily"]
    assert any(metric.scope == "process" for metric in project.metrics.list_all())
    assert "dice-roller" in project.skills.catalog.by_name


def test_documents_come_from_a_file_of_the_folder_or_a_text_and_nothing_changes_where_anything_is_wrong(opened):
    project = opened()
    (project.folder / "stored.yaml").write_text(STORED)
    assert {step.action for step in project.apply(Path("stored.yaml"))} == {"create"}
    assert {step.action for step in project.apply(STORED)} == {"keep"}
    with pytest.raises(ApplyError):
        project.apply(STORED.replace("tool: mine", "tool: nothing"))
    with pytest.raises(InputError, match="cannot be read"):
        project.apply(Path("nothing.yaml"))


def test_methods_run_in_worker_threads_for_async_programs(project):
    async def main():
        answers = await asyncio.gather(*[project.in_thread(project.run_plan, SAY) for _ in range(3)])
        run = await project.in_thread(project.runs.start, "ask", {"what": "tea"})
        seen = [each async for each in project.stream(project.runs.follow(run.id))]
        settled = await project.in_thread(project.runs.settle, run.id, SOON)
        return answers, seen, settled

    answers, seen, settled = asyncio.run(main())
    assert [each.answer for each in answers] == ["hello"] * 3
    assert [each.entry.event.event for each in seen if isinstance(each, EntryUpdate)][-1] == "step_started"
    assert settled.status == "waits_for_person"


def test_a_request_whose_awaiting_task_is_cancelled_ends_after_the_step_under_way_core_20(opened):
    """Its log can be resumed, as that of any cancelled request."""
    project, called = opened(), []

    async def main():
        began, may_end, has_ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

        @tool
        async def first() -> str:
            """Waits until the request is cancelled."""
            began.set()
            await may_end.wait()
            has_ended.set()
            return "one"

        task = asyncio.create_task(project.in_thread(project.run_plan, plan, tools=[first, second]))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        may_end.set()
        await has_ended.wait()

    @tool
    def second() -> str:
        """Notes that it was called."""
        called.append("second")
        return "two"

    steps = [{"step_id": name, "description": name, "tool": name, "arguments": {}} for name in ("first", "second")]
    plan = {"goal": "both", "steps": steps}
    asyncio.run(main())  # which waits for its threads
    assert called == []
    [log] = (project.folder / ".aeon" / "logs").glob("*.jsonl")
    assert project.resume(log, tools=[second]).answer == "two"


def test_async_tools_run_on_the_loop_that_awaits_the_request_and_on_one_of_aeon_otherwise(opened):
    seen = []

    @tool
    async def where() -> str:
        """Notes its loop."""
        await asyncio.sleep(0)
        seen.append(asyncio.get_running_loop())
        return "here"

    plan = {"goal": "look", "steps": [{"step_id": "s", "description": "look", "tool": "where", "arguments": {}}]}
    project = opened()

    async def main():
        result = await project.in_thread(project.run_plan, plan, tools=[where])
        return result.answer, asyncio.get_running_loop()

    answer, own = asyncio.run(main())
    assert answer == "here"
    assert project.run_plan(plan, tools=[where]).answer == "here"
    assert seen[0] is own
    assert seen[1] is not own


def test_a_stream_that_is_left_stops_its_follower(project):
    async def main():
        run = await project.in_thread(project.runs.start, "ask", {"what": "tea"})
        follower = project.runs.follow(run.id)
        updates = project.stream(follower)
        await anext(updates)
        await updates.aclose()
        return follower

    assert asyncio.run(main())._stopping.is_set()


def test_the_pieces_of_an_answer_are_streamed_without_blocking(opened):
    project = opened(model=ScriptedAdapter(["The Danube flows through Vienna."]))

    async def main():
        follower = await project.in_thread(project.conversations.ask, None, "Which river flows through Vienna?")
        return [piece async for piece in project.stream(follower)], follower.result

    pieces, answer = asyncio.run(main())
    assert "".join(pieces) == answer.content == "The Danube flows through Vienna."
    assert (answer.state, answer.is_cut_off) == ("complete", False)


def test_an_answer_whose_follower_is_stopped_goes_on(opened):
    project = opened(model=ScriptedAdapter(["The Danube flows through Vienna."]))
    follower = project.conversations.ask(None, "Which river flows through Vienna?")
    follower.stop()
    assert list(follower) == []
    assert "".join(project.conversations.follow(follower.result.id)) == "The Danube flows through Vienna."


async def watch(*_):
    """An observer that nothing would await."""


PROCESS = "kind: Process\nname: w\ninitialContext: [x]\nsteps:\n  - {id: a, wait: 1, output: a}\n"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda p: p.ask(""), "The request is empty"),
        (lambda p: p.ask("  \n"), "The request is empty"),
        (lambda p: p.ask("x", files="notes.txt"), "files must be a list, not one path. Write files=['notes.txt']"),
        (lambda p: p.ask("x", images=Path("a.png")), "images must be a list, not one path. Write images=['a.png']"),
        (lambda p: p.ask("x", files=[3]), "files cannot contain 3"),
        (lambda p: p.ask("x", files=3), "files cannot be 3. Give a list of paths"),
        (lambda p: p.ask("x", observer=3), "observer cannot be 3"),
        (lambda p: p.ask("x", observer=watch), "observer cannot be an async function: nothing would await it. Give"),
        (lambda p: p.run_plan({}, cancellation=watch), "cancellation cannot be an async function"),
        (lambda p: p.run_plan({}, cancellation=True), "cancellation cannot be True"),
        (lambda p: p.resume(None), "log cannot be None. Give the path of a log"),
        (lambda p: p.apply(None), "source cannot be None"),
        (lambda p: p.runs.start("w", None), "inputs cannot be None. Give a dict of the inputs by name"),
        (lambda p: p.runs.start_detached("w", ["x"]), "inputs cannot be a value of the type list"),
        (lambda p: p.runs.start(None, {}), "process cannot be None"),
        (lambda p: p.runs.start("w", {"x": 1}, deadline="1"), "deadline cannot be a value of the type str"),
        (lambda p: p.runs.start("w", {"x": 1}, tags="a"), "tags cannot be"),
        (lambda p: p.runs.start("w", {"x": 1}, priority="top"), "priority cannot be 'top'. Give high, normal or low"),
        (lambda p: p.processes.get(None), "name cannot be None"),
        (lambda p: p.processes.add("w"), "new cannot be a value of the type str"),
        (lambda p: p.processes.change("w", None), "change cannot be None"),
        (lambda p: Project.open(None), "folder cannot be None"),
        (lambda p: Project.open(p.folder, user=3), "user cannot be 3"),
        (lambda p: Project.open(p.folder, settings=["run.ttl"]), "settings cannot be a value of the type list"),
    ],
)
def test_arguments_of_another_type_are_refused_with_what_to_give(project, call, said):
    project.apply(PROCESS)
    with pytest.raises(InputError, match=re.escape(said)):
        call(project)


ASKED = """\
kind: Process
name: asked
inputs: {x: {}}
steps: [{id: ask, tool: remember, inputs: {key: "{x}", value: 1}, output: o, execution: {interactionMode: manual}}]
"""
NAN = float("nan")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda p, _: p.runs.start("asked", {"x": NAN}), "inputs must be JSON: $.x: nan is not JSON"),
        (lambda p, _: p.runs.start_detached("asked", {"x": [object()]}), "inputs must be JSON: $.x[0]: "),
        (lambda p, _: p.processes.preview("asked", {"x": {1: 2}}), "inputs must be JSON: $.x: the key 1"),
        (lambda p, run: p.runs.answer(run, "ask", object()), "value must be JSON: $: "),
        (lambda p, run: p.runs.answer(run, "ask", {"a": NAN}), "value must be JSON: $.a: nan is not JSON"),
        (lambda p, _: p.secrets.add({"name": "s", "type": "api_key", "value": {"key": object()}}), "$.value.key: "),
        (lambda p, _: p.secrets.put("s", "api_key", {"key": object()}), "value must be JSON: $.key: "),
        (
            lambda p, _: p.schedules.add(
                {"name": "s", "process": "asked", "cron": "0 0 * * *", "inputs": {"x": object()}}
            ),
            "new must be JSON: $.inputs.x: ",
        ),
        (
            lambda p, _: p.schedules.add({"name": "s", "process": "asked", "cron": "0 0 * * *", "inputs": {"x": NAN}}),
            "new must be JSON: $.inputs.x: nan",
        ),
        (lambda p, _: p.alerts.add(3), "new cannot be 3"),
        (lambda p, _: p.metrics.define("m"), "new cannot be a value of the type str"),
    ],
)
def test_a_value_that_is_not_json_is_refused_with_its_place_and_nothing_is_stored(opened, call, said):
    project = opened()
    project.apply(ASKED)
    run = project.runs.start("asked", {"x": "a"}).id
    assert [each.step for each in project.runs.settle(run, SOON).questions] == ["ask"]
    with pytest.raises(InputError, match=re.escape(said)) as refused:
        call(project, run)
    assert refused.value.advice
    assert [each.id for each in project.runs.list().items] == [run]
    assert [each.step for each in project.runs.list_questions(run)] == ["ask"]
    assert not project.secrets.list().items
    assert not project.schedules.list().items


def test_project_is_a_public_name():
    assert Project.__module__ == "aeon.application.project"


@pytest.mark.parametrize("part", [{"model": "gpt-5"}, {"memory": {}}])
def test_a_part_of_another_type_is_refused_when_the_project_is_opened(tmp_path, part):
    with pytest.raises(InputError, match=r"is no (LLMAdapter|Memory), but (str|dict)"):
        Project.open(tmp_path, **part)

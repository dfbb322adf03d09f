"""Mistakes of a first day: each is answered with what is wrong and what to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from aeon import Project, tool
from aeon.base.errors import ConfigError, InputError, MemoryStoreError, PlanError, RequestError, ToolDefinitionError
from aeon.platform.errors import RuleError
from aeon.testing.llm import ScriptedAdapter

SAY = {"goal": "say", "steps": [{"step_id": "s", "description": "say", "tool": "echo", "arguments": {"text": "hello"}}]}


@tool
def double(number: int) -> int:
    """Doubles a number."""
    return 2 * number


@pytest.mark.parametrize("request_", [1, None, b"hello", ["hello"]])
def test_a_request_that_is_no_text(opened, request_):
    with pytest.raises(RequestError, match="not text"):
        opened(model=ScriptedAdapter([])).ask(request_)


@pytest.mark.parametrize("plan", ["say hello", [SAY], None, 1])
def test_a_plan_that_is_none(opened, plan):
    with pytest.raises(PlanError):
        opened().run_plan(plan)


def test_a_function_in_place_of_a_tool(opened):
    with pytest.raises(ToolDefinitionError, match=r"'double' cannot be registered: it is a function; make .* @tool"):
        opened().run_plan(SAY, tools=[double.function])


@pytest.mark.parametrize(
    "use",
    [
        lambda project: project.run_plan(SAY),
        lambda project: project.ask("say hello"),
        lambda project: project.resume(project.folder / "log.jsonl"),
        lambda project: project.runs,
        lambda project: project.skills,
        lambda project: project.services.list_all(),
        lambda project: project.schedules.list_all(),
        lambda project: project.apply("kind: Tool"),
        lambda project: project.memory.read("a"),
    ],
)
def test_a_project_that_is_closed(opened, use):
    project = opened()
    project.close()
    with pytest.raises(InputError, match="is closed"):
        use(project)


def test_a_memory_that_was_taken_before_the_project_was_closed_says_so(opened):
    project = opened()
    memory = project.memory
    memory.write("a", 1)
    project.close()
    with pytest.raises(MemoryStoreError, match=r"The memory file .* is closed\. Open it again\."):
        memory.read("a")


FORKED = """
import os
from aeon import AeonError, Project

with Project.open() as project:
    if os.fork() == 0:
        try:
            project.runs.list()
        except AeonError as error:
            print(error, flush=True)
    else:
        os.wait()
        print(project.runs.list().items)
"""


def test_a_project_that_was_opened_before_a_fork_says_so(tmp_path):
    """The fork has none of its threads: it waited for ever, or used the connections of its parent."""
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-c", FORKED]
    ended = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60, check=True)
    told, listed = ended.stdout.splitlines()
    assert "was opened in another process" in told
    assert listed == "[]"


def test_a_file_in_place_of_a_folder(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be a project's folder: File exists"):
        Project.open(tmp_path / "file")


def test_settings_as_sections(opened):
    with pytest.raises(ConfigError, match=r"'model' in settings must be a key such as 'run\.ttl'"):
        opened(settings={"model": {"name": "tiny"}})


def test_the_name_of_a_file_in_place_of_a_path(opened):
    with pytest.raises(InputError, match=r"Path\('stored\.yaml'\)"):
        opened().apply("stored.yaml")


def test_a_plan_of_skills_as_data(opened):
    pytest.importorskip("msgspec")
    project = opened()
    assert project.skills.execute({"tools": [], "narrative": "nothing"}).narrative == "nothing"
    with pytest.raises(PlanError, match="toolPath"):
        project.skills.execute({"tools": [{"toolId": "a"}]})


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda project: project.runs.list(phase="done"), "phase cannot be 'done'. Give new, running, "),
        (lambda project: project.runs.list(limit="5"), "limit cannot be a value of the type str. Give a whole number."),
        (lambda project: project.runs.start("greet", {}, tags={"team": 1}), "the tag 'team' cannot be 1. Give a text."),
        (
            lambda project: project.runs.start("greet", {}, deadline=-5),
            "deadline cannot be -5. Give more than 0 seconds",
        ),
        (lambda project: project.runs.start("greet", {}, deadline=float("nan")), "deadline cannot be nan. Give more"),
        (lambda project: project.conversations.ask(None, None), "content cannot be None. Give a text."),
        (lambda project: project.conversations.say("any", 5), "content cannot be 5. Give a text."),
        (lambda project: project.conversations.edit("any", 5), "content cannot be 5. Give a text."),
        (lambda project: project.conversations.search(5), "text cannot be 5. Give a text."),
        (
            lambda project: project.conversations.ask(None, "look", attachments="notes.txt"),
            r"attachments cannot be a value of the type str. Give a list, as attachments=\[Path\('notes.txt'\)\].",
        ),
        (
            lambda project: project.conversations.ask(None, "look", attachments=project.folder / "notes.txt"),
            "attachments cannot be a value of the type PosixPath. Give a list",
        ),
        (
            lambda project: project.conversations.ask(None, "look", attachments=["notes.txt"]),
            "an attachment cannot be a value of the type str. Give a Path, or a tuple of a name and bytes.",
        ),
        (
            lambda project: list(project.conversations.transfer.import_files(project.folder / "all.jsonl")),
            "paths must be a list, not one path. Write paths=",
        ),
        (lambda project: project.knowledge.search(5), "text cannot be 5. Give a text."),
        (lambda project: project.knowledge.add_fact(5), "text cannot be 5. Give a text."),
        (lambda project: project.knowledge.add("Mara"), "new cannot be a value of the type str. Give a dict"),
    ],
)
def test_an_argument_of_another_type_is_refused_with_what_to_give(project, use, message):
    with pytest.raises(InputError, match=message):
        use(project)


def test_a_name_is_made_from_a_dict_as_every_stored_thing_is(opened):
    knowledge = opened().knowledge
    assert knowledge.add({"name": "Tove"}).name == "Tove"
    with pytest.raises(RuleError, match="there is no field 'nam' here; did you mean 'name'"):
        knowledge.add({"nam": "Tove"})


def test_a_file_that_does_not_exist_is_not_called_unreadable_text(opened):
    project = opened()
    with pytest.raises(InputError, match=r"missing\.yaml cannot be read: No such file or directory"):
        project.apply(Path("missing.yaml"))
    (project.folder / "latin.yaml").write_bytes("name: Zoë".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.yaml cannot be read as UTF-8 text"):
        project.apply(Path("latin.yaml"))


def test_an_export_is_imported_by_the_name_of_its_file(opened):
    project = opened()
    talk = project.conversations.create("Trains")
    file = project.folder / "all.jsonl"
    file.write_text("".join(project.conversations.transfer.export_lines()), encoding="utf-8")
    (outcome,) = opened("other").conversations.transfer.import_files([str(file)])
    assert (talk.title, outcome.state, outcome.title) == ("Trains", "new", "Trains")

"""Mistakes of a first day: each is answered with what is wrong and what to do."""

import pytest

from aeon import Project, tool
from aeon.base.errors import ConfigError, InputError, PlanError, RequestError, ToolDefinitionError
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
    ],
)
def test_a_project_that_is_closed(opened, use):
    project = opened()
    project.close()
    with pytest.raises(InputError, match="is closed"):
        use(project)


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

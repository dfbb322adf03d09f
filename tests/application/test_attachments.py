"""Requests about texts of any length, from a program: read whole, in parts and notes if they are long."""

import pytest

from aeon.application.attachments import plan_of_texts, read_attachments
from aeon.base.errors import InputError, LLMError, PlanError, RequestError
from aeon.llm.material import MAX_MATERIAL
from aeon.testing.llm import ScriptedAdapter
from aeon.tools.attachments import PART_CHARACTERS, Attachments


def depends_on(step):
    return list((step.arguments or {}).values())


def test_a_short_text_is_read_and_answered_from_in_two_steps():
    read, answer = plan_of_texts("How long?", Attachments({"a.txt": "tea"})).steps
    assert (read.tool, read.arguments["name"], read.arguments["part"]) == ("attachment", "a.txt", 1)
    assert (answer.agent, answer.description, answer.arguments) == ("llm", "How long?", {"a.txt": "{step.r1.text}"})


def test_every_part_of_a_long_text_is_noted_and_the_answer_is_made_from_the_notes():
    plan = plan_of_texts("Sum up", Attachments({"a": "x" * (3 * PART_CHARACTERS), "b": "y"}))
    reads, notes = plan.steps[0:-1:2], plan.steps[1:-1:2]
    assert [(step.arguments["name"], step.arguments["part"]) for step in reads] == [
        ("a", 1),
        ("a", 2),
        ("a", 3),
        ("b", 1),
    ]
    assert all("Request: Sum up" in step.description for step in notes)
    assert depends_on(plan.steps[-1]) == [f"{{step.{step.step_id}.text}}" for step in notes]


def test_notes_on_many_parts_are_noted_once_more_until_one_step_can_read_them():
    plan = plan_of_texts("Sum up", Attachments({"a": "x" * (100 * PART_CHARACTERS)}))
    by_the_model = [step for step in plan.steps if step.agent]
    assert len(by_the_model) == 100 + 13 + 2 + 1
    assert max(len(step.arguments) for step in by_the_model) == 8
    used = [reference for step in plan.steps if step.agent for reference in depends_on(step)]
    assert len(used) == len(set(used)) == len(plan.steps) - 1, "every result is used once"


def test_a_text_beyond_all_measure_is_refused_with_what_to_do():
    with pytest.raises(RequestError, match="at most 200 are read"):
        plan_of_texts("Sum up", Attachments({"a": "x" * (201 * PART_CHARACTERS)}))


def test_a_program_asks_about_files_of_its_project(opened):
    project = opened(model=ScriptedAdapter(["It is green tea."]))
    (project.folder / "tea.txt").write_text("green tea")
    result = project.ask("Which tea?", files=["tea.txt"])
    assert (result.answer, result.trusted, result.status) == ("It is green tea.", True, "completed")
    assert [step["step_id"] for step in result.plan["steps"]] == ["r1", "answer"]


def test_long_files_are_read_to_their_end_beyond_the_usual_number_of_steps(opened):
    model = ScriptedAdapter(["a note"] * 30 + ["notes"] * 4 + ["the end"])
    project = opened(model=model, settings={"run.ttl": 5})
    (project.folder / "long.txt").write_text("word " * (30 * PART_CHARACTERS // 5))
    result = project.ask("What is at the end?", files=["long.txt"])
    assert (result.answer, result.status) == ("the end", "completed")
    assert max(len(request.prompt) for request in model.requests) < MAX_MATERIAL + 1000


def test_the_model_sees_a_part_and_nothing_of_the_others(opened):
    model = ScriptedAdapter(["first", "second", "both"])
    project = opened(model=model)
    (project.folder / "long.txt").write_text("alpha " * (PART_CHARACTERS // 6) + "\n\n" + "beta " * 100)
    project.ask("Which letters?", files=["long.txt"])
    assert ["beta" in request.prompt for request in model.requests] == [False, True, False]


def test_an_answer_with_a_number_that_no_text_has_is_doubtful_core_19(opened):
    project = opened(model=ScriptedAdapter(["It costs 111.50.", "It costs 1.012,5, due on 3 May."]))
    (project.folder / "a.csv").write_text("paper,12.50\ntoner,89.00\nall,1012.5\n3 May\n")
    doubtful = project.ask("What does it cost?", files=["a.csv"])
    assert doubtful.marks["answer"] == ["doubtful: the answer has 111.50, which none of its texts has"]
    assert not doubtful.trusted
    assert project.ask("What does it cost?", files=["a.csv"]).trusted


def test_a_stopped_request_about_files_is_resumed_with_them(opened):
    """Core 20: as `ask` has them; without them, or with others, nothing runs."""
    project = opened(model=ScriptedAdapter(["It is green tea."]))
    for name, text in [("tea.txt", "green tea"), ("pot.txt", "a pot"), ("other.txt", "coffee")]:
        (project.folder / name).write_text(text)
    stopped = project.ask("Which tea?", files=["tea.txt", "pot.txt"], cancellation=lambda: True)
    assert stopped.status == "ttl_expired"
    with pytest.raises(InputError, match=r"needed again, unchanged: tea\.txt, pot\.txt\.") as refused:
        project.resume(stopped.log, files=["other.txt"])
    assert project.advice(refused.value) == "Give them again: project.resume(log, files=[...])."
    (project.folder / "pot.txt").write_text("two pots")
    with pytest.raises(InputError, match=r"unchanged: pot\.txt\."):
        project.resume(stopped.log, files=["tea.txt", "pot.txt"])
    (project.folder / "pot.txt").write_text("a pot")
    ended = project.resume(stopped.log, files=["tea.txt", "pot.txt"])
    assert (ended.status, ended.answer, ended.trusted) == ("completed", "It is green tea.", True)


def test_what_has_no_text_is_refused_before_anything_runs(opened):
    model = ScriptedAdapter([])
    project = opened(model=model)
    (project.folder / "none.txt").write_text(" \n")
    for file, why in [("none.txt", "has no text"), ("lost.txt", "cannot be read"), (".", "is not a file")]:
        with pytest.raises(InputError, match=why):
            project.ask("Sum up", files=[file])
    assert model.requests == []


def test_two_files_of_one_name_are_two_texts(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(folder)
    attachments = read_attachments(["one/a.txt", "two/a.txt"], "piped", folder=tmp_path)
    assert list(attachments.parts) == ["stdin", "a.txt", "two/a.txt"]


def test_without_a_model_a_request_about_a_text_is_refused_and_leaves_no_log(opened):
    class NoModel(ScriptedAdapter):
        def supports_schema(self):
            raise LLMError("There is no model.")

    project = opened(model=NoModel([]))
    (project.folder / "tea.txt").write_text("green tea")
    with pytest.raises(LLMError, match="no model"):
        project.ask("Which tea?", files=["tea.txt"])
    assert not (project.folder / ".aeon" / "logs").exists()


def test_a_program_offers_no_tools_for_files_and_pages_unless_its_settings_allow_them(opened):
    """Its requests may come from others: a web page, an MCP client."""
    reading = {"step_id": "a", "description": "read", "tool": "read_file", "arguments": {"path": "a"}}
    plan = {"goal": "read", "steps": [reading]}
    closed = opened("closed", model=ScriptedAdapter([]))
    (closed.folder / "a").write_text("tea")
    with pytest.raises(PlanError, match="there is no tool 'read_file'"):
        closed.run_plan(plan)
    unread = closed.run_plan(plan, allow_fallback=True)
    assert (unread.status, unread.results, unread.state.tool_history) == ("failed", {}, [])
    allowed = opened("open", settings={"tools.allow_read": ["."]}, model=ScriptedAdapter([]))
    (allowed.folder / "a").write_text("tea")
    assert allowed.run_plan(plan).answer == "tea"

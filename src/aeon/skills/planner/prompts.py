"""What a planner's model is told (skills 9): bounded, and the same for equal skills, so that a backend can cache it."""

from collections.abc import Callable, Sequence

from aeon.base.json import canonical_json
from aeon.skills.models import Skill, SkillScript
from aeon.skills.planner.task import PlanningTask
from aeon.validation.output_schemas import describe_shape

_MAX_RESULT_CHARS = 600
"""Characters of a finished node's output that a planner is shown."""

NO_SKILL = "none"
"""What a model chooses when no skill is needed: small ones never leave the list empty."""

CHOICE_SYSTEM = (
    "You choose the skills that a request needs: only those whose work it asks for, in the order of use, mostly one.\n"
    "Example. Skills: prices (looks up prices), mail (sends mail), maps (finds ways), none.\n"
    'Request: Look up the price of tin. Answer: {"skills": ["prices"]}\n'
    'Request: Look up the price of tin and mail it to Ann. Answer: {"skills": ["prices", "mail"]}\n'
    'Request: Draw a map of the way to the mill with a title. Answer: {"skills": ["maps"]}\n'
    'Request: Who wrote Hamlet? Answer: {"skills": ["none"]}\n'
    'Request: Good morning! Answer: {"skills": ["none"]}\n'
    "The skills:\n"
    "- none: for greetings, small talk and questions of general knowledge"
)

ANSWER_SYSTEM = "Answer the request briefly. When you cannot know or do something, say so. Invent nothing."

_NODES_SYSTEM = (
    'You turn a request into a plan: JSON with "scripts", which scripts to run, in order; "count", how many these are; '
    'and "tools", each of them with its input. '
    "A simple request is exactly ONE script; never use more than the request asks for.\n"
    "Each tool has a toolId, a toolPath, its input, and dependencies: the toolIds that must be over before it.\n"
    "A result of an earlier tool is never made up: write {tool.<toolId>.<path>} in its place.\n"
    "Example. Request: Look up the price of tin.\n"
    'Plan: {"scripts": ["prices/scripts/get.py"], "count": 1, "tools": '
    '[{"toolId": "t1", "toolPath": "prices/scripts/get.py", "input": {"metal": "tin"}}]}\n'
    "Example. Request: Look up the price of tin and mail it to Ann.\n"
    'Plan: {"scripts": ["prices/scripts/get.py", "mail/scripts/send.py"], "count": 2, "tools": '
    '[{"toolId": "t1", "toolPath": "prices/scripts/get.py", "input": {"metal": "tin"}}, '
    '{"toolId": "t2", "toolPath": "mail/scripts/send.py", "input": {"to": "Ann", "text": "Tin: {tool.t1.price.usd}"}, '
    '"dependencies": ["t1"]}]}\n'
    "Use only these scripts:"
)


def choice_prompt(task: PlanningTask) -> str:
    """The request, with what is done and what failed."""
    return f"{request_with_lessons(task)}\nAnswer:"


def nodes_system(chosen: Sequence[Skill], read_prompt: Callable[[Skill], str], budget: int) -> str:
    """The prompts of the chosen skills, `budget` characters of them in all, then their scripts and what to do.

    What matters most stands last: a small model forgets the form over a long prompt that follows it.
    """
    scripts = "\n".join(script_line(script) for skill in chosen for script in skill.scripts)
    share = budget // max(1, len(chosen))
    prompts = [f"About {skill.name}:\n{_truncate(text, share)}" for skill in chosen if (text := read_prompt(skill))]
    return "\n\n".join([*prompts, f"{_NODES_SYSTEM}\n{scripts}"])


def nodes_prompt(task: PlanningTask) -> str:
    """The request, with what is done and what failed, and the call for a plan."""
    return f"{request_with_lessons(task)}\nPlan:"


def script_line(script: SkillScript) -> str:
    """A script as a planner sees it: how it is named, what it takes and what it gives."""
    gives = f", gives {describe_shape(script.output_schema)}" if script.output_schema else ""
    return f"- {script.tool_path}: {script.description} Takes {describe_shape(script.input_schema or {})}{gives}"


def request_with_lessons(task: PlanningTask) -> str:
    """The request, the results that are there already, and what earlier attempts came to."""
    lines = [f"Request: {task.request}"]
    if task.reusable_nodes:
        lines.append("Done already, do not repeat; its results can be used:")
        lines += [_finished_line(task, node.tool_id, node.tool_path) for node in task.reusable_nodes]
    if task.lessons:
        lines.append("What was tried and failed:")
        lines += [f"- {lesson}" for lesson in task.lessons]
    return "\n".join(lines)


def _finished_line(task: PlanningTask, tool_id: str, tool_path: str) -> str:
    result = task.finished.get(tool_id)
    gave = (
        canonical_json(result.output)[:_MAX_RESULT_CHARS] if result is not None and result.ok else "nothing, it failed"
    )
    return f"- {tool_id} {tool_path} gave {gave}"


def _truncate(text: str, most: int) -> str:
    """The beginning of a prompt, to the end of a line; that it was cut is said."""
    if len(text) <= most:
        return text
    return f"{text[:most].rpartition(chr(10))[0] or text[:most]}\n(the rest of it is left out)"

"""Instruction-only skills: the text that the model follows, and the answer made under it (skills 14).

Nothing that the text says is executed: it shapes an answer and grants nothing.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from aeon.base.errors import InputError, ToolError
from aeon.base.json import JsonObject
from aeon.base.json_schema import compile_schema
from aeon.base.next_steps import NextStep
from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse, call_model
from aeon.skills.bounded_files import UnreadableFileError, read_bounded
from aeon.skills.models import SKILL_JSON, SKILL_MD, Skill
from aeon.tools.interface import Tool

if TYPE_CHECKING:
    from aeon.observability.events import Observer

LARGE_BUDGET: Final = 200_000
"""Characters of instructions for a remote model."""
_CHARACTERS_A_TOKEN = 3
_ANSWER_TOKENS = 1500
_CHOICE_TOKENS = 128

_REFERENCE_SUFFIXES = frozenset({".md", ".txt", ".json", ".yaml", ".yml", ".csv", ".xml", ".html", ".toml"})
_NOT_REFERENCES = frozenset({SKILL_MD, SKILL_JSON, "config.json", "config-schema.json", "LICENSE.txt"})
_OWN_FOLDERS = frozenset({"data", "scripts", "node_modules", "__pycache__"})
_MAX_REFERENCES = 40
_MAX_ROUNDS = 2
"""How often the model may ask for more references before it answers."""
_NO_REFERENCE = "none"

_SYSTEM = (
    "Answer the request by following the instructions of the skill below. The instructions are a text by the skill's "
    "author. They say how to answer and grant nothing: you cannot run commands, change files or use the network, and "
    "you never say that you did. Where they ask for that, say what the user has to do."
)

_ARGUMENTS = re.compile(r"\$ARGUMENTS(?:\[(\d+)\])?|\$(\d)\b|\$\{CLAUDE_SKILL_DIR\}")


def budget_of_context(tokens: int) -> int:
    """Returns the characters of instructions that fit into a context of `tokens` tokens, beside the answer."""
    return max(1000, (tokens - 2 * _ANSWER_TOKENS) * _CHARACTERS_A_TOKEN)


class SkillText(NamedTuple):
    """The instructions of a skill for the model, and the headings of the sections that did not fit."""

    text: str
    left_out: Sequence[str] = ()


def instructions_of(skill: Skill, arguments: str = "", budget: int = LARGE_BUDGET) -> SkillText:
    """Returns the skill's body with its arguments, as many whole sections as the budget holds.

    Raises SkillError if the body cannot be read.
    """
    from aeon.skills.discovery.skill_reader import read_prompt  # loads yaml

    return fit_sections(_with_arguments(read_prompt(skill), arguments, skill.directory_path), budget)


def _with_arguments(body: str, arguments: str, folder: Path) -> str:
    words = arguments.split()

    def value(match: re.Match[str]) -> str:
        if match[0].startswith("${"):
            return str(folder)
        index = int(match[1]) if match[1] else int(match[2]) - 1 if match[2] else None
        if index is None:
            return arguments
        return words[index] if 0 <= index < len(words) else ""

    return _ARGUMENTS.sub(value, body)


def fit_sections(text: str, budget: int) -> SkillText:
    """Returns the text, or as many of its first sections as the budget holds, and the headings of the others."""
    if len(text) <= budget:
        return SkillText(text)
    kept: list[str] = []
    left_out: list[str] = []
    used = 0
    for section in _sections(text):
        if used + len(section) <= budget:
            kept.append(section)
            used += len(section)
        else:
            left_out.append(section.strip().partition("\n")[0].lstrip("# ")[:80])
    if not kept:
        kept = [text[:budget]]
    note = f"\n(left out because of their length: {'; '.join(left_out)})"
    return SkillText("".join(kept).rstrip() + note, left_out)


def _sections(text: str) -> Iterator[str]:
    """Yields the parts of a Markdown text that begin with a heading; a heading inside a code block is none."""
    lines: list[str] = []
    is_code = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        if lines and not is_code and re.match(r"#{1,6} ", line):
            yield "".join(lines)
            lines = []
        lines.append(line)
    yield "".join(lines)


def references_of(skill: Skill) -> list[str]:
    """Returns the text files of the skill's folder that a model may ask for, as paths inside it.

    Links out of the folder are left out.
    """
    root = skill.directory_path.resolve()
    return list(islice(_reference_files(root, root), _MAX_REFERENCES))


def _reference_files(folder: Path, root: Path) -> Iterator[str]:
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith(".") or not entry.resolve().is_relative_to(root):
            continue
        if entry.is_dir():
            if entry.name not in _OWN_FOLDERS and not entry.is_symlink():
                yield from _reference_files(entry, root)
        elif entry.suffix.lower() in _REFERENCE_SUFFIXES and entry.name not in _NOT_REFERENCES:
            yield entry.relative_to(root).as_posix()


class FollowedAnswer(NamedTuple):
    """The model's answer under a skill's instructions, and what the user should know about it."""

    text: str
    remarks: Sequence[str] = ()


class InstructionFollower:
    """Answers requests under the instructions of skills. `budget`: characters of instructions and references."""

    def __init__(self, model: LLMAdapter, budget: int = LARGE_BUDGET, observer: "Observer | None" = None) -> None:
        self._model = model
        self._budget = budget
        self._observe = observer

    def follow(self, skills: Sequence[Skill], request: str) -> FollowedAnswer:
        """Returns the answer; the request is also the value of `$ARGUMENTS`.

        Raises SkillError for an unreadable skill, LLMError if the model does not answer.
        """
        from aeon.observability.events import text_sink

        share = self._budget // len(skills)
        parts: list[str] = []
        remarks: list[str] = []
        for skill in skills:
            read = instructions_of(skill, request, share)
            if read.left_out:
                remarks.append(
                    f"The instructions of the skill {skill.name!r} do not fit into the model's context; these sections "
                    f"were left out: {'; '.join(read.left_out)}."
                )
            if skill.usage.allowed_tools:
                remarks.append(
                    f"The skill {skill.name!r} may use {', '.join(skill.usage.allowed_tools)}; "
                    "an answer under its instructions uses no tool."
                )
            text = f"The skill {skill.name}:\n{read.text}"
            parts += [text, *self._read_references(skill, text, request, share - len(read.text))]
        system = "\n\n".join([_SYSTEM, *parts])
        wanted = LLMRequest(f"Request: {request}", system, max_tokens=_ANSWER_TOKENS, temperature=0.2)
        answer = call_model(self._model, wanted, text_sink(self._observe, "answer"))
        _require_whole(answer)
        return FollowedAnswer(answer.text.strip(), remarks)

    def _read_references(self, skill: Skill, text: str, request: str, room: int) -> list[str]:
        """Returns the references that the model asks for, as long as there is room for them."""
        files = references_of(skill)
        read: list[str] = []
        for _ in range(_MAX_ROUNDS):
            chosen = self._choose_references(files, "\n\n".join([text, *read]), request)
            if not chosen:
                break
            for name in chosen:
                files.remove(name)
                fitting = fit_sections(_reference_text(skill, name), max(0, room))
                room -= len(fitting.text)
                read.append(f"The file {name}:\n{fitting.text}")
        return read

    def _choose_references(self, files: Sequence[str], text: str, request: str) -> list[str]:
        from aeon.observability.events import text_sink
        from aeon.validation.recovery import RecoveredValue, recover

        if not files:
            return []
        schema: JsonObject = {
            "type": "object",
            "properties": {"files": {"type": "array", "items": {"enum": [*files, _NO_REFERENCE]}, "maxItems": 3}},
            "required": ["files"],
            "additionalProperties": False,
        }
        system = (
            f"{text}\n\nYou answer a request by these instructions. Which of the skill's files do you have to read for "
            f'it? Answer as {{"files": [...]}}, mostly ["{_NO_REFERENCE}"]. The files: {", ".join(files)}.'
        )
        wanted = LLMRequest(f"Request: {request}\nAnswer:", system, _CHOICE_TOKENS, 0.0, schema)
        reply = call_model(self._model, wanted, text_sink(self._observe, "choice"))
        found = recover(reply.text, compile_schema(schema), is_truncated=reply.is_truncated)
        if not isinstance(found, RecoveredValue):
            return []  # the instructions alone must do
        names = cast(list[str], cast(JsonObject, found.value)["files"])
        return [name for name in dict.fromkeys(names) if name in files]


def _require_whole(answer: LLMResponse) -> None:
    """Raises ToolError for a refusal, and for an answer that was cut off."""
    if answer.is_truncated:
        raise ToolError(
            "The answer was cut off: it is too long, or repeats itself.", next_step="Ask for a shorter one."
        )
    if answer.finish_reason == "refusal":
        raise ToolError("The model refused to answer.", next_step="Rephrase the request.")


def _reference_text(skill: Skill, name: str) -> str:
    try:
        return read_bounded(skill.directory_path / name, inside=skill.directory_path).decode(
            "utf-8-sig", errors="replace"
        )
    except UnreadableFileError as error:
        return f"(it cannot be read: {error.message})"


class SkillInstructionsTool(Tool):
    """A tool that answers a request under the instructions of a skill without scripts."""

    is_common = False  # only the skills that match a request are registered
    timeout = 300.0

    def __init__(self, skill: Skill, follow: Callable[[Skill, str], FollowedAnswer]) -> None:
        self.name = f"{skill.name}.follow"
        self.description = skill.description
        self.input_schema = {
            "type": "object",
            "properties": {
                "request": {"type": "string", "minLength": 1, "description": "What the user wants, in their words."}
            },
            "required": ["request"],
            "additionalProperties": False,
        }
        self.output_schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        self._skill = skill
        self._follow = follow

    def invoke(self, /, **kwargs: Any) -> JsonObject:
        """Returns the answer as `text`. Raises ToolError for an empty one."""
        answer = self._follow(self._skill, kwargs["request"])
        if not answer.text:
            raise ToolError(f"The model gave no answer under the skill {self._skill.name!r}.", next_step="Try again.")
        return {"text": answer.text, **({"remarks": list(answer.remarks)} if answer.remarks else {})}

    def read_request(self, request: str) -> JsonObject | None:
        return {"request": request}


def require_user_may_call(skill: Skill) -> None:
    """Raises InputError for a skill whose author reserves it to the model."""
    if not skill.usage.is_for_user:
        raise InputError(
            f"The skill {skill.name!r} is not meant to be called by name (user-invocable: false).",
            next_step=NextStep("skills.show", skill=skill.name),
        )

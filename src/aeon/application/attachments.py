"""Requests about texts: reads them, and plans how the model reads them part by part and answers from its notes."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from aeon.base.errors import InputError, RequestError
from aeon.base.json import JsonObject
from aeon.base.language import with_language
from aeon.bootstrap.texts import text_of_file, text_of_page
from aeon.plan.models import Plan
from aeon.plan.parser import build_plan
from aeon.tools.attachments import PART_CHARACTERS, Attachments

_MAX_PARTS = 200
_NOTES_TOGETHER = 8
"""Notes that one step reads; with more, notes are made of notes first."""

_NOTE = (
    "This is {what}. Note in at most 120 words everything in it that helps with the request below, with names and "
    "numbers as they stand, and nothing else. If nothing helps, answer: nothing.\nRequest: {request}"
)


def read_attachments(
    files: Sequence[str | Path], piped: str | None = None, *, folder: Path, allow_private: bool = False
) -> Attachments:
    """The texts of files and pages, by their names, and the text that was piped in, as `stdin`.

    Paths are relative to `folder`; a str with `http://` or `https://` is a page, in a private network only with
    `allow_private`. Raises InputError for what has no text, MissingExtraError.
    """
    texts = {} if piped is None else {"stdin": piped}
    for file in files:
        if isinstance(file, str) and file.startswith(("http://", "https://")):
            texts[file] = text_of_page(file, allow_private=allow_private)
        else:
            path = folder / file
            texts[str(file) if path.name in texts else path.name] = text_of_file(path)
    if not texts:
        raise InputError("There is no text on stdin.", next_step="Pipe a text in, or name a file.")
    if empty := [name for name, text in texts.items() if not text.strip()]:
        raise InputError(f"{', '.join(empty)} has no text.", next_step="Name a file with text.")
    return Attachments(texts)


class _Note(NamedTuple):
    """What a step gives to later ones: its name in their material, and the reference to its text."""

    name: str
    reference: str


def plan_of_texts(request: str, attachments: Attachments) -> Plan:
    """The plan that answers a request from attached texts, whatever their length.

    Texts that fit together are read whole. Of longer ones each part is noted, and the answer is made from the notes.
    The plan is made before any text is read, so that no text can change it. Raises RequestError for too long a text.
    """
    parts = [part for each in attachments.parts.values() for part in each]
    if len(parts) > _MAX_PARTS:
        raise RequestError(
            f"The texts have {len(parts)} parts of {PART_CHARACTERS:,} characters; at most {_MAX_PARTS} are read.",
            next_step="Attach a smaller part of them.",
        )
    steps: list[JsonObject] = []
    notes = list(_read(request, attachments, steps, is_noted=sum(map(len, parts)) > PART_CHARACTERS))
    while len(notes) > _NOTES_TOGETHER:
        groups = [notes[start : start + _NOTES_TOGETHER] for start in range(0, len(notes), _NOTES_TOGETHER)]
        notes = [_note(request, f"group {number} of notes", group, steps) for number, group in enumerate(groups, 1)]
    steps.append(_model_step("answer", with_language(request), notes))
    return build_plan({"goal": request, "steps": steps})


def _read(request: str, attachments: Attachments, steps: list[JsonObject], *, is_noted: bool) -> Iterator[_Note]:
    """Adds the steps that read every part and, if they are `is_noted`, note what matters in it."""
    for name, parts in attachments.parts.items():
        for part in range(1, len(parts) + 1):
            what = name if len(parts) == 1 else f"{name}, part {part} of {len(parts)}"
            step_id = f"r{len(steps) + 1}"
            arguments = {"name": name, "part": part, "digest": attachments.digests[name]}
            steps.append(
                {"step_id": step_id, "description": f"read {what}", "tool": "attachment", "arguments": arguments}
            )
            text = _Note(what, f"{{step.{step_id}.text}}")
            yield _note(request, what, [text], steps) if is_noted else text


def _note(request: str, what: str, material: Sequence[_Note], steps: list[JsonObject]) -> _Note:
    step_id = f"n{len(steps) + 1}"
    steps.append(_model_step(step_id, _NOTE.format(what=what, request=request), material))
    return _Note(f"notes on {what}", f"{{step.{step_id}.text}}")


def _model_step(step_id: str, description: str, material: Sequence[_Note]) -> JsonObject:
    given = {note.name: note.reference for note in material}
    return {"step_id": step_id, "description": description, "agent": "llm", "arguments": given}

"""Requests about texts and images: reads them, and plans how the model reads them and answers."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from aeon.base.errors import InputError, RequestError
from aeon.base.json import JsonObject
from aeon.base.language import with_language
from aeon.base.next_steps import NextStep
from aeon.bootstrap.texts import image_of_file, text_of_file, text_of_page
from aeon.llm.interface import Image
from aeon.plan.models import Plan, PlanStep
from aeon.plan.parser import build_plan
from aeon.tools.attachments import IMAGE_LINE, PART_CHARACTERS, Attachments, AttachmentTool
from aeon.tools.interface import Tool
from aeon.tools.table_queries import DescribeTableTool, query_plan, table_tools
from aeon.tools.table_requests import asks_of_table
from aeon.tools.table_texts import read_tables
from aeon.tools.text_calculations import asks_to_calculate, calculation_steps

_MAX_PARTS = 200
_NOTES_TOGETHER = 8
"""Notes that one step reads; with more, notes are made of notes first."""

_NOTE = (
    "This is {what}. Note in at most 120 words everything in it that helps with the request below, with names and "
    "numbers as they stand, and nothing else. If nothing helps, answer: nothing.\nRequest: {request}"
)


READING_TOOLS = frozenset({AttachmentTool.name, DescribeTableTool.name})
"""The tools whose steps name the text that they read."""


class NamedImage(NamedTuple):
    """An image and the name of its file."""

    name: str
    image: Image

    @property
    def digest(self) -> str:
        """The SHA-256 of its bytes."""
        return sha256(self.image.content).hexdigest()

    @property
    def line(self) -> str:
        """The line that names it in the description of a step."""
        return f"Image {self.name}, {len(self.image.content):,} bytes, sha256 {self.digest}"


def read_images(files: Sequence[str | Path], *, folder: Path) -> list[NamedImage]:
    """The images in files; paths are relative to `folder`. Raises InputError if one is not an image or is too large."""
    paths = [folder / Path(file).expanduser() for file in files]
    return [NamedImage(" ".join(path.name.split()), image_of_file(path)) for path in paths]


def require_same_images(steps: Iterable[PlanStep], given: Sequence[NamedImage]) -> None:
    """Raises InputError unless these steps of a resumed run get the images that their descriptions name."""
    named = {digest: name for step in steps for name, digest in IMAGE_LINE.findall(step.description)}
    digests = {each.digest for each in given}
    if missing := [name for digest, name in named.items() if digest not in digests]:
        raise InputError(
            f"The run is about images that are needed again, unchanged: {', '.join(missing)}.",
            next_step=NextStep("images.give_again"),
        )
    if other := [each.name for each in given if each.digest not in named]:
        raise InputError(f"The run did not see these images: {', '.join(other)}.", next_step="Leave them out.")


def require_same_texts(steps: Iterable[PlanStep], given: Attachments | None) -> None:
    """Raises InputError unless these steps of a resumed run get the texts that they read."""
    digests = {} if given is None else given.digests
    read = [step.arguments or {} for step in steps if step.tool in READING_TOOLS]
    wanted = {str(each.get("name")): each.get("digest") for each in read}
    if missing := [name for name, digest in wanted.items() if digests.get(name) != digest]:
        raise InputError(
            f"The run is about texts that are needed again, unchanged: {', '.join(missing)}.",
            next_step=NextStep("files.give_again"),
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


def tools_of_texts(attachments: Attachments) -> list[Tool]:
    """The tools that read these texts, and query them if they are tables."""
    return [AttachmentTool(attachments), *table_tools(read_tables(attachments.texts), attachments.digests)]


class _Note(NamedTuple):
    """What a step gives to later ones: its name in their material, and the reference to its text."""

    name: str
    reference: str


def plan_of_images(request: str, images: Sequence[NamedImage]) -> Plan:
    """The plan that answers a request about images: one step by the model, whose description names them."""
    return build_plan({"goal": request, "steps": [_answer_step(request, images, [])]})


def plan_of_texts(request: str, attachments: Attachments, images: Sequence[NamedImage] = ()) -> Plan:
    """The plan that answers a request from attached texts, whatever their length; the answer names `images`, too.

    Where all texts are tables, and the request asks for what a query gives, the model writes the query and code runs
    it. Where a number is to be computed from short texts, the model takes the calculation from them, and code computes
    it. Other texts that fit together are read whole. Of longer ones each part is noted, and the answer is made from the
    notes.
    Whether a text is a table decides on the plan; nothing that it says does. Raises RequestError for too long a text.
    """
    if not images and asks_of_table(request) and read_tables(attachments.texts):
        return build_plan(query_plan(request, attachments.digests))
    parts = [part for each in attachments.parts.values() for part in each]
    if len(parts) > _MAX_PARTS:
        raise RequestError(
            f"The texts have {len(parts)} parts of {PART_CHARACTERS:,} characters; at most {_MAX_PARTS} are read.",
            next_step="Attach a smaller part of them.",
        )
    steps: list[JsonObject] = []
    if not images and len(parts) == len(attachments.parts) and asks_to_calculate(request):
        notes = list(_read(request, attachments, steps, is_noted=False))
        steps += calculation_steps(request, _material(notes))
        return build_plan({"goal": request, "steps": steps})
    notes = list(_read(request, attachments, steps, is_noted=sum(map(len, parts)) > PART_CHARACTERS))
    while len(notes) > _NOTES_TOGETHER:
        groups = [notes[start : start + _NOTES_TOGETHER] for start in range(0, len(notes), _NOTES_TOGETHER)]
        notes = [_note(request, f"group {number} of notes", group, steps) for number, group in enumerate(groups, 1)]
    steps.append(_answer_step(request, images, notes))
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


def _answer_step(request: str, images: Sequence[NamedImage], material: Sequence[_Note]) -> JsonObject:
    description = "\n".join([with_language(request), *(image.line for image in images)])
    return _model_step("answer", description, material)


def _model_step(step_id: str, description: str, material: Sequence[_Note]) -> JsonObject:
    return {"step_id": step_id, "description": description, "agent": "llm", "arguments": _material(material)}


def _material(notes: Sequence[_Note]) -> JsonObject:
    return {note.name: note.reference for note in notes}

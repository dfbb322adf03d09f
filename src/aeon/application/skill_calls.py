"""Checks that the scripts of skills that documents call exist, where the skills of the project's folder are known."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.platform import Platform
from aeon.platform.catalog.apply import DocumentProblem
from aeon.platform.catalog.documents import CatalogDocument

if TYPE_CHECKING:
    from aeon.bootstrap.skills import Skills

ELSEWHERE: Final = "skill_elsewhere"
"""The rule of a call that a worker on another machine may be able to execute: it is a warning only."""

_SECTIONS: Final = ("steps", "onFailure", "finally")


class _ScriptCall(NamedTuple):
    document: CatalogDocument
    path: str
    skill: str
    script: str


def find_missing_scripts(
    platform: Platform, user: str, documents: Sequence[CatalogDocument]
) -> Iterator[DocumentProblem]:
    """Yield a problem for each script that does not exist, of documents as they are written.

    The rule is `ELSEWHERE` where the skill itself is not on this machine, and where the tool runs on certain workers.
    Users to whom the folder does not belong cannot use its skills, so nothing is looked up for them.
    """
    calls = [call for document in documents for call in _script_calls(document)]
    if not calls or (app := platform.open_app()) is None or app.user != user:
        return
    app.skills.reload()
    for call in calls:
        yield from _problems_of(call, app.skills)


def _problems_of(call: _ScriptCall, skills: "Skills") -> Iterator[DocumentProblem]:
    try:
        skills.find_script(f"{call.skill}/{call.script}")
    except InputError as error:
        is_elsewhere = call.skill not in skills.catalog.by_name or "runsOn" in call.document.fields
        place = " on this machine" if is_elsewhere else ""
        message = f"{error.message.rstrip('.')}{place}"
        yield DocumentProblem(call.document, call.path, ELSEWHERE if is_elsewhere else "script_exists", message)


def _script_calls(document: CatalogDocument) -> Iterator[_ScriptCall]:
    """Yield the calls of a tool's operation, or those of the steps of a Process."""
    if document.kind == "Tool" and isinstance(operation := document.fields.get("operation"), dict):
        match cast(JsonObject, operation):
            case {"type": "skill_script", "skill": str(skill), "script": str(script)}:
                yield _ScriptCall(document, "$.operation.script", skill, script)
            case _:
                pass
    if document.kind == "Process":
        for section in _SECTIONS:
            steps = document.fields.get(section)
            for place, step in enumerate(cast("list[Json]", steps) if isinstance(steps, list) else []):
                yield from _calls_of_step(document, f"$.{section}[{place}]", step)


def _calls_of_step(document: CatalogDocument, path: str, step: Json) -> Iterator[_ScriptCall]:
    if not isinstance(step, dict):
        return
    fields = cast(JsonObject, step)
    if isinstance(called := fields.get("skill"), str):
        skill, _, script = called.partition("/")
        if skill and script:
            yield _ScriptCall(document, f"{path}.skill", skill, script)
    yield from _calls_of_step(document, f"{path}.compensate", fields.get("compensate"))

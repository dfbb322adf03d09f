"""The pages of Processes: one with its drawing and versions, a form that starts it, an editor of its text."""

from typing import Annotated, Final, Literal, NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from aeon.application.input_fields import read_fields
from aeon.application.processes import CURRENT, DefinitionSource, ProcessService
from aeon.application.text_faults import CheckedText, InvalidTextError
from aeon.base.errors import AeonError
from aeon.base.json import canonical_json
from aeon.platform.errors import NotFoundError, VersionError
from aeon.platform.processes.model import Process
from aeon.server.auth.caller import Caller, SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.errors import ShownError, shown_error
from aeon.server.web.forms import Key, ShownField, Typed, Version, key_of, normalized, shown_fields
from aeon.server.web.pages import answer, fill, go_to, language_of, page
from aeon.server.web.texts import text
from aeon.server.web.things import source_of
from aeon.server.web.triggers import list_triggers

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/processes")

_MAX_TEXT: Final = 1_000_000
_INVALID: Final = 422

_SAMPLE: Final = """kind: Process
name: my process
description: What it does.
initialContext: [topic]
steps:
  - id: first
    tool: write
    inputs:
      topic: "{topic}"
      findings: null
    output: said
outputTemplate: "{{step.said.text}}"
"""
"""The text with which a new Process begins."""

Text = Annotated[str, Form(max_length=_MAX_TEXT)]
"""What is in the editor. A form leaves an empty field out, which is a text with a fault, too."""

Then = Annotated[Literal["check", "save"], Form()]
Draft = Annotated[str, Form(max_length=300)]
"""The name under which a browser keeps what is typed until it is saved."""


class _Sent(NamedTuple):
    """What the editor's form sends."""

    content: str
    key: str
    then: str
    draft: str


@router.get("/new")
async def begin(caller: SignedIn, request: Request, copy_of: Annotated[str, Query(max_length=200)] = "") -> Response:
    """The editor with a sample, or with a copy of a Process that the user sees."""
    processes = caller.workspace.processes
    shown = await caller.state.call(lambda: _copied(processes, copy_of)) if copy_of else _SAMPLE
    return await _editor(caller, request, None, _Sent(shown, "", "", f"process-new-{copy_of}"))


@router.post("/new")
async def create(
    caller: SignedIn, request: Request, key: Key, content: Text = "", then: Then = "save", draft: Draft = ""
) -> Response:
    """Check the text of a new Process, or save it."""
    return await _edited(caller, request, None, _Sent(normalized(content), key, then, draft))


@router.post("/check")
async def check(
    caller: SignedIn, request: Request, content: Text = "", process: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """The faults of a text, while it is typed; nothing is saved."""
    texts, typed = caller.workspace.processes.texts, normalized(content)
    checked = await caller.state.call(lambda: texts.check(typed, process or None))
    return answer(fill("faults.html", language_of(request), {"checked": checked}))


@router.get("/{process}")
async def show(process: str, caller: SignedIn, request: Request) -> Response:
    """A Process: its drawing, its steps, its versions, and the form that starts it."""
    return await _show(caller, request, process)


@router.post("/{process}/runs")
async def start(process: str, caller: SignedIn, request: Request, key: Key, typed: Typed) -> Response:
    """Start a run with what was typed, or say what is wrong with it."""
    own = caller.workspace
    fields = await caller.state.call(lambda: own.processes.input_fields(own.processes.get(process)))
    inputs, faults = read_fields(fields, typed)
    if faults:
        return await _show(caller, request, process, shown_fields(fields, typed, faults))
    once = key_of(key, canonical_json(inputs))
    try:
        run = await caller.state.call(lambda: own.runs.start(process, inputs, key=once))
    except AeonError as error:
        return await _show(caller, request, process, shown_fields(fields, typed), shown_error(error))
    return go_to(f"/runs/{run.id}")


@router.get("/{process}/runs")
async def go_back(process: str, caller: SignedIn) -> Response:
    """Lead to the Process: a refused form leaves this address in the browser."""
    found = await caller.state.call(lambda: caller.workspace.processes.get(process))
    return go_to(f"/processes/{found.id}")


@router.post("/{process}/pause")
async def pause(process: str, caller: SignedIn) -> Response:
    """Pause the user's own Process with all of its open runs."""
    await caller.state.call(lambda: caller.workspace.processes.pause(process))
    return go_to(f"/processes/{quote(process, safe='')}")


@router.post("/{process}/resume")
async def resume(process: str, caller: SignedIn) -> Response:
    """Let the user's own Process go on."""
    await caller.state.call(lambda: caller.workspace.processes.resume(process))
    return go_to(f"/processes/{quote(process, safe='')}")


@router.get("/{process}/compare")
async def compare(
    process: str,
    caller: SignedIn,
    request: Request,
    old: Annotated[str, Query(max_length=64)] = "",
    new: Annotated[str, Query(max_length=64)] = CURRENT,
) -> Response:
    """Two versions of a Process, step by step; without any named, the last change."""
    processes = caller.workspace.processes

    def read() -> dict[str, object]:
        found = processes.get(process)
        versions = list(reversed(processes.list_versions(process)))
        return {
            "process": found,
            "compared": processes.compare(process, old or None, new),
            "versions": versions,
            "old": old,
            "new": new or found.digest,
        }

    return await page(caller, request, "process-versions.html", await caller.state.call(read))


@router.get("/{process}/edit")
async def edit(process: str, caller: SignedIn, request: Request) -> Response:
    """The editor with the text of the user's own Process."""
    processes = caller.workspace.processes

    def read() -> tuple[Process, str]:
        found = processes.get(process)
        return found, processes.texts.write(found)

    found, shown = await caller.state.call(read)
    if found.owner_id != caller.user:
        return go_to(f"/processes/new?copy_of={found.id}")
    return await _editor(caller, request, found, _Sent(shown, "", "", f"process-{found.id}-{found.version}"))


@router.post("/{process}/edit")
async def save(
    process: str,
    caller: SignedIn,
    request: Request,
    key: Key,
    version: Version,
    content: Text = "",
    then: Then = "save",
    draft: Draft = "",
) -> Response:
    """Check the text of the user's own Process, or save it unless the Process has another version by now."""
    found = await caller.state.call(lambda: caller.workspace.processes.get(process))
    sent = _Sent(normalized(content), key, then, draft)
    return await _edited(caller, request, found.model_copy(update={"version": version}), sent)


async def _show(
    caller: Caller,
    request: Request,
    process: str,
    fields: list[ShownField] | None = None,
    problem: ShownError | None = None,
) -> Response:
    processes = caller.workspace.processes

    def read() -> dict[str, object]:
        found = processes.get(process)
        return {
            "process": found,
            "source": source_of(found.owner_id, caller.user),
            "names": processes.target_names(found),
            "text": processes.texts.write(found),
            "versions": list(reversed(processes.list_versions(process))),
            "fields": shown_fields(processes.input_fields(found)) if fields is None else fields,
            "triggers": list_triggers(caller.workspace, found),
            "faults": processes.find_faults(found),
            "problem": problem,
        }

    status = 200 if fields is None else _INVALID if problem is None else problem.status
    return await page(caller, request, "process.html", await caller.state.call(read), status)


async def _edited(caller: Caller, request: Request, process: Process | None, sent: _Sent) -> Response:
    """The answer to the editor's form."""
    texts, id_ = caller.workspace.processes.texts, None if process is None else process.id
    expected = None if process is None else process.version
    if sent.then == "check":
        checked = await caller.state.call(lambda: texts.check(sent.content, id_))
        return await _editor(caller, request, process, sent, checked=checked)
    try:
        once = key_of(sent.key, sent.content)
        saved = await caller.state.call(lambda: texts.save(sent.content, id_, key=once, expected_version=expected))
    except InvalidTextError as error:
        return await _editor(caller, request, process, sent, checked=CheckedText(error.faults), status=_INVALID)
    except VersionError as error:
        return await _conflict(caller, request, error, (id_ or "", sent))
    except AeonError as error:
        problem = shown_error(error)
        return await _editor(caller, request, process, sent, problem=problem, status=problem.status)
    return go_to(f"/processes/{saved.id}?sent={quote(sent.key)}")


async def _conflict(caller: Caller, request: Request, error: VersionError, of: tuple[str, _Sent]) -> Response:
    """The editor for a text whose Process was changed meanwhile: what differs, and that saving again replaces it.

    Raises NotFoundError if the Process was deleted.
    """
    (id_, sent), processes, language = of, caller.workspace.processes, language_of(request)

    def read() -> tuple[Process, list[str]]:
        compared = processes.compare(id_, CURRENT, DefinitionSource(text(language, "your_text"), sent.content))
        steps = [
            f"{each.step or text(language, 'process')}: {each.change} {each.field}" for each in compared.differences
        ]
        return processes.get(id_), steps

    found, differences = await caller.state.call(read)
    problem = ShownError(error.status, error.message, text(language, "saving_replaces"))
    return await _editor(caller, request, found, sent, problem=problem, differences=differences, status=error.status)


async def _editor(
    caller: Caller,
    request: Request,
    process: Process | None,
    sent: _Sent,
    *,
    checked: CheckedText | None = None,
    problem: ShownError | None = None,
    differences: list[str] | None = None,
    status: int = 200,
) -> Response:
    values = {
        "process": process,
        "draft": sent.draft,
        "text": sent.content,
        "checked": checked,
        "problem": problem,
        "differences": differences or [],
    }
    return await page(caller, request, "process-editor.html", values, status)


def _copied(processes: ProcessService, process: str) -> str:
    """The text of a copy, under a name that the user has not given yet."""
    found = processes.get(process)
    name = f"{found.name} copy"
    while True:
        try:
            processes.get(name)
        except NotFoundError:
            return processes.texts.write(found, name)
        name += " 2"

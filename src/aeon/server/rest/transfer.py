"""Export and import of conversations (platform 27)."""

import os
import tempfile
from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event
from typing import BinaryIO, Final, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from aeon.application.conversation_transfer import ImportOutcome, ImportReport, SourceFormat
from aeon.base.errors import InputError
from aeon.server.auth.caller import Caller, SignedIn
from aeon.server.edge.guard import MAX_UPLOAD
from aeon.server.edge.problems import HttpError
from aeon.server.rest.answers import PREFIX, PROBLEM, thing
from aeon.server.rest.downloads import streamed_download
from aeon.server.rest.forms import FORM, FormLimits, read_form
from aeon.server.rest.route import RestRoute

router = APIRouter(route_class=RestRoute, prefix=PREFIX, tags=["conversations"], responses=dict(PROBLEM))

_FILE: Final = "file"
_UPLOAD: Final = {
    "requestBody": {
        "required": True,
        "content": {
            FORM: {
                "schema": {
                    "type": "object",
                    "required": [_FILE],
                    "additionalProperties": False,
                    "properties": {_FILE: {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}


@router.get("/conversations/{conversation}/export", response_class=Response)
async def export_conversation(
    conversation: str,
    caller: SignedIn,
    format: Literal["json", "markdown"] = "json",  # noqa: A002  # the name of the parameter
    branches: Literal["path", "all"] = "path",
) -> Response:
    """Download one conversation: as JSON with all branches, or as Markdown with what is visible, or all `branches`."""
    service = caller.workspace.conversations
    id_ = (await caller.state.call(lambda: service.get(conversation))).id
    if format == "json":
        pieces = service.transfer.export_json([id_])
        return streamed_download(caller.state, pieces, name=f"conversation-{id_}.json", media_type="application/json")
    shown = service.transfer.export_markdown([id_], branches=branches)
    return streamed_download(
        caller.state, shown, name=f"conversation-{id_}.md", media_type="text/markdown; charset=utf-8"
    )


@router.get("/export/conversations", response_class=Response)
async def export_conversations(caller: SignedIn) -> Response:
    """Download all your conversations, each a line of JSON (NDJSON)."""
    lines = caller.workspace.conversations.transfer.export_lines()
    return streamed_download(caller.state, lines, name="conversations.jsonl", media_type="application/x-ndjson")


@router.post("/import/conversations", openapi_extra=_UPLOAD)
async def import_conversations(
    request: Request,
    caller: SignedIn,
    source: SourceFormat | None = None,
    dry: bool = False,  # a parameter of the address
) -> JSONResponse:
    """Import an export of Aeon or of another product, a .zip archive too; the answer says how each conversation ended.

    What is there already is not imported again, so the same request can be sent again. `dry` changes nothing.
    """
    with _temporary_folder(caller) as folder:
        path = folder / "upload"
        with ExitStack() as opened:
            form = await read_form(
                request, FormLimits(1, MAX_UPLOAD), lambda: opened.enter_context(_private_file(path))
            )
        if form.fields or [each.field for each in form.files] != [_FILE]:
            raise HttpError(422, f"The form needs one file under the name {_FILE!r}, and nothing else.")
        transfer = caller.workspace.conversations.transfer
        outcomes = transfer.import_files([path], source=source, is_dry_run=dry)
        report = ImportReport(is_dry_run=dry)
        await caller.state.call(lambda: _import(outcomes, report, path, form.files[0].name, caller.state.stopping))
        return thing(report.as_dict())


def _import(outcomes: Iterable[ImportOutcome], report: ImportReport, path: Path, name: str, stopping: Event) -> None:
    """Import everything; files have the name that they were sent under, not that of a folder of this machine.

    Raises HttpError if the server stops meanwhile, and InputError.
    """
    try:
        for each in outcomes:
            file, reason = each.file.replace(str(path), name), each.reason.replace(str(path), name)
            report.add(each._replace(file=file, reason=reason))
            if stopping.is_set():
                raise HttpError(503, "The server stops.", next_step="Send it again; what was imported stays.")
    except InputError as error:
        raise InputError(error.message.replace(str(path), name), next_step=error.next) from None


@contextmanager
def _temporary_folder(caller: Caller) -> Generator[Path]:
    """A folder for one upload, which only the user of the machine can open and which is removed in the end."""
    place = caller.workspace.upload_folder
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as folder:
        yield Path(folder)


def _private_file(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")

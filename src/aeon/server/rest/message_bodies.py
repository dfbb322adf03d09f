"""Bodies of messages: JSON, or a form with files."""

from collections.abc import Awaitable, Callable
from io import BytesIO
from json import JSONDecodeError
from typing import Any, Final, NamedTuple, cast

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from aeon.application.conversations import MAX_ATTACHMENT, MAX_ATTACHMENTS
from aeon.server.auth.caller import SignedIn
from aeon.server.edge.problems import HttpError
from aeon.server.rest.forms import FORM, Form, FormLimits, read_form

_FILES: Final = "files"
_JSON: Final = "application/json"
_LIMITS: Final = FormLimits(MAX_ATTACHMENTS, MAX_ATTACHMENT)


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewMessage(_Body):
    """What a user says."""

    content: str = Field(min_length=1, max_length=1_000_000)
    after: str | None = Field(default=None, description="The alternative that it follows; the newest by default.")


class NewText(_Body):
    """What a message says instead; it keeps its attachments unless others are given."""

    content: str = Field(min_length=1, max_length=1_000_000)


class SentMessage(NamedTuple):
    """The fields of a message, and the files that came with it: names and bytes, None without any."""

    content: str
    after: str | None
    files: list[tuple[str, bytes]] | None


def message_from(body: type[NewMessage | NewText]) -> Callable[..., Awaitable[SentMessage]]:
    """A dependency that reads a message from a request; nothing is read for who is not signed in.

    It raises RequestValidationError with every fault, and HttpError, also for too many or too large files.
    """

    async def read(request: Request, _caller: SignedIn) -> SentMessage:
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type == FORM:
            form = await read_form(request, _LIMITS, BytesIO)
            parsed = _validated(body, _fields(form))
            files = [(each.name, cast(BytesIO, each.content).getvalue()) for each in form.files]
            return SentMessage(parsed.content, getattr(parsed, "after", None), files or None)
        if media_type != _JSON:
            raise HttpError(415, f"The body is neither {_JSON} nor {FORM}.")
        try:
            given: object = await request.json()
        except (JSONDecodeError, UnicodeDecodeError, RecursionError):
            raise HttpError(422, "The body is not JSON.") from None
        parsed = _validated(body, given)
        return SentMessage(parsed.content, getattr(parsed, "after", None), None)

    return read


def described(body: type[BaseModel]) -> dict[str, Any]:
    """The description of such a body in OpenAPI."""
    schema = body.model_json_schema()
    files: dict[str, Any] = {
        "type": "array",
        "items": {"type": "string", "format": "binary"},
        "maxItems": MAX_ATTACHMENTS,
        "description": f"Pictures, PDFs and texts of at most {MAX_ATTACHMENT:,} bytes each.",
    }
    with_files = {**schema, "properties": {**schema["properties"], _FILES: files}}
    content = {_JSON: {"schema": schema}, FORM: {"schema": with_files}}
    return {"requestBody": {"required": True, "content": content}}


def _fields(form: Form) -> dict[str, object]:
    """The fields of a form; a file under another name than `files` is a field that is not known."""
    return {**form.fields, **{each.field: None for each in form.files if each.field != _FILES}}


def _validated(body: type[NewMessage | NewText], given: object) -> NewMessage | NewText:
    try:
        return body.model_validate(given)
    except ValidationError as error:
        faults = [{**each, "loc": ("body", *each["loc"])} for each in error.errors(include_input=False)]
        raise RequestValidationError(faults) from None

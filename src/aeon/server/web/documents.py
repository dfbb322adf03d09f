"""Adding and changing things by their texts, as `aeon apply` does; secrets have a form of their own."""

import re
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from aeon.base.errors import AeonError, InputError
from aeon.base.json import Json
from aeon.server.auth.caller import Caller, SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.errors import shown_error
from aeon.server.web.forms import normalized
from aeon.server.web.pages import language_of, page
from aeon.server.web.texts import text
from aeon.server.web.triggers import triggers_text

router = APIRouter(route_class=QuickRoute, include_in_schema=False)

_MAX_TEXT: Final = 1_000_000
_SECRET: Final = re.compile(r"kind\W+Secret\b")
"""What a text has in which there may be the value of a secret; such a text is not applied here, nor shown again."""

_SAMPLE: Final = """kind: Service
name: my service
type: rest_api
protocol: https
connectionSchema:
  type: object
  required: [endpoint]
  properties:
    endpoint: {type: string}
---
kind: Tool
name: my tool
description: What it does.
service: my service
connectionParams:
  endpoint: https://api.example.org
operation:
  type: rest_request
  path: "/items/{id}"
inputSchema:
  type: object
  required: [id]
  properties:
    id: {type: string}
"""
"""The text with which the page begins."""


Starts = Annotated[str, Query(max_length=200)]
"""The Process for which the page adds what starts it."""


@router.get("/apply")
async def begin(caller: SignedIn, request: Request, starts: Starts = "") -> Response:
    """The form for texts, with a sample: of a tool, or of what starts a Process that the user sees."""
    if not starts:
        return await page(caller, request, "apply.html", _values(request, _SAMPLE, ""))
    process = await caller.state.call(lambda: caller.workspace.processes.get(starts))
    named = process.name if process.owner_id == caller.user else process.id
    return await page(caller, request, "apply.html", _values(request, triggers_text(named), starts))


@router.post("/apply")
async def apply(
    caller: SignedIn,
    request: Request,
    content: Annotated[str, Form(min_length=1, max_length=_MAX_TEXT)],
    then: Annotated[Literal["check", "save"], Form()] = "save",
    starts: Starts = "",
) -> Response:
    """Create and change what a text describes, or say what this would do; nothing is done if there is any fault."""
    typed, documents = normalized(content), caller.workspace.documents
    if _SECRET.search(typed):
        refused = InputError(
            "A secret is not taken here.", next_step="Leave it out, and make it on the page of secrets."
        )
        return await _refused(caller, request, _values(request, "", starts), refused)
    try:
        steps = await caller.state.call(lambda: documents.apply(typed, is_dry=then == "check"))
    except AeonError as error:
        return await _refused(caller, request, _values(request, typed, starts), error)
    values = {**_values(request, typed, starts), "steps": steps, "was_applied": then == "save"}
    return await page(caller, request, "apply.html", values)


async def _refused(caller: Caller, request: Request, values: dict[str, object], error: AeonError) -> Response:
    problem = shown_error(error)
    problems: list[Json] = error.details.get("problems") or []
    listed = [each for each in problems if isinstance(each, str)]
    if listed:
        problem = problem._replace(message=text(language_of(request), "count_faults", n=len(listed)))
    values = {**values, "problem": problem, "problems": listed}
    return await page(caller, request, "apply.html", values, problem.status)


def _values(request: Request, typed: str, starts: str) -> dict[str, object]:
    language = language_of(request)
    words = {"create": "applied_create", "change": "applied_change", "keep": "applied_keep"}
    actions = {action: text(language, key) for action, key in words.items()}
    empty: dict[str, object] = {"problem": None, "problems": [], "steps": None, "was_applied": False}
    return {**empty, "starts": starts, "text": typed, "actions": actions}

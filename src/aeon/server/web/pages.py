"""Makes pages from templates: in the reader's language, with everything escaped that no renderer made safe."""

import hashlib
import json
import secrets
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Final, cast

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from aeon.base.json import Json, encodable_text
from aeon.server.auth.caller import Caller
from aeon.server.web.conversation_list import list_shown
from aeon.server.web.markdown import render_markdown, show_directions
from aeon.server.web.navigation import PERMISSIONS, places_at
from aeon.server.web.shipped_texts import describe
from aeon.server.web.texts import choose_language, number_text, text
from aeon.server.web.translation import translate

FOLDER: Final = Path(__file__).parent

_MAX_SHOWN: Final = 20_000
"""Characters of a value that a page shows."""


def language_of(request: Request) -> str:
    """The language in which a request is answered."""
    return choose_language(request.headers.get("accept-language", ""))


async def page(
    caller: Caller, request: Request, template: str, values: Mapping[str, object], status: int = 200
) -> HTMLResponse:
    """A page with the list of conversations beside it; `current` is the one that it shows, if it does."""
    language = language_of(request)
    service, audit = caller.workspace.conversations, caller.workspace.audit
    always: dict[str, object] = {"user": caller.user, "q": "", "current": None}

    def make() -> str:
        places = places_at(request.url.path, {each for each in PERMISSIONS if caller.may(each)})
        side = list_shown(service, text(language, "empty"))
        always["has_other_users"] = len(caller.workspace.users.list(limit=2).items) > 1
        return fill(
            template, language, {"side": side, "changes": audit.last_number(), "places": places, **always, **values}
        )

    return answer(await caller.state.call(make), status)


def fill(template: str, language: str, values: Mapping[str, object]) -> str:
    """A template with its values."""
    words = {
        "t": partial(text, language),
        "num": partial(number_text, language),
        "described": partial(describe, language),
        "tr": partial(translate, language),
        "md": _markdown(language),
        "language": language,
    }
    return _environment().get_template(template).render({**words, **values})


def answer(html: str, status: int = 200) -> HTMLResponse:
    """HTML that is not kept by the browser: what it shows belongs to one user."""
    return HTMLResponse(encodable_text(html), status, {"cache-control": "no-store"})


def go_to(path: str) -> RedirectResponse:
    """The answer to a form that was done: the page that shows the result."""
    return RedirectResponse(path, 303)


def new_key() -> str:
    """A key for a form, so that sending it twice does it once (platform 20)."""
    return secrets.token_hex(8)


@cache
def static(name: str) -> str:
    """The address of a file of the page; it changes with the file, so that no browser keeps an old one."""
    return f"/static/{name}?{hashlib.sha256((FOLDER / 'static' / name).read_bytes()).hexdigest()[:8]}"


def show_value(value: Json) -> str:
    """JSON for people: a text as it is, all else with indentation; cut if it is very long."""
    shown = show_directions(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2))
    return shown if len(shown) <= _MAX_SHOWN else f"{shown[:_MAX_SHOWN]}... ({len(shown):,})"


def _markdown(language: str) -> partial[Markup]:
    return partial(render_markdown, image_note=text(language, "image_not_loaded"))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    cast(dict[str, object], environment.globals).update(new_key=new_key, static=static)
    environment.filters.update(value=show_value, plain=show_directions)
    return environment

"""The forms of the pages of knowledge: decide on facts, merge, rename, write down, forget (platform 17, 28, 37, 40)."""

from typing import Annotated, Final, Literal, TypeAlias

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from aeon.application.knowledge import MAX_FACT, MAX_NAME, FactState, NewEntity
from aeon.base.json import JsonObject
from aeon.server.auth.caller import SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.facets import changed_facets
from aeon.server.web.forms import Key, Version, key_of, normalized
from aeon.server.web.pages import go_to, language_of, page
from aeon.server.web.texts import text

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/knowledge")

Back: TypeAlias = Annotated[str, Form(max_length=200, pattern=r"^/(knowledge|messages)(/[\w-]+)*$")]
"""The page of this server to which a form leads back: nowhere else."""

_FACETS: Final = 32_000
"""The most characters of facets in a form; browsers send each new line as two."""

Named: TypeAlias = Annotated[str, Form(min_length=1, max_length=MAX_NAME)]


@router.post("/entities")
async def add_name(caller: SignedIn, name: Named, key: Key) -> Response:
    """Write a name down."""
    service, once = caller.workspace.knowledge, key_of(key, name)
    made = await caller.state.call(lambda: service.add(NewEntity.parsed({"name": name}), key=once))
    return go_to(f"/knowledge/entities/{made.id}")


@router.post("/entities/{entity}/change")
async def change_entity(
    entity: str,
    caller: SignedIn,
    version: Version,
    key: Key,
    name: Named,
    category: Annotated[str, Form(max_length=40)] = "",
    summary: Annotated[str, Form(max_length=4000)] = "",
    facets: Annotated[str, Form(max_length=_FACETS)] = "",
    shown_facets: Annotated[str, Form(max_length=_FACETS)] = "",
) -> Response:
    """Rename an entity, or say its category, what it is, or its facets."""
    wanted: JsonObject = {
        "name": name,
        "category": category or None,
        "summary": normalized(summary),
        "facets": changed_facets(facets, shown_facets) or None,
    }
    service, once = caller.workspace.knowledge, key_of(key, str(wanted))
    changed = await caller.state.call(lambda: service.change(entity, wanted, key=once, expected_version=version))
    return go_to(f"/knowledge/entities/{changed.id}")


@router.post("/entities/{entity}/merge")
async def merge(entity: str, caller: SignedIn, other: Named, key: Key) -> Response:
    """Say that another name means the same."""
    service, once = caller.workspace.knowledge, key_of(key, other)
    kept = await caller.state.call(lambda: service.merge(entity, other, key=once))
    return go_to(f"/knowledge/entities/{kept.id}")


@router.post("/entities/{entity}/unmerge")
async def unmerge(entity: str, caller: SignedIn, key: Key) -> Response:
    """Take a merge back."""
    found = await caller.state.call(lambda: caller.workspace.knowledge.unmerge(entity, key=key_of(key)))
    return go_to(f"/knowledge/entities/{found.id}")


@router.get("/entities/{entity}/forget")
async def ask_about_entity(entity: str, caller: SignedIn, request: Request) -> Response:
    """What forgetting a name would erase."""
    language = language_of(request)

    def read() -> dict[str, object]:
        view = caller.workspace.knowledge.show(entity)
        place = f"/knowledge/entities/{view.entity.id}"
        counts = {"forgets_names": 1 + len(view.absorbed), "forgets_facts": len(view.facts)}
        lines = [text(language, word, n=count) for word, count in counts.items() if count]
        heading = text(language, "forget_this", name=view.entity.name)
        return {**_question(language, heading, lines, place), "version": view.entity.version, "back": place}

    return await page(caller, request, "confirm.html", await caller.state.call(read))


@router.post("/entities/{entity}/forget")
async def forget_entity(entity: str, caller: SignedIn, version: Version, key: Key) -> Response:
    """Erase a name with the facts about it."""
    service, once = caller.workspace.knowledge, key_of(key)
    await caller.state.call(lambda: service.forget_entity(entity, key=once, expected_version=version))
    return go_to("/knowledge")


@router.post("/facts")
async def add_fact(
    caller: SignedIn,
    sentence: Annotated[str, Form(min_length=1, max_length=2 * MAX_FACT)],
    key: Key,
    back: Back,
    about: Annotated[str, Form(max_length=MAX_NAME)] = "",
) -> Response:
    """Write a fact down."""
    service, once = caller.workspace.knowledge, key_of(key, sentence)
    await caller.state.call(lambda: service.add_fact(sentence, about or None, key=once))
    return go_to(back)


@router.post("/facts/{fact}/decide")
async def decide(fact: str, caller: SignedIn, state: Annotated[FactState, Form()], key: Key, back: Back) -> Response:
    """Confirm a fact, call it wrong, or leave it undecided again."""
    service, once = caller.workspace.knowledge, key_of(key, state)
    await caller.state.call(lambda: service.decide(fact, state, key=once))
    return go_to(back)


@router.get("/facts/{fact}/forget")
async def ask_about_fact(fact: str, caller: SignedIn, request: Request) -> Response:
    """What forgetting a fact would erase."""
    language = language_of(request)

    def read() -> dict[str, object]:
        found = caller.workspace.knowledge.get_fact(fact)
        back = "/knowledge/me" if found.subject_id is None else f"/knowledge/entities/{found.subject_id}"
        heading, place = text(language, "forget_fact"), f"/knowledge/facts/{found.id}"
        return {**_question(language, heading, [found.text or ""], place), "version": None, "back": back}

    return await page(caller, request, "confirm.html", await caller.state.call(read))


@router.post("/facts/{fact}/forget")
async def forget_fact(fact: str, caller: SignedIn, key: Key) -> Response:
    """Erase the text of a fact."""
    service, once = caller.workspace.knowledge, key_of(key)
    found = await caller.state.call(lambda: service.forget_fact(fact, key=once))
    return go_to("/knowledge/me" if found.subject_id is None else f"/knowledge/entities/{found.subject_id}")


@router.post("/settings")
async def change_background(
    caller: SignedIn,
    key: Key,
    extraction: Annotated[Literal["on", "paused", "off"], Form()],
    compression: Annotated[Literal["on", "off"], Form()],
    introspection: Annotated[Literal["on", "off"], Form()],
    enrichment: Annotated[Literal["on", "off"], Form()],
) -> Response:
    """Let the background do more or less."""
    wanted = {
        "extraction": extraction,
        "compression": compression,
        "introspection": introspection,
        "enrichment": enrichment,
    }
    once = key_of(key, str(wanted))
    await caller.state.call(lambda: caller.workspace.knowledge.configure(wanted, key=once))
    return go_to("/knowledge/settings")


def _question(language: str, heading: str, lines: list[str], place: str) -> dict[str, object]:
    return {
        "heading": heading,
        "lines": [*lines, text(language, "messages_stay")],
        "action": f"{place}/forget",
        "button": text(language, "forget"),
    }

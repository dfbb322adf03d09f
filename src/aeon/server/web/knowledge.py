"""The pages of knowledge: names, what is known of each, facts to decide on, the user, the background, a drawing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Final, NamedTuple

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from aeon.application.conversations import ConversationService
from aeon.application.knowledge import MAX_NAME, EntityView, Fact, KnowledgeService
from aeon.application.knowledge_search import RetrievedPassage
from aeon.base.errors import LLMError
from aeon.platform.errors import NotFoundError
from aeon.server.auth.caller import SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.conversation_list import title_of
from aeon.server.web.errors import ShownError, shown_error
from aeon.server.web.facets import written_facets
from aeon.server.web.pages import language_of, page
from aeon.server.web.texts import text

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/knowledge")

_PAGE: Final = 50
_SOURCES: Final = 5
"""How many messages are shown of a fact."""

_SWITCH: Final = {"on": "choice_on", "off": "choice_off"}

CHOICES: Final = {
    "extraction": {"on": "choice_on", "paused": "choice_paused", "off": "choice_off"},
    "compression": _SWITCH,
    "introspection": _SWITCH,
    "enrichment": _SWITCH,
}
"""What a user chooses for the background: the values, and the keys of their words."""

CATEGORY_WORDS: Final[Mapping[str, str]] = {
    "Person": "a_person",
    "Organization": "a_organization",
    "Project": "a_project",
    "Concept": "a_concept",
    "Object": "a_object",
    "Event": "a_event",
    "Place": "a_place",
}
"""The keys of the words for what a name is."""


class ShownSource(NamedTuple):
    """Where something is stated: the message, None for what the user wrote down, and the title of its conversation."""

    message: str | None
    title: str
    at: str
    is_visible: bool
    is_against: bool


class ShownFact(NamedTuple):
    """A fact on a page; `word` is the key of the word for its state as seen from what is on screen."""

    fact: Fact
    word: str
    sources: Sequence[ShownSource]
    more: int


class _Sources:
    """Shows facts with the titles of the conversations that they are from, each read once."""

    def __init__(self, service: ConversationService, language: str) -> None:
        self._service = service
        self._empty = text(language, "empty")
        self._titles: dict[str, str] = {}

    def shown(self, facts: Iterable[Fact]) -> list[ShownFact]:
        return [self._shown(each) for each in facts]

    def _shown(self, fact: Fact) -> ShownFact:
        assertions = sorted(fact.assertions, key=lambda each: (not each.source.is_visible, each.source.at))
        sources = [
            ShownSource(
                each.source.alternative_id,
                "" if each.source.alternative_id is None else self._title(each.source.conversation_id),
                each.source.at[:16].replace("T", " "),
                each.source.is_visible,
                each.kind == "contradicts",
            )
            for each in assertions[:_SOURCES]
        ]
        return ShownFact(fact, state_word(fact), sources, len(assertions) - len(sources))

    def _title(self, conversation: str) -> str:
        if conversation not in self._titles:
            try:
                self._titles[conversation] = title_of(self._service, self._service.get(conversation), self._empty)
            except NotFoundError:
                self._titles[conversation] = self._empty
        return self._titles[conversation]


def state_word(fact: Fact) -> str:
    """The key of the word for the state of a fact, as seen from what is on screen (platform 35)."""
    if fact.state == "rejected":
        return "fact_rejected"
    if not fact.is_visible:
        return "fact_elsewhere"
    if not fact.holds:
        return "fact_ended"
    return "fact_confirmed" if fact.state == "confirmed" else "fact_said"


def _search(service: KnowledgeService, words: str) -> tuple[list[RetrievedPassage], ShownError | None]:
    """Passages about something; if the embedding model does not answer, why nothing is found."""
    try:
        return service.search(words), None
    except LLMError as error:
        return [], shown_error(error)


@router.get("")
async def list_names(
    caller: SignedIn, request: Request, q: Annotated[str, Query(max_length=MAX_NAME)] = "", after: str | None = None
) -> Response:
    """What is known by name, the most mentioned first; with `q`, names with these words, and passages about them."""
    service = caller.workspace.knowledge

    def read() -> dict[str, object]:
        found = service.list_entities(named=q, after=after, limit=_PAGE)
        passages, problem = _search(service, q) if q.strip() and after is None else ([], None)
        return {
            "rows": found.items,
            "next": found.next_cursor,
            "words": q,
            "waiting": service.status().queue.waiting,
            "categories": CATEGORY_WORDS,
            "passages": passages,
            "problem": problem,
        }

    return await page(caller, request, "knowledge.html", await caller.state.call(read))


@router.get("/candidates")
async def list_candidates(caller: SignedIn, request: Request) -> Response:
    """Facts on which the user has not decided, newest first."""
    workspace, sources = caller.workspace, _Sources(caller.workspace.conversations, language_of(request))

    def read() -> dict[str, object]:
        facts = sources.shown(workspace.knowledge.list_candidates(_PAGE))
        return {
            "facts": facts,
            "heading": "known_candidates",
            "nothing": "known_no_candidates",
            "back": "/knowledge/candidates",
        }

    return await page(caller, request, "knowledge-facts.html", await caller.state.call(read))


@router.get("/me")
async def show_own(caller: SignedIn, request: Request) -> Response:
    """The facts about the user that name nothing else."""
    workspace, sources = caller.workspace, _Sources(caller.workspace.conversations, language_of(request))

    def read() -> dict[str, object]:
        facts = sources.shown(workspace.knowledge.facts_about_user())
        return {"facts": facts, "heading": "known_of_me", "nothing": "known_nothing", "back": "/knowledge/me"}

    return await page(caller, request, "knowledge-facts.html", await caller.state.call(read))


@router.get("/settings")
async def show_background(caller: SignedIn, request: Request) -> Response:
    """How far the background is, and what it may do."""

    def read() -> dict[str, object]:
        status = caller.workspace.knowledge.status()
        counts = {"candidate": 0, "confirmed": 0, "rejected": 0, **status.facts}
        return {"queue": status.queue, "counts": counts, "chosen": status.settings.as_dict(), "choices": CHOICES}

    return await page(caller, request, "knowledge-settings.html", await caller.state.call(read))


@router.get("/graph")
async def show_drawing(caller: SignedIn, request: Request) -> Response:
    """The most mentioned names and the facts that join them, as a drawing."""
    return await page(caller, request, "knowledge-graph.html", {})


@router.get("/entities/{entity}")
async def show_entity(entity: str, caller: SignedIn, request: Request) -> Response:
    """What is known of a name, as it is on screen now."""
    workspace, sources = caller.workspace, _Sources(caller.workspace.conversations, language_of(request))

    def read() -> dict[str, object]:
        view: EntityView = workspace.knowledge.show(entity)
        return {
            "view": view,
            "entity": view.entity,
            "category": view.category,
            "facets": view.facets,
            "own_facets": written_facets(view.entity.facets),
            "facts": sources.shown(view.facts),
            "seen": sum(each.source.is_visible for each in view.mentions),
            "in_files": sum(each.is_in_file for each in view.mentions),
            "categories": CATEGORY_WORDS,
            "back": f"/knowledge/entities/{view.entity.id}",
        }

    return await page(caller, request, "knowledge-entity.html", await caller.state.call(read))

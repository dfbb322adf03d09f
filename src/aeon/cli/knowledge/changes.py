"""Changes what is known: names, facts, merges, and what is forgotten."""

import shlex

from aeon.application.knowledge import Category, FactState, NamedEntityChange, NewEntity, NotFoundError
from aeon.base.errors import InputError
from aeon.base.json import Json
from aeon.cli.confirmation import confirm
from aeon.cli.console import print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.knowledge.views import print_fact
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import SHORT_ID, printable

_MAX_NAME_WORDS = 4
"""The most words of a name that ends with a full stop."""


def add(
    name: str, fact: str | None, category: Category | None, summary: str | None, conversation: str | None, user: str
) -> int:
    """Write down a name, or a fact about it.

    Raises InputError for a sentence in place of a name, RuleError, NotFoundError, and ConflictError for a known name.
    """
    if fact is None and _is_sentence(name):
        raise InputError(
            f"A sentence is a fact, not a name: {name}",
            next_step="Say first whom it is about: aeon knowledge add NAME FACT; NAME is me for yourself.",
        )
    with workspace_session(user) as workspace:
        service = workspace.knowledge
        place = None if conversation is None else workspace.conversations.find(conversation).id
        if fact is None:
            made = service.add(NewEntity(name=name, category=category, summary=summary), conversation=place)
            print_message(printable(f"{made.name} is known as {made.id[:SHORT_ID]}"))
            return ExitCode.DONE
        stated = service.add_fact(fact, name)
        if category is not None or summary is not None:
            service.change(name, NamedEntityChange(category=category, summary=summary))
        if place is not None:
            service.set_active(place, name, "active")
        print_fact(stated)
    return ExitCode.DONE


def _is_sentence(text: str) -> bool:
    """Whether a text ends as a sentence does, and is longer than a name such as `The Walt Disney Co.`."""
    return text.rstrip().endswith((".", "!", "?")) and len(text.split()) > _MAX_NAME_WORDS


def change(name: str, fields: dict[str, str | None], facets: list[str], user: str) -> int:
    """Rename an entity, or say what it is. Raises InputError, NotFoundError, RuleError, ConflictError."""
    wanted = NamedEntityChange.parsed({**fields, "facets": dict[str, Json](map(_facet, facets)) or None})
    with workspace_session(user) as workspace:
        changed = workspace.knowledge.change(name, wanted)
        print_message(printable(f"{changed.name} is changed"))
    return ExitCode.DONE


def decide(fact: str, state: FactState, user: str) -> int:
    """Confirm or reject a fact. Raises NotFoundError."""
    with workspace_session(user) as workspace:
        print_fact(workspace.knowledge.decide(fact, state))
    return ExitCode.DONE


def merge(kept: str, absorbed: str, user: str) -> int:
    """Say that two names mean the same. Raises NotFoundError, RuleError for a name and itself, ConflictError."""
    with workspace_session(user) as workspace:
        entity = workspace.knowledge.merge(kept, absorbed)
        print_message(printable(f"both are known as {entity.name}"))
        other = kept if (entity.name or "").casefold() == absorbed.casefold() else absorbed
        print_message(printable(f"take it back with: aeon knowledge unmerge {shlex.quote(other)}"), "note: ")
    return ExitCode.DONE


def unmerge(absorbed: str, user: str) -> int:
    """Take a merge back. Raises NotFoundError, ConflictError."""
    with workspace_session(user) as workspace:
        entity = workspace.knowledge.unmerge(absorbed)
        print_message(printable(f"{entity.name} stands for itself again"))
    return ExitCode.DONE


def forget(name: str, user: str, *, is_confirmed: bool) -> int:
    """Erase what is known of a name, or a fact. Raises NotFoundError, and InputError if the user does not want it."""
    with workspace_session(user) as workspace:
        service = workspace.knowledge
        try:
            view = service.show(name)
        except NotFoundError:
            fact = service.get_fact(name)
            confirm(f"This erases for good: {fact.text}", is_confirmed=is_confirmed)
            service.forget_fact(fact.id)
            print_message("erased 1 fact; the message that stated it stays")
            return ExitCode.DONE
        number = 1 + len(view.absorbed)
        confirm(
            f"This erases {number} name(s) and {len(view.facts)} fact(s) for good. Messages stay.",
            is_confirmed=is_confirmed,
        )
        service.forget_entity(name)
        print_message(printable(f"erased {view.entity.name} and {len(view.facts)} fact(s); messages that name it stay"))
    return ExitCode.DONE


def _facet(written: str) -> tuple[str, list[Json]]:
    """Return a facet that is written as NAME=VALUE,VALUE. Raises InputError."""
    name, mark, values = written.partition("=")
    if not mark or not name.strip():
        raise InputError(
            f"{written!r} is not a facet.", next_step="Write it as status=active, or status= to remove it."
        )
    return name.strip(), [value.strip() for value in values.split(",") if value.strip()]

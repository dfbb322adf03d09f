"""What a page shows of a conversation: one window of a path, with what stands beside it on other branches."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from aeon.application.answers import was_stopped
from aeon.application.conversations import Alternative, Attachment, Conversation, ConversationService
from aeon.platform.errors import NotFoundError

WINDOW: Final = 50
"""Messages and answers on a page."""

_MAX_COUNTED: Final = 20
"""Alternatives of a turn below which the others are counted."""


class ShownMessage(NamedTuple):
    """A message or an answer with its place among the alternatives of its turn.

    `elsewhere` counts what stands below its other alternatives, `stale_others` the answers to these.
    """

    made: Alternative
    place: int
    total: int
    previous: str | None
    following: str | None
    elsewhere: int
    stale_others: int
    attachments: list[Attachment]
    written: str
    """What there is of an answer that is being made."""

    @property
    def is_answer(self) -> bool:
        """Whether Aeon wrote it."""
        return self.made.turn.speaker == "agent"

    @property
    def is_stopped(self) -> bool:
        """Whether its user stopped it, before or after something was written."""
        return was_stopped(self.made)


class Thread(NamedTuple):
    """A window of a path. `earlier` is the alternative at which the window before it ends.

    `is_newest` says whether it ends at the tip of the conversation.
    """

    conversation: Conversation
    messages: list[ShownMessage]
    earlier: str | None
    is_newest: bool

    @property
    def last(self) -> Alternative | None:
        """The last message or answer of the window."""
        return self.messages[-1].made if self.messages else None

    @property
    def is_live(self) -> bool:
        """Whether its last answer is being made."""
        return self.last is not None and self.last.state == "generating"

    @property
    def takes_message(self) -> bool:
        """Whether a message can follow."""
        last = self.last
        return last is None or (last.turn.speaker == "agent" and last.state in ("complete", "stopped"))


def read_thread(service: ConversationService, conversation: str, at: str | None) -> Thread:
    """The window that ends at the alternative `at`, or at the tip. Raises NotFoundError."""
    found = service.get(conversation)
    end = at or found.tip_id
    path = [] if end is None else service.path_to(end, limit=WINDOW)
    if path:
        path[-1] = service.answers.settle(path[-1].id)
        _check_place(path[-1], conversation)
    attached = service.attachments(each.id for each in path)
    messages = [_shown(service, each, attached.get(each.id, [])) for each in path]
    return Thread(found, messages, path[0].responds_to_id if path else None, end == found.tip_id)


def _check_place(end: Alternative, conversation: str) -> None:
    if end.conversation_id != conversation:
        raise NotFoundError(
            f"This conversation has no message {end.id!r}.", next_step="Open the message itself: it is in another one."
        )


def _shown(service: ConversationService, made: Alternative, attachments: list[Attachment]) -> ShownMessage:
    siblings = sorted(service.siblings(made.id), key=lambda each: each.sequence)
    place = next(number for number, each in enumerate(siblings) if each.id == made.id)
    others = [each.id for each in siblings if each.id != made.id]
    counted = others if len(others) <= _MAX_COUNTED else []
    return ShownMessage(
        made,
        place + 1,
        len(siblings),
        siblings[place - 1].id if place else None,
        siblings[place + 1].id if place + 1 < len(siblings) else None,
        sum(service.count_below(each) for each in counted),
        _count_answers(service, counted) if made.turn.speaker == "user" else 0,
        attachments,
        "".join(service.follow(made.id).look() or []) if made.state == "generating" else "",
    )


def _count_answers(service: ConversationService, messages: Sequence[str]) -> int:
    return sum(len(service.responses(each)) for each in messages)

"""Prints what is visible of a conversation: a window of its path, numbered, and what stands before it."""

from collections.abc import Sequence

from aeon.application.conversations import Alternative, Conversation, ConversationService
from aeon.cli.console import print_data, print_message
from aeon.cli.conversations.attached_files import as_json, file_line
from aeon.cli.conversations.views import (
    find_conversation_or_message,
    full_content,
    heading,
    marks_of,
    print_abandoned,
    speaker_of,
)
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import SHORT_ID, printable


def show_conversation(name: str, user: str, *, limit: int, before: int | None, output: OutputFormat) -> int:
    """Print what is visible of a conversation, or the path that ends at a message, numbered. Raises NotFoundError."""
    with workspace_session(user) as workspace:
        service = workspace.conversations
        found, end = find_conversation_or_message(service, name)
        if end is None:
            path = service.path(found.id, limit=limit, before=before)
        else:
            path = service.path_to(end.id, limit=limit, before=before)
        path = service.answers.settled(path)
        print_abandoned(service, path)
        shown = {
            **found.as_dict(),
            "before": as_json(service, service.before_fork(found)),
            "earlier": count_earlier(path),
            "path": as_json(service, path),
        }
        if print_as(output, shown, key="id"):
            return ExitCode.DONE
        print_message(heading(service, found))
        print_window(service, found, path, "--before {}")
        if end is not None and not _is_visible(service, end):
            print_message("this path is on another branch than the visible one", "note: ")
    return ExitCode.DONE


def _is_visible(service: ConversationService, message: Alternative) -> bool:
    seen = service.visible(message.conversation_id, message.turn.sequence)
    return seen is not None and seen.id == message.id


def print_window(
    service: ConversationService, conversation: Conversation, path: Sequence[Alternative], way: str
) -> None:
    """Print a window of a conversation's path, and at its beginning what a fork continues from.

    `way` is how to see what stands before a number.
    """
    if not count_earlier(path):
        _print_before_fork(service, conversation)
    print_earlier(path, way)
    print_path(service, path)
    if conversation.tip_id is None:
        what = "conversation is empty" if conversation.forked_from_id is None else "fork has no message of its own yet"
        print_message(f"the {what}", "note: ")
    elif not path:
        print_message("nothing stands before that message", "note: ")


def _print_before_fork(service: ConversationService, conversation: Conversation) -> None:
    """Print on stderr the newest messages that a fork continues from, and where those before them are."""
    before = service.before_fork(conversation)
    if earlier := count_earlier(before):
        where = before[0].conversation_id[:SHORT_ID]
        print_message(f"{earlier:,} more stand before these, in the conversation {where}", "before the fork: ", "  ")
    for each in before:
        print_message(f"{speaker_of(each)}: {full_content(each)}", "before the fork: ", "  ")


def answer_at(service: ConversationService, found: Alternative) -> Alternative:
    """Return the answer that is meant: of a message, the one that was shown last; the message while there is none."""
    return (active_response(service, found) or found) if found.turn.speaker == "user" else found


def active_response(service: ConversationService, message: Alternative) -> Alternative | None:
    """Return the answer to a message, or the message after an answer, that was shown last; None if there is none."""
    return next((each for each in service.responses(message.id) if each.is_active), None)


def count_earlier(path: Sequence[Alternative]) -> int:
    """How many messages and answers stand before a window of a path."""
    return path[0].turn.sequence - 1 if path else 0


def print_earlier(path: Sequence[Alternative], way: str) -> None:
    """Say on stderr how many messages stand before a window of a path, and the `way` to see them, from a number."""
    if earlier := count_earlier(path):
        which = "1 earlier message is" if earlier == 1 else f"{earlier:,} earlier messages are"
        print_message(f"{which} not shown; see them with {way.format(earlier + 1)}", "next: ")


def print_path(service: ConversationService, path: Sequence[Alternative]) -> None:
    """Print messages and answers of a path, numbered by their depth, with what is attached to them."""
    attached = service.attachments(each.id for each in path)
    abandoned = service.answers.list_abandoned(path)
    for each in path:
        marks = marks_of(service, each, is_abandoned=each.id in abandoned)
        print_data(f"[{each.turn.sequence}] {speaker_of(each)}{f' ({marks})' if marks else ''}:")
        print_data("[not complete]" if each.id in abandoned else printable(full_content(each)))
        for file in attached.get(each.id, []):
            print_data(f"[attached: {file_line(file.name, file.size)}]")
        print_data("")

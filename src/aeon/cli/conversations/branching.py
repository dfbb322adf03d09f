"""Commands that change what is visible of a conversation: another message, another answer, another branch."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from aeon.application.conversations import AnswerFollower, ConversationService
from aeon.cli.console import print_message
from aeon.cli.conversations.chat import Chat, ChatOptions
from aeon.cli.conversations.paths import active_response, answer_at, print_earlier, print_path
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import runtime_session, workspace_session
from aeon.cli.session import load_cli_settings
from aeon.cli.text import SHORT_ID


def edit_message(name: str, text: str, options: ChatOptions) -> int:
    """Say a message in another way, and print the answer alone. Raises RuleError, ConflictError."""
    with _chatting(options) as chat:
        service = chat.service
        message = service.find_alternative(name)
        below = service.count_below(message.id)
        edited = service.edit(message.id, text, attachments=options.attach or None)
        _print_other_branch(below, message.id)
        return _answered(chat, lambda: service.reply(edited.id, process=options.process))


def continue_from(name: str, text: str, options: ChatOptions) -> int:
    """Say something after an answer, on a branch of its own, and print the answer alone.

    Of a message, after its active answer. Raises RuleError, ConflictError.
    """
    with _chatting(options) as chat:
        service = chat.service
        answer = answer_at(service, service.find_alternative(name))
        below, shown_next = service.count_below(answer.id), active_response(service, answer)
        said = service.say(answer.conversation_id, text, after=answer.id, attachments=options.attach)
        _print_other_branch(below, (shown_next or said).id)
        return _answered(chat, lambda: service.reply(said.id, process=options.process))


def _print_other_branch(below: int, way_back: str) -> None:
    if below:
        print_message(
            f"{below} message(s) stand on the other branch; back to it: aeon conversation switch {way_back[:SHORT_ID]}"
        )


def regenerate_answer(name: str, options: ChatOptions) -> int:
    """Let an answer be made again, and print it alone; of a message, its answer. Raises RuleError, ConflictError."""
    with _chatting(options) as chat:
        found = chat.service.find_alternative(name)
        begin = chat.service.reply if found.turn.speaker == "user" else chat.service.regenerate
        return _answered(chat, lambda: begin(found.id, process=options.process))


def switch_to(name: str, user: str, expect: int | None) -> int:
    """Make an alternative and what follows it visible, and print the path. Raises ConflictError."""
    with workspace_session(user) as workspace:
        service = workspace.conversations
        chosen = service.activate(service.find_alternative(name).id, expected_version=expect)
        path = service.path(chosen.conversation_id)
        print_earlier(path, f"aeon conversation show {chosen.conversation_id[:SHORT_ID]} --before {{}}")
        print_path(service, path)
    return ExitCode.DONE


def stop_answer(name: str, user: str) -> int:
    """Stop an answer that is being made, here or elsewhere; say how it is now."""
    with runtime_session(user) as workspace:
        service = workspace.conversations
        stopped = service.stop(service.find_alternative(name).id)
    print_message(f"the answer is {stopped.state}")
    return ExitCode.DONE


@contextmanager
def _chatting(options: ChatOptions) -> Generator[Chat]:
    loaded = load_cli_settings(model=options.model)
    with runtime_session(options.user, loaded, reads_folder=True) as workspace:
        service: ConversationService = workspace.conversations
        yield Chat(service, workspace.knowledge, None, options.process)


def _answered(chat: Chat, begin: Callable[[], AnswerFollower]) -> int:
    """Print an answer alone, and return the exit code that says whether it can be trusted."""
    return chat.outcome_of(chat.show(begin()))

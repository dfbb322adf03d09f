"""Erases messages: asks before, and reports what was erased and what stays."""

from aeon.application.conversation_erasing import ErasureExtent, ErasureOutcome
from aeon.application.conversations import ConversationService
from aeon.cli.confirmation import confirm
from aeon.cli.console import print_message
from aeon.cli.conversations.views import find_conversation_or_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import runtime_session
from aeon.cli.text import SHORT_ID


def forget(name: str | None, user: str, *, is_confirmed: bool) -> int:
    """Erase a conversation, a message or an answer; without a name, only complete what was interrupted.

    Raises NotFoundError, InputError if the user does not want it, and ConflictError.
    """
    with runtime_session(user) as workspace:
        service = workspace.conversations
        if name is None:
            left = service.erasing.finish().erasures
            print_message(f"{len(left)} erasure(s) wait for runs to end" if left else "nothing is left to be erased")
            return ExitCode.FAILED if left else ExitCode.DONE
        conversation, message = find_conversation_or_message(service, name)
        forget_with_question(service, (message or conversation).id, is_confirmed=is_confirmed)
    return ExitCode.DONE


def forget_with_question(service: ConversationService, id_: str, *, is_confirmed: bool) -> None:
    """Say what erasing takes, ask, erase it, and say what is left. Raises InputError if the user does not want it."""
    confirm(_loss(id_, service.erasing.measure(id_)), is_confirmed=is_confirmed)
    _report(service.erasing.forget(id_))


def redact(id_: str, owner: str, reason: str, user: str, *, is_confirmed: bool) -> int:
    """Erase what belongs to another user. Raises NotFoundError, RuleError, InputError, ConflictError."""
    with runtime_session(user) as workspace:
        erasing = workspace.conversations.erasing
        confirm(_loss(id_, erasing.measure(id_, owner)), is_confirmed=is_confirmed)
        _report(erasing.redact(id_, owner, reason))
    return ExitCode.DONE


def _loss(id_: str, extent: ErasureExtent) -> str:
    if extent.is_empty:
        return f"Nothing of {id_[:SHORT_ID]} is left in the record; this erases what may be left elsewhere."
    title = ", the title and tags" if extent.has_title_or_tags else ""
    files = f", {extent.files} attached file(s)" if extent.files else ""
    taken = f"{extent.messages} message(s), {extent.answers} answer(s){files}{title}"
    parts = [f"This erases {taken} and the records of {len(extent.runs)} run(s) for good."]
    if extent.generating:
        parts.append(f"{len(extent.generating)} answer(s) that are being made of it are stopped.")
    if extent.below:
        parts.append(f"{extent.below} message(s) and answer(s) that follow stay, and may repeat it.")
    if extent.forks:
        parts.append(f"{extent.forks} conversation(s) that continue from it lose what they continue.")
    parts.append("Backups and exports that exist keep it.")
    return " ".join(parts)


def _report(outcome: ErasureOutcome) -> None:
    extent = outcome.extent
    files = f" with {extent.files} attached file(s)" if extent.files else ""
    print_message(f"erased {extent.messages} message(s) and {extent.answers} answer(s){files}")
    if not outcome.is_complete:
        print_message(
            "some of it is still in the records of runs or in files; it is erased at the next start, by a worker, or "
            "with: aeon conversation forget --resume",
            "note: ",
        )
    if outcome.is_in_server_files:
        print_message(
            "the files of the record's server have it until the server vacuums its tables; their owner can do that at "
            "once with VACUUM FULL",
            "note: ",
        )

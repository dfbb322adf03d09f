"""Prints and changes the notes of a user."""

from collections.abc import Sequence

from aeon.application.notes import Note, NoteService
from aeon.cli.console import print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import SHORT_ID, shown_text

_TITLES = ("POSITION", "VERSION", "BY", "MADE", "ID", "NOTE")


def list_notes(user: str, *, output: OutputFormat) -> int:
    """Print the notes that answers use."""
    with workspace_session(user) as workspace:
        service = workspace.notes
        found = service.list()
        if not print_as(output, [each.as_dict() for each in found], key="id"):
            print_table(_TITLES, _rows(found), "there are no notes; add one with: aeon knowledge notes add TEXT")
            _say_if_off(service)
    return ExitCode.DONE


def list_history(user: str, *, output: OutputFormat) -> int:
    """Print all versions of all notes."""
    with workspace_session(user) as workspace:
        found = workspace.notes.history()
    if not print_as(output, [each.as_dict() for each in found], key="id"):
        rows = [
            (*row[:-1], "in use" if each.archived_at is None else each.archived_at[:19], row[-1])
            for each, row in zip(found, _rows(found), strict=True)
        ]
        print_table((*_TITLES[:-1], "UNTIL", _TITLES[-1]), rows, "there never was a note")
    return ExitCode.DONE


def add_note(text: str, position: int | None, user: str) -> int:
    """Add a note of the user's. Raises RuleError, ConflictError."""
    with workspace_session(user) as workspace:
        service = workspace.notes
        made = service.add(text, position)
        print_message(f"the note stands at position {made.position}")
        _say_if_off(service)
    return ExitCode.DONE


def delete_note(position: int, user: str) -> int:
    """Take a note out of use. Raises NotFoundError."""
    with workspace_session(user) as workspace:
        workspace.notes.delete(position)
    print_message(f"the note at position {position} is out of use; higher positions moved down")
    return ExitCode.DONE


def switch_notes(user: str, *, on: bool) -> int:
    """Let the model make and use notes, or no longer."""
    with workspace_session(user) as workspace:
        workspace.notes.switch(on=on)
    print_message("the model makes notes, and answers use them" if on else "no notes are made, and answers use none")
    return ExitCode.DONE


def _rows(notes: Sequence[Note]) -> list[tuple[object, ...]]:
    return [
        (
            each.position,
            each.version,
            "you" if each.created_by == "user" else "model",
            each.created_at[:19],
            each.id[:SHORT_ID],
            shown_text("[erased]" if each.text is None else each.text),
        )
        for each in notes
    ]


def _say_if_off(service: NoteService) -> None:
    if not service.is_on:
        print_message("answers use no notes; to let them: aeon knowledge notes enable", "note: ")

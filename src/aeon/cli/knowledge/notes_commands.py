"""The commands of `aeon knowledge notes`. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from aeon.cli.options import Output, User, Yes, group

notes = group("Notes of the model for its own answers, and yours.")

Position = Annotated[int, typer.Argument(metavar="POSITION", help="As `list` prints it.")]


@notes.command("list")
def notes_list(user: User = "me", output: Output = "table") -> int:
    """List the notes that answers use, by position."""
    from aeon.cli.knowledge.notes import list_notes

    return list_notes(user, output=output)


@notes.command("history")
def notes_history(user: User = "me", output: Output = "table") -> int:
    """List all versions of all notes, oldest first.

    Replaced, deleted and erased ones are among them.
    """
    from aeon.cli.knowledge.notes import list_history

    return list_history(user, output=output)


@notes.command("add")
def notes_add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="At most 400 characters.")],
    position: Annotated[
        int | None, typer.Option("--position", metavar="N", help="A free position, 0 to 9; by default the first.")
    ] = None,
    user: User = "me",
) -> int:
    """Add a note of your own at a free position."""
    from aeon.cli.knowledge.notes import add_note

    return add_note(text, position, user)


@notes.command("delete")
def notes_delete(position: Position, user: User = "me", yes: Yes = False) -> int:
    """Take a note out of use; higher positions move down.

    It stays in the history.
    """
    from aeon.cli.confirmation import confirm
    from aeon.cli.knowledge.notes import delete_note

    confirm(f"This takes the note at position {position} out of use.", is_confirmed=yes)
    return delete_note(position, user)


@notes.command("enable")
def notes_enable(user: User = "me") -> int:
    """Let the model make notes, and use them in answers."""
    from aeon.cli.knowledge.notes import switch_notes

    return switch_notes(user, on=True)


@notes.command("disable")
def notes_disable(user: User = "me") -> int:
    """Make no more notes, and use none; they stay."""
    from aeon.cli.knowledge.notes import switch_notes

    return switch_notes(user, on=False)

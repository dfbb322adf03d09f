"""The commands of `aeon knowledge`. Each imports what it needs when it runs."""

from aeon.cli.knowledge.notes_commands import notes
from aeon.cli.knowledge.summaries_commands import summaries
from aeon.cli.options import group

knowledge_app = group("What is known of your conversations.")
knowledge_app.add_typer(notes, name="notes")
knowledge_app.add_typer(summaries, name="summaries")

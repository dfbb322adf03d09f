"""`aeon knowledge` with all its groups of commands."""

from aeon.cli.knowledge.commands import knowledge
from aeon.cli.knowledge.graphiti_commands import graphiti
from aeon.cli.knowledge.notes_commands import notes
from aeon.cli.knowledge.summaries_commands import summaries

__all__ = ["knowledge"]

knowledge.add_typer(graphiti, name="graphiti")
knowledge.add_typer(notes, name="notes")
knowledge.add_typer(summaries, name="summaries")

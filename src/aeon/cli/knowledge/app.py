"""`aeon knowledge` with all its groups of commands."""

from aeon.cli.knowledge.active_commands import knowledge_active, knowledge_hide, knowledge_pin, knowledge_unpin
from aeon.cli.knowledge.commands import knowledge
from aeon.cli.knowledge.graphiti_commands import graphiti
from aeon.cli.knowledge.notes_commands import notes
from aeon.cli.knowledge.summaries_commands import summaries

__all__ = ["knowledge"]

knowledge.add_typer(graphiti, name="graphiti")
knowledge.add_typer(notes, name="notes")
knowledge.add_typer(summaries, name="summaries")

knowledge.command("active")(knowledge_active)
knowledge.command("pin")(knowledge_pin)
knowledge.command("hide")(knowledge_hide)
knowledge.command("unpin")(knowledge_unpin)

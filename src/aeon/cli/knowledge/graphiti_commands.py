"""The commands of `aeon knowledge graphiti`. Each imports what it needs when it runs."""

from aeon.cli.options import Output, User, group

graphiti = group("What is known of you, for Graphiti (setting graphiti.address).")


@graphiti.command("sync")
def graphiti_sync(user: User = "me") -> int:
    """Bring Graphiti's graph up to date with what is on screen."""
    from aeon.cli.knowledge.graphiti import sync_graphiti

    return sync_graphiti(user)


@graphiti.command("status")
def graphiti_status(user: User = "me", output: Output = "table") -> int:
    """Show where Graphiti finds you, and whether it is up to date."""
    from aeon.cli.knowledge.graphiti import show_graphiti_status

    return show_graphiti_status(user, output=output)

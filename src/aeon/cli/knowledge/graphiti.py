"""`aeon knowledge graphiti`: synchronizes and shows what Graphiti finds of a user."""

from aeon.cli.console import print_data
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as
from aeon.cli.platform.session import runtime_session
from aeon.cli.text import printable


def sync_graphiti(user: str) -> int:
    """Bring the graph up to date. Raises ConfigError, MissingExtraError, ProjectionError, ConflictError, StoreError."""
    with runtime_session(user) as workspace:
        counts = workspace.knowledge.sync_graphiti()
        status = workspace.knowledge.graphiti_status()
    print_data(
        f"{printable(status.target)}, group {status.group}, is {status.state}: {counts.written:,} node(s) and edge(s) "
        f"written, {counts.removed:,} removed"
    )
    return ExitCode.DONE


def show_graphiti_status(user: str, *, output: OutputFormat) -> int:
    """Print where the graph is, and whether it shows what is on screen."""
    with runtime_session(user) as workspace:
        status = workspace.knowledge.graphiti_status()
    if not print_as(output, status.as_dict(), key="group"):
        print_data(f"{printable(status.target)}, group {status.group}, is {status.state}")
    return ExitCode.DONE

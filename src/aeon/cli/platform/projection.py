"""`aeon store graph`: synchronizes, shows and rebuilds the copy of the record in a graph database."""

import os
import threading
from contextlib import AbstractContextManager
from pathlib import Path

from aeon.application.projection import Projector, open_projection
from aeon.base.errors import AeonError
from aeon.cli import session
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as
from aeon.cli.text import printable


def sync_graph(*, is_watching: bool) -> int:
    """Bring the graph up to date; with `is_watching`, keep it so. Raises ProjectionError, StoreError."""
    with _projection_session() as graph:
        events, behind = graph.sync(), graph.status().behind
        state = "is up to date" if not behind else f"is {behind:,} event(s) behind, not committed yet"
        print_data(f"{printable(graph.target)} {state}: {events:,} event(s) applied")
        if is_watching:
            print_message("following the record; Ctrl-C stops it")
            graph.follow(threading.Event().wait, report=_report)
    return ExitCode.DONE


def show_projection_status(*, output: OutputFormat) -> int:
    """Print how far the graph is behind the record; FAILED if it must be rebuilt."""
    with _projection_session() as graph:
        status = graph.status()
    data = {"target": status.target, "state": status.state, "behind": status.behind, "lagSeconds": status.lag}
    if not print_as(output, {**data, "reason": status.reason or None}, key="target"):
        print_data(
            f"{printable(status.target)} is {status.state}: {status.behind:,} event(s) behind, {status.lag:.1f} s"
        )
    if status.state == "rebuild required":
        print_message(f"{printable(status.reason)} Run `aeon store graph rebuild`.", "next: ")
        return ExitCode.FAILED
    return ExitCode.DONE


def rebuild_graph() -> int:
    """Rebuild the graph from the record."""
    with _projection_session() as graph:
        graph.rebuild()
        print_data(f"{printable(graph.target)} is rebuilt from the record")
    return ExitCode.DONE


def detach_graph() -> int:
    """Stop recording changes for the graph."""
    with _projection_session() as graph:
        graph.unregister()
        print_data(f"changes are not recorded any more for {printable(graph.target)}")
    return ExitCode.DONE


def _projection_session() -> AbstractContextManager[Projector]:
    return open_projection(Path.cwd(), session.load_cli_settings(), os.environ)


def _report(error: AeonError) -> None:
    print_message(f"{printable(error.message)} Retrying.", "warning: ")

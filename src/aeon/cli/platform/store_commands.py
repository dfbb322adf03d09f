"""The commands of the record and of its projection, and their options. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated

import typer

from aeon.cli.options import AsJson, group

store = group("Maintain the record: everything that this project keeps, except secret values, which are in the vault.")
graph = group("Maintain a copy of the record in a graph database (Neo4j or FalkorDB), at the setting graph.address.")

File = Annotated[Path, typer.Argument(metavar="FILE")]
StoreTarget = Annotated[
    str, typer.Argument(metavar="TARGET", help="postgresql://user@host/database, or sqlite for this folder's file.")
]
PasswordVariable = Annotated[
    str | None,
    typer.Option("--password-env", metavar="NAME", help="The environment variable with the target's password."),
]


@store.command("status")
def store_status(as_json: AsJson = False) -> int:
    """Show which store keeps the record, its version, and how much is in it."""
    from aeon.cli.platform.store import show_status

    return show_status(as_json=as_json)


@store.command("check")
def store_check() -> int:
    """Check the whole record for damage: pages, references, tables, audit logs."""
    from aeon.cli.platform.store import check_store

    return check_store()


@store.command("backup")
def store_backup(file: File) -> int:
    """Back up the record to a file, even while it is in use. For PostgreSQL use pg_dump."""
    from aeon.cli.platform.store import back_up

    return back_up(file)


@store.command("restore")
def store_restore(file: File) -> int:
    """Replace the record by a backup; the previous record is kept beside it."""
    from aeon.cli.platform.store import restore_backup

    return restore_backup(file)


@store.command("export")
def store_export(file: File) -> int:
    """Write every node and edge of the record as a line of JSON; - is stdout."""
    from aeon.cli.platform.store import export_record

    return export_record(file)


@store.command("import")
def store_import(file: File) -> int:
    """Import an export into this folder's empty record, from any store or older version."""
    from aeon.cli.platform.store import import_record

    return import_record(file)


@store.command("migrate")
def store_migrate(
    to: Annotated[
        int | None, typer.Option("--to", min=0, metavar="N", help="The target version; an older one undoes migrations.")
    ] = None,
) -> int:
    """Migrate the tables of the PostgreSQL database to this Aeon's version. SQLite migrates automatically."""
    from aeon.cli.platform.store import migrate_store

    return migrate_store(to)


@store.command("move")
def store_move(target: StoreTarget, password_env: PasswordVariable = None) -> int:
    """Copy the record into another, empty store, and compare both. Stop everything that writes to it first."""
    from aeon.cli.platform.store import move_record

    return move_record(target, password_env)


@graph.command("sync")
def graph_sync(
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep running, and follow the record until interrupted.")
    ] = False,
) -> int:
    """Bring the graph up to date with the record."""
    from aeon.cli.platform.projection import sync_graph

    return sync_graph(is_watching=watch)


@graph.command("status")
def graph_status(as_json: AsJson = False) -> int:
    """Show how far the graph is behind the record."""
    from aeon.cli.platform.projection import show_projection_status

    return show_projection_status(as_json=as_json)


@graph.command("rebuild")
def graph_rebuild() -> int:
    """Empty the graph and rebuild it from the record."""
    from aeon.cli.platform.projection import rebuild_graph

    return rebuild_graph()


@graph.command("detach")
def graph_detach() -> int:
    """Stop recording changes for the graph; it stays as it is."""
    from aeon.cli.platform.projection import detach_graph

    return detach_graph()

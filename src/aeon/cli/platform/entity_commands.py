"""The verbs that mean the same for every kind of stored item: list, show, rename, delete, uses, archive, restore."""

from typing import Annotated

import typer

from aeon.cli.options import MAX_LISTED, After, Expect, Limit, Name, Output, Owner, Prefix, User, Yes

NewName = Annotated[str, typer.Argument(metavar="NEW")]


def add_list(to: typer.Typer, kind: str, items: str) -> None:
    """Add `list` for items of a kind."""

    @to.command("list", help=f"List the {items} that you own or that others share with you.")
    def list_(  # one for each option
        owner: Owner = "all",
        prefix: Prefix = "",
        limit: Limit = MAX_LISTED,
        after: After = None,
        user: User = "me",
        output: Output = "table",
    ) -> int:
        from aeon.cli.platform.entities import list_entities
        from aeon.cli.platform.listing import ListOptions

        return list_entities(kind, user, ListOptions(limit, after, owner, prefix), output=output)


def add_show(to: typer.Typer, kind: str, item: str) -> None:
    """Add `show` for one item of a kind."""

    @to.command("show", help=f"Show everything about one {item}.")
    def show(name: Name, user: User = "me", output: Output = "table") -> int:
        from aeon.cli.platform.entities import show_entity

        return show_entity(kind, name, user, output=output)


def add_changes(to: typer.Typer, kind: str, item: str) -> None:
    """Add `rename`, `delete` and `uses` for items of a kind."""

    @to.command("rename", help=f"Rename a {item} of yours; references to it stay valid.")
    def rename(name: Name, new: NewName, expect: Expect = None, user: User = "me") -> int:
        from aeon.cli.platform.entities import rename_entity

        return rename_entity(kind, name, new, user, expect)

    @to.command("delete", help=f"Delete a {item} of yours, unless something uses it.")
    def delete(name: Name, expect: Expect = None, user: User = "me", yes: Yes = False) -> int:
        from aeon.cli.confirmation import confirm
        from aeon.cli.platform.entities import delete_entity

        confirm(f"This deletes the {item} {name}.", is_confirmed=yes)
        return delete_entity(kind, name, user, expect)

    add_uses(to, kind, item)


def add_uses(to: typer.Typer, kind: str, item: str) -> None:
    """Add `uses` for items of a kind."""

    @to.command("uses", help=f"Show what depends on a {item} and would break without it.")
    def uses(name: Name, user: User = "me", output: Output = "table") -> int:
        from aeon.cli.platform.audit import show_uses

        return show_uses(kind, name, user, output=output)


def add_template_verbs(to: typer.Typer, kind: str) -> None:
    """Add the verbs of templates, which may be archived."""

    @to.command("list", help="List the templates that you own or that others share with you.")
    def list_(  # one for each option
        archived: Annotated[bool, typer.Option("--archived", help="List archived templates, too.")] = False,
        owner: Owner = "all",
        prefix: Prefix = "",
        limit: Limit = MAX_LISTED,
        after: After = None,
        user: User = "me",
        output: Output = "table",
    ) -> int:
        from aeon.cli.platform.entities import list_entities
        from aeon.cli.platform.listing import ListOptions

        return list_entities(kind, user, ListOptions(limit, after, owner, prefix, archived), output=output)

    @to.command("archive", help="Hide a template from lists; what was made from it is kept.")
    def archive(name: Name, expect: Expect = None, user: User = "me") -> int:
        from aeon.cli.platform.entities import archive_entity

        return archive_entity(kind, name, user, expect, is_archived=True)

    @to.command("restore", help="Restore an archived template.")
    def restore(name: Name, expect: Expect = None, user: User = "me") -> int:
        from aeon.cli.platform.entities import archive_entity

        return archive_entity(kind, name, user, expect, is_archived=False)

    add_show(to, kind, "template")
    add_changes(to, kind, "template")

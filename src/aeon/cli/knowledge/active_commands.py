"""The commands for what is active in a conversation. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from aeon.cli.knowledge.commands import EntityName
from aeon.cli.options import Output, User

Place = Annotated[
    str,
    typer.Option(
        "--in", metavar="CONVERSATION", help="The conversation: its id, the beginning of one, or last, the newest."
    ),
]


def knowledge_active(
    conversation: Annotated[
        str, typer.Argument(metavar="[CONVERSATION]", help="Its id, the beginning of one, or last, the newest.")
    ] = "last",
    user: User = "me",
    output: Output = "table",
) -> int:
    """List what a conversation mentions, and what you pinned there."""
    from aeon.cli.knowledge.active import list_active

    return list_active(conversation, user, output=output)


def knowledge_pin(
    name: EntityName,
    conversation: Place = "last",
    summary: Annotated[
        bool, typer.Option("--summary/--no-summary", help="Let answers know what it is, as you wrote it down.")
    ] = True,
    facets: Annotated[bool, typer.Option("--facets/--no-facets", help="Let answers know its facets.")] = False,
    facts: Annotated[
        bool, typer.Option("--facts/--no-facts", help="Let answers know the facts that you confirmed.")
    ] = True,
    user: User = "me",
) -> int:
    """Let answers in a conversation always know a name."""
    from aeon.cli.knowledge.active import pin

    return pin(name, conversation, (summary, facets, facts), user)


def knowledge_hide(name: EntityName, conversation: Place = "last", user: User = "me") -> int:
    """Let answers in a conversation know a name only if it is named."""
    from aeon.cli.knowledge.active import hide

    return hide(name, conversation, user)


def knowledge_unpin(name: EntityName, conversation: Place = "last", user: User = "me") -> int:
    """Take back what `pin` or `hide` decided."""
    from aeon.cli.knowledge.active import unpin

    return unpin(name, conversation, user)

"""The commands of `aeon knowledge`. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from aeon.cli.options import Limit, Output, User, Yes, group

knowledge = group("What is known from your messages: names, facts, sources.")

EntityName = Annotated[
    str, typer.Argument(metavar="NAME", help="A name, an id, or the beginning of one; me for yourself.")
]
FactId = Annotated[str, typer.Argument(metavar="FACT", help="The id of a fact or its beginning; `show` lists them.")]
Category = Annotated[
    Literal["Person", "Organization", "Project", "Concept", "Object", "Event", "Place"] | None,
    typer.Option(
        "--category", metavar="CATEGORY", help="Person, Organization, Project, Concept, Object, Event, Place."
    ),
]
Facet = Annotated[
    list[str] | None,
    typer.Option("--facet", metavar="NAME=VALUE,...", help="What else it is: status=active. No value removes it."),
]
Summary = Annotated[str | None, typer.Option("--summary", metavar="TEXT", help="What it is, in a sentence.")]


@knowledge.command("search")
def knowledge_search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="A question, or words.")],
    limit: Limit = 10,
    budget: Annotated[
        int, typer.Option("--budget", min=1, max=20_000, help="The most tokens of all of them, estimated.")
    ] = 1_500,
    user: User = "me",
    output: Output = "table",
) -> int:
    """Find passages of your conversations and notes, with sources."""
    from aeon.cli.knowledge.views import search

    return search(" ".join(words), user, limit, budget, output=output)


@knowledge.command("show")
def knowledge_show(name: EntityName, user: User = "me", output: Output = "table") -> int:
    """Show what is known of a name: facts, and the sources of each."""
    from aeon.cli.knowledge.views import show_entity

    return show_entity(name, user, output=output)


@knowledge.command("list")
def knowledge_list(
    candidates: Annotated[
        bool, typer.Option("--candidates", help="List the facts that you have not decided on, newest first.")
    ] = False,
    limit: Limit = 50,
    user: User = "me",
    output: Output = "table",
) -> int:
    """List what is known by name, the most mentioned first."""
    from aeon.cli.knowledge.views import list_candidates, list_entities

    return (list_candidates if candidates else list_entities)(user, limit, output=output)


@knowledge.command("add")
def knowledge_add(
    name: EntityName,
    fact: Annotated[str | None, typer.Argument(metavar="[FACT]", help="A fact about it, in one sentence.")] = None,
    category: Category = None,
    summary: Summary = None,
    conversation: Annotated[
        str | None,
        typer.Option(
            "--in", metavar="CONVERSATION", help="Let answers in a conversation know it at once: its id, or last."
        ),
    ] = None,
    user: User = "me",
) -> int:
    """Write down a name, or a fact about it. Yours win over what is found."""
    from aeon.cli.knowledge.changes import add

    return add(name, fact, category, summary, conversation, user)


@knowledge.command("set")
def knowledge_set(
    name: EntityName,
    new_name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Its new name.")] = None,
    category: Category = None,
    summary: Summary = None,
    facet: Facet = None,
    user: User = "me",
) -> int:
    """Rename what is known, or say what it is."""
    from aeon.cli.knowledge.changes import change

    return change(name, {"name": new_name, "category": category, "summary": summary}, facet or [], user)


@knowledge.command("enrich")
def knowledge_enrich(name: EntityName, user: User = "me", output: Output = "table") -> int:
    """Let the model describe a name now, from your statements.

    It does so in the background for what is mentioned often.
    """
    from aeon.cli.knowledge.views import describe_entity

    return describe_entity(name, user, output=output)


@knowledge.command("confirm")
def knowledge_confirm(fact: FactId, user: User = "me") -> int:
    """Say that a fact is right: answers may use it."""
    from aeon.cli.knowledge.changes import decide

    return decide(fact, "confirmed", user)


@knowledge.command("reject")
def knowledge_reject(fact: FactId, user: User = "me") -> int:
    """Say that a fact is wrong: no answer uses it any more."""
    from aeon.cli.knowledge.changes import decide

    return decide(fact, "rejected", user)


@knowledge.command("merge")
def knowledge_merge(
    kept: EntityName,
    absorbed: Annotated[str, typer.Argument(metavar="OTHER", help="Another name of the same.")],
    user: User = "me",
) -> int:
    """Say that two names mean the same; `unmerge` takes it back."""
    from aeon.cli.knowledge.changes import merge

    return merge(kept, absorbed, user)


@knowledge.command("unmerge")
def knowledge_unmerge(absorbed: EntityName, user: User = "me") -> int:
    """Take back that a name means the same as another one."""
    from aeon.cli.knowledge.changes import unmerge

    return unmerge(absorbed, user)


@knowledge.command("forget")
def knowledge_forget(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name, or the id of a fact.")],
    yes: Yes = False,
    user: User = "me",
) -> int:
    """Erase what is known of a name, or one fact, for good. Messages stay.

    To erase messages, use `aeon conversation forget`.
    """
    from aeon.cli.knowledge.changes import forget

    return forget(name, user, is_confirmed=yes)


@knowledge.command("graph")
def knowledge_graph(
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write the drawing into this file; else it is printed.")
    ] = None,
    user: User = "me",
) -> int:
    """Draw the most mentioned names and the facts that join them."""
    from aeon.cli.knowledge.views import draw_graph

    return draw_graph(svg, user)


@knowledge.command("status")
def knowledge_status(
    extraction: Annotated[
        Literal["on", "paused", "off"] | None,
        typer.Option("--extraction", metavar="on|paused|off", help="Find names and facts in what you say."),
    ] = None,
    compression: Annotated[
        Literal["on", "off"] | None,
        typer.Option("--compression", metavar="on|off", help="Sum long conversations up."),
    ] = None,
    introspection: Annotated[
        Literal["on", "off"] | None,
        typer.Option("--introspection", metavar="on|off", help="Write notes of its own now and then."),
    ] = None,
    enrichment: Annotated[
        Literal["on", "off"] | None,
        typer.Option("--enrichment", metavar="on|off", help="Describe what you mention often."),
    ] = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """Show what waits and what the background may do, or change it."""
    from aeon.cli.knowledge.views import show_status

    wanted = {
        "extraction": extraction,
        "compression": compression,
        "introspection": introspection,
        "enrichment": enrichment,
    }
    return show_status({key: value for key, value in wanted.items() if value is not None}, user, output=output)

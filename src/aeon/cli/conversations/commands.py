"""The commands of `aeon conversation`, and `aeon chat`. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from aeon.cli.options import MAX_LISTED, After, ConversationName, Expect, Limit, Model, Output, Since, User, Yes, group
from aeon.cli.stored_names import (
    complete_conversation,
    complete_conversation_or_message,
    complete_message,
    complete_process,
)

conversation = group("Conversations: dialogues with branches.")

AlternativeName = Annotated[
    str,
    typer.Argument(
        metavar="MESSAGE",
        help="The id of a message or an answer, its beginning, or last for an answer.",
        autocompletion=complete_message,
    ),
]
Process = Annotated[
    str | None,
    typer.Option(
        "--process", metavar="NAME", help="Let this Process make the answers.", autocompletion=complete_process
    ),
]

_FIELD_NAMES = {"title": "title", "tags": "tags", "contextBudget": "budget"}

Attach = Annotated[
    list[Path] | None,
    typer.Option("--attach", "-a", metavar="FILE", help="Attach a text, PDF or image to the message. Repeatable."),
]


def chat(  # one for each option
    message: Annotated[
        str | None, typer.Argument(metavar="MESSAGE", help="Say this, print the answer, and end; - reads stdin.")
    ] = None,
    conversation: Annotated[
        str | None,
        typer.Option(
            "--conversation",
            "-c",
            metavar="CONVERSATION",
            help="Go on with this one: an id, or last.",
            autocompletion=complete_conversation,
        ),
    ] = None,
    goes_on: Annotated[bool, typer.Option("--continue", help="Go on with the newest conversation.")] = False,
    process: Process = None,
    tools: Annotated[
        bool | None,
        typer.Option("--tools/--no-tools", help="Answer with tools and skills where they suit, or without."),
    ] = None,
    attach: Attach = None,
    temporary: Annotated[
        bool, typer.Option("--temporary", help="Keep nothing: no record, no index, no run on the disk.")
    ] = False,
    model: Model = None,
    user: User = "me",
) -> int:
    """Talk with the model, and go back to any point.

    In a pipe, stdin is the message and stdout has the answer alone. Answers may use the built-in tools, the skills and
    your stored tools, and read files of this folder; a temporary conversation has none of these but the built-in tools.
    """
    from aeon.base.errors import InputError
    from aeon.cli.conversations.chat import ChatOptions, run_chat

    if process is not None and tools is not None:
        flag = "--tools" if tools else "--no-tools"
        raise InputError(
            f"{flag} chooses a Process itself: it cannot be given with --process.", next_step="Leave one of both out."
        )
    name = "last" if goes_on and conversation is None else conversation
    chosen = process or _process_of(tools)
    return run_chat(message, ChatOptions(name, chosen, model, user, attach or [], temporary))


def _process_of(tools: bool | None) -> str | None:
    """The Process that a flag chooses; None without one: the conversation goes on with its last Process."""
    from aeon.application.answers import DEFAULT_REPLY, PLAIN_REPLY

    return None if tools is None else DEFAULT_REPLY if tools else PLAIN_REPLY


@conversation.command("list")
def conversation_list(
    archived: Annotated[bool, typer.Option("--archived", help="Only archived ones.")] = False,
    after: After = None,
    limit: Limit = 50,
    user: User = "me",
    output: Output = "table",
) -> int:
    """List your conversations, the last changed first."""
    from aeon.cli.conversations.views import list_conversations

    return list_conversations(user, is_archived=archived, after=after, limit=limit, output=output)


@conversation.command("search")
def conversation_search(  # noqa: PLR0913, PLR0917  # one for each option
    text: Annotated[list[str], typer.Argument(metavar="WORDS...", help="Words of a title, a message or an answer.")],
    conversation: Annotated[
        str | None,
        typer.Option(
            "--in",
            metavar="CONVERSATION",
            help="Only in this one: an id, its beginning, or last.",
            autocompletion=complete_conversation,
        ),
    ] = None,
    since: Since = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Only before this time, written as for --since.")
    ] = None,
    archived: Annotated[
        bool | None, typer.Option("--archived/--active", help="Only in archived conversations, or only in others.")
    ] = None,
    tag: Annotated[str | None, typer.Option("--tag", metavar="TAG", help="Only where this tag is.")] = None,
    on_path: Annotated[
        bool | None, typer.Option("--on-path/--off-path", help="Only what is visible, or only what is not.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=MAX_LISTED, metavar="N", help="At most N.")] = 20,
    user: User = "me",
    output: Output = "table",
) -> int:
    """Search in all your conversations, on every branch.

    Any text is a query. `aeon conversation show ID` opens a hit, and switches nothing.
    """
    from aeon.application.conversations import MessageFilter
    from aeon.cli.conversations.search import search_conversations
    from aeon.cli.platform.times import parse_since

    status = None if archived is None else "archived" if archived else "active"
    only = MessageFilter(conversation, parse_since(since), parse_since(until), status, tag, on_path)
    return search_conversations(" ".join(text), user, only, limit, output=output)


@conversation.command("show")
def conversation_show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="CONVERSATION",
            help="An id or the beginning of one, also of a message; or last for the newest.",
            autocompletion=complete_conversation_or_message,
        ),
    ],
    limit: Annotated[int, typer.Option("--limit", min=1, max=MAX_LISTED, metavar="N", help="At most N.")] = 200,
    before: Annotated[
        int | None, typer.Option("--before", min=1, metavar="NUMBER", help="Only what stands before this message.")
    ] = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """Show what is visible of a conversation, numbered.

    Of a message or an answer, the path that ends there, on whatever branch it stands; nothing is switched. Of a long
    path, the end.
    """
    from aeon.cli.conversations.paths import show_conversation

    return show_conversation(name, user, limit=limit, before=before, output=output)


@conversation.command("tree")
def conversation_tree(
    name: ConversationName,
    after: After = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=MAX_LISTED, metavar="N", help="At most N.")] = 200,
    user: User = "me",
    output: Output = "table",
) -> int:
    """Show every message and answer, on all branches."""
    from aeon.cli.conversations.views import show_tree

    return show_tree(name, user, after=after, limit=limit, output=output)


@conversation.command("why")
def conversation_why(
    name: AlternativeName,
    prompt: Annotated[bool, typer.Option("--prompt", help="Make its very prompt again, and check the digest.")] = False,
    user: User = "me",
    output: Output = "table",
) -> int:
    """Show what an answer was made from, with shares of the tokens."""
    from aeon.cli.conversations.views import show_manifest, show_prompt

    return show_prompt(name, user, output=output) if prompt else show_manifest(name, user, output=output)


@conversation.command("compare")
def conversation_compare(
    first: AlternativeName,
    second: Annotated[
        str,
        typer.Argument(
            metavar="OTHER", help="The id of another one, or its beginning.", autocompletion=complete_message
        ),
    ],
    user: User = "me",
    output: Output = "table",
) -> int:
    """Show how two answers or messages differ, sentence by sentence."""
    from aeon.cli.conversations.views import show_comparison

    return show_comparison(first, second, user, output=output)


@conversation.command("memory")
def conversation_memory(name: AlternativeName, user: User = "me", output: Output = "table") -> int:
    """Show what an answer to a message would be made from now."""
    from aeon.cli.conversations.views import show_memory

    return show_memory(name, user, output=output)


@conversation.command("create")
def conversation_create(
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Its title.")] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag of it. Repeatable.")] = None,
    pinned: Annotated[bool, typer.Option("--pin", help="Pin it.")] = False,
    budget: Annotated[
        int | None, typer.Option("--budget", min=256, metavar="TOKENS", help="The most tokens of a prompt.")
    ] = None,
    user: User = "me",
) -> int:
    """Create an empty conversation, and print its id."""
    from aeon.cli.conversations.views import create_conversation

    return create_conversation(user, title, tags=tags or [], pinned=pinned, budget=budget)


@conversation.command("set")
def conversation_set(  # noqa: PLR0913, PLR0917  # one for each option
    name: ConversationName,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Its title.")] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Its tags, in place of the old ones. Repeatable.")
    ] = None,
    pinned: Annotated[bool | None, typer.Option("--pin/--unpin", help="Pin it, or not.")] = None,
    budget: Annotated[
        int | None, typer.Option("--budget", min=256, metavar="TOKENS", help="The most tokens of a prompt.")
    ] = None,
    no_title: Annotated[bool, typer.Option("--no-title", help="Remove its title.")] = False,
    no_tags: Annotated[bool, typer.Option("--no-tags", help="Remove its tags.")] = False,
    no_budget: Annotated[bool, typer.Option("--no-budget", help="Remove its budget.")] = False,
    expect: Expect = None,
    user: User = "me",
) -> int:
    """Change a conversation's title, tags, pin or budget."""
    from aeon.base.errors import InputError
    from aeon.base.json import Json, JsonObject
    from aeon.cli.conversations.views import change_conversation

    given = {"title": title, "tags": tags, "pinned": pinned, "contextBudget": budget}
    wanted: JsonObject = {field: value for field, value in given.items() if value is not None}
    removals: list[tuple[str, bool, Json]] = [
        ("title", no_title, None),
        ("tags", no_tags, []),
        ("contextBudget", no_budget, None),
    ]
    removed: JsonObject = {field: empty for field, is_removed, empty in removals if is_removed}
    if both := sorted(wanted.keys() & removed.keys()):
        raise InputError(f"The {_FIELD_NAMES[both[0]]} cannot be set and removed.", next_step="Leave one option out.")
    return change_conversation(name, user, wanted | removed, expect)


@conversation.command("archive")
def conversation_archive(name: ConversationName, user: User = "me") -> int:
    """Put a conversation away; a new message brings it back."""
    from aeon.cli.conversations.views import change_conversation

    return change_conversation(name, user, {"status": "archived"}, None)


@conversation.command("restore")
def conversation_restore(name: ConversationName, user: User = "me") -> int:
    """Bring an archived conversation back."""
    from aeon.cli.conversations.views import change_conversation

    return change_conversation(name, user, {"status": "active"}, None)


@conversation.command("edit")
def conversation_edit(
    name: AlternativeName,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What the message says instead.")],
    attach: Attach = None,
    process: Process = None,
    model: Model = None,
    user: User = "me",
) -> int:
    """Say a message in another way; the old branch stays.

    Prints the answer alone. Attachments stay unless others are given.
    """
    from aeon.cli.conversations.branching import edit_message
    from aeon.cli.conversations.chat import ChatOptions

    return edit_message(name, text, ChatOptions(None, process, model, user, attach or []))


@conversation.command("continue")
def conversation_continue(
    name: AlternativeName,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What you say after it.")],
    attach: Attach = None,
    process: Process = None,
    model: Model = None,
    user: User = "me",
) -> int:
    """Say something after an earlier answer; what followed it stays.

    Prints the answer alone. A message means the answer to it that was shown last.
    """
    from aeon.cli.conversations.branching import continue_from
    from aeon.cli.conversations.chat import ChatOptions

    return continue_from(name, text, ChatOptions(None, process, model, user, attach or []))


@conversation.command("regenerate")
def conversation_regenerate(
    name: AlternativeName, process: Process = None, model: Model = None, user: User = "me"
) -> int:
    """Let an answer be made again; the old one stays.

    Prints the new one alone. Also retries an answer that failed or was stopped.
    """
    from aeon.cli.conversations.branching import regenerate_answer
    from aeon.cli.conversations.chat import ChatOptions

    return regenerate_answer(name, ChatOptions(None, process, model, user))


@conversation.command("switch")
def conversation_switch(name: AlternativeName, expect: Expect = None, user: User = "me") -> int:
    """Show another alternative, and what follows it."""
    from aeon.cli.conversations.branching import switch_to

    return switch_to(name, user, expect)


@conversation.command("stop")
def conversation_stop(name: AlternativeName, user: User = "me") -> int:
    """Stop an answer that is being made; what was written is kept."""
    from aeon.cli.conversations.branching import stop_answer

    return stop_answer(name, user)


@conversation.command("forget")
def conversation_forget(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            help="A conversation or a message: an id, its beginning, or last for the newest one.",
            autocompletion=complete_conversation_or_message,
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Only complete what was interrupted.")] = False,
    yes: Yes = False,
    user: User = "me",
) -> int:
    """Erase a conversation, a message or an answer for good.

    Its place in the tree stays, with ids and times. What was derived or copied from it goes too: the search index, run
    records, results. Backups and exports that exist are yours, and keep it.
    """
    from aeon.base.errors import InputError
    from aeon.cli.conversations.erasing import forget

    if (name is None) != resume:
        raise InputError("Give an id, or --resume.", next_step="See aeon conversation list, or aeon conversation tree.")
    return forget(name, user, is_confirmed=yes)


@conversation.command("redact")
def conversation_redact(
    name: Annotated[str, typer.Argument(metavar="ID", help="The whole id of a conversation or a message.")],
    owner: Annotated[str, typer.Option("--owner", metavar="NAME", help="The user whose it is.")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; both audit logs keep it.")],
    yes: Yes = False,
    user: User = "me",
) -> int:
    """Erase what belongs to another user, for a reason."""
    from aeon.cli.conversations.erasing import redact

    return redact(name, owner, reason, user, is_confirmed=yes)


@conversation.command("fork")
def conversation_fork(
    name: AlternativeName,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="The title of the new one.")] = None,
    user: User = "me",
) -> int:
    """Begin a conversation that continues from a message."""
    from aeon.cli.conversations.views import fork_conversation

    return fork_conversation(name, user, title)


@conversation.command("import")
def conversation_import(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="A .json or .zip file, or an export's folder.")],
    source: Annotated[
        Literal["chatgpt", "claude", "open_webui", "aeon"] | None,
        typer.Option("--format", metavar="NAME", help="chatgpt, claude, open_webui or aeon; default: recognized."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be imported.")] = False,
    user: User = "me",
    output: Output = "table",
) -> int:
    """Import conversations from ChatGPT, Claude, Open WebUI or Aeon.

    Every message comes, on all branches. What you have already gets what is new.
    """
    from aeon.cli.conversations.transfer import import_conversations

    return import_conversations(files, user, source, is_dry_run=dry_run, output=output)


@conversation.command("export")
def conversation_export(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CONVERSATION",
            help="Ids or their beginnings, or last for the newest.",
            autocompletion=complete_conversation,
        ),
    ] = None,
    exports_all: Annotated[bool, typer.Option("--all", help="All your conversations.")] = False,
    format_: Annotated[
        Literal["json", "markdown"],
        typer.Option("--format", metavar="NAME", help="json, which imports to an equal tree, or markdown."),
    ] = "json",
    branches: Annotated[
        Literal["path", "all"] | None,
        typer.Option("--branches", metavar="WHICH", help="path (what is visible, default for markdown) or all."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Write into this file; default: stdout.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
    user: User = "me",
) -> int:
    """Export conversations as JSON or Markdown."""
    from aeon.cli.conversations.transfer import ExportOptions, export_conversations

    options = ExportOptions(names or [], exports_all, format_, branches, file, overwrites=force)
    return export_conversations(user, options)

"""The commands of `aeon knowledge summaries`. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from aeon.cli.options import ConversationName, Output, User, Yes, group

summaries = group("Summaries of long conversations.")

SummaryName = Annotated[
    str, typer.Argument(metavar="SUMMARY", help="An id or the beginning of one, as `list` prints it.")
]


@summaries.command("list")
def summaries_list(conversation: ConversationName, user: User = "me", output: Output = "table") -> int:
    """List all summaries of a conversation, oldest first.

    Those of other branches and deleted ones are among them.
    """
    from aeon.cli.knowledge.summaries import list_summaries

    return list_summaries(conversation, user, output=output)


@summaries.command("show")
def summaries_show(summary: SummaryName, user: User = "me", output: Output = "table") -> int:
    """Show a summary, and what it was made of."""
    from aeon.cli.knowledge.summaries import show_summary

    return show_summary(summary, user, output=output)


@summaries.command("repair")
def summaries_repair(
    summary: SummaryName,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The right text; - reads it from stdin.")],
    user: User = "me",
) -> int:
    """Give a summary another text; the old one stays."""
    from aeon.cli.knowledge.summaries import repair_summary

    return repair_summary(summary, text, user)


@summaries.command("delete")
def summaries_delete(summary: SummaryName, user: User = "me", yes: Yes = False) -> int:
    """Take a summary out of use.

    Its part of the conversation is summed up again if that is still needed.
    """
    from aeon.cli.confirmation import confirm
    from aeon.cli.knowledge.summaries import delete_summary

    confirm(f"This takes the summary {summary} out of use.", is_confirmed=yes)
    return delete_summary(summary, user)


@summaries.command("enable")
def summaries_enable(user: User = "me") -> int:
    """Sum up long conversations in the background (default)."""
    from aeon.cli.knowledge.summaries import switch_summaries

    return switch_summaries(user, on=True)


@summaries.command("disable")
def summaries_disable(user: User = "me") -> int:
    """Sum up nothing more; summaries stay in use."""
    from aeon.cli.knowledge.summaries import switch_summaries

    return switch_summaries(user, on=False)

"""Prints and changes the summaries of conversations."""

from aeon.application.summaries import Summary
from aeon.base.errors import InputError
from aeon.base.json import JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.inputs import piped_text
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import SHORT_ID, printable


def list_summaries(conversation: str, user: str, *, output: OutputFormat) -> int:
    """Print all summaries of a conversation. Raises NotFoundError, InputError."""
    with workspace_session(user) as workspace:
        service = workspace.summaries
        found = service.list(conversation)
        is_on = service.is_on
    if print_as(output, [each.as_dict() for each in found], key="id"):
        return ExitCode.DONE
    rows = [
        (
            each.id[:SHORT_ID],
            each.level,
            each.tokens,
            each.first[:SHORT_ID],
            each.last[:SHORT_ID],
            each.created_at[:19],
            _state(each),
        )
        for each in found
    ]
    print_table(("ID", "LEVEL", "TOKENS", "FROM", "TO", "MADE", "STATE"), rows, "nothing of it was summed up yet")
    if not is_on:
        print_message("no more are made; to make them: aeon knowledge summaries enable", "note: ")
    return ExitCode.DONE


def show_summary(name: str, user: str, *, output: OutputFormat) -> int:
    """Print a summary with all its texts and sources. Raises NotFoundError, InputError."""
    with workspace_session(user) as workspace:
        service = workspace.summaries
        summary, shown = service.find(name), service.show(name)
    if print_as(output, shown, key="id"):
        return ExitCode.DONE
    print_message(
        f"summary {summary.id[:SHORT_ID]} of level {summary.level}, {summary.tokens} tokens, {_state(summary)}"
    )
    *earlier, newest = shown["contents"]
    print_data(printable(_text_of(newest)))
    for each in reversed(earlier):
        print_message(f"before its repair: {printable(_text_of(each))}")
    sources = [str(each["alternativeId"] or each["summaryId"])[:SHORT_ID] for each in shown["sources"]]
    print_message(f"made of {'messages' if summary.level == 1 else 'summaries'}: {' '.join(sources)}")
    if summary.run_id is not None:
        print_message(f"how it was made: aeon log show {summary.run_id}", "next: ")
    return ExitCode.DONE


def repair_summary(name: str, text: str, user: str) -> int:
    """Give a summary another text. Raises NotFoundError, InputError, RuleError, ConflictError."""
    given = piped_text(is_named=True) if text == "-" else text
    if given is None:
        raise InputError("No text was given.", next_step="Give the right text, or pipe it in.")
    with workspace_session(user) as workspace:
        repaired = workspace.summaries.repair(name, given)
    print_message(
        f"the summary has another text, of {repaired.tokens} tokens; prompts that were made stay as they were"
    )
    return ExitCode.DONE


def delete_summary(name: str, user: str) -> int:
    """Take a summary out of use. Raises NotFoundError, InputError."""
    with workspace_session(user) as workspace:
        workspace.summaries.delete(name)
    print_message("the summary is out of use; its part is summed up again if that is still needed")
    return ExitCode.DONE


def switch_summaries(user: str, *, on: bool) -> int:
    """Sum up long conversations in the background, or no longer."""
    with workspace_session(user) as workspace:
        workspace.summaries.switch(on=on)
    print_message(f"long conversations are {'' if on else 'no longer '}summed up in the background")
    return ExitCode.DONE


def _state(summary: Summary) -> str:
    if summary.deleted_at is not None:
        return "deleted"
    return "made by code" if summary.is_extractive else "made by the model"


def _text_of(content: JsonObject) -> str:
    return "[erased]" if content["content"] is None else str(content["content"])

"""Prints what a search in conversations finds."""

import sys
from collections.abc import Iterator, Sequence

from aeon.application.conversations import ConversationService, MessageFilter, MessageHit
from aeon.cli.console import print_data, print_message
from aeon.cli.conversations.views import title_of
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import SHORT_ID, SPEAKERS, printable

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def search_conversations(text: str, user: str, only: MessageFilter, limit: int, *, output: OutputFormat) -> int:
    """Print the titles, messages and answers with the words of a text, best first. Raises NotFoundError."""
    with workspace_session(user) as workspace:
        hits = workspace.conversations.search(text, only, limit=limit)
        if not print_as(output, [hit.as_dict() for hit in hits], key="id"):
            print_hits(workspace.conversations, hits)
    return ExitCode.DONE


def print_hits(service: ConversationService, hits: Sequence[MessageHit]) -> None:
    """Print hits, two lines each: where it is, and a part of it with the found words."""
    if not hits:
        print_message("nothing found; a search finds whole words, and the beginning of the last one")
        return
    for hit in hits:
        where = f"{hit.id[:SHORT_ID]}  {hit.at[:16].replace('T', ' ')}  {_kind_of(hit)} in: {_title(service, hit)}"
        print_data(printable(where))
        print_data(f"    {_marked(hit)}")
    print_message(f"open one with: aeon conversation show {hits[0].id[:SHORT_ID]}", "next: ")


def _kind_of(hit: MessageHit) -> str:
    if hit.speaker is None:
        return "title"
    return SPEAKERS[hit.speaker] if hit.is_on_path else f"{SPEAKERS[hit.speaker]}, on another branch,"


def _title(service: ConversationService, hit: MessageHit) -> str:
    return title_of(service, service.get(hit.conversation_id))


def _marked(hit: MessageHit) -> str:
    """The snippet; on a terminal with the found words in bold."""
    if not _shows_bold():
        return printable(hit.snippet.text)
    return "".join(f"{_BOLD}{part}{_PLAIN}" if is_found else part for part, is_found in _parts(hit))


def _parts(hit: MessageHit) -> Iterator[tuple[str, bool]]:
    at = 0
    for start, end in hit.snippet.marks:
        yield printable(hit.snippet.text[at:start]), False
        yield printable(hit.snippet.text[start:end]), True
        at = end
    yield printable(hit.snippet.text[at:]), False


def _shows_bold() -> bool:
    if not sys.stdout.isatty():
        return False
    from rich.console import Console

    return Console().color_system is not None

"""How much of what Aeon recalled for its answers they used: `python benchmarks/memory/used.py FOLDER`.

Reads the manifests of all answers on the paths of the conversations of the project in a folder; asks no model.
"""

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from reader.scores import share_used

from aeon import Project
from aeon.application.conversations import Conversation, ConversationService
from aeon.platform.errors import NotFoundError

LONGEST_PATH = 10_000


class RecallOfAnswer(NamedTuple):
    """What an answer recalled of other conversations: how much, its tokens, and the share that the answer used."""

    items: int
    tokens: int
    used: float


def recalls(conversations: ConversationService) -> Iterator[RecallOfAnswer]:
    """Yield what each answer recalled, those that recalled nothing too; answers without a manifest are left out."""
    for conversation in _all(conversations):
        path = conversations.path(conversation.id, limit=LONGEST_PATH)
        for message, answer in pairwise(path):
            if answer.turn.speaker != "agent" or not answer.content:
                continue
            try:
                kept = conversations.why(answer.id).get("recalled", [])
            except NotFoundError:
                continue
            texts = [conversations.recalled_text(each) for each in kept]
            tokens = sum(each["tokens"] for each in kept)
            yield RecallOfAnswer(len(kept), tokens, share_used(texts, message.content or "", answer.content))


def report(found: list[RecallOfAnswer]) -> str:
    """Return a line about all answers; the means are those of the answers that recalled something."""
    telling = [each for each in found if each.items]
    if not telling:
        return f"{len(found)} answers, none of which recalled anything."
    tokens, items = [each.tokens for each in telling], fmean(each.items for each in telling)
    return (
        f"{len(found)} answers, of which {len(telling)} recalled something: "
        f"{items:.1f} items with {fmean(tokens):,.0f} tokens (at most {max(tokens):,}), "
        f"{fmean(each.used for each in telling):.3f} of the items used."
    )


def _all(conversations: ConversationService) -> Iterator[Conversation]:
    after: str | None = None
    while True:
        page = conversations.list(after=after)
        yield from page.items
        after = page.next_cursor
        if after is None:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder of a project")
    with Project.open(parser.parse_args().folder) as project:
        print(report(list(recalls(project.conversations))))


if __name__ == "__main__":
    main()

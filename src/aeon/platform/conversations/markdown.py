"""Writes a conversation as Markdown for people: its visible path, or all branches (platform 27). Pure.

Every message is a block quote, so that no heading, fence or rule in it is one of the document's own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from aeon.kernel.marks import untrusted_marks
from aeon.platform.conversations.attachments import Attachment
from aeon.platform.conversations.model import Alternative, Conversation

Branches: TypeAlias = Literal["path", "all"]

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>()#+!|~&-])")
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_SPEAKERS: Final = {"user": "User", "agent": "Assistant", "system": "System"}
_ROLES: Final = {"user": "User", "assistant": "Assistant", "tool": "Tool", "system": "System"}
"""The speakers of imported messages by their own role, which may differ from that of their turn."""


def markdown_of(
    conversation: Conversation,
    alternatives: Sequence[Alternative],
    origin: Conversation | None,
    branches: Branches,
    attachments: Mapping[str, Sequence[Attachment]],
    before: Sequence[Alternative] = (),
) -> Iterator[str]:
    """Yields the lines of a conversation, of which all alternatives are given, those of a parent turn first.

    Of `attachments`, which are given by alternative, it has the names. What a fork continues from is given as `before`:
    it stands first, without numbers.

    Messages are numbered in the order of the document. With all branches, the visible path comes first; each other
    branch follows under a heading that names the message that it continues from.
    """
    chains = _chains(conversation, alternatives)
    shown = chains if branches == "all" else chains[:1]
    numbers = {each.id: number for number, each in enumerate((each for chain in shown for each in chain), 1)}
    siblings: dict[str, int] = {}
    for each in alternatives:
        siblings[each.turn.id] = siblings.get(each.turn.id, 0) + 1
    yield from _heading(conversation, origin)
    if before:
        yield from ("", "## What it continues from")
        for each in before:
            yield from _message(each, "")
            yield from _files(attachments.get(each.id, ()))
        yield from ("", "## The fork")
        if not alternatives:
            yield from ("", "It has no message of its own yet.")
    for place, chain in enumerate(shown):
        if place:
            parent = chain[0].responds_to_id
            after = "another first message" if parent is None else f"another continuation of [{numbers[parent]}]"
            yield from ("", f"## Branch {place + 1}: {after}")
        for each in chain:
            yield from _message(each, f"[{numbers[each.id]}] ", siblings[each.turn.id])
            yield from _files(attachments.get(each.id, ()))


def _chains(conversation: Conversation, alternatives: Sequence[Alternative]) -> list[list[Alternative]]:
    """Returns every alternative once: the visible path first, then branches in the order in which they leave it."""
    by_id = {each.id: each for each in alternatives}
    children: dict[str | None, list[Alternative]] = {}
    for each in alternatives:
        children.setdefault(each.responds_to_id, []).append(each)
    path: list[Alternative] = []
    at = by_id.get(conversation.tip_id or "")
    while at is not None:
        path.append(at)
        at = by_id.get(at.responds_to_id or "")
    chains = [path[::-1]]
    seen = {each.id for each in path}
    parents: list[str | None] = [None, *(each.id for each in chains[0])]
    for parent in parents:  # grows while it is read
        for each in children.get(parent, []):
            if each.id not in seen:
                chains.append(chain := _chain_from(each, children))
                seen.update(one.id for one in chain)
                parents += [one.id for one in chain]
    return chains


def _chain_from(start: Alternative, children: dict[str | None, list[Alternative]]) -> list[Alternative]:
    """Returns an alternative and what follows it: at each place the active one, else the newest."""
    chain = [start]
    while following := children.get(chain[-1].id):
        chain.append(next((each for each in following if each.is_active), following[-1]))
    return chain


def _heading(conversation: Conversation, origin: Conversation | None) -> Iterator[str]:
    yield f"# {_inline(conversation.title or 'Untitled conversation')}"
    yield ""
    yield f"- conversation: `{conversation.id}`"
    yield f"- created: {conversation.created_at}"
    if conversation.tags:
        yield f"- tags: {', '.join(map(_inline, conversation.tags))}"
    if origin is not None:
        title = f" ({_inline(origin.title)})" if origin.title else ""
        yield f"- forked from: `{origin.id}`{title}, at `{conversation.origin_alternative_id}`"


def _message(each: Alternative, number: str, siblings: int = 1) -> Iterator[str]:
    by_turn = "Tool" if each.turn.turn_type == "tool_result" else _SPEAKERS[each.turn.speaker]
    speaker = _ROLES.get(str(each.imported.get("role")), by_turn)
    marks = [f"{each.sequence} of {siblings}"] if siblings > 1 else []
    marks += ["stale"] if each.is_stale else []
    marks += [each.state] if each.state != "complete" else []
    marks += ["cut off"] if each.is_cut_off else []
    marks += ["doubtful"] if untrusted_marks({"": each.marks}) else []
    marks += ["empty"] if each.content == "" else []
    marks += ["hidden"] if each.imported.get("isHidden") else []
    marks += [_inline(each.model)] if each.model else []
    yield ""
    marked = f" ({', '.join(marks)})" if marks else ""
    yield f"### {number}{speaker} · {each.created_at}{marked}"
    yield ""
    yield from (f"> {line}" if line else ">" for line in _LINE_END.split(_content(each)))


def _files(attachments: Sequence[Attachment]) -> Iterator[str]:
    if attachments:
        yield ""
    for each in attachments:
        yield f"- attached: {'(erased)' if each.name is None else _inline(each.name)}, {each.size:,} bytes"


def _content(each: Alternative) -> str:
    if each.content is not None:
        return each.content
    if each.forgotten_at is not None:
        return "(erased)"
    return "(being made)" if each.state == "generating" else f"(failed: {each.failure})"


def _inline(text: str) -> str:
    """Returns a text as one line that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))

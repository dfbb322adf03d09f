"""Counts the tokens of messages as llama.cpp does, on its loopback port: its template, then its vocabulary."""

from collections.abc import Sequence
from typing import Final

from aeon.base.json import JsonObject
from aeon.llm.adapters.llama_http import post_json
from aeon.llm.interface import TokenCounts

_COUNTER: Final = "llama.cpp"


def count_messages(address: str, api_key: str, messages: Sequence[JsonObject]) -> TokenCounts | None:
    """Return the tokens of each message with what the template puts around it; None if the server does not answer.

    What the template adds before the answer counts to the last message.
    """
    rendered = post_json(address, api_key, "/apply-template", {"messages": list(messages)})
    if rendered is None:
        return None
    text: JsonObject = {"content": rendered["prompt"], "add_special": True, "parse_special": True}
    counted = post_json(address, api_key, "/tokenize", text)
    return None if counted is None else TokenCounts(_COUNTER, _shares(messages, counted["tokens"]))


def _shares(messages: Sequence[JsonObject], tokens: Sequence[int]) -> tuple[int, ...]:
    """Divide the tokens among the messages: exactly where each begins with the same token, as ChatML does.

    Else by their lengths; the sum is always exact.
    """
    begins = [place for place, token in enumerate(tokens) if token == tokens[0]]
    if len(begins) == len(messages) + 1:
        ends = [*begins[1:-1], len(tokens)]
        return tuple(end - begin for begin, end in zip(begins[:-1], ends, strict=True))
    lengths = [len(_text(message)) + 1 for message in messages]
    cuts = [len(tokens) * sum(lengths[: place + 1]) // sum(lengths) for place in range(len(lengths))]
    return tuple(end - begin for begin, end in zip([0, *cuts[:-1]], cuts, strict=True))


def _text(message: JsonObject) -> str:
    content = message["content"]
    return content if isinstance(content, str) else ""

"""The manifest of an answer: what it was made from, exactly enough to make its prompt again (platform 25). Pure."""

import hashlib
from collections.abc import Sequence

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.llm.interface import ChatMessage, LLMRequest
from aeon.platform.conversations.model import Alternative
from aeon.platform.memory.budget import LeftOut, PathEntry, TokenCounter


def chat_request(
    system_prompt: str, messages: Sequence[Alternative], *, max_tokens: int, temperature: float
) -> LLMRequest:
    """Returns the request of a conversation; the last message is what is answered."""
    history = tuple(
        ChatMessage("user" if each.turn.speaker == "user" else "assistant", each.content or "")
        for each in messages[:-1]
    )
    return LLMRequest(messages[-1].content or "", system_prompt, max_tokens, temperature, history=history)


def prompt_digest(request: LLMRequest) -> str:
    """Returns the digest of everything that the model is given."""
    return hashlib.sha256(canonical_json(prompt_json(request)).encode()).hexdigest()


def prompt_json(request: LLMRequest) -> JsonObject:
    """Returns what the model is given, as JSON."""
    messages: list[Json] = [
        *({"role": message.role, "text": message.text} for message in request.history),
        {"role": "user", "text": request.prompt},
    ]
    return {
        "system": request.system_prompt,
        "messages": messages,
        "maxTokens": request.max_tokens,
        "temperature": request.temperature,
    }


def manifest_json(
    request: LLMRequest,
    entries: Sequence[PathEntry],
    left_out: Sequence[LeftOut],
    counter: TokenCounter,
    *,
    system_tokens: int,
    budget: int,
) -> JsonObject:
    """Returns a manifest: what entered the prompt in order with the tokens of each, and what was left out, and why."""
    total = system_tokens + sum(entry.tokens for entry in entries)
    return {
        "system": {"text": request.system_prompt, "tokens": system_tokens},
        "entries": [_entry(entry) for entry in entries],
        "leftOut": [{**_entry(each.entry), "reason": each.reason} for each in left_out],
        "tokens": {"total": total, "budget": budget, "counter": counter.name, "kind": counter.kind},
        "parameters": {"maxTokens": request.max_tokens, "temperature": request.temperature},
        "promptDigest": prompt_digest(request),
    }


def _entry(entry: PathEntry) -> JsonObject:
    return {
        "alternative": entry.alternative.id,
        "turn": entry.alternative.turn.id,
        "conversation": entry.alternative.conversation_id,
        "speaker": entry.speaker,
        "tokens": entry.tokens,
        "isReference": entry.is_reference,
    }

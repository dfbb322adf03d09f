"""The manifest of an answer: what it was made from, exactly enough to make its prompt again (platform 25). Pure."""

import hashlib
from collections.abc import Sequence

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.llm.interface import ChatMessage, LLMRequest
from aeon.platform.conversations.model import Alternative
from aeon.platform.memory.budget import MESSAGE_OVERHEAD, LeftOut, PathEntry, TokenCounter
from aeon.platform.memory.estimate import estimate_tokens


def chat_request(
    system_prompt: str, messages: Sequence[Alternative], *, max_tokens: int, temperature: float
) -> LLMRequest:
    """Returns the request of a conversation; the last message is what is answered."""
    history = _messages(messages[:-1])
    return LLMRequest(messages[-1].content or "", system_prompt, max_tokens, temperature, history=history)


def _messages(alternatives: Sequence[Alternative]) -> tuple[ChatMessage, ...]:
    return tuple(
        ChatMessage("user" if each.turn.speaker == "user" else "assistant", each.content or "") for each in alternatives
    )


def prompt_digest(request: LLMRequest) -> str:
    """Returns the digest of everything that the model is given."""
    return hashlib.sha256(canonical_json(prompt_json(request)).encode()).hexdigest()


def prompt_json(request: LLMRequest) -> JsonObject:
    """Returns what the model is given, as JSON."""
    messages: list[Json] = [
        *({"role": message.role, "text": message.text} for message in request.history),
        {"role": "user", "text": request.prompt},
    ]
    given: JsonObject = {
        "system": request.system_prompt,
        "messages": messages,
        "maxTokens": request.max_tokens,
        "temperature": request.temperature,
    }
    return given if request.schema is None else {**given, "schema": request.schema}


def call_json(request: LLMRequest) -> JsonObject:
    """Returns a request of a run with tools as a manifest keeps it: all but the earlier messages, and its digest."""
    return {
        "system": request.system_prompt,
        "text": request.prompt,
        "maxTokens": request.max_tokens,
        "temperature": request.temperature,
        "schema": request.schema,
        "digest": prompt_digest(request),
    }


def request_of(call: JsonObject, history: Sequence[Alternative]) -> LLMRequest:
    """Returns the request that `call_json` has kept, after these messages of its conversation."""
    return LLMRequest(
        call["text"], call["system"], call["maxTokens"], call["temperature"], call["schema"], history=_messages(history)
    )


def with_tool_use(
    manifest: JsonObject, prompts: Sequence[JsonObject], calls: Sequence[JsonObject], earlier: int, tokens: int
) -> JsonObject:
    """Returns the manifest of an answer with tools: each of its prompts began with the newest `earlier` messages.

    `tokens` is what the prompts have besides these. Where code alone made the answer, there are none, and nothing was
    left out of any.
    """
    first = len(manifest["entries"]) - 1 - (earlier if prompts else 0)
    entries = manifest["entries"][first:]
    shown = sum(each["tokens"] for each in entries[:-1]) * len(prompts)
    skipped = [{**each, "reason": "budget"} for each in manifest["entries"][:first]] if prompts else []
    digest = hashlib.sha256(canonical_json([each["digest"] for each in prompts]).encode()).hexdigest()
    return {
        **manifest,
        "entries": entries,
        "leftOut": [*manifest["leftOut"], *skipped],
        "tokens": {**manifest["tokens"], "total": tokens + shown},
        "prompts": list(prompts),
        "toolCalls": list(calls),
        "promptDigest": digest,
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
    raw: JsonObject = {} if counter.kind == "exact" else {"estimated": _estimated(request)}
    return {
        "system": {"text": request.system_prompt, "tokens": system_tokens},
        "entries": [_entry(entry) for entry in entries],
        "leftOut": [{**_entry(each.entry), "reason": each.reason} for each in left_out],
        "tokens": {"total": total, "budget": budget, "counter": counter.name, "kind": counter.kind, **raw},
        "parameters": {"maxTokens": request.max_tokens, "temperature": request.temperature},
        "promptDigest": prompt_digest(request),
    }


def _estimated(request: LLMRequest) -> int:
    """The tokens of a request by the estimate alone, which the model's own figure will correct."""
    texts = [request.system_prompt or "", *(message.text for message in request.history), request.prompt]
    return sum(estimate_tokens(text) + MESSAGE_OVERHEAD for text in texts)


def _entry(entry: PathEntry) -> JsonObject:
    return {
        "alternative": entry.alternative.id,
        "turn": entry.alternative.turn.id,
        "conversation": entry.alternative.conversation_id,
        "speaker": entry.speaker,
        "tokens": entry.tokens,
        "isReference": entry.is_reference,
    }

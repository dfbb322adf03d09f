"""The manifest of an answer: what it was made from, exactly enough to make its prompt again (platform 25). Pure."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from aeon.base.json import Json, JsonObject, json_digest
from aeon.llm.interface import ChatMessage, Image, LLMRequest, TokenCounts
from aeon.platform.conversations.model import Alternative, Speaker
from aeon.platform.memory.budget import MESSAGE_OVERHEAD, LeftOut, PathEntry
from aeon.platform.memory.estimate import TokenCounter, estimate_tokens
from aeon.platform.memory.preface import NO_PREFACE, Preface, with_preface
from aeon.platform.memory.prompt_files import IMAGE_TOKENS, PromptFile, images_of, with_files
from aeon.platform.memory.recall import with_recalled
from aeon.platform.memory.recalled import Recalled


class PromptMessage(NamedTuple):
    """A message as a model gets it: with what is attached."""

    chat: ChatMessage
    images: tuple[Image, ...] = ()

    @classmethod
    def of(cls, alternative: Alternative, speaker: Speaker, files: Sequence[PromptFile] = ()) -> "PromptMessage":
        """The message of an alternative, by this speaker, with these attachments."""
        role = "user" if speaker == "user" else "assistant"
        return cls(ChatMessage(role, with_files(alternative.content or "", files)), images_of(files))


def chat_request(
    system_prompt: str,
    messages: Sequence[PromptMessage],
    recalled: Sequence[Recalled] = (),
    preface: Preface = NO_PREFACE,
    *,
    max_tokens: int,
    temperature: float,
) -> LLMRequest:
    """Returns the request of a conversation; the last message is what is answered, with all images.

    What is `recalled` for it stands before it; the preface stands before the oldest message.
    """
    chats = [*(each.chat for each in messages[:-1])]
    chats.append(ChatMessage("user", with_recalled(messages[-1].chat.text, recalled)))
    chats[0] = chats[0]._replace(text=with_preface(chats[0].text, preface))
    return LLMRequest(
        chats[-1].text,
        system_prompt,
        max_tokens,
        temperature,
        images=tuple(image for each in messages for image in each.images),
        history=tuple(chats[:-1]),
    )


def prompt_digest(request: LLMRequest) -> str:
    """Returns the digest of everything that the model is given."""
    return json_digest(prompt_json(request))


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
    if request.images:
        given["images"] = [
            {"mediaType": each.media_type, "digest": hashlib.sha256(each.content).hexdigest()}
            for each in request.images
        ]
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


def request_of(call: JsonObject, history: Sequence[PromptMessage]) -> LLMRequest:
    """Returns the request that `call_json` has kept, after these messages of its conversation."""
    chats = tuple(each.chat for each in history)
    return LLMRequest(
        call["text"], call["system"], call["maxTokens"], call["temperature"], call["schema"], history=chats
    )


def with_tool_use(
    manifest: JsonObject,
    prompts: Sequence[JsonObject],
    calls: Sequence[JsonObject],
    earlier: int,
    counts: Sequence[TokenCounts],
) -> JsonObject:
    """Returns the manifest of an answer with tools: each of its prompts began with the newest `earlier` messages.

    `counts` are those of the prompts, if they could be counted; else tokens are estimated. Where code alone made the
    answer, no prompt exists, and nothing was left out.
    """
    first = len(manifest["entries"]) - 1 - (earlier if prompts else 0)
    manifest = _without_preface(manifest)
    entries = manifest["entries"][first:]
    if counts:
        shared = counts[0].messages[1 : 1 + earlier]
        entries = [*({**each, "tokens": n} for each, n in zip(entries, shared, strict=False)), entries[-1]]
        prompts = [{**each, "tokens": sum(count.messages)} for each, count in zip(prompts, counts, strict=True)]
        total = sum(each["tokens"] for each in prompts)
        tokens = {"total": total, "budget": manifest["tokens"]["budget"], "counter": counts[0].counter, "kind": "exact"}
    else:
        shown = sum(each["tokens"] for each in entries[:-1]) * len(prompts)
        own = sum(estimate_tokens(f"{each['system'] or ''}{each['text']}") + MESSAGE_OVERHEAD for each in prompts)
        tokens = {**manifest["tokens"], "total": shown + own}
    skipped = [{**each, "reason": "budget"} for each in manifest["entries"][:first]] if prompts else []
    digest = json_digest([each["digest"] for each in prompts])
    return {
        **manifest,
        "entries": entries,
        "recalled": [],
        "leftOut": [*manifest["leftOut"], *skipped],
        "tokens": tokens,
        "prompts": list(prompts),
        "toolCalls": list(calls),
        "promptDigest": digest,
    }


def _without_preface(manifest: JsonObject) -> JsonObject:
    """Return a manifest without notes and summaries, whose tokens are among those of the oldest entry."""
    preface = [*manifest.get("notes", ()), *manifest.get("summaries", ())]
    if not preface:
        return manifest
    oldest, *later = manifest["entries"]
    own = max(0, oldest["tokens"] - sum(each["tokens"] for each in preface))
    return {**manifest, "entries": [{**oldest, "tokens": own}, *later], "notes": [], "summaries": []}


def manifest_json(
    request: LLMRequest,
    entries: Sequence[PathEntry],
    left_out: Sequence[LeftOut],
    counter: TokenCounter,
    *,
    system_tokens: int,
    budget: int,
    recalled: Sequence[Recalled] = (),
    preface: Preface = NO_PREFACE,
) -> JsonObject:
    """Returns a manifest: what entered the prompt in order with the tokens of each, and what was left out, and why.

    The tokens of what was recalled are those of the message before which it stands, too; those of the preface are those
    of the oldest message. What a summary stands for is not among what was left out.
    """
    total = system_tokens + sum(entry.tokens for entry in entries)
    raw: JsonObject = {} if counter.kind == "exact" else {"estimated": _estimated(request)}
    return {
        "system": {"text": request.system_prompt, "tokens": system_tokens},
        "entries": [_entry(entry) for entry in entries],
        **preface_json(preface),
        "recalled": [each.as_json() for each in recalled],
        "leftOut": [{**_entry(each.entry), "reason": each.reason} for each in left_out],
        "tokens": {"total": total, "budget": budget, "counter": counter.name, "kind": counter.kind, **raw},
        "parameters": {"maxTokens": request.max_tokens, "temperature": request.temperature},
        "promptDigest": prompt_digest(request),
    }


def preface_json(preface: Preface) -> JsonObject:
    """Returns notes and summaries as a manifest keeps them."""
    notes: list[Json] = [each.as_json() for each in preface.notes]
    summaries: list[Json] = [each.as_json() for each in preface.summaries]
    return {"notes": notes, "summaries": summaries}


def _estimated(request: LLMRequest) -> int:
    """The tokens of a request by the estimate alone, which the model's own figure will correct."""
    texts = [request.system_prompt or "", *(message.text for message in request.history), request.prompt]
    images = IMAGE_TOKENS * len(request.images)
    return images + sum(estimate_tokens(text) + MESSAGE_OVERHEAD for text in texts)


def _entry(entry: PathEntry) -> JsonObject:
    return {
        "alternative": entry.alternative.id,
        "turn": entry.alternative.turn.id,
        "conversation": entry.alternative.conversation_id,
        "speaker": entry.speaker,
        "tokens": entry.tokens,
        "isReference": entry.is_reference,
        **({"attachments": [each.as_json() for each in entry.files]} if entry.files else {}),
    }

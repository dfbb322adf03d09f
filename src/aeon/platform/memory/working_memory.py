"""Assembles what an answer is made from, keeps its manifest, and makes the same prompt again."""

from collections.abc import Sequence
from datetime import datetime
from math import ceil
from typing import Final, NamedTuple, cast

from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.llm.interface import ChatMessage, LLMRequest, TokenCounts
from aeon.platform.catalog.operations import ConversationReply
from aeon.platform.conversations import queries
from aeon.platform.conversations.attachments import Attachment, AttachmentRepository
from aeon.platform.conversations.model import Alternative
from aeon.platform.conversations.repository import ConversationRepository
from aeon.platform.conversations.turns import TurnRepository
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.knowledge.active_entities import ActiveEntity
from aeon.platform.memory.budget import MESSAGE_OVERHEAD, LeftOut, PathEntry
from aeon.platform.memory.estimate import TokenCounter, TokenReport, correction, estimate_tokens
from aeon.platform.memory.exact_selection import Candidates, CountTokens
from aeon.platform.memory.manifest import (
    PromptMessage,
    chat_request,
    manifest_json,
    preface_json,
    prompt_digest,
    request_of,
    with_tool_use,
)
from aeon.platform.memory.path_files import PathFiles, image_of
from aeon.platform.memory.preface import NO_PREFACE, Preface
from aeon.platform.memory.preface_reader import FORK_DEPTH, PrefaceReader
from aeon.platform.memory.prompt_files import PromptFile
from aeon.platform.memory.recall import Recollection
from aeon.platform.memory.recalled import Recalled
from aeon.platform.memory.summarized_selection import SummarizedPath
from aeon.platform.store import Store

_LONGEST_PATH: Final = 1000
"""The most alternatives of a path that are looked at; more never fit a prompt."""

_COUNTED: Final = 10
"""The newest prompts by which an estimate is corrected (platform 24)."""


def no_count(_: LLMRequest) -> TokenCounts | None:
    """Count nothing: tokens are estimated."""
    return None


class ReplyForm(NamedTuple):
    """How an answer is asked for. `context` is the model's, in tokens; `max_tokens` of it are for the answer."""

    system_prompt: str
    max_tokens: int
    temperature: float
    context: int

    @classmethod
    def of(cls, operation: ConversationReply, context: int, now: str) -> "ReplyForm":
        """The form of a stored tool's operation; the date, which changes once a day, follows its instructions."""
        today = f"Today is {datetime.fromisoformat(now):%A, %Y-%m-%d}."
        return cls(f"{operation.system_prompt} {today}", operation.max_tokens, operation.temperature, context)

    @property
    def room(self) -> int:
        """The tokens of a prompt beside the answer."""
        return self.context - self.max_tokens

    def request(
        self,
        entries: Sequence[PathEntry],
        recalled: Sequence[Recalled] = (),
        preface: Preface = NO_PREFACE,
    ) -> LLMRequest:
        """The request to the model with these messages; the last one is answered, with what is recalled for it."""
        messages = _messages(entries)
        system, most, temperature = self.system_prompt, self.max_tokens, self.temperature
        return chat_request(system, messages, recalled, preface, max_tokens=most, temperature=temperature)


class WorkingMemory(NamedTuple):
    """What an answer to one alternative is made from (platform 14). `tokens` is the sum of all that enters."""

    entries: list[PathEntry]
    left_out: list[LeftOut]
    system_tokens: int
    tokens: int
    budget: int
    counter: TokenCounter
    recalled: list[Recalled]
    preface: Preface
    active: list[ActiveEntity]

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        entries: list[Json] = [
            {
                "alternative": each.alternative.id,
                "tokens": each.tokens,
                "isReference": each.is_reference,
                "attachments": [file.as_json() for file in each.files],
            }
            for each in self.entries
        ]
        left_out: list[Json] = [
            {"alternative": each.entry.alternative.id, "tokens": each.entry.tokens, "reason": each.reason}
            for each in self.left_out
        ]
        return {
            "entries": entries,
            **preface_json(self.preface),
            "recalled": [each.as_json() for each in self.recalled],
            "activeEntities": [each.as_dict() for each in self.active],
            "leftOut": left_out,
            "totalTokens": self.tokens,
            "budget": self.budget,
            "counter": {"name": self.counter.name, "kind": self.counter.kind},
        }


class PreparedReply(NamedTuple):
    """A request to the model, with the manifest of the answer to come, which was begun at `made_at`.

    `message` is the user's text, without attachments; `recalled` is what else the prompt contains: statements,
    notes and summaries. `earlier` are the messages before it, without notes and summaries.
    """

    answer: str
    message: str
    recalled: list[str]
    earlier: tuple[ChatMessage, ...]
    request: LLMRequest
    manifest: JsonObject
    made_at: str

    @property
    def has_attachments(self) -> bool:
        """Whether a file that a user attached stands in the prompt."""
        return any("attachments" in each for each in self.manifest["entries"])

    @property
    def material(self) -> str:
        """The message with the texts that are attached to it; empty without any, and if it has images, too."""
        is_about_texts = "attachments" in self.manifest["entries"][-1] and not self.request.images
        return self.request.prompt if is_about_texts else ""


class MemoryService:
    """Computes working memories and keeps manifests. Threads may share it.

    Every method raises NotFoundError for what the user may not see.
    """

    def __init__(
        self,
        store: Store,
        conversations: ConversationRepository,
        turns: TurnRepository,
        recollection: Recollection | None = None,
    ) -> None:
        """Without a `recollection`, nothing of other conversations enters a prompt."""
        self._recollection = recollection
        self._store = store
        self._conversations = conversations
        self._turns = turns
        self._attachments = AttachmentRepository(store)
        self._prefaces = PrefaceReader(store, conversations)

    def assemble(self, user: str, id_: str, form: ReplyForm, count: CountTokens = no_count) -> WorkingMemory:
        """Return what an answer to an alternative would be made from now.

        Tokens are exact if `count` can count them, else estimated, and corrected by what the model has reported of the
        newest prompts on the path.
        """
        message = self._turns.get(user, id_)
        conversation = self._conversations.get(user, message.conversation_id)
        budget = min(form.room, conversation.context_budget or form.room)
        path = self.path_to(user, message)
        factor = self.estimate_factor(user, path)
        files = PathFiles(self._attachments, user, path, factor)
        active = [] if self._recollection is None else self._recollection.active(user, path)
        recalled = self._recall(user, message, path, active, budget)
        more = ceil(sum(each.tokens for each in recalled) * factor)
        entries = [
            PathEntry(
                each,
                _estimated(each.content or "", factor)
                + ceil(files.frame_tokens(each) * factor)
                + (more if each.id == message.id else 0),
                each.conversation_id != message.conversation_id,
            )
            for each in path
        ]
        candidates = Candidates(entries, _estimated(form.system_prompt, factor), budget, files)
        notes = self._prefaces.notes(user, budget)
        older, cover = self._prefaces.cover(user, message, len(path))
        summarized = SummarizedPath(candidates, notes, cover, factor, older == 0)
        found = summarized.select(lambda entries, before: form.request(entries, recalled, before), count)
        chosen = found.chosen
        return WorkingMemory(
            chosen.entries,
            chosen.left_out,
            found.system_tokens,
            chosen.tokens,
            budget,
            found.counter,
            recalled,
            found.preface,
            [each for each in active if each.standing != "hidden"],
        )

    def prepare(self, user: str, answer: str, form: ReplyForm, count: CountTokens = no_count) -> PreparedReply:
        """Return the request of an answer that is being made, and its manifest; `count` as in `assemble`.

        Raises ConflictError if it has ended meanwhile or if an earlier attempt was cut off while it called a tool, and
        RuleError if the message alone is too long, by how much.
        """
        made = self._turns.get(user, answer)
        if made.state != "generating" or made.responds_to_id is None:
            raise ConflictError("The answer has ended meanwhile.")
        self._require_no_open_call(answer, user)
        memory = self.assemble(user, made.responds_to_id, form, count)
        if memory.tokens > memory.budget:
            raise RuleError(
                f"The message needs {memory.tokens:,} tokens with the instructions, {memory.tokens - memory.budget:,} "
                f"more than the {memory.budget:,} that fit.",
                rule="context_budget",
                next_step="Shorten it, or send it in parts.",
            )
        request = form.request(memory.entries, memory.recalled, memory.preface)
        manifest = manifest_json(
            request,
            memory.entries,
            memory.left_out,
            memory.counter,
            system_tokens=memory.system_tokens,
            budget=memory.budget,
            recalled=memory.recalled,
            preface=memory.preface,
        )
        manifest["process"] = {"id": made.process_id, "digest": made.process_digest}
        recalled = [*(each.text for each in memory.recalled), *memory.preface.texts]
        earlier = tuple(each.chat for each in _messages(memory.entries[:-1]))
        return PreparedReply(answer, memory.entries[-1].text, recalled, earlier, request, manifest, made.created_at)

    def attached_texts(self, user: str, prepared: PreparedReply) -> dict[str, str]:
        """Return the whole texts that are attached to the message of an answer, by their names.

        None beside an image, and none if two have the same name.
        """
        entry = prepared.manifest["entries"][-1]
        if "attachments" not in entry or prepared.request.images:
            return {}
        files = self._attachments.of(user, [entry["alternative"]]).get(entry["alternative"], [])
        texts = {each.name: self._attachments.text(user, each) for each in files if each.name is not None}
        return texts if len(texts) == len(files) else {}

    def keep(self, prepared: PreparedReply) -> None:
        """Keep what an answer is made from, before the model is asked."""
        self._keep(prepared.answer, prepared.manifest, prepared.made_at)

    def note_tool_use(
        self,
        prepared: PreparedReply,
        prompts: Sequence[JsonObject],
        calls: Sequence[JsonObject],
        earlier: int,
        count: CountTokens = no_count,
    ) -> None:
        """Keep what an answer with tools was made from so far; its prompts begin with the newest `earlier` messages.

        Tokens are exact if `count` can count them.
        """
        history = [PromptMessage(each) for each in prepared.earlier[len(prepared.earlier) - earlier :]]
        counts = [counted for each in prompts if (counted := count(request_of(each, history))) is not None]
        if len(counts) < len(prompts):
            counts = []
        manifest = with_tool_use(prepared.manifest, prompts, calls, earlier, counts)
        self._keep(prepared.answer, manifest, prepared.made_at)

    def manifest(self, user: str, answer: str) -> JsonObject:
        """Return what an answer was made from. Raises NotFoundError for what no model has answered."""
        rows = self._store.read(queries.MANIFEST, {"user": user, "id": answer})
        if not rows:
            self._turns.get(user, answer)
            raise NotFoundError("Nothing is known of what it was made from: only answers of a model have a manifest.")
        return cast(JsonObject, parse_strict(rows[0]["text"]))

    def recalled_text(self, user: str, kept: JsonObject) -> str:
        """Return the words of what a manifest says was recalled; empty if they were erased."""
        return "" if self._recollection is None else self._recollection.text_of(user, kept)

    def remake(self, user: str, answer: str) -> list[LLMRequest]:
        """Make the very prompts of an answer again, from its manifest and the record (platform 25).

        There is one, and of an answer with tools as many as its run had; none if code alone made it.

        Raises ConflictError if something of it was erased or it does not come out the same.
        """
        manifest = self.manifest(user, answer)
        entries = [self._turns.get(user, each["alternative"]) for each in manifest["entries"]]
        files = [self._shown_files(user, each) for each in manifest["entries"]]
        if manifest.get("isErased") or any(each.forgotten_at is not None for each in entries) or None in files:
            raise ConflictError("Something that the answer was made from was erased.")
        messages = [
            PromptMessage.of(entry, each["speaker"], shown or ())
            for entry, each, shown in zip(entries, manifest["entries"], files, strict=True)
        ]
        recalled = self._recalled(user, manifest.get("recalled", []))
        preface = self._prefaces.kept(user, manifest)
        parameters = manifest["parameters"]
        if "prompts" in manifest:
            requests = [request_of(each, messages[:-1]) for each in manifest["prompts"]]
            digests = [each["digest"] for each in manifest["prompts"]]
        else:
            limits = parameters["maxTokens"], parameters["temperature"]
            system = manifest["system"]["text"]
            requests = [chat_request(system, messages, recalled, preface, max_tokens=limits[0], temperature=limits[1])]
            digests = [manifest["promptDigest"]]
        if [prompt_digest(each) for each in requests] != digests:
            raise ConflictError(
                "The prompt does not come out as it was.", next_step="This is a defect of Aeon's; please report it."
            )
        return requests

    def _recall(
        self,
        user: str,
        message: Alternative,
        path: Sequence[Alternative],
        active: Sequence[ActiveEntity],
        budget: int,
    ) -> list[Recalled]:
        """Return what an answer to a message recalls; nothing where that is switched off."""
        if self._recollection is None or message.content is None:
            return []
        return self._recollection.find(user, message.content, path, active, budget)

    def _recalled(self, user: str, kept: Sequence[JsonObject]) -> list[Recalled]:
        """Return what a manifest says was recalled. Raises ConflictError if something of it was erased."""
        return self._recollection.restore(user, kept) if self._recollection is not None else []

    def _shown_files(self, user: str, entry: JsonObject) -> list[PromptFile] | None:
        """Return the attachments of a manifest's entry as its prompt showed them; None if one was erased since."""
        wanted: list[JsonObject] = entry.get("attachments", [])
        if not wanted:
            return []
        present = {each.n: each for each in self._attachments.of(user, [entry["alternative"]])[entry["alternative"]]}
        if any(present[each["n"]].is_erased for each in wanted):
            return None
        return [self._shown_file(user, present[each["n"]], each) for each in wanted]

    def _shown_file(self, user: str, attachment: Attachment, shown: JsonObject) -> PromptFile:
        is_image = attachment.text_digest is None
        sees = is_image and not shown["partsLeftOut"]
        image = image_of(self._attachments, user, attachment) if sees else None
        text = "" if is_image else self._attachments.text(user, attachment)[: shown["characters"]]
        return PromptFile(attachment, text, image, shown["tokens"], shown["parts"], shown["partsLeftOut"])

    def path_to(self, user: str, end: Alternative, limit: int = _LONGEST_PATH) -> list[Alternative]:
        """Return the path to an alternative, and before it that of the conversations that it was forked from.

        At most the newest `limit` alternatives in each conversation.
        """
        path = self._turns.path(user, end.id, limit)
        for _ in range(FORK_DEPTH):
            conversation = self._conversations.get(user, path[0].conversation_id)
            if path[0].responds_to_id is not None or conversation.origin_alternative_id is None:
                break
            path = [*self._turns.path(user, conversation.origin_alternative_id, limit), *path]
        return path

    def _require_no_open_call(self, answer: str, user: str) -> None:
        """Raises ConflictError if an earlier attempt was cut off while it called a tool that must not be repeated."""
        rows = self._store.read(queries.MANIFEST, {"user": user, "id": answer})
        kept: JsonObject = parse_strict(rows[0]["text"]) if rows else {}
        calls: list[JsonObject] = kept.get("toolCalls", [])
        opened = next((each["tool"] for each in calls if each["state"] == "began"), None)
        if opened is not None:
            raise ConflictError(
                f"The answer was interrupted while it called {opened!r}; whether the call did its work is not known.",
                next_step="Look whether it did, and retry the answer.",
            )

    def _keep(self, answer: str, manifest: JsonObject, at: str) -> None:
        text = canonical_json(manifest)
        params: JsonObject = {"id": answer, "digest": manifest["promptDigest"], "at": at, "text": text}
        self._store.update(lambda unit: unit.write(queries.KEEP_MANIFEST, params))

    def estimate_factor(self, user: str, path: Sequence[Alternative]) -> float:
        """Return the factor for estimates on a path, by what the model has reported of its newest prompts."""
        return correction(self._counted(user, path))

    def _counted(self, user: str, path: Sequence[Alternative]) -> list[TokenReport]:
        """Return what the model that answered last has reported of the newest prompts on a path that were estimated.

        Where it was called several times, for a plan or a repair, its report is the sum of all calls.
        """
        answers = [each for each in path if each.model is not None and each.usage.get("prompt_tokens")]
        newest = [each for each in answers if each.model == answers[-1].model and each.usage.get("calls") == 1][
            -_COUNTED:
        ]
        ids: JsonObject = {"user": user, "ids": [each.id for each in newest]}
        rows = self._store.read(queries.MANIFESTS, ids) if newest else []
        manifests: dict[str, JsonObject] = {row["alternative_id"]: parse_strict(row["text"]) for row in rows}
        return [
            TokenReport(manifests[each.id]["tokens"]["estimated"], each.usage["prompt_tokens"])
            for each in newest
            if each.id in manifests and _has_one_estimated_prompt(manifests[each.id])
        ]


def _has_one_estimated_prompt(manifest: JsonObject) -> bool:
    """Whether the prompt of a manifest is the estimated one, and not that of an answer with tools."""
    return "estimated" in manifest["tokens"] and "prompts" not in manifest


def _messages(entries: Sequence[PathEntry]) -> list[PromptMessage]:
    return [PromptMessage.of(entry.alternative, entry.speaker, entry.files) for entry in entries]


def _estimated(text: str, factor: float) -> int:
    return ceil((estimate_tokens(text) + MESSAGE_OVERHEAD) * factor)

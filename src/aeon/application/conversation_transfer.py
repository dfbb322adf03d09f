"""`ConversationTransfer`: imports and exports the conversations of one user."""

import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from aeon.application.argument_types import require_paths
from aeon.application.conversation_files import ImportFile, ImportFiles
from aeon.base.errors import InputError
from aeon.base.json import JsonObject, canonical_json
from aeon.bootstrap.platform import Platform
from aeon.platform.conversations.exporting import exported_attachment, exported_conversation
from aeon.platform.conversations.importing.formats import FORMAT_NAMES, read_conversation, title_in
from aeon.platform.conversations.importing.json_elements import Element, split_elements
from aeon.platform.conversations.importing.tree import BrokenConversationError, ConversationTree, SourceFormat
from aeon.platform.conversations.importing.writer import WrittenImport
from aeon.platform.conversations.markdown import Branches, markdown_of
from aeon.platform.conversations.model import Alternative, Conversation
from aeon.platform.errors import NotFoundError
from aeon.platform.store import DuplicateError, GuardError, InvariantError

__all__ = ["FORMAT_NAMES", "ConversationTransfer", "ImportOutcome", "ImportReport", "SourceFormat"]

MAX_CONVERSATION: Final = 128 << 20
"""The most characters of one conversation in a file."""

MAX_ATTACHED: Final = 64 << 20
"""The most bytes of attached files that the export of one conversation has; of others it has the names."""

_MOST_LISTED: Final = 1000

_LONGEST_PATH: Final = 1_000_000
"""Messages before a fork that an export has, at most, of each conversation that it was forked from."""

ImportState: TypeAlias = Literal["new", "present", "grown", "erased", "failed"]


class ImportOutcome(NamedTuple):
    """How the import of one conversation ended. `done` of `total` bytes of all files are read.

    `number` is its place in the file, from 1. `reason` says why it failed. `not_kept` counts what could not be kept,
    `remarks` what stands elsewhere than in the source. One that is `grown` was there already and got `newer` messages;
    of one that is `erased`, the user has erased all messages, which are not brought back.
    """

    state: ImportState
    file: str
    number: int
    done: int
    total: int
    source: SourceFormat | None = None
    title: str | None = None
    id: str | None = None
    messages: int = 0
    newer: int = 0
    not_kept: Mapping[str, int] = {}  # never changed
    remarks: Mapping[str, int] = {}  # never changed
    reason: str = ""


class ImportReport:
    """What an import did: the numbers of all its outcomes, and the first 1,000 that failed."""

    def __init__(self, *, is_dry_run: bool = False) -> None:
        self.is_dry_run = is_dry_run
        self.states: Counter[ImportState] = Counter()
        self.sources: Counter[SourceFormat] = Counter()
        self.messages = 0
        self.in_part = 0
        self.added = 0
        self.not_kept: Counter[str] = Counter()
        self.remarks: Counter[str] = Counter()
        self.failed: list[ImportOutcome] = []

    def add(self, outcome: ImportOutcome) -> None:
        """Count an outcome."""
        self.states[outcome.state] += 1
        if outcome.source is not None:
            self.sources[outcome.source] += 1
        if outcome.state == "failed" and len(self.failed) < _MOST_LISTED:
            self.failed.append(outcome)
        self.added += outcome.newer
        if outcome.state == "new":
            self.messages += outcome.messages
            self.in_part += bool(outcome.not_kept)
            self.not_kept.update(outcome.not_kept)
            self.remarks.update(outcome.remarks)

    def as_dict(self) -> JsonObject:
        """As JSON data."""
        return {
            "isDryRun": self.is_dry_run,
            "imported": self.states["new"],
            "messages": self.messages,
            "alreadyThere": self.states["present"],
            "erased": self.states["erased"],
            "grown": self.states["grown"],
            "addedMessages": self.added,
            "inPart": self.in_part,
            "failed": self.states["failed"],
            "formats": dict(self.sources),
            "notKept": dict(self.not_kept),
            "remarks": dict(self.remarks),
            "failures": [
                {"file": each.file, "number": each.number, "title": each.title, "reason": each.reason}
                for each in self.failed
            ],
        }


class ConversationTransfer:
    """Imports conversations of other products and of Aeon, and exports the user's own. Threads may share it."""

    def __init__(self, platform: Platform, user: str) -> None:
        """The caller closes `platform`."""
        self._platform = platform
        self._user = user

    def import_files(
        self,
        paths: Sequence[str | Path],
        *,
        source: SourceFormat | None = None,
        is_dry_run: bool = False,
    ) -> Iterator[ImportOutcome]:
        """Import every conversation of files, folders and .zip archives, and yield how each one ended (platform 27).

        The format is recognized unless `source` says it. One that cannot be read does not stop the others; one that the
        user has gets what is new in the file. What was imported stays if you stop in the middle. A dry run writes
        nothing.
        Raises InputError for a path without an export, and StoreError.
        """
        require_paths(paths, "paths")
        with ImportFiles([Path(each) for each in paths]) as files:
            for file in files.files:
                yield from self._import_file(files, file, source, is_dry_run=is_dry_run)

    def export_json(self, ids: Sequence[str] | None = None) -> Iterator[str]:
        """Yield the lines of a JSON list with the given conversations, or all: each a line, forks after their origins.

        Raises NotFoundError.
        """
        before = "["
        for line in self.export_lines(ids):
            yield before
            yield f"\n{line.rstrip()}"
            before = ","
        yield "[]\n" if before == "[" else "\n]\n"

    def export_lines(self, ids: Sequence[str] | None = None) -> Iterator[str]:
        """Yield the given conversations, or all, each as a line of JSON (NDJSON), forks after their origins.

        One conversation at a time is in memory. Raises NotFoundError.
        """
        for conversation, alternatives, origin in self._exported(ids):
            exported = exported_conversation(conversation, alternatives, origin, self._files(alternatives))
            yield f"{canonical_json(exported)}\n"

    def export_markdown(self, ids: Sequence[str] | None = None, *, branches: Branches = "path") -> Iterator[str]:
        """Yield the given conversations, or all, as Markdown: the visible path of each, or all branches.

        Raises NotFoundError.
        """
        for number, (conversation, alternatives, origin) in enumerate(self._exported(ids)):
            if number:
                yield "\n---\n\n"
            before = self._before_fork(conversation)
            shown = (each.id for each in (*before, *alternatives))
            attachments = self._platform.attachments.of(self._user, shown)
            for line in markdown_of(conversation, alternatives, origin, branches, attachments, before):
                yield f"{line}\n"

    def _exported(
        self, ids: Sequence[str] | None
    ) -> Iterator[tuple[Conversation, list[Alternative], Conversation | None]]:
        chosen = self._platform.conversations.list_ids(self._user)
        if ids is not None:
            wanted = dict.fromkeys(ids)
            chosen = list(dict.fromkeys([*(id_ for id_ in chosen if id_ in wanted), *wanted]))
        for id_ in chosen:
            conversation, alternatives = self._platform.turns.whole(self._user, id_)
            yield conversation, alternatives, self._origin(conversation)

    def _files(self, alternatives: Sequence[Alternative]) -> dict[str, list[JsonObject]]:
        """Return the exported attachments by alternative: with their content, up to MAX_ATTACHED bytes in all."""
        repository, room = self._platform.attachments, MAX_ATTACHED
        exported: dict[str, list[JsonObject]] = {}
        for id_, files in repository.of(self._user, (each.id for each in alternatives)).items():
            for each in files:
                if each.digest is None:
                    continue
                room -= each.size
                content = repository.content(self._user, each.digest) if room >= 0 else None
                is_own_text = content is None or each.text_digest in {None, each.digest}
                text = None if is_own_text else repository.text(self._user, each)
                exported.setdefault(id_, []).append(exported_attachment(each, content, text))
        return exported

    def _origin(self, conversation: Conversation) -> Conversation | None:
        if conversation.forked_from_id is None:
            return None
        return self._platform.conversations.get(self._user, conversation.forked_from_id)

    def _before_fork(self, conversation: Conversation) -> list[Alternative]:
        """Return all messages that a fork continues from, oldest first, also those before its origin was forked."""
        if conversation.origin_alternative_id is None:
            return []
        try:
            origin = self._platform.turns.get(self._user, conversation.origin_alternative_id)
            return self._platform.memory.path_to(self._user, origin, _LONGEST_PATH)
        except NotFoundError:
            return []

    def _import_file(
        self, files: ImportFiles, file: ImportFile, format_: SourceFormat | None, *, is_dry_run: bool
    ) -> Iterator[ImportOutcome]:
        number = 0
        try:
            for number, element in enumerate(split_elements(files.read(file), MAX_CONVERSATION), 1):
                yield self._import_element(files, file, number, element, format_, is_dry_run=is_dry_run)
        except InputError as error:
            yield ImportOutcome("failed", file.name, number + 1, files.done, files.total, reason=error.message)
        else:
            if number == 0:
                reason = "the file has no conversations"
                yield ImportOutcome("failed", file.name, 1, files.done, files.total, reason=reason)

    def _import_element(
        self,
        files: ImportFiles,
        file: ImportFile,
        number: int,
        element: Element,
        format_: SourceFormat | None,
        *,
        is_dry_run: bool,
    ) -> ImportOutcome:
        outcome = ImportOutcome("failed", file.name, number, files.done, files.total, reason=element.problem)
        if element.text is None:
            return outcome
        try:
            tree = read_conversation(element.text, format_)
            written = self._write(tree, is_dry_run=is_dry_run)
        except BrokenConversationError as error:
            return outcome._replace(title=title_in(element.text), reason=str(error))
        except (DuplicateError, GuardError, InvariantError) as error:
            return outcome._replace(title=title_in(element.text), reason=f"the record refuses it: {error.message}")
        remarks = Counter(tree.remarks)
        if not written.has_origin:
            remarks["fork whose origin is not in this record; it stands alone"] += 1
        return outcome._replace(
            state=written.state,
            source=tree.source,
            title=tree.title,
            id=written.id,
            messages=sum(1 for _ in tree.alternatives()),
            newer=written.newer,
            not_kept=tree.not_kept,
            remarks=remarks,
        )

    def _write(self, tree: ConversationTree, *, is_dry_run: bool) -> WrittenImport:
        writer = self._platform.conversation_imports
        if not is_dry_run:
            return writer.write(self._user, tree)
        return writer.find(self._user, tree) or WrittenImport("", "new")


def write_export(target: Path, pieces: Iterable[str], *, overwrites: bool) -> None:
    """Write an export into a file, completely or not at all. Raises InputError if the file exists or is not writable.

    `overwrites`: a file that exists is replaced.
    """
    try:
        with tempfile.TemporaryDirectory(prefix=".aeon-export-", dir=target.parent) as folder:
            draft = Path(folder, "draft")
            with draft.open("x", encoding="utf-8", newline="") as file:
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            if overwrites:
                draft.replace(target)
            else:
                target.hardlink_to(draft)
    except FileExistsError:
        raise InputError(f"{target} exists already.", next_step="Name another file, or have it overwritten.") from None
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}.", next_step="Choose another file.") from None

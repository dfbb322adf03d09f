"""`NameService`: what a name on the command line may be, from its first letters; for the completion of a shell."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from aeon.application.log_files import list_log_files
from aeon.bootstrap.embedded_models import stored_models
from aeon.bootstrap.stored_names import NameKind, StoredName, names_in_record, names_of_skills
from aeon.settings import Settings

__all__ = ["NameKind", "NameService", "StoredName"]

_MOST: Final = 50
"""The most names that are offered."""


class NameService:
    """The names of one project and user. No model, record or skill is opened for them, and nothing is written.

    The names that a record on a server has are not asked for.
    """

    def __init__(self, folder: Path, settings: Settings, environ: Mapping[str, str], user: str) -> None:
        """`folder` is the project's."""
        self._folder = folder
        self._settings = settings
        self._environ = environ
        self._user = user

    def list_runs(self, prefix: str) -> list[str]:
        """`last`, and the ids of requests, plans of skills and runs of Processes, the newest first."""
        files = list_log_files(self._folder / Path(self._settings.run.log_dir).expanduser())
        logs = sorted(files, key=lambda each: each.at, reverse=True)
        return self._chosen(["last", *(each.id for each in logs), *self._stored("run", prefix)], prefix)

    def list_stored(self, kind: NameKind, prefix: str) -> list[str]:
        """The names of stored things of a kind; of tools, those of the built-in ones, too."""
        built_in = names_of_built_in_tools() if kind == "tool" else []
        return self._chosen([*built_in, *self._stored(kind, prefix)], prefix)

    def list_skills(self, prefix: str) -> list[str]:
        """The names of all skills that can be found, whether they can be used or not."""
        return self._chosen(sorted(names_of_skills(self._folder, self._settings.skills.folders, self._environ)), prefix)

    def list_models(self, prefix: str) -> list[str]:
        """The embedded models, and the one of the settings."""
        models = [each.weights.name for each in stored_models(self._environ)]
        return self._chosen([*models, self._settings.model.name or ""], prefix)

    def list_conversations(self, prefix: str) -> list[StoredName]:
        """`last`, and the ids of conversations with their titles or first messages, the last changed first."""
        return self._after_last(self._read("conversation", prefix), prefix)

    def list_messages(self, prefix: str) -> list[StoredName]:
        """`last`, and the ids of messages and answers with their beginnings, the newest first.

        Without a prefix, those of the newest conversations.
        """
        return self._after_last(self._read("message" if prefix else "newest message", prefix), prefix)

    def list_conversations_and_messages(self, prefix: str) -> list[StoredName]:
        """`list_conversations`; with a prefix, then also the messages and answers whose ids begin like that."""
        return [*self.list_conversations(prefix), *(self._read("message", prefix) if prefix else [])][:_MOST]

    def _after_last(self, found: list[StoredName], prefix: str) -> list[StoredName]:
        return [StoredName("last"), *found][:_MOST] if "last".startswith(prefix) else found

    def _stored(self, kind: NameKind, prefix: str) -> list[str]:
        return [each.name for each in self._read(kind, prefix)]

    def _read(self, kind: NameKind, prefix: str) -> list[StoredName]:
        if self._settings.store.address is not None:
            return []
        return names_in_record(self._folder, kind, self._user, prefix, _MOST)

    def _chosen(self, names: Iterable[str], prefix: str) -> list[str]:
        return list(dict.fromkeys(name for name in names if name and name.startswith(prefix)))[:_MOST]


def names_of_built_in_tools() -> list[str]:
    """The names of the tools that are built in."""
    from aeon.memory.kv_store import InMemoryKVStore
    from aeon.tools.stubs import builtin_tools

    return [tool.name for tool in builtin_tools(InMemoryKVStore())]

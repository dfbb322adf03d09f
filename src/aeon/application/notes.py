"""`NoteService`: what users do with the notes that the model keeps for itself, and with their own among them."""

from aeon.bootstrap.platform import Platform
from aeon.platform.introspection.model import Note
from aeon.platform.knowledge.settings import is_on, switch_to
from aeon.platform.ledger import MutationRequest

__all__ = ["Note", "NoteService"]


class NoteService:
    """The carousel of one user (platform 39, 45). Threads may share it. Every method raises StoreError."""

    def __init__(self, platform: Platform, user: str) -> None:
        self._platform = platform
        self._user = user

    def history(self) -> list[Note]:
        """Return all versions of all slots, also archived and erased ones, oldest first."""
        return self._platform.notes.history(self._user)

    def list(self) -> list[Note]:
        """Return the notes that are in use, by position."""
        return self._platform.notes.carousel(self._user)

    def add(self, text: str, position: int | None = None, *, key: str | None = None) -> Note:
        """Add a note of the user's at a free position, the first one by default.

        Raises RuleError, and ConflictError if the position is taken.
        """
        return self._platform.notes.add(text, position, MutationRequest(self._user, key))

    def delete(self, position: int, *, key: str | None = None) -> None:
        """Archive the note at a position; the higher positions move down. Raises NotFoundError."""
        self._platform.notes.delete(position, MutationRequest(self._user, key))

    @property
    def is_on(self) -> bool:
        """Whether the model makes notes, and answers use them."""
        return is_on(self._platform.store, self._user, "introspection")

    def switch(self, *, on: bool) -> None:
        """Let the model make notes and answers use them, or no longer."""
        switch_to(self._platform.store, self._platform.catalog.ledger, self._user, "introspection", on=on)

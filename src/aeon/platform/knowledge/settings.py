"""What each user lets the background do with what they say."""

from typing import Literal, TypeAlias

from pydantic import Field

from aeon.base.json import JsonObject
from aeon.platform.knowledge import queries
from aeon.platform.knowledge.model import NO_EXTRACTOR
from aeon.platform.ledger import AuditAction, Ledger, MutationRequest
from aeon.platform.records import Record
from aeon.platform.store import Store, UnitOfWork, guard

Switch: TypeAlias = Literal["compression", "introspection", "enrichment"]
"""`compression`: summaries of long conversations; `introspection`: notes of the model for itself."""


class KnowledgeSettings(Record):
    """What the background may do for a user."""

    extraction: Literal["on", "paused", "off"] = Field(
        default="on", description="find names and facts; paused lets episodes wait, off forgets that they do"
    )
    compression: Literal["on", "off"] = Field(default="on", description="sum long conversations up")
    introspection: Literal["on", "off"] = Field(default="off", description="write notes of its own now and then")
    enrichment: Literal["on", "off"] = Field(default="on", description="describe what is mentioned often")


class KnowledgeSettingsRepository:
    """The settings of all users. Thread- and process-safe. Methods raise StoreError."""

    def __init__(self, store: Store, ledger: Ledger) -> None:
        self._store = store
        self._ledger = ledger

    def get(self, user: str) -> KnowledgeSettings:
        """Return a user's settings."""
        return read_settings(self._store, user)

    def change(self, changes: dict[str, str], request: MutationRequest) -> KnowledgeSettings:
        """Change some of a user's settings. What waits while extraction is off is never extracted. Raises RuleError."""
        wanted = KnowledgeSettings.parsed({**self.get(request.user).as_dict(), **changes})
        row: JsonObject = {**wanted.as_dict(), "user": request.user, "at": self._ledger.now()}
        action = AuditAction("knowledge.configure", request.user, request.user, request.user, dict(changes))
        was_off = self.get(request.user).extraction == "off"

        def work(unit: UnitOfWork) -> None:
            guard(holds=unit.write(queries.SET_SETTINGS, row) == 1)
            if was_off or wanted.extraction == "off":
                unit.write(queries.MARK_ALL_DONE, {"user": request.user, "at": row["at"], "extractor": NO_EXTRACTOR})

        self._ledger.commit(
            work,
            request.mutation("knowledge.configure", parameters=dict(changes)),
            [action],
            {},
        )
        return self.get(request.user)


def read_settings(store: Store, user: str) -> KnowledgeSettings:
    """Returns a user's settings; those of a user who has chosen nothing are the defaults. Raises StoreError."""
    rows = store.read(queries.SETTINGS, {"user": user})
    named = set(KnowledgeSettings.model_fields)
    return KnowledgeSettings.model_validate(
        {key: value for key, value in rows[0].items() if key in named} if rows else {}
    )


def is_on(store: Store, user: str, switch: Switch) -> bool:
    """Returns whether a user lets the background do this. Raises StoreError."""
    return getattr(read_settings(store, user), switch) == "on"


def switch_to(store: Store, ledger: Ledger, user: str, switch: Switch, *, on: bool) -> None:
    """Lets the background do this for a user, or no longer. Raises StoreError, and UnknownUserError."""
    ledger.require_user(user)
    KnowledgeSettingsRepository(store, ledger).change({switch: "on" if on else "off"}, MutationRequest(user))

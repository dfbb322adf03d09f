"""What each user lets the background do for what it knows of their conversations."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from aeon.base.json import JsonObject
from aeon.platform.ledger import Ledger
from aeon.platform.queries import LOCKED_HEAD
from aeon.platform.store import Store, UnitOfWork

Switch: TypeAlias = Literal["compression", "introspection"]
"""`compression`: summaries of long conversations; `introspection`: notes of the model for itself."""

DEFAULTS: Final[Mapping[str, str]] = {
    "extraction": "on",
    "compression": "on",
    "introspection": "off",
    "enrichment": "on",
}
"""What holds for a user who has chosen nothing."""

_CHOSEN: Final = """
SELECT extraction, compression, introspection, enrichment FROM knowledge_settings WHERE owner_id = :user
"""

_CHOOSE: Final = """
INSERT INTO knowledge_settings (owner_id, extraction, compression, introspection, enrichment, updated_at)
VALUES (:user, :extraction, :compression, :introspection, :enrichment, :at)
ON CONFLICT (owner_id) DO UPDATE
SET extraction = :extraction, compression = :compression, introspection = :introspection, enrichment = :enrichment,
    updated_at = :at
"""


def is_on(store: Store, user: str, switch: Switch) -> bool:
    """Returns whether a user lets the background do this. Raises StoreError."""
    rows = store.read(_CHOSEN, {"user": user})
    return (rows[0] if rows else DEFAULTS)[switch] == "on"


def switch_to(store: Store, ledger: Ledger, user: str, switch: Switch, *, on: bool) -> None:
    """Lets the background do this for a user, or no longer. Raises StoreError, and UnknownUserError."""
    ledger.require_user(user)

    def work(unit: UnitOfWork) -> None:
        unit.read(LOCKED_HEAD, {"user": user})
        rows = unit.read(_CHOSEN, {"user": user})
        chosen: JsonObject = {**DEFAULTS, **(rows[0] if rows else {}), switch: "on" if on else "off"}
        unit.write(_CHOOSE, {**chosen, "user": user, "at": ledger.now()})

    store.update(work)

"""Triggers of Processes: in which version they start that of another user, and what both audit logs say of it."""

from aeon.platform.catalog.model import OwnedEntity
from aeon.platform.errors import RuleError
from aeon.platform.ledger import AuditAction
from aeon.platform.processes.model import Process


def digest_to_trust(process: Process, user: str) -> str | None:
    """Return the version of another user's Process that the user looks at now; None for an own Process."""
    return None if process.owner_id == user else process.digest


def require_current_digest(process: Process, user: str, digest: str | None) -> None:
    """Raise RuleError unless `trustedDigest` is that of another user's Process as it is now."""
    if process.owner_id == user or digest != process.digest:
        raise RuleError(
            f"The digest is not that of the current version of another user's Process {process.name!r}.",
            rule="trusted_digest",
            field="$.trustedDigest",
            next_step="Look at the Process as it is now, and give its digest; your own needs none.",
        )


def use_actions(process: Process, trigger: OwnedEntity) -> list[AuditAction]:
    """Return the use of another user's Process by what starts it, for both audit logs (platform 19)."""
    if process.owner_id == trigger.owner_id:
        return []
    details = {"name": process.name, trigger.kind: trigger.name}
    return [AuditAction("process.use", process.id, trigger.owner_id, process.owner_id, details)]

"""`IdempotencyService`: which id an Idempotency-Key stands for, of what the record does not keep (platform 20)."""

from aeon.base.json import JsonObject
from aeon.platform.ledger import AuditAction, Ledger, MutationRequest


class IdempotencyService:
    """The keys of one user. Threads and processes may share it."""

    def __init__(self, ledger: Ledger, user: str) -> None:
        self._ledger = ledger
        self._user = user

    def reserve_id(self, verb: str, parameters: JsonObject, id_: str, key: str | None) -> str:
        """Return the id under which something begins: `id_`, or the one that an earlier request with this key got.

        The first time, the audit log gets the verb. Raises ConflictError for a key of another request, and StoreError.
        """
        mutation = MutationRequest(self._user, key).mutation(verb, "", parameters)
        action = AuditAction(verb, id_, self._user, self._user, {})
        return str(self._ledger.commit(lambda _: None, mutation, [action], {"id": id_})["id"])

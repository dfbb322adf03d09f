"""`SecretService`: the stored secrets of one user."""

from aeon.application.argument_types import require_json
from aeon.application.entities import EntityService
from aeon.application.input_fields import InputField
from aeon.base.json import JsonObject
from aeon.base.next_steps import NextStep
from aeon.bootstrap.vaults import SECRET_FIELDS
from aeon.platform.catalog.model import NewSecret, Secret, SecretChange
from aeon.platform.catalog.secrets import SecretRepository
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.vault import SecretType

__all__ = ["SECRET_FIELDS", "SecretService", "SecretType", "value_fields"]


def value_fields(kind: SecretType) -> list[InputField]:
    """The fields of a form for the value of a secret of a type."""
    fields = SECRET_FIELDS[kind]
    return [InputField(name, "text", name in fields.required) for name in fields.all]


class SecretService(EntityService[Secret, NewSecret, SecretChange]):
    """The secrets of a user. Their values stay in the vault, and no method returns one (platform 3)."""

    def __init__(self, secrets: SecretRepository, user: str) -> None:
        super().__init__(secrets, user, NewSecret, SecretChange)
        self._secrets = secrets

    def get_own(self, name: str) -> Secret:
        """The user's own secret of that name. Raises NotFoundError."""
        secret = self._secrets.find_own(self._user, name)
        if secret is None:
            raise NotFoundError(f"You have no secret named {name!r}.", next_step=NextStep("secrets.list"))
        return secret

    def put(
        self, name: str, kind: str, value: JsonObject, *, key: str | None = None, expected_version: int | None = None
    ) -> tuple[Secret, bool]:
        """Create a secret, or rotate the one of that name; also returns whether it is new.

        Raises RuleError for a value that does not match its type, and for a secret of another type; VersionError if
        an existing one has another version than `expected_version`.
        """
        require_json(value, "value")
        existing = self._secrets.find_own(self._user, name)
        if existing is None:
            return self.add({"name": name, "type": kind, "value": value}, key=key), True
        if existing.type != kind:
            raise RuleError(
                f"The secret {name!r} is of type {existing.type}; a type never changes.",
                rule="immutable",
                next_step="Choose another name, or delete it first.",
            )
        return self._secrets.rotate(existing.id, value, MutationRequest(self._user, key, expected_version)), False

    def rotate(
        self, name: str, value: JsonObject, *, key: str | None = None, expected_version: int | None = None
    ) -> Secret:
        """Give the user's own secret, named by its name or id, another value.

        Raises NotFoundError, ForbiddenError, RuleError for a value that does not match its type, VersionError.
        """
        require_json(value, "value")
        return self._secrets.rotate(self.get(name).id, value, MutationRequest(self._user, key, expected_version))

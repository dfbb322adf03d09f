"""What every vault says when it refuses. Ids, types and versions are named; values, keys and ciphertexts never."""

from aeon.adapters.vault.values import FIELDS, SecretFields, value_problems
from aeon.base.json import Json, JsonObject
from aeon.platform.errors import RuleError
from aeon.platform.vault import SecretKey, SecretType, TamperedError, VaultError


def key_error(problems: list[str]) -> RuleError:
    """All that is wrong with a SecretKey, in one error of rule `secret_key`."""
    return RuleError(
        f"The secret cannot be named so: {'; '.join(problems)}.",
        rule="secret_key",
        next_step="Correct its id, owner, type and version.",
        problems=list[Json](problems),
    )


def value_error(kind: SecretType, problems: list[str]) -> RuleError:
    """All that is wrong with a value, in one error of rule `secret_value`."""
    return RuleError(
        f"The value of the {kind} cannot be kept: {'; '.join(problems)}.",
        rule="secret_value",
        field="$.value",
        next_step=f"Its fields: {_listed(FIELDS[kind])}.",
        problems=list[Json](problems),
    )


def check_value(kind: SecretType, value: JsonObject) -> None:
    """Raises RuleError for a value that does not fit its type."""
    if problems := value_problems(kind, value):
        raise value_error(kind, problems)


def missing_secret_error(key: SecretKey) -> VaultError:
    return VaultError(
        f"The vault has no version {key.version} of secret {key.secret_id} for its owner and type.",
        next_step="Enter the secret again.",
    )


def taken_secret_error(key: SecretKey) -> VaultError:
    return VaultError(
        f"Secret {key.secret_id} is kept for another owner or as another type.",
        next_step="Give the new secret an id of its own.",
    )


def existing_version_error(key: SecretKey) -> VaultError:
    return VaultError(
        f"Secret {key.secret_id} has a version {key.version}, and a version is written once.",
        next_step="Rotate it: put the value under another version.",
    )


def tampered_error(keys: list[SecretKey]) -> TamperedError:
    named = ", ".join(f"{key.secret_id} (version {key.version})" for key in keys)
    return TamperedError(f"Changed, moved or cut, and not opened: secret {named}.")


def _listed(fields: SecretFields) -> str:
    return ", ".join([*fields.required, *(f"{name} (optional)" for name in fields.optional)])

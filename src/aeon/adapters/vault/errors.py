"""What SQLite and the system say of the vault's file, as the port's errors."""

import sqlite3
from pathlib import Path

from aeon.adapters.vault.values import FIELDS, SecretFields, value_problems
from aeon.base.json import Json, JsonObject
from aeon.platform.errors import RuleError
from aeon.platform.vault import SecretKey, SecretType, TamperedError, VaultError

LEFT_AS_IT_IS = "Restore it from a copy, or move it away to start anew; it was left as it is."
"""The next step with a file that is no vault, or no longer one."""

_ADVICE = {
    sqlite3.SQLITE_BUSY: "Another process is using it; try again.",
    sqlite3.SQLITE_FULL: "Free some space and try again.",
    sqlite3.SQLITE_CORRUPT: LEFT_AS_IT_IS,
    sqlite3.SQLITE_NOTADB: LEFT_AS_IT_IS,
    sqlite3.SQLITE_ERROR: LEFT_AS_IT_IS,
    sqlite3.SQLITE_READONLY: "Check that the file is still in its place and that you may write to it and its folder.",
}
_CHECK = "Check its path, its permissions and the free space."


def as_vault_error(error: sqlite3.Error | OSError | UnicodeDecodeError, path: Path) -> VaultError:
    """The error to raise in its place. SQLite's texts name tables and causes, never what was bound to a query."""
    if isinstance(error, UnicodeDecodeError):  # SQLite quoted, in an error of its own, a table that no longer is text
        return VaultError(f"The vault {path} is damaged.", next_step=LEFT_AS_IT_IS)
    if isinstance(error, sqlite3.ProgrammingError):
        return VaultError(f"The vault {path} is closed.", next_step="Open it again.")
    code = getattr(error, "sqlite_errorcode", None)
    advice = _CHECK if code is None else _ADVICE.get(code & 0xFF, _CHECK)
    return VaultError(f"The vault {path} could not be used: {_cause(error)}.", next_step=advice)


def _cause(error: sqlite3.Error | OSError) -> str:
    return (error.strerror or "unknown") if isinstance(error, OSError) else str(error)


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

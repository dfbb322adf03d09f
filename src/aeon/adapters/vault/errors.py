"""Translates errors of SQLite and the operating system to errors of the vault's port."""

import sqlite3
from pathlib import Path

from aeon.adapters.vault.values import FIELDS, SecretFields, value_problems
from aeon.base.json import Json, JsonObject
from aeon.platform.errors import RuleError
from aeon.platform.vault import SecretKey, SecretType, TamperedError, VaultError

RESTORE_ADVICE = "Restore it from a backup, or move it away to start anew; it was not changed."
"""The next step for a file that is not a vault, or no longer one."""

_ADVICE = {
    sqlite3.SQLITE_BUSY: "Another process is using it; try again.",
    sqlite3.SQLITE_FULL: "Free some space and try again.",
    sqlite3.SQLITE_CORRUPT: RESTORE_ADVICE,
    sqlite3.SQLITE_NOTADB: RESTORE_ADVICE,
    sqlite3.SQLITE_ERROR: RESTORE_ADVICE,
    sqlite3.SQLITE_READONLY: "Check that the file is still in its place, and that you may write to it and its folder.",
}
_CHECK_FILE = "Check its path, its permissions and the free space."

_OAUTH_ADVICE = (
    "Give an access_token, and to refresh it a refresh_token, token_url and client_id (client_secret and expires_at are"
    " optional); or, for a program's own account, grant, token_url, client_id and client_secret (scope and audience are"
    " optional)."
)


def as_vault_error(error: sqlite3.Error | OSError | UnicodeDecodeError, path: Path) -> VaultError:
    """Returns the port's error.

    SQLite's messages name tables and causes, never values bound to a query.
    """
    if isinstance(error, UnicodeDecodeError):  # SQLite's error quoted a damaged table that is not text
        return VaultError(f"The vault {path} is damaged.", next_step=RESTORE_ADVICE)
    if isinstance(error, sqlite3.ProgrammingError):
        return VaultError(f"The vault {path} is closed.", next_step="Open it again.")
    code = getattr(error, "sqlite_errorcode", None)
    advice = _CHECK_FILE if code is None else _ADVICE.get(code & 0xFF, _CHECK_FILE)
    return VaultError(f"The vault {path} could not be used: {_reason(error)}.", next_step=advice)


def _reason(error: sqlite3.Error | OSError) -> str:
    return (error.strerror or "unknown") if isinstance(error, OSError) else str(error)


def key_error(problems: list[str]) -> RuleError:
    """Returns one error of rule `secret_key` with all problems of a SecretKey."""
    return RuleError(
        f"The secret's key is invalid: {'; '.join(problems)}.",
        rule="secret_key",
        next_step="Correct its id, owner, type and version.",
        problems=list[Json](problems),
    )


def value_error(kind: SecretType, problems: list[str]) -> RuleError:
    """Returns one error of rule `secret_value` with all problems of a value."""
    return RuleError(
        f"The value of the {kind} is invalid: {'; '.join(problems)}.",
        rule="secret_value",
        field="$.value",
        next_step=_OAUTH_ADVICE if kind == "oauth_token" else f"Its fields: {_listed(FIELDS[kind])}.",
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
        f"Secret {key.secret_id} already exists with another owner or type.",
        next_step="Give the new secret its own id.",
    )


def existing_version_error(key: SecretKey) -> VaultError:
    return VaultError(
        f"Secret {key.secret_id} already has a version {key.version}, and each version is written once.",
        next_step="Rotate it: store the value under a new version.",
    )


def tampered_error(keys: list[SecretKey]) -> TamperedError:
    names = ", ".join(f"{key.secret_id} (version {key.version})" for key in keys)
    return TamperedError(f"These secrets were changed, moved or truncated, so they cannot be opened: {names}.")


def _listed(fields: SecretFields) -> str:
    return ", ".join([*fields.required, *(f"{name} (optional)" for name in fields.optional)])

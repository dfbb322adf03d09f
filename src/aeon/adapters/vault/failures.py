"""What SQLite and the system say of the vault's file, as the port's errors."""

import sqlite3
from pathlib import Path

from aeon.platform.vault import VaultError

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

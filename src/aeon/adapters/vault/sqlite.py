"""The vault in its own SQLite file."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from aeon.adapters.vault import queries
from aeon.adapters.vault.errors import (
    RESTORE_ADVICE,
    check_value,
    existing_version_error,
    key_error,
    missing_secret_error,
    taken_secret_error,
    tampered_error,
    value_error,
)
from aeon.adapters.vault.master_key import MasterKey, RandomBytes
from aeon.adapters.vault.private_files import exists
from aeon.adapters.vault.sealing import SealedValue, VaultHeader, VaultKeys, rewrap
from aeon.adapters.vault.values import is_storable, key_problems, value_problems
from aeon.adapters.vault.vault_file import VaultFile, make_vault_file
from aeon.base.clock import Clock
from aeon.base.json import JsonObject
from aeon.platform.vault import SecretKey, SecretType, SecretValue, StoredSecret, TamperedError, WrongKeyError


class SqliteVault:
    """A `Vault` in one file (0600) that threads and processes may share (platform 3)."""

    def __init__(self, path: Path, master: MasterKey, clock: Clock, *, fresh: RandomBytes = os.urandom) -> None:
        """Opens the file, or creates it if it does not exist.

        Raises WrongKeyError for a key of another vault, and VaultError for a file that others may read, that is
        damaged, or that is not a vault; the file is then not changed.
        """
        self._master = master
        self._clock = clock
        self._fresh = fresh
        if not exists(path):
            make_vault_file(path, VaultHeader.new(master, fresh))
        self._file = VaultFile(path)
        try:
            with self._file.reading():
                self._keys()
        except BaseException:
            self._file.close()
            raise

    def check(self, kind: SecretType, value: JsonObject) -> None:
        check_value(kind, value)

    def digest(self, value: JsonObject) -> str:
        with self._file.reading():
            return self._keys().digest(SecretValue(value))

    def put(self, key: SecretKey, value: JsonObject) -> None:
        problems = key_problems(key)
        value_issues = [] if problems else value_problems(key.type, value)
        secret = SecretValue(value)
        del value  # so that no later traceback shows it
        if problems:
            raise key_error(problems)
        if value_issues:
            raise value_error(key.type, value_issues)
        with self._file.writing():
            self._require_free(key)
            sealed = self._keys().seal(key, self._clock.now(), secret, self._fresh)
            self._file.execute(queries.INSERT, (*key, sealed.at, sealed.wrapped_key, sealed.ciphertext))

    def open(self, key: SecretKey) -> SecretValue:
        if key_problems(key):
            raise missing_secret_error(key)
        with self._file.reading():
            revealed = self._keys().unseal(key, self._sealed(key))
        if revealed is None:
            raise tampered_error([key])
        return revealed

    def forget(self, secret_id: str, version: int | None = None) -> None:
        if not is_storable(secret_id, version):
            return
        with self._file.writing():
            self._file.execute(queries.DELETE, (secret_id, version))

    def list_secrets(self) -> list[StoredSecret]:
        with self._file.reading():
            return self._all_entries()

    def rewrap(self, new_master: bytes) -> int:
        master = MasterKey(new_master)
        del new_master
        header = VaultHeader.new(master, self._fresh)
        with self._file.exclusive():
            with self._file.writing():
                count = self._rewrap_all(self._keys(), VaultKeys(master, header.salt))
                self._file.execute(queries.WRITE_HEAD, header)
            self._master = master
        return count

    def close(self) -> None:
        """Closes the file. Calling it again does nothing."""
        self._file.close()

    def _keys(self) -> VaultKeys:
        """Returns the current keys: another process may have changed the vault's master key."""
        row = self._file.execute(queries.READ_HEAD).fetchone()
        header = None if row is None else VaultHeader(*row)
        if header is None or not header.is_whole():
            raise TamperedError(f"The header of the vault {self._file.path} was changed.", next_step=RESTORE_ADVICE)
        keys = VaultKeys(self._master, header.salt)
        if not keys.matches(header.check_value):
            raise WrongKeyError(f"The master key does not open the vault {self._file.path}.")
        return keys

    def _require_free(self, key: SecretKey) -> None:
        if self._file.exists(queries.BELONGS_TO_ANOTHER, (key.secret_id, key.owner_id, key.type)):
            raise taken_secret_error(key)
        if self._file.exists(queries.HAS_VERSION, (key.secret_id, key.version)):
            raise existing_version_error(key)

    def _sealed(self, key: SecretKey) -> SealedValue:
        sealed = _first_sealed(self._file.execute(queries.READ, key))
        if sealed is None:
            raise missing_secret_error(key)
        return sealed

    def _all_entries(self) -> list[StoredSecret]:
        entries = [_stored_secret(*row) for row in self._file.execute(queries.READ_ALL)]
        if any(key_problems(each.key) for each in entries):
            raise TamperedError(f"A secret's name in {self._file.path} was changed.", next_step=RESTORE_ADVICE)
        return entries

    def _rewrap_all(self, old: VaultKeys, new: VaultKeys) -> int:
        keys = [each.key for each in self._all_entries()]
        rewrapped = [(key, rewrap(key, self._sealed(key), old, new, self._fresh)) for key in keys]
        broken = [key for key, sealed in rewrapped if sealed is None]
        if broken:
            raise tampered_error(broken)
        for key, sealed in rewrapped:
            if sealed is not None:
                self._file.execute(queries.REWRAP, (sealed.wrapped_key, key.secret_id, key.version))
        return len(rewrapped)


def _first_sealed(rows: Iterable[tuple[bytes, bytes, bytes]]) -> SealedValue | None:
    return next((SealedValue(_text(at), wrapped_key, ciphertext) for at, wrapped_key, ciphertext in rows), None)


def _stored_secret(secret_id: bytes, owner_id: bytes, kind: bytes, version: Any, at: bytes) -> StoredSecret:
    type_: Any = _text(kind)  # `key_problems` checks it
    return StoredSecret(SecretKey(_text(secret_id), _text(owner_id), type_, version), _text(at))


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")

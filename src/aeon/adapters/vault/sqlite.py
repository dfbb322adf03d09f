"""The vault in a SQLite file of its own."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from aeon.adapters.vault import queries
from aeon.adapters.vault.errors import (
    LEFT_AS_IT_IS,
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
        """Open the file, or make it where there is none.

        Raises WrongKeyError for another vault's key, VaultError for a file that others may read, or that is damaged or
        no vault; it is then left as it is.
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
        misfits = [] if problems else value_problems(key.type, value)
        secret = SecretValue(value)
        del value  # so that the traceback of what may fail from here on does not show it
        if problems:
            raise key_error(problems)
        if misfits:
            raise value_error(key.type, misfits)
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
        head = VaultHeader.new(master, self._fresh)
        with self._file.exclusive():
            with self._file.writing():
                count = self._rewrap_all(self._keys(), VaultKeys(master, head.salt))
                self._file.execute(queries.WRITE_HEAD, head)
            self._master = master
        return count

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        self._file.close()

    def _keys(self) -> VaultKeys:
        """The keys as the vault stands now: another process may have put it under another master key."""
        row = self._file.execute(queries.READ_HEAD).fetchone()
        head = None if row is None else VaultHeader(*row)
        if head is None or not head.is_whole():
            raise TamperedError(f"The head of the vault {self._file.path} was changed.", next_step=LEFT_AS_IT_IS)
        keys = VaultKeys(self._master, head.salt)
        if not keys.matches(head.check_value):
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
        kept = [_read_kept(*row) for row in self._file.execute(queries.READ_ALL)]
        if any(key_problems(each.key) for each in kept):
            raise TamperedError(f"A secret's name in {self._file.path} was changed.", next_step=LEFT_AS_IT_IS)
        return kept

    def _rewrap_all(self, old: VaultKeys, new: VaultKeys) -> int:
        keys = [each.key for each in self._all_entries()]
        done = [(key, rewrap(key, self._sealed(key), old, new, self._fresh)) for key in keys]
        broken = [key for key, sealed in done if sealed is None]
        if broken:
            raise tampered_error(broken)
        for key, sealed in done:
            if sealed is not None:
                self._file.execute(queries.REWRAP, (sealed.wrapped_key, key.secret_id, key.version))
        return len(done)


def _first_sealed(rows: Iterable[tuple[bytes, bytes, bytes]]) -> SealedValue | None:
    return next((SealedValue(_text(at), wrapped_key, ciphertext) for at, wrapped_key, ciphertext in rows), None)


def _read_kept(secret_id: bytes, owner_id: bytes, kind: bytes, version: Any, at: bytes) -> StoredSecret:
    type_: Any = _text(kind)  # `key_problems` judges it
    return StoredSecret(SecretKey(_text(secret_id), _text(owner_id), type_, version), _text(at))


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")

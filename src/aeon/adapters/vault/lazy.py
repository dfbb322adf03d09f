"""A vault that is opened at its first use."""

from collections.abc import Callable
from threading import Lock

from aeon.base.json import JsonObject
from aeon.platform.vault import SecretKey, SecretType, SecretValue, StoredSecret, Vault, VaultError


class LazyVault:
    """A `Vault` opened at its first use, so that work without secrets loads no cryptography. Threads may share it.

    Every method also raises the errors of the opening.
    """

    def __init__(self, opened: Callable[[], Vault]) -> None:
        """`opened` opens the vault; it is called again at the next use if it raised an error."""
        self._open = opened
        self._vault: Vault | None = None
        self._is_closed = False
        self._lock = Lock()

    def check(self, kind: SecretType, value: JsonObject) -> None:
        from aeon.adapters.vault.errors import check_value

        check_value(kind, value)  # which needs no vault

    def digest(self, value: JsonObject) -> str:
        return self._opened().digest(value)

    def put(self, key: SecretKey, value: JsonObject) -> None:
        self._opened().put(key, value)

    def open(self, key: SecretKey) -> SecretValue:
        return self._opened().open(key)

    def forget(self, secret_id: str, version: int | None = None) -> None:
        self._opened().forget(secret_id, version)

    def list_secrets(self) -> list[StoredSecret]:
        return self._opened().list_secrets()

    def rewrap(self, new_master: bytes) -> int:
        return self._opened().rewrap(new_master)

    def close(self) -> None:
        """Closes the vault if it was opened. Calling it again does nothing."""
        with self._lock:
            self._is_closed = True
            if self._vault is not None:
                self._vault.close()

    def _opened(self) -> Vault:
        with self._lock:
            if self._vault is None:
                if self._is_closed:
                    raise VaultError("The vault is closed.")
                self._vault = self._open()
            return self._vault

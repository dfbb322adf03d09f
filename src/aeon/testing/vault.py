"""A vault in memory, and the conformance suite of vaults: subclass `VaultConformance` and open your vault.

    class TestMyVault(VaultConformance):
        def vault(self, master=FIRST):
            return MyVault(...)

Each test uses one vault, empty at first; every call of `vault` opens it again.
"""

import hashlib
import hmac
import pickle
import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from aeon.adapters.vault.errors import (
    check_value,
    existing_version_error,
    key_error,
    missing_secret_error,
    taken_secret_error,
    value_error,
)
from aeon.adapters.vault.master_key import MasterKey
from aeon.adapters.vault.values import is_storable, key_problems, value_problems
from aeon.base.clock import Clock
from aeon.base.json import JsonObject, canonical_json
from aeon.platform.errors import RuleError
from aeon.platform.vault import SecretKey, SecretType, SecretValue, StoredSecret, Vault, VaultError, WrongKeyError
from aeon.testing.clock import FakeClock

FIRST = bytes(range(32))
SECOND = bytes(range(1, 33))
"""Two master keys. They are public, so use them for tests only."""

CANARY = "sk-canary-5f1d8c"
"""A value that must appear only where it is revealed."""

VALUES: dict[SecretType, JsonObject] = {
    "api_key": {"key": CANARY},
    "password": {"username": "ada", "password": f"{CANARY} \x00 é 🐉 \ud800"},
    "oauth_token": {
        "access_token": CANARY,
        "refresh_token": "again",
        "token_url": "https://login.example/token",
        "client_id": "aeon",
        "expires_at": "2026-01-31T12:00:00Z",
    },
}

_CLIENT: JsonObject = {"token_url": "https://login.example/token", "client_id": "aeon", "client_secret": CANARY}

_BAD_VALUES: list[tuple[SecretType, Any, list[str]]] = [
    ("api_key", CANARY, ["object"]),
    ("api_key", None, ["object"]),
    ("api_key", {}, ["key is missing"]),
    ("api_key", {"key": ""}, ["key is empty"]),
    ("api_key", {"key": 5}, ["key must be a string"]),
    ("api_key", {CANARY: "x", "other": CANARY}, ["key is missing", "2 fields"]),
    ("password", {"username": ["x"], "passwort": CANARY}, ["password is missing", "username must", "1 field"]),
    ("oauth_token", {"access_token": "x", "refresh_token": CANARY}, ["token_url is missing", "client_id is missing"]),
    ("oauth_token", {"access_token": "x", "token_url": f"http://{CANARY}.example"}, ["token_url must"]),
    ("oauth_token", {"access_token": "x", "token_url": f"https://[{CANARY}"}, ["token_url must"]),
    ("oauth_token", {"access_token": CANARY, "expires_at": "2026-01-31"}, ["expires_at must"]),
    (
        "oauth_token",
        {"grant": CANARY, "scope": ""},
        ["token_url is m", "client_id is m", "client_secret is m", "scope is"],
    ),
    ("oauth_token", {"grant": CANARY, **_CLIENT}, ["grant must be client_credentials"]),
    (
        "oauth_token",
        {"grant": "client_credentials", "refresh_token": CANARY, **_CLIENT},
        ["refresh_token is of no use"],
    ),
    ("oauth_token", {"access_token": CANARY, "scope": "read"}, ["scope is of no use without grant"]),
    (
        "oauth_token",
        {"token_url": CANARY, "client_id": 1, CANARY: ""},
        ["access_token", "token_url", "client_id", "1 f"],
    ),
    (
        "certificate",
        {"certificate": CANARY, "key": CANARY},
        ["private_key is missing", "certificate is not", "1 field"],
    ),
    ("certificate", {"certificate": CANARY, "private_key": CANARY}, ["certificate is not", "private_key is not"]),
]

_BAD_KEYS: list[Any] = [
    SecretKey("", "u", "api_key", 1),
    SecretKey("s", "", "api_key", 1),
    SecretKey("\ud800", "u", "api_key", 1),
    SecretKey("s", "u", "token", 1),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    SecretKey("s", "u", "api_key", 0),
    SecretKey("s", "u", "api_key", 2**63),
    SecretKey("s", "u", "api_key", True),
]

_KEY = SecretKey("s", "u", "api_key", 1)
_OTHER = SecretKey("t", "v", "api_key", 1)
_THREADS = 4
_WRITES = 10


@dataclass(slots=True)
class VaultContents:
    """The contents that several openings of one in-memory vault share, and its current `master` key."""

    master: bytes | None = field(default=None, repr=False)
    values: dict[SecretKey, tuple[str, SecretValue]] = field(default_factory=dict[SecretKey, tuple[str, SecretValue]])


class InMemoryVault:
    """A vault that encrypts nothing but follows every rule, for tests of code that uses a vault."""

    def __init__(
        self, clock: Clock | None = None, master: bytes = FIRST, contents: VaultContents | None = None
    ) -> None:
        """Raises WrongKeyError if the contents have a different master key."""
        self._clock = clock or FakeClock()
        self._master = master
        self._contents = contents or VaultContents()
        self._lock = threading.Lock()
        self._is_open = True
        if self._contents.master is None:
            self._contents.master = master
        self._check()

    def check(self, kind: SecretType, value: JsonObject) -> None:
        check_value(kind, value)

    def digest(self, value: JsonObject) -> str:
        self._check()
        return hmac.digest(self._master, canonical_json(value).encode(), "sha256").hex()

    def put(self, key: SecretKey, value: JsonObject) -> None:
        if problems := key_problems(key):
            raise key_error(problems)
        if problems := value_problems(key.type, value):
            raise value_error(key.type, problems)
        with self._lock:
            self._check()
            self._check_not_taken(key)
            self._contents.values[key] = self._clock.now(), SecretValue(dict(value))

    def open(self, key: SecretKey) -> SecretValue:
        self._check()
        if key not in self._contents.values:
            raise missing_secret_error(key)
        return self._contents.values[key][1]

    def forget(self, secret_id: str, version: int | None = None) -> None:
        if not is_storable(secret_id, version):
            return
        with self._lock:
            self._check_open()
            for key in list(self._contents.values):
                if key.secret_id == secret_id and version in (None, key.version):
                    del self._contents.values[key]

    def list_secrets(self) -> list[StoredSecret]:
        self._check_open()
        return [
            StoredSecret(key, at) for key, (at, _) in sorted(self._contents.values.items(), key=lambda item: item[0])
        ]

    def rewrap(self, new_master: bytes) -> int:
        master = MasterKey(new_master).reveal()
        with self._lock:
            self._check()
            self._master = self._contents.master = master
            return len(self._contents.values)

    def close(self) -> None:
        self._is_open = False

    def _check(self) -> None:
        self._check_open()
        if self._contents.master != self._master:
            raise WrongKeyError

    def _check_open(self) -> None:
        if not self._is_open:
            raise VaultError("The vault is closed.", next_step="Open it again.")

    def _check_not_taken(self, key: SecretKey) -> None:
        same_id = [each for each in self._contents.values if each.secret_id == key.secret_id]
        if any((each.owner_id, each.type) != (key.owner_id, key.type) for each in same_id):
            raise taken_secret_error(key)
        if any(each.version == key.version for each in same_id):
            raise existing_version_error(key)


class VaultConformance:
    """The contract of `Vault` (platform 3)."""

    def vault(self, master: bytes = FIRST) -> Vault:
        """Opens the vault of this test. Its clock must advance with every reading."""
        raise NotImplementedError

    @pytest.mark.parametrize("kind", VALUES)
    def test_platform_3_a_stored_value_is_revealed(self, kind: SecretType) -> None:
        vault, key = self.vault(), SecretKey("s", "u", kind, 2**53)
        vault.put(key, VALUES[kind])
        assert vault.open(key).reveal() == VALUES[kind]
        assert self.vault().open(key).reveal() == VALUES[kind]

    def test_platform_3_a_revealed_value_shows_only_when_it_is_asked(self) -> None:
        revealed = self._filled().open(_KEY)
        assert CANARY not in f"{revealed!r} {revealed} {[revealed]}"
        assert revealed.all_strings() == (CANARY,)
        with pytest.raises(TypeError):
            pickle.dumps(revealed)

    def test_platform_3_a_value_is_checked_before_it_is_put(self) -> None:
        vault = self.vault()
        vault.check("api_key", {"key": CANARY})
        with pytest.raises(RuleError) as raised:
            vault.check("password", {"username": "", "key": CANARY})
        assert CANARY not in str(raised.value)
        assert vault.list_secrets() == []

    def test_platform_20_a_digest_tells_values_apart_and_nothing_of_them_without_the_key(self) -> None:
        vault = self.vault()
        digest = vault.digest({"key": CANARY})
        assert digest == self.vault().digest({"key": CANARY}) != vault.digest({"key": f"{CANARY}."})
        plain = canonical_json({"key": CANARY}).encode()
        assert digest not in (hashlib.sha256(plain).hexdigest(), hashlib.sha256(CANARY.encode()).hexdigest())
        vault.rewrap(SECOND)
        assert vault.digest({"key": CANARY}) != digest

    def test_a_value_is_the_vaults_own(self) -> None:
        vault, value = self.vault(), {"key": "before"}
        vault.put(_KEY, value)
        value["key"] = "after"
        vault.open(_KEY).reveal()["key"] = "after"
        assert vault.open(_KEY).reveal() == {"key": "before"}

    def test_a_version_is_written_once(self) -> None:
        vault = self._filled()
        with pytest.raises(VaultError) as raised:
            vault.put(_KEY, {"key": "another"})
        assert "written once" in raised.value.message
        assert vault.open(_KEY).reveal() == {"key": CANARY}

    @pytest.mark.parametrize("version", [1, 2])
    @pytest.mark.parametrize("stranger", [{"owner_id": "v"}, {"type": "oauth_token"}], ids=str)
    def test_platform_3_a_secret_keeps_its_owner_and_type(self, version: int, stranger: dict[str, Any]) -> None:
        vault = self._filled()
        key = _KEY._replace(version=version, **stranger)
        value = VALUES[key.type]
        with pytest.raises(VaultError):
            vault.put(key, value)
        assert [kept.key for kept in vault.list_secrets()] == [_KEY]

    @pytest.mark.parametrize(
        "other",
        [{"secret_id": "t"}, {"owner_id": "v"}, {"type": "oauth_token"}, {"version": 2}, {"version": 0}],
        ids=str,
    )
    def test_platform_3_a_value_opens_for_its_own_key_only(self, other: dict[str, Any]) -> None:
        with pytest.raises(VaultError) as raised:
            self._filled().open(_KEY._replace(**other))
        assert CANARY not in f"{raised.value} {raised.value.as_dict()}"

    @pytest.mark.parametrize(("kind", "value", "parts"), _BAD_VALUES, ids=str)
    def test_platform_3_all_problems_of_a_value_are_reported_at_once_without_quoting_it(
        self, kind: SecretType, value: Any, parts: list[str]
    ) -> None:
        vault = self.vault()
        with pytest.raises(RuleError) as raised:
            vault.put(SecretKey("s", "u", kind, 1), value)
        assert raised.value.rule == "secret_value"
        assert [part for part in parts if part not in raised.value.message] == []
        assert CANARY not in f"{raised.value} {raised.value.as_dict()}"
        assert vault.list_secrets() == []

    @pytest.mark.parametrize("key", _BAD_KEYS, ids=ascii)
    def test_keys_that_name_no_secret_are_refused(self, key: SecretKey) -> None:
        vault = self.vault()
        with pytest.raises(RuleError) as raised:
            vault.put(key, {"key": CANARY})
        assert raised.value.rule == "secret_key"
        assert CANARY not in f"{raised.value} {raised.value.as_dict()}"
        with pytest.raises(VaultError):
            vault.open(key)
        vault.forget(key.secret_id, key.version)
        assert vault.list_secrets() == []

    def test_forgetting_one_version_keeps_the_others(self) -> None:
        vault = self._filled()
        vault.put(_KEY._replace(version=7), {"key": "new"})
        vault.put(_OTHER, {"key": "other"})
        vault.forget("s", 1)
        assert {kept.key for kept in vault.list_secrets()} == {_KEY._replace(version=7), _OTHER}
        with pytest.raises(VaultError):
            vault.open(_KEY)
        assert vault.open(_KEY._replace(version=7)).reveal() == {"key": "new"}

    def test_forgetting_a_secret_forgets_all_its_versions_and_no_other(self) -> None:
        vault = self._filled()
        vault.put(_KEY._replace(version=7), {"key": "new"})
        vault.put(_OTHER, {"key": "other"})
        vault.forget("s")
        assert [kept.key for kept in vault.list_secrets()] == [_OTHER]

    def test_forgetting_a_missing_secret_does_nothing(self) -> None:
        vault = self._filled()
        vault.forget("t")
        vault.forget("s", 2)
        vault.forget("s%")
        assert [kept.key for kept in vault.list_secrets()] == [_KEY]

    def test_stored_secrets_are_listed_with_their_instants(self) -> None:
        """Instants compare as text, so that a cleanup can skip younger secrets."""
        vault = self._filled()
        vault.put(_KEY._replace(version=7), {"key": "new"})
        first, second = sorted(vault.list_secrets())
        assert (first.key, second.key) == (_KEY, _KEY._replace(version=7))
        assert first.at < second.at
        assert first.at.endswith("+00:00")

    def test_another_master_key_does_not_open_it(self) -> None:
        self._filled()
        with pytest.raises(WrongKeyError):
            self.vault(SECOND)
        assert self.vault().open(_KEY).reveal() == {"key": CANARY}

    def test_rewrapping_changes_the_master_key_and_no_value(self) -> None:
        vault = self._filled()
        vault.put(_OTHER, {"key": "other"})
        before = vault.list_secrets()
        assert vault.rewrap(SECOND) == len(before)
        for opening in (vault, self.vault(SECOND)):
            assert opening.list_secrets() == before
            assert opening.open(_KEY).reveal() == {"key": CANARY}
        with pytest.raises(WrongKeyError):
            self.vault(FIRST)

    def test_an_opening_with_the_old_key_fails_after_a_rewrap(self) -> None:
        """It must not add values that the new key cannot open."""
        early = self._filled()
        self.vault().rewrap(SECOND)
        with pytest.raises(WrongKeyError):
            early.open(_KEY)
        with pytest.raises(WrongKeyError):
            early.put(_KEY._replace(version=2), {"key": "new"})
        with pytest.raises(WrongKeyError):
            early.rewrap(FIRST)
        assert [kept.key for kept in self.vault(SECOND).list_secrets()] == [_KEY]

    @pytest.mark.parametrize("no_key", [b"", FIRST[:-1], FIRST + b"x", FIRST.hex()], ids=str)
    def test_invalid_keys_are_refused(self, no_key: Any) -> None:
        vault = self._filled()
        with pytest.raises(VaultError):
            vault.rewrap(no_key)
        assert vault.open(_KEY).reveal() == {"key": CANARY}

    def test_a_closed_vault_refuses_every_use(self) -> None:
        vault = self._filled()
        vault.close()
        vault.close()
        for use in (
            vault.list_secrets,
            lambda: vault.open(_KEY),
            lambda: vault.forget("s"),
            lambda: vault.rewrap(SECOND),
        ):
            with pytest.raises(VaultError):
                use()

    def test_threads_may_share_it(self) -> None:
        vault = self.vault()
        errors: list[Exception] = []

        def work(name: int) -> None:
            try:
                for number in range(1, _WRITES + 1):
                    key = SecretKey(f"s{name}", "u", "api_key", number)
                    vault.put(key, {"key": f"{name}/{number}"})
                    if vault.open(key).reveal() != {"key": f"{name}/{number}"}:
                        errors.append(AssertionError("a value from another thread was revealed"))
                    vault.forget(f"s{name}", number - 1)
            except Exception as error:  # noqa: BLE001  # the test reports every thread's exception
                errors.append(error)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(_THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert len(vault.list_secrets()) == _THREADS

    def _filled(self) -> Vault:
        vault = self.vault()
        vault.put(_KEY, {"key": CANARY})
        return vault

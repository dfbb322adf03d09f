"""The vault of a project, and its master key, which lies outside the project's folder (platform 21)."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from aeon.adapters.vault import MASTER_KEY_VARIABLE, change_key, find_master_key, move_key_file, open_vault
from aeon.base.clock import SystemClock
from aeon.base.project_folder import PROJECT_FOLDER, claim_folder, read_folder_id, require_ownership, state_folder
from aeon.platform.vault import Vault, VaultError


class OpenedVault(NamedTuple):
    """An open vault, and what its user should be told about the opening."""

    vault: Vault
    notices: list[str]


def open_project_vault(project: Path, environ: Mapping[str, str]) -> OpenedVault:
    """The vault in the project's `.aeon`, made if need be. Raises VaultError, MissingExtraError, ForeignFolderError.

    A key file that lies beside the vault, where older versions of Aeon put it, is moved out of the project first.
    """
    folder = project / PROJECT_FOLDER
    require_ownership(folder)
    claim_folder(folder)
    key_file = project_key_file(project, environ)
    notices: list[str] = []
    if MASTER_KEY_VARIABLE not in environ and move_key_file(folder / "master.key", key_file):
        notices.append(f"The master key was moved out of the project, to {key_file}. Keep a copy of it somewhere safe.")
    file = folder / "vault.db"
    found = find_master_key(environ, key_file, vault=file)
    return OpenedVault(open_vault(file, found.keys, SystemClock()), notices)


def project_key_file(project: Path, environ: Mapping[str, str]) -> Path:
    """The file of the key of a project's vault: in this user's state folder, under the id of the project's `.aeon`."""
    return state_folder(environ) / "keys" / f"{read_folder_id(project / PROJECT_FOLDER)}.key"


def rekey_vault(project: Path, environ: Mapping[str, str]) -> int:
    """Put every secret of the project's vault under a new key, which is kept in its key file; how many versions.

    Raises VaultError, with nothing changed; so where the environment holds the key, since it goes before the file.
    """
    claim_folder(project / PROJECT_FOLDER)
    key_file = project_key_file(project, environ)
    if MASTER_KEY_VARIABLE in environ:
        raise VaultError(
            f"The master key stands in {MASTER_KEY_VARIABLE}, where no new one can be put.",
            next_step=f"Write it into {key_file} (0600), unset {MASTER_KEY_VARIABLE}, and try again.",
        )
    vault = open_project_vault(project, environ).vault
    try:
        return change_key(vault, key_file)
    finally:
        vault.close()

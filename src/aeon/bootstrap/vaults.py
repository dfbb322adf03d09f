"""Opens the vault of a project with its master key, which is kept outside the project (platform 21)."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from aeon.adapters.vault import (
    MASTER_KEY_VARIABLE,
    LazyVault,
    change_key,
    find_master_key,
    move_key_file,
    open_vault,
    require_cryptography,
)
from aeon.adapters.vault.values import FIELDS as SECRET_FIELDS
from aeon.base.clock import SystemClock
from aeon.base.project_folder import PROJECT_FOLDER, claim_folder, read_folder_id, require_ownership, state_folder
from aeon.platform.vault import Vault, VaultError

__all__ = [
    "SECRET_FIELDS",
    "OpenedVault",
    "open_project_vault",
    "project_key_file",
    "rekey_vault",
]


class OpenedVault(NamedTuple):
    """A vault that the caller closes, and messages for the user about the opening."""

    vault: Vault
    notices: list[str]


def open_project_vault(project: Path, environ: Mapping[str, str]) -> OpenedVault:
    """Open the vault in `.aeon`, created if missing. Raises VaultError, MissingExtraError, ForeignFolderError.

    Its key is found now. An existing file is opened at the first use, which raises VaultError if the key does not fit
    or the file is damaged. A key file beside the vault, where older versions of Aeon put it, is moved out of the
    project first.
    """
    folder = project / PROJECT_FOLDER
    require_ownership(folder)
    claim_folder(folder)
    key_file = project_key_file(project, environ)
    notices: list[str] = []
    if MASTER_KEY_VARIABLE not in environ and move_key_file(folder / "master.key", key_file):
        notices.append(f"The master key was moved out of the project, to {key_file}. Keep a copy of it somewhere safe.")
    file = folder / "vault.db"
    require_ownership(file)
    require_cryptography()
    master_key = find_master_key(environ, key_file, vault=file)
    opened = partial(open_vault, file, master_key.keys, SystemClock())
    return OpenedVault(LazyVault(opened) if file.exists() else opened(), notices)


def project_key_file(project: Path, environ: Mapping[str, str]) -> Path:
    """Return the key file of a project's vault: in this user's state folder, named by the id of the `.aeon` folder."""
    return state_folder(environ) / "keys" / f"{read_folder_id(project / PROJECT_FOLDER)}.key"


def rekey_vault(project: Path, environ: Mapping[str, str]) -> int:
    """Encrypt every secret of the project's vault with a new key, kept in the key file; return the number of versions.

    Raises VaultError with nothing changed, also if the environment holds the key, since it overrides the file.
    """
    claim_folder(project / PROJECT_FOLDER)
    key_file = project_key_file(project, environ)
    if MASTER_KEY_VARIABLE in environ:
        raise VaultError(
            f"The master key is set in {MASTER_KEY_VARIABLE}, where Aeon cannot replace it.",
            next_step=f"Write it into {key_file} (mode 0600), unset {MASTER_KEY_VARIABLE}, and try again.",
        )
    vault = open_project_vault(project, environ).vault
    try:
        return change_key(vault, key_file)
    finally:
        vault.close()

"""`aeon init --adopt`: takes over a project folder that came from elsewhere."""

import os
from pathlib import Path

from aeon.application.folder import FolderService
from aeon.base.json import Json
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.text import indented_json, printable

_MAX_LISTED = 20
"""The most files that are listed; there may be thousands of results and logs."""


def adopt_folder(*, is_dry: bool, as_json: bool) -> int:
    """Show what is in `.aeon`, and take it over. If it raises ForeignFolderError or StoreError, nothing changed."""
    folder = FolderService(Path.cwd(), os.environ)
    files = folder.list_files()
    has_adopted = False if is_dry else folder.adopt()
    if as_json:
        listed: list[Json] = [*files]
        print_data(indented_json({"files": listed, "adopted": has_adopted}))
        return ExitCode.DONE
    for name in files[:_MAX_LISTED]:
        print_message(f".aeon/{printable(name)}")
    if len(files) > _MAX_LISTED:
        print_message(f"and {len(files) - _MAX_LISTED} more")
    if is_dry:
        print_data("nothing was taken over")
        return ExitCode.DONE
    print_data(f"{printable(str(folder.place))} is yours {'from now on' if has_adopted else 'already'}")
    if (key_file := folder.missing_key_file()) is not None:
        note = f"its vault of secrets is encrypted: copy its master key to {printable(str(key_file))} (mode 0600)"
        print_message(
            f"{note}, or move .aeon/vault.db away and enter the secrets again with `aeon secret set`.", "note: "
        )
    return ExitCode.DONE

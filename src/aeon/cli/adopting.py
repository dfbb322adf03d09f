"""`aeon adopt`: taking over a project's folder that came from elsewhere."""

import os
from pathlib import Path

from aeon.base.json import Json
from aeon.bootstrap.adoption import adopt, contents, missing_key_file
from aeon.cli.codes import Code
from aeon.cli.say import put, say
from aeon.cli.text import clean, pretty

_MOST = 20
"""Files that are named; there may be thousands of results and logs."""


def adopt_folder(*, is_dry: bool, as_json: bool) -> int:
    """Show what is in `.aeon`, and take it over. Raises ForeignFolderError, StoreError with nothing taken over."""
    found = contents(Path.cwd())
    has_adopted = False if is_dry else adopt(Path.cwd(), os.environ)
    if as_json:
        files: list[Json] = [*found]
        put(pretty({"files": files, "adopted": has_adopted}))
        return Code.DONE
    for name in found[:_MOST]:
        say(f".aeon/{clean(name)}")
    if len(found) > _MOST:
        say(f"and {len(found) - _MOST} more")
    if is_dry:
        put("nothing was taken over")
        return Code.DONE
    put(f"{clean(str(Path.cwd() / '.aeon'))} is yours {'from now on' if has_adopted else 'already'}")
    if (key_file := missing_key_file(Path.cwd(), os.environ)) is not None:
        told = f"its vault of secrets is encrypted: put a copy of its master key into {clean(str(key_file))} (0600)"
        say(f"{told}, or move .aeon/vault.db away and enter the secrets again with `aeon secret set`.", "note: ")
    return Code.DONE

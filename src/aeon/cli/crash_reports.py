"""Writes the traceback of a defect to a file, without secrets."""

import gc
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path

from aeon.base.errors import AeonError
from aeon.base.masking import Mask, secrets_of_environment
from aeon.base.project_folder import make_folder
from aeon.cli.error_reports import correlation_id


def save_trace(error: BaseException) -> Path | None:
    """Write the traceback to the folder of logs, or to the temporary folder; None if neither can be written."""
    trace = "".join(traceback.format_exception(error))
    text = mask_secrets(f"Correlation id: {correlation_id()}\n{trace}", os.environ)
    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for find in (_log_folder, _temporary_folder):
        try:
            folder = find()
            make_folder(folder)
            (folder / name).write_text(text, "utf-8", errors="backslashreplace")
        except (OSError, AeonError):
            continue
        return folder / name
    return None


def mask_secrets(text: str, environ: Mapping[str, str]) -> str:
    """Mask the values of variables whose names suggest a secret, and the secrets in this process's memory.

    The code that failed may have put a secret into its message (platform 3).
    """
    return Mask({*secrets_of_environment(environ), *_secrets_in_memory()}).text(text)


def _secrets_in_memory() -> Iterator[str]:
    """Yield all secret values still in memory; the traceback's frames keep theirs alive."""
    vault, model = (sys.modules.get(f"aeon.platform.{name}") for name in ("vault", "catalog.model"))
    for each in gc.get_objects():
        if vault and type(each) is vault.SecretValue:
            yield from each.all_strings()
        elif model and type(each) is model.NewSecret:
            yield from map(str, each.value.values())


def _temporary_folder() -> Path:
    """Return the temporary folder. Raises OSError if none is writable, as on a full disk."""
    return Path(tempfile.gettempdir())


def _log_folder() -> Path:
    """Return the folder of logs; its default if the settings cannot be loaded."""
    try:
        from aeon.settings import load_settings

        return Path(load_settings({}, os.environ, Path.cwd()).settings.run.log_dir).expanduser()
    except Exception:  # noqa: BLE001  # a defect is being reported already
        return Path(".aeon/logs")

"""Keeping the trace of a defect in a file, without secrets."""

import gc
import os
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path

from aeon.base.errors import AeonError
from aeon.base.masking import Mask
from aeon.base.project_folder import make_folder
from aeon.cli.error_reports import correlation_id

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_MIN_SECRET = 6


def save_trace(error: BaseException) -> Path | None:
    """Write the trace beside the runs' logs, or to the temporary folder; None when neither can be written."""
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
    """`text` without the values of variables that sound like a secret, and without the secrets in this process.

    Whatever failed may have put one into its message (platform 3).
    """
    values = {value for name, value in environ.items() if _SECRET_NAME.search(name) and len(value) >= _MIN_SECRET}
    return Mask({*values, *_secrets_in_memory()}).text(text)


def _secrets_in_memory() -> Iterator[str]:
    """Of all values that were revealed or given and are still there: the trace's own frames keep theirs."""
    vault, model = (sys.modules.get(f"aeon.platform.{name}") for name in ("vault", "catalog.model"))
    for each in gc.get_objects():
        if vault and type(each) is vault.SecretValue:
            yield from each.all_strings()
        elif model and type(each) is model.NewSecret:
            yield from map(str, each.value.values())


def _temporary_folder() -> Path:
    """Raises OSError where none can be written, as on a full disk."""
    return Path(tempfile.gettempdir())


def _log_folder() -> Path:
    """The folder of the runs' logs; where the settings are what failed, its default."""
    try:
        from aeon.settings import load_settings

        return Path(load_settings({}, os.environ, Path.cwd()).settings.run.log_dir).expanduser()
    except Exception:  # noqa: BLE001  # a defect is being reported already
        return Path(".aeon/logs")

"""Keeping the trace of a defect in a file, without secrets."""

import os
import re
import tempfile
import time
import traceback
from collections.abc import Mapping
from pathlib import Path

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHORTEST = 6


def keep_trace(error: BaseException) -> Path | None:
    """Write the trace beside the runs' logs, or to the temporary folder; None when neither can be written."""
    text = without_secrets("".join(traceback.format_exception(error)), os.environ)
    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for find in (_log_folder, _temporary_folder):
        try:
            folder = find()
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8", errors="backslashreplace")
        except OSError:
            continue
        return folder / name
    return None


def without_secrets(text: str, environ: Mapping[str, str]) -> str:
    """`text` with the values of every variable that sounds like a secret replaced."""
    values = {value for name, value in environ.items() if _SECRET_NAME.search(name) and len(value) >= _SHORTEST}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, "[hidden]")
    return text


def _temporary_folder() -> Path:
    """Raises OSError where none can be written, as on a full disk."""
    return Path(tempfile.gettempdir())


def _log_folder() -> Path:
    """The folder of the runs' logs; where the settings are what failed, its default."""
    try:
        from aeon.settings import load

        return Path(load({}, os.environ, Path.cwd()).settings.run.log_dir).expanduser()
    except Exception:  # noqa: BLE001  # a defect is being reported already
        return Path(".aeon/logs")

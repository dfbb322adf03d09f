"""A certified OpenID provider (`oidc-provider` of npm), installed by its lock file, with hashes, and run by Node."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FILES = Path(__file__).parents[2] / "data" / "oidc-provider"
SECRET = "client-s3cret"  # noqa: S105  # of a client that exists in this test alone
_OLDEST_NODE = 20


def installed() -> Path:
    """The folder with the provider. Skips the test with its reason where it cannot be installed."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("Node or npm is not installed: apt-get install nodejs npm")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").partition(".")[0]) < _OLDEST_NODE:
        pytest.skip(f"oidc-provider needs Node {_OLDEST_NODE}, and this is {version}")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aeon"
    wanted = hashlib.sha256(b"".join(each.read_bytes() for each in sorted(FILES.iterdir()))).hexdigest()
    folder = cache / f"oidc-provider-{wanted[:16]}"
    if not folder.exists():
        part = folder.with_name(f"{folder.name}.part-{os.getpid()}")
        shutil.copytree(FILES, part)
        options = ("--ignore-scripts", "--no-audit", "--no-fund")
        ran = subprocess.run([npm, "ci", *options], cwd=part, capture_output=True, text=True, timeout=100, check=False)
        if ran.returncode:
            shutil.rmtree(part)
            pytest.skip(f"npm cannot install oidc-provider: {ran.stderr.strip().splitlines()[-1:]}")
        part.rename(folder)
    return folder


@contextmanager
def npm_provider(port: int, redirect_uri: str) -> Iterator[None]:
    """A running provider at `http://localhost:PORT`, whose only client is sent back to `redirect_uri`."""
    process = subprocess.Popen(
        ["node", "provider.mjs", str(port), redirect_uri, SECRET],  # noqa: S607  # `installed` looked for it
        cwd=installed(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout.readline() == "ready\n"
        yield
    finally:
        process.kill()
        process.communicate()

"""pip as a downloader: which one, what it sees, and that it ends with us."""

import subprocess
import sys

import pytest

from aeon.adapters.weights.downloader import _running, pip_command, pip_environment
from aeon.adapters.weights.fetch import WeightsSourceError


def test_the_pip_of_this_python_comes_first():
    assert pip_command(has_module=lambda _: True, which=lambda name: f"/bin/{name}") == [
        sys.executable,
        "-P",
        "-m",
        "pip",
    ]


@pytest.mark.parametrize(
    ("on_path", "command"),
    [
        ({"pip", "pip3", "uvx", "uv"}, ["/bin/pip"]),
        ({"pip3", "uvx"}, ["/bin/pip3"]),
        ({"uvx", "uv"}, ["/bin/uvx", "--python", sys.executable, "pip"]),
        ({"uv"}, ["/bin/uv", "tool", "run", "--python", sys.executable, "pip"]),
    ],
)
def test_an_environment_without_pip_finds_another(on_path, command):
    def which(name):
        return f"/bin/{name}" if name in on_path else None

    assert pip_command(has_module=lambda _: None, which=which) == command


def test_without_any_pip_the_error_says_what_to_install():
    with pytest.raises(WeightsSourceError, match="ensurepip"):
        pip_command(has_module=lambda _: None, which=lambda _: None)


def test_pip_sees_its_settings_and_the_proxies_but_no_keys(tmp_path):
    allowed = {
        "PATH": "/bin",
        "HOME": "/h",
        "PIP_INDEX_URL": "i",
        "SSL_CERT_FILE": "c",
        "https_proxy": "p",
        "HTTPS_PROXY": "p",
    }
    secret = {"OPENAI_API_KEY": "k", "AEON_TOKEN": "t", "PYTHONPATH": "/evil", "AWS_SECRET_ACCESS_KEY": "s"}
    assert pip_environment(allowed | secret, tmp_path) == allowed | {"TMPDIR": str(tmp_path)}


def test_an_interrupted_download_leaves_no_process(tmp_path):
    started: list[subprocess.Popen[bytes]] = []
    script = "import subprocess; p = subprocess.Popen(['sleep', '60']); print(p.pid, flush=True); p.wait()"
    log = tmp_path / "log"

    def interrupted() -> None:
        with log.open("wb") as output, _running([sys.executable, "-c", script], {}, output.fileno()) as process:
            started.append(process)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert started[0].returncode == -9

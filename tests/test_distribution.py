"""What is released: the wheel works on its own, the container file is safe, the release workflow publishes nothing by itself."""

import ast
import configparser
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import tomllib
import venv
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml

ROOT = Path(__file__).parents[1]
CONTAINERFILE = ROOT / "Containerfile"
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
SERVER_PAGE = ROOT / "docs" / "howto" / "run-the-server.md"
UNREACHABLE = re.compile(
    r"NewConnectionError|name resolution|Name or service not known|Connection refused|Read timed out"
)
"""How pip says that it cannot reach its index."""

BASE_IMAGE = "docker.io/library/python:3.13-slim"
USER = 10001


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder), folder=ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_wheel_works_in_an_environment_of_its_own(wheel, tmp_path):
    """The dependencies are those of this environment, so that no index is asked; Aeon itself is the wheel's."""
    fresh = tmp_path / "fresh"
    venv.create(fresh, with_pip=True)
    run(fresh / "bin" / "pip", "install", "--quiet", "--no-deps", "--no-index", wheel, folder=tmp_path)
    (packages,) = (fresh / "lib").glob("python*/site-packages")
    (packages / "zz_dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    aeon = fresh / "bin" / "aeon"

    where = run(fresh / "bin" / "python", "-c", "import aeon; print(aeon.__file__)", folder=tmp_path)
    assert Path(where.strip()).is_relative_to(fresh)
    assert re.fullmatch(r"aeon \d+\.\d+\.\d+\S*", run(aeon, "--version", folder=tmp_path).strip())
    plan = ROOT / "examples" / "trip.yaml"
    assert run(aeon, "run", "--plan", plan, folder=tmp_path).strip() == "trip: 250.64 (kept)"


@pytest.mark.slow
def test_the_wheel_has_the_code_and_the_shipped_skills_and_nothing_else(wheel):
    names = run(sys.executable, "-m", "zipfile", "--list", wheel, folder=ROOT)
    files = [line.split()[0] for line in names.splitlines()[1:]]
    assert {"aeon/__init__.py", "aeon/py.typed"} <= set(files)
    assert any(name.endswith("dice-roller/SKILL.md") for name in files)
    assert [name for name in files if not name.startswith(("aeon/", "aeon_orchestrator-"))] == []


def test_the_container_file_is_safe():
    """A slim base, a user without privileges in the end, no secrets, and no health check: it is a command."""
    lines = [line for line in CONTAINERFILE.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    bases = [line.split()[1] for line in lines if line.startswith("FROM")]
    assert [base for base in bases if not re.fullmatch(r"docker\.io/library/python:\d\.\d+-slim", base)] == []
    users = [line.split()[1] for line in lines if line.startswith("USER")]
    assert users
    assert users[-1] not in ("root", "0")
    assert 'ENTRYPOINT ["aeon"]' in lines
    assert [line for line in lines if line.startswith(("HEALTHCHECK", "ADD", "EXPOSE"))] == []
    assert [line for line in lines if re.search(r"(?i)(secret|token|password|api_key)", line)] == []


def test_the_container_gets_only_what_the_build_needs():
    ignored = (ROOT / ".containerignore").read_text("utf-8")
    assert ignored.splitlines()[0] == "*"
    assert (ROOT / ".dockerignore").read_text("utf-8") == ignored
    copied = {
        word
        for line in CONTAINERFILE.read_text("utf-8").splitlines()
        if line.startswith("COPY")
        for word in line.split()
    }
    kept = {line.removeprefix("!") for line in ignored.splitlines() if line.startswith("!")}
    assert kept <= copied


def test_the_container_has_extras_that_there_are():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    (default,) = re.findall(r"^ARG EXTRAS=(\S+)$", CONTAINERFILE.read_text("utf-8"), re.MULTILINE)
    assert set(default.split(",")) <= set(extras)
    assert set(default.split(",")) < set(extras_of_the_server().split(",")) <= set(extras)


def extras_of_the_server() -> str:
    """Those that the how-to names for an image that serves."""
    (found,) = re.findall(r"podman build --build-arg EXTRAS=(\S+) ", SERVER_PAGE.read_text("utf-8"))
    return found


class Podman:
    """podman with a storage of its own, and with no need for control groups and for higher limits."""

    HYBRID = Path("/sys/fs/cgroup/unified")
    """The second version of control groups beside the first one, which crun refuses to see: it is hidden from it."""

    def __init__(self, folder: Path):
        hidden = ["unshare", "--mount", "sh", "-c", f'umount {self.HYBRID}; exec "$@"', "sh"]
        storage = ["--root", folder / "storage", "--runroot", folder / "run", "--cgroup-manager", "cgroupfs"]
        self._command = [*(hidden if self.HYBRID.is_mount() and is_root() else []), "podman", *storage]
        self._folder = folder
        self._limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096"]

    def __call__(self, *command: str | Path, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        words = [*self._command, *command]
        return subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False)

    def build(self, tag: str, *options: str | Path) -> subprocess.CompletedProcess[str]:
        fixed = ["--pull=never", "--layers=false", "--network", "host", *self._limits, "--tag", tag]
        return self("build", *fixed, *options, "--file", CONTAINERFILE, ROOT, timeout=800)

    def containing(self, image: str, *command: str | Path, options: Sequence[str | Path] = ()) -> list[str | Path]:
        """The words that run a container."""
        fixed = ["--rm", "--pull=never", "--network", "host", "--cgroups=disabled", *self._limits]
        return [*self._command, "run", *fixed, *options, image, *command]

    def run(self, image: str, *command: str | Path, options: Sequence[str | Path] = ()) -> str:
        return run(*self.containing(image, *command, options=options), folder=self._folder)


def is_root() -> bool:
    return os.geteuid() == 0


@pytest.fixture
def podman(tmp_path):
    """With the base image: the one of AEON_TEST_PYTHON_IMAGE, which `.ci/run` makes, or the real one if it can be had."""
    if shutil.which("podman") is None:
        pytest.skip("podman is not installed: apt-get install podman crun")
    with TemporaryDirectory(prefix="aeon-podman-", ignore_cleanup_errors=True) as folder:
        made = Podman(Path(folder))
        base = os.environ.get("AEON_TEST_PYTHON_IMAGE")
        try:
            fetched = made("import", base, BASE_IMAGE) if base else made("pull", "--quiet", BASE_IMAGE)
        except subprocess.TimeoutExpired:
            pytest.skip("the base image cannot be fetched here in two minutes")
        if fetched.returncode:
            pytest.skip(f"there is no base image here: {last_line(fetched.stderr)}")
        tried = subprocess.run(
            made.containing(BASE_IMAGE, "true"), capture_output=True, text=True, timeout=60, check=False
        )
        if tried.returncode:
            pytest.skip(f"this machine runs no containers: {last_line(tried.stderr)}")
        yield made
        made("rmi", "--all", "--force")  # by podman, because without root the files are those of other users
        made("volume", "prune", "--force")


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no reason is given"])[-1]


def pip_as_here(folder: Path) -> list[str | Path]:
    """Options of a build in which pip reaches the package index as pip here does. The image does not get them."""
    said = run(sys.executable, "-m", "pip", "config", "list", folder=folder)
    named = re.findall(r"^(?:global|install|:env:)\.(\S+?)=(.*)$", said, re.MULTILINE)
    settings = {name: ast.literal_eval(value) for name, value in named}
    parser = configparser.RawConfigParser()
    parser["global"] = {name: value for name, value in settings.items() if name not in ("config-file", "find-links")}
    with (folder / "pip.conf").open("w") as file:
        parser.write(file)
    mounted = [f"{folder / 'pip.conf'}:/etc/pip.conf:ro"]
    if certificates := settings.get("cert"):
        mounted.append(f"{certificates}:{certificates}:ro")
    return [word for each in mounted for word in ("--volume", each)]


@pytest.mark.slow
@pytest.mark.server
@pytest.mark.timeout(900)
def test_the_container_runs_and_serves_aeon(podman, tmp_path):
    """One image, that of the how-to for a server: building it takes most of the time."""
    extras = f"EXTRAS={extras_of_the_server()}"
    built = podman.build("aeon", "--build-arg", extras, *pip_as_here(tmp_path))
    if built.returncode and UNREACHABLE.search(built.stderr + built.stdout):
        pytest.skip(f"a build reaches no package index here: {last_line(built.stderr)}")
    assert built.returncode == 0, built.stderr

    assert re.fullmatch(r"aeon \d+\.\d+\.\d+\S*", podman.run("aeon", "--version").strip())
    assert podman.run("aeon", "-u", options=["--entrypoint", "id"]).strip() == str(USER)
    assert "Usage: aeon run" in podman.run("aeon")

    project = tmp_path / "project"
    project.mkdir()
    if is_root():
        os.chown(project, USER, USER)
    as_user = [] if is_root() else [f"--userns=keep-id:uid={USER},gid={USER}"]
    mounted = [*as_user, "--volume", f"{project}:/work", "--volume", "aeon-home:/home/aeon"]
    assert podman.run("aeon", "run", "2+3*4", options=mounted).strip() == "14"
    assert list(project.glob(".aeon/logs/*.jsonl"))

    port = free_port()
    serve = ["serve", "--port", str(port), "--name", "aeon.example.org"]
    words = podman.containing("aeon", *serve, options=mounted)
    with (tmp_path / "said.txt").open("w+") as said:
        server = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        try:
            assert health(server, port) == 200, (tmp_path / "said.txt").read_text("utf-8")
            server.send_signal(signal.SIGTERM)
            assert server.wait(60) == 0
        finally:
            server.kill()
            server.wait()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def health(server: subprocess.Popen, port: int) -> int | None:
    """The status of /health/live once there is an answer; None if the server ends or does not begin."""
    deadline = time.monotonic() + 60
    while server.poll() is None and time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        with suppress(OSError):
            connection.request("GET", "/health/live")
            answer = connection.getresponse()
            answer.read()
            connection.close()
            return answer.status
        time.sleep(0.1)
    return None


def test_a_release_is_published_only_if_a_person_says_so():
    workflow = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    starts = workflow[True]  # YAML 1.1 reads `on` as a truth value
    assert set(starts) == {"workflow_dispatch"}
    assert starts["workflow_dispatch"]["inputs"]["publish"]["default"] is False
    assert workflow["permissions"] == {}
    assert workflow["jobs"]["build"]["permissions"] == {"contents": "read"}
    assert workflow["jobs"]["publish"]["if"] == "inputs.publish"
    assert workflow["jobs"]["publish"]["permissions"] == {"id-token": "write"}


def test_actions_are_pinned_to_a_version():
    used = re.findall(r"uses: (\S+)", WORKFLOW.read_text("utf-8"))
    assert used
    assert [action for action in used if not re.search(r"@v\d+\.\d+\.\d+$", action)] == []


@pytest.mark.parametrize("form", ["bug", "wrong-answer", "feature"])
def test_issue_forms_ask_for_something(form):
    parsed = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / f"{form}.yml").read_text("utf-8"))
    assert parsed["name"]
    assert parsed["description"]
    assert any(part.get("validations", {}).get("required") for part in parsed["body"])

"""What is released: the wheel works on its own, the container file is safe, the release workflow publishes nothing by itself."""

import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
CONTAINERFILE = ROOT / "Containerfile"
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
BUILDERS = ("podman", "buildah", "docker")


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
    assert run(aeon, "run", "--plan", plan, folder=tmp_path).strip() == "250.64"


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


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_container_runs_aeon():
    builder = next((name for name in BUILDERS if shutil.which(name) and is_ready(name)), None)
    if builder is None:
        pytest.skip(f"no builder of containers works here: {', '.join(BUILDERS)}")
    built = subprocess.run(
        [builder, "build", "--file", str(CONTAINERFILE), "--tag", "aeon-test", str(ROOT)],
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    if built.returncode and re.search(r"(?i)lookup|network|timeout|connection|pull", built.stderr):
        pytest.skip(f"the base image cannot be fetched here: {built.stderr.strip().splitlines()[-1]}")
    assert built.returncode == 0, built.stderr
    if builder != "buildah":
        assert run(builder, "run", "--rm", "aeon-test", "--version", folder=ROOT).startswith("aeon ")


def is_ready(builder: str) -> bool:
    return subprocess.run([builder, "info"], capture_output=True, timeout=60, check=False).returncode == 0


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

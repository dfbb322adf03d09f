"""Environments of packages for scripts, made by uv: one for each set of packages, never Aeon's own (skills 16)."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from aeon.base.errors import SkillError
from aeon.base.project_folder import make_folder
from aeon.skills.invocation import Invocation
from aeon.skills.launch.grants import Grants, NotGrantedError
from aeon.skills.launch.requirements import ScriptRequirements, requirements_of, with_packages
from aeon.skills.models import Skill, SkillScript

_READY = "ready"
"""The file that marks a complete environment."""
_SECONDS = 600
_MESSAGE = 1500
_PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "XDG_CACHE_HOME", "XDG_DATA_HOME")
_PASSED_ON_PREFIXES = ("UV_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")


class EnvironmentStore:
    """The environments in one folder, by the digest of their packages."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._folder = folder
        self._environ = environ

    def apply(
        self,
        skill: Skill,
        script: SkillScript,
        invocation: Invocation,
        grants: Grants,
        on_install: Callable[[Sequence[str]], None] | None = None,
    ) -> Invocation:
        """Returns the invocation with the Python that has the packages that the script declares and the user names.

        They are installed if that is granted; `on_install` receives them before.

        Raises NotGrantedError without the grant, SkillError without uv or if the packages cannot be installed.
        """
        needed = with_packages(requirements_of(skill, script), grants.packages)
        if needed is None or invocation.command[0] != sys.executable:
            return invocation
        environment = self._folder / needed.digest
        if not (environment / _READY).is_file():
            may_install = grants.install or bool(grants.packages)
            if not may_install and not needed.is_own:
                return invocation  # it may do without; if it fails, its message says what is missing
            if not may_install:
                raise NotGrantedError(
                    f"The script {script.tool_path} needs packages that are not installed: "
                    f"{', '.join(needed.packages)}. --allow-install installs them, into an environment of their own."
                )
            if on_install is not None:
                on_install(needed.packages)
            self._make(environment, needed)
        python = environment / "bin" / "python"
        roots = (environment, python.resolve().parent.parent)
        access = replace(invocation.access, read=(*invocation.access.read, *roots))
        return replace(invocation, command=[str(python), *invocation.command[1:]], access=access)

    def _make(self, environment: Path, needed: ScriptRequirements) -> None:
        uv = find_uv(self._environ)
        make_folder(self._folder, 0o700)
        with _locked(self._folder / f"{environment.name}.lock"):
            if (environment / _READY).is_file():
                return
            shutil.rmtree(environment, ignore_errors=True)
            self._run([uv, "venv", "--quiet", "--python", needed.python or sys.executable, str(environment)])
            target = ["--python", str(environment / "bin" / "python")]
            # Wheels only: the build of a source package would run its code outside of any isolation.
            install = [uv, "pip", "install", "--quiet", "--only-binary", ":all:", *target, "--", *needed.packages]
            self._run(install)
            (environment / _READY).touch()

    def _run(self, command: Sequence[str]) -> None:
        environ = {
            name: value
            for name, value in self._environ.items()
            if name in _PASSED_ON or name.upper().startswith(_PASSED_ON_PREFIXES)
        }
        try:
            ended = subprocess.run(  # noqa: S603  # uv, with arguments as a list
                command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SkillError(f"The packages could not be installed: {error}.") from None
        if ended.returncode != 0:
            output = ended.stderr.decode(errors="replace").strip()[-_MESSAGE:]
            raise SkillError(
                f"The packages could not be installed by uv: {output}", next_step="Check the names and the network."
            )


def find_uv(environ: Mapping[str, str]) -> str:
    """Returns the path of uv: on the PATH, or of the extra `packages`. Raises SkillError."""
    if found := shutil.which("uv", path=environ.get("PATH")):
        return found
    if find_spec("uv") is not None:
        beside = Path(sys.executable).with_name("uv")
        if os.access(beside, os.X_OK):
            return str(beside)
    raise SkillError(
        "Installing the packages of scripts needs uv.",
        next_step="Run: pip install 'aeon-orchestrator[packages]', or install uv.",
    )


@contextmanager
def _locked(path: Path) -> Generator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield

"""Errors for optional packages that cannot be imported."""

from aeon.base.errors import MissingExtraError

_SYSTEM_PACKAGES = {"libgomp.so": "libgomp1", "libstdc++.so": "libstdc++6"}
"""Debian's packages of libraries that packages of extras need and do not bring along."""


def extra_error(purpose: str, package: str, extra: str, cause: ImportError) -> MissingExtraError:
    """Return the error for a package of an extra: it is not installed, or a library that it needs is not there.

    `purpose` is what needs the package, as the beginning of a sentence: "The embedded model needs".
    """
    if isinstance(cause, ModuleNotFoundError):
        return MissingExtraError(
            f"{purpose} {package}, which is not installed.", next_step=f"Run: pip install 'aeon-orchestrator[{extra}]'"
        )
    return MissingExtraError(
        f"{purpose} {package}, which is installed and cannot be loaded: {cause}.",
        next_step=_how_to_install(str(cause)),
    )


def _how_to_install(cause: str) -> str:
    package = next((package for library, package in _SYSTEM_PACKAGES.items() if library in cause), None)
    if package is None:
        return "Install the library that it names with the packages of your system."
    return f"Install the library with the packages of your system; on Debian and Ubuntu: apt-get install {package}"

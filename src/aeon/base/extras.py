"""Errors for optional packages that cannot be imported."""

from aeon.base.errors import MissingExtraError


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
        next_step="Install the library that it names with the packages of your system.",
    )

"""Checks the vault's optional dependency."""

from importlib.util import find_spec

from aeon.base.errors import MissingExtraError


def require_cryptography() -> None:
    """Raises MissingExtraError without `cryptography`.

    Call it before importing modules here that need it.
    """
    if find_spec("cryptography") is None:
        raise MissingExtraError("The vault needs cryptography.", next_step="Install aeon-orchestrator[platform].")

"""The one place that says what the vault needs beyond the base install."""

from importlib.util import find_spec

from aeon.base.errors import MissingExtraError


def require_cryptography() -> None:
    """Raises MissingExtraError without `cryptography`, whose modules here are imported after this was called."""
    if find_spec("cryptography") is None:
        raise MissingExtraError("The vault needs cryptography.", next_step="Install aeon-orchestrator[platform].")

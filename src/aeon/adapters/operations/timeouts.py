"""The error of a call that takes longer than the timeout of its operation."""

from typing import Final

from aeon.platform.catalog.operations import OperationError

_LONGER: Final = (
    "The `timeout` of the tool's operation sets this limit; give it a longer one if its service needs more time."
)


def timeout_error(seconds: float, *, is_transient: bool = True) -> OperationError:
    """Return the error; unlike that of a step's own timeout, it names the operation's."""
    return OperationError(f"no answer within {seconds:g} s", next_step=_LONGER, is_transient=is_transient)

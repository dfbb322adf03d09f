"""The platform's errors, each with its HTTP status (platform 2)."""

from typing import ClassVar

from aeon.base.errors import AeonError, InputError
from aeon.base.json import Json
from aeon.base.next_steps import NextStep


class PlatformError(AeonError):
    """The platform could not do what you asked."""

    status: ClassVar[int] = 500


class NotFoundError(PlatformError):
    """It does not exist, or you may not see it."""

    status = 404
    is_wrong_input = True


class UnknownUserError(NotFoundError):
    """No user has this name; nothing was done."""

    next_step = "Check the name. A user is added by their first command."


class ForbiddenError(PlatformError):
    """You may see it, but you may not change it."""

    status = 403
    next_step = "Create your own."


class RuleError(PlatformError, InputError):
    """A rule does not allow it.

    `rule` is the rule's name, `field` the place where it was broken.
    """

    status = 422

    def __init__(
        self, message: str, *, rule: str, field: str = "", next_step: str | NextStep = "", **details: Json
    ) -> None:
        super().__init__(message, next_step=next_step, rule=rule, field=field, **details)
        self.rule = rule
        self.field = field


class ReferencedError(PlatformError):
    """Something still uses it. `by` names the users of it."""

    status = 409

    def __init__(self, message: str, *, by: list[str], next_step: str | NextStep = "") -> None:
        super().__init__(message, next_step=next_step, by=list[Json](by))
        self.by = by


class ConflictError(PlatformError):
    """It was changed in the meantime, or the same key was used for another request."""

    status = 409
    next_step = "Read it again and repeat the change."


class VersionError(ConflictError):
    """It was changed since you read it.

    `version` is its current version, None if it was deleted.
    """

    status = 412

    def __init__(self, expected: int, version: int | None) -> None:
        now = "it was deleted" if version is None else f"it now has version {version}"
        super().__init__(f"The change is for version {expected}, but {now}.", version=version)
        self.version = version

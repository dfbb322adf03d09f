"""What can go wrong for a caller of the platform, each with the status that it means over HTTP (platform 2)."""

from typing import ClassVar

from aeon.base.errors import AeonError, InputError
from aeon.base.json import Json


class PlatformError(AeonError):
    """The platform could not do what was asked."""

    status: ClassVar[int] = 500


class NotFoundError(PlatformError):
    """There is no such thing, or it is not yours to see."""

    status = 404


class UnknownUserError(NotFoundError):
    """Nobody has that name here; nothing was done."""

    next_step = "Check the name. A user is added by their first command."


class ForbiddenError(PlatformError):
    """You may see it, but it is not yours to change."""

    status = 403
    next_step = "Make one of your own."


class RuleError(PlatformError, InputError):
    """A rule does not allow it. `rule` is its name, `field` where it was broken."""

    status = 422

    def __init__(self, message: str, *, rule: str, field: str = "", next_step: str = "", **details: Json) -> None:
        super().__init__(message, next_step=next_step, rule=rule, field=field, **details)
        self.rule = rule
        self.field = field


class ReferencedError(PlatformError):
    """Something still uses it. `by` says what."""

    status = 409

    def __init__(self, message: str, *, by: list[str], next_step: str = "") -> None:
        super().__init__(message, next_step=next_step, by=list[Json](by))
        self.by = by


class ConflictError(PlatformError):
    """It was changed in the meantime, or the same key was used for something else."""

    status = 409
    next_step = "Look at it again and repeat the change."


class VersionError(ConflictError):
    """Somebody changed it since you looked. `version` is the one of now, None when it is gone."""

    status = 412

    def __init__(self, expected: int, version: int | None) -> None:
        now = "it is gone" if version is None else f"it has version {version}"
        super().__init__(f"The change is for version {expected}, but {now} by now.", version=version)
        self.version = version

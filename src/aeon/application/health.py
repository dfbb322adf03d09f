"""`HealthService`: whether the services of one user's tools answer."""

from aeon.bootstrap.platform import Platform
from aeon.platform.catalog.health import HealthCheckResult

__all__ = ["HealthCheckResult", "HealthService"]


class HealthService:
    """The health checks of a user's tools (platform 5)."""

    def __init__(self, platform: Platform, user: str) -> None:
        """The caller closes `platform`."""
        self._platform = platform
        self._user = user

    def check(self, *, only_due: bool = False) -> list[HealthCheckResult]:
        """Check the user's tools, or only those that are due; returns all tools with their health."""
        return list(self._platform.health.run(self._user, only_due=only_due))

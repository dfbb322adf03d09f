"""`OwnerServices`: what the user to whom a project's folder belongs may do, and no other user of its record."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeon.application.background_requests import BackgroundRequests
    from aeon.application.models import ModelService
    from aeon.application.settings import SettingsService
    from aeon.application.skill_settings import SkillSettingsService
    from aeon.application.skills import SkillService
    from aeon.bootstrap.app import App
    from aeon.skills.models import Skill


class OwnerServices:
    """Requests, skills, models and settings of one project. Each is made at its first use; threads may share it."""

    def __init__(self, app: "App", environ: Mapping[str, str]) -> None:
        """The caller closes `app`."""
        self._app = app
        self._environ = environ

    @cached_property
    def requests(self) -> "BackgroundRequests":
        """The requests that the kernel plans and runs."""
        from aeon.application.background_requests import BackgroundRequests

        return BackgroundRequests(self._app)

    @cached_property
    def skills(self) -> "SkillService":
        """The skills that the project can run."""
        from aeon.application.skills import SkillService

        return SkillService(self._app.skills)

    def skill_settings(self, skill: "Skill") -> "SkillSettingsService":
        """The settings of a skill that has a schema of settings."""
        from aeon.application.skill_settings import SkillSettingsService

        return SkillSettingsService(skill, self._environ)

    @cached_property
    def models(self) -> "ModelService":
        """The models of this machine."""
        from aeon.application.models import ModelService

        return ModelService(self._app, self._environ)

    @cached_property
    def settings(self) -> "SettingsService":
        """The settings and their files."""
        from aeon.application.settings import SettingsService

        return SettingsService(self._app.folder, self._environ, self._app.settings)

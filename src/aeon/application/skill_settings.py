"""`SkillSettingsService`: the settings of a skill, without its secrets."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aeon.application.input_fields import InputField, fields_of_schema
from aeon.base.json import JsonObject
from aeon.base.json_schema import ValidationProblem
from aeon.skills.config.setting_schema import is_secret, property_schemas, with_defaults
from aeon.skills.config.skill_settings import missing_required_fields, read_config, redact_config, set_config
from aeon.skills.models import Skill


class SettingPrompt(NamedTuple):
    """How to ask a person for a setting."""

    key: str
    description: str | None
    is_secret: bool


class ShownSettings(NamedTuple):
    """The settings of a skill without the values of secrets: what is set, the defaults of the rest, and the faults.

    `keys` are all settings, in the order to show them.
    """

    keys: list[str]
    values: JsonObject
    defaults: JsonObject
    problems: Sequence[ValidationProblem]


class SkillSettingsService:
    """The settings of one skill, which has a schema of settings."""

    def __init__(self, skill: Skill, environ: Mapping[str, str]) -> None:
        self._skill = skill
        self._schema: JsonObject = skill.config_schema or {}
        self._environ = environ

    def list_missing(self) -> list[SettingPrompt]:
        """The required settings that have no value."""
        named = property_schemas(self._schema, self._schema)
        return [self._prompt(key, named.get(key, [])) for key in missing_required_fields(self._skill, self._environ)]

    def change(self, texts: Mapping[str, str]) -> None:
        """Set settings, given as texts by their names. Raises ConfigError with every problem; then nothing is set."""
        set_config(self._skill, texts, self._environ)

    def show(self) -> ShownSettings:
        """All settings, without the values of secrets."""
        report = read_config(self._skill, self._environ)
        values = redact_config(report.written, self._schema)
        whole = redact_config(with_defaults({}, self._schema, self._schema), self._schema)
        defaults = {key: value for key, value in whole.items() if key not in values}
        keys = list(dict.fromkeys([*values, *property_schemas(self._schema, self._schema)]))
        return ShownSettings(keys, values, defaults, report.problems)

    def is_secret(self, key: str) -> bool:
        """Whether the value of a setting is never shown."""
        return self._prompt(key, property_schemas(self._schema, self._schema).get(key, [])).is_secret

    def list_fields(self) -> list[InputField]:
        """The fields in which the settings are typed, each of which may stay empty."""
        named = {each.name: each for each in fields_of_schema(self._schema)}
        found = [named.get(key, InputField(key, "text")) for key in self.show().keys]
        # Defaults are shown with the values, without secrets.
        return [each._replace(is_required=False, default=None) for each in found]

    def _prompt(self, key: str, fields: Sequence[JsonObject]) -> SettingPrompt:
        description = next((str(field["description"]) for field in fields if field.get("description")), None)
        return SettingPrompt(key, description, is_secret(key, fields, self._schema))

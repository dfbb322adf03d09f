"""`SettingsService`: makes, shows and changes the settings files of a project and of its user."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from aeon.application.input_fields import InputField, fields_of_schema
from aeon.base.errors import ConfigError, InputError
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.next_steps import NextStep
from aeon.base.suggestions import closest_name
from aeon.settings import (
    KEYS,
    PROJECT_GRANTS,
    LoadedSettings,
    Settings,
    environment_variable,
    load_settings,
    value_of,
)
from aeon.settings.files import commented_settings, problems_of, with_setting, without_setting, write_settings
from aeon.settings.loader import SETTINGS_FILE, user_settings_file


class EditableSetting(NamedTuple):
    """A setting with the field in which it is typed.

    `is_grant` says that a project's file may not set it, and `in_use` is its value in this process, which keeps the
    settings that it started with.
    """

    key: str
    value: Json
    origin: str
    variable: str
    field: InputField
    is_grant: bool
    in_use: Json


class SettingsService:
    """The settings of one project, and the files that they come from."""

    def __init__(self, folder: Path, environ: Mapping[str, str], in_use: Settings | None = None) -> None:
        """`folder` is the project's; `in_use` are the settings that this process started with, if it used any."""
        self._folder = folder
        self._environ = environ
        self._in_use = in_use

    @property
    def project_file(self) -> Path:
        """The project's file, which may not exist."""
        return self._folder / SETTINGS_FILE

    @property
    def user_file(self) -> Path:
        """The user's own file, which may not exist."""
        return user_settings_file(self._environ)

    def create(self) -> bool:
        """Write the project's file with every setting as a comment; False if there is one already, which stays."""
        if self.project_file.exists():
            return False
        write_settings(self.project_file, commented_settings())
        return True

    def get(self, key: str) -> tuple[Json, str]:
        """The value of a setting and its origin. Raises InputError for an unknown one, ConfigError."""
        _require_known(key)
        loaded = self._load()
        return loaded.value(key), loaded.origins[key]

    def describe(self) -> JsonObject:
        """Every setting with its value and origin, and the files that were searched. Raises ConfigError."""
        return settings_as_dict(self._load())

    def list_editable(self) -> list[EditableSetting]:
        """Every setting as a form shows it. Raises ConfigError."""
        loaded, fields = self._load(), _fields_of_settings()
        in_use = self._in_use or loaded.settings
        return [
            EditableSetting(
                key,
                loaded.value(key),
                loaded.origins[key],
                environment_variable(key),
                fields[key],
                key in PROJECT_GRANTS,
                value_of(in_use, key),
            )
            for key in KEYS
        ]

    def remove(self, key: str, file: Path) -> None:
        """Take a setting out of a file, if it is there, so that another source decides; raises like `set`."""
        _require_known(key)
        self._replace(file, without_setting(read_settings(file), key, str(file)))

    def set_values(self, values: Mapping[str, Json], file: Path) -> None:
        """Change settings, given as JSON, in a file; raises like `set`."""
        self.set({key: canonical_json(value) for key, value in values.items()}, file)

    def set(self, values: Mapping[str, str], file: Path) -> None:
        """Change settings in a file, all or none. If it raises InputError or ConfigError, the file is as it was."""
        text = read_settings(file)
        for key, value in values.items():
            _require_known(key)
            text = with_setting(text, key, value, str(file))
        self._replace(file, text)

    def replace(self, file: Path, text: str) -> None:
        """Write a settings file that the user edited. If it raises ConfigError, the file is as it was."""
        if problems := problems_of(text, str(file)):
            listed = "\n".join(f"  {each}" for each in problems)
            raise ConfigError(
                f"The file was not changed:\n{listed}\n", next_step="Edit it again.", problems=list[Json](problems)
            )
        self._replace(file, text)

    def _replace(self, file: Path, text: str) -> None:
        """Write a file, and take it back if the settings as a whole do not allow it."""
        before = read_settings(file) if file.exists() else None
        write_settings(file, text)
        try:
            self._load()
        except ConfigError:
            if before is None:
                file.unlink()
            else:
                write_settings(file, before)
            raise

    def _load(self) -> LoadedSettings:
        return load_settings({}, self._environ, self._folder)


def settings_as_dict(loaded: LoadedSettings) -> JsonObject:
    """Loaded settings as JSON data. They contain no secrets: settings only name variables."""
    values: JsonObject = {
        key: {
            "value": loaded.value(key),
            "origin": loaded.origins[key],
            "variable": environment_variable(key),
            "description": description,
        }
        for key, description in KEYS.items()
    }
    files: list[Json] = [{"path": str(path), "read": is_there} for path, is_there in loaded.files]
    return {"values": values, "files": files}


def read_settings(file: Path) -> str:
    """The text of a settings file; empty if there is none. Raises ConfigError if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8-sig") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigError(f"{file} cannot be read: {why}.", next_step="Check the file and its folder.") from None


def _fields_of_settings() -> dict[str, InputField]:
    """The field of each setting, by its key. None has to be filled in: without a value, another source decides."""
    schema: JsonObject = Settings.model_json_schema()
    found: dict[str, InputField] = {}
    for section, reference in schema["properties"].items():
        inner = schema["$defs"][reference["$ref"].rpartition("/")[2]]
        for field in fields_of_schema({**inner, "$defs": schema["$defs"]}):
            key = f"{section}.{field.name}"
            found[key] = field._replace(name=key, title="", default=None)  # the page shows which value counts
    return found


def _require_known(key: str) -> None:
    if key not in KEYS:
        near = closest_name(key, KEYS)
        suggestion = f" Did you mean {near}?" if near else ""
        raise InputError(f"There is no setting {key!r}.{suggestion}", next_step=NextStep("config.explain"))

"""Loader of settings: files from the current folder upwards and the user's own, the environment, flags."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, cast

from aeon.base.errors import ConfigError
from aeon.base.json import Json, JsonObject
from aeon.base.suggestions import closest_name
from aeon.settings.layers import (
    KEYS,
    SettingsLayer,
    environment_variable,
    layer_problems,
    merge_layers,
    unknown_key_problem,
)
from aeon.settings.model import ServerSettings, Settings


def escaping_path_problems(settings: Settings, from_project: Mapping[str, Path]) -> list[str]:
    """The problems of paths that a project's file sets outside its own folder, links followed."""
    places = [("run.log_dir", settings.run.log_dir), ("memory.path", settings.memory.path)]
    places += [("skills.folders", folder) for folder in settings.skills.folders]
    return [
        f"{file}: {key} leads out of the project's folder; a project's file may not do that. If you want it, set it "
        f"yourself with {environment_variable(key)}"
        for key, place in places
        if (file := from_project.get(key)) and place != ":memory:" and not _is_inside(Path(place), file.parent)
    ]


def project_grant_problems(settings: Settings, from_project: Mapping[str, Path]) -> list[str]:
    """The problems of a project's file that grants permissions to scripts or tools (skills 15)."""
    return [
        f"{file}: {key} is a grant to scripts and tools; a project's file may not make one. If you want it, set it "
        f"yourself with {environment_variable(key)}"
        for key in PROJECT_GRANTS
        if value_of(settings, key) and (file := from_project.get(key))
    ]


def project_server_problems(settings: Settings, from_project: Mapping[str, Path]) -> list[str]:
    """The problems of a project's file that decides who may reach a server on this machine (platform 31)."""
    changed = {f"server.{name}" for name, value in settings.server if value != getattr(_SERVER_DEFAULTS, name)}
    return [
        f"{file}: {key} decides who may use this machine; a project's file may not do that. If you want it, set it "
        f"yourself with {environment_variable(key)}"
        for key, file in from_project.items()
        if key in changed
    ]


def weakened_isolation_problems(settings: Settings, from_project: Mapping[str, Path]) -> list[str]:
    """The problem of a project's file that runs its own scripts without isolation."""
    file = from_project.get("skills.sandbox")
    if file is None or settings.skills.sandbox != "plain":
        return []
    problem = f'{file}: skills.sandbox = "plain" removes the isolation of scripts; a project\'s file may not do that.'
    return [f"{problem} If you want it, set it yourself with {environment_variable('skills.sandbox')}"]


def _is_inside(place: Path, folder: Path) -> bool:
    return place.expanduser().resolve().is_relative_to(folder.resolve())


SETTINGS_FILE = "aeon.toml"

_MAX_BYTES = 1_000_000
_SERVER_DEFAULTS = ServerSettings()
_PATHS = ("run.log_dir", "memory.path", "model.name", "server.certificate", "server.certificate_key")
_MODEL_PATH = "AEON_MODEL_PATH"
_OTHER_VARIABLES = frozenset(
    {"AEON_HOME", "AEON_LOG", _MODEL_PATH, "AEON_SKILL_CONFIG", "AEON_MODEL_SOCKET", "AEON_MODEL_TOKEN"}
)
_VARIABLES = {environment_variable(key): key for key in KEYS}
_SECRET_VARIABLES = (
    "model.api_key_env",
    "embeddings.api_key_env",
    "store.password_env",
    "graph.password_env",
    "graphiti.password_env",
    "engine.password_env",
    "server.oidc_client_secret_env",
)
"""Keys whose value is the name of a variable."""
_LISTS = frozenset(
    {
        "engine.labels",
        "model.sources",
        "skills.folders",
        "skills.disabled",
        "skills.packages",
        "skills.allow_write",
        "tools.allow_read",
        "tools.allow_write",
        "tools.allow_hosts",
        "server.names",
        "server.proxies",
        "server.oidc_scopes",
        "server.oidc_domains",
        "server.oidc_operator_values",
    }
)


PROJECT_GRANTS: Final = (
    "skills.trust_project",
    "skills.allow_network",
    "skills.allow_install",
    "skills.packages",
    "skills.allow_model",
    "skills.allow_write",
    "tools.allow_read",
    "tools.allow_write",
    "tools.allow_hosts",
)
"""Keys that grant something to scripts or tools, which a project's file may not do (skills 15)."""


class SettingsFile(NamedTuple):
    """A settings file and whether it exists."""

    path: Path
    exists: bool


class LoadedSettings(NamedTuple):
    """The settings, the origin of each value, and the files that were searched, nearest first.

    `from_project` maps each key whose value comes from a project's file to that file.
    """

    settings: Settings
    origins: Mapping[str, str]
    files: list[SettingsFile]
    from_project: Mapping[str, Path]

    def value(self, key: str) -> Json:
        """The value of `section.name`, as JSON data."""
        return value_of(self.settings, key)


def value_of(settings: Settings, key: str) -> Json:
    """The value of `section.name` in settings, as JSON data."""
    section, _, name = key.partition(".")
    content: JsonObject = getattr(settings, section).model_dump(mode="json", include={name})
    return content[name]


def load_settings(flags: Mapping[str, tuple[str, Json]], environ: Mapping[str, str], folder: Path) -> LoadedSettings:
    """Reads every source. `flags` maps a key to the flag's spelling and its value; `folder` is the current folder.

    Relative paths in a file are relative to that file, all others to the current folder. Raises ConfigError, which
    lists every problem of every source, each with its place.
    """
    files = list(_searched_files(environ, folder))
    problems: list[str] = []
    variables = {name: value for name, value in environ.items() if name.startswith("AEON_") and value}
    layers = [_flag_layer(flags), _environment_layer(variables, problems)]
    layers += [_file_layer(file.path, problems) for file in files if file.exists]
    problems += _unknown_variables(variables, layers)
    problems += [problem for layer in layers for problem in layer_problems(layer)]
    _refuse(problems)
    settings, origins = merge_layers(layers)
    from_project = _from_project(origins, files)
    checks = (
        escaping_path_problems,
        weakened_isolation_problems,
        project_grant_problems,
        project_server_problems,
    )
    _refuse([problem for check in checks for problem in check(settings, from_project)])
    return LoadedSettings(settings, origins, files, from_project)


def _refuse(problems: list[str]) -> None:
    """Raises ConfigError with all the problems, if there are any."""
    if problems:
        raise ConfigError(
            f"The configuration has {len(problems)} problem(s):\n" + "\n".join(f"  {line}" for line in problems) + "\n",
            next_step="Correct them and try again.",
            problems=list(problems),
        )


def _from_project(origins: Mapping[str, str], files: list[SettingsFile]) -> dict[str, Path]:
    """The keys that a project's file decides. The last file is the user's own, wherever the search met it."""
    *projects, (own, _) = files
    paths = {str(path): path for path, is_there in projects if is_there and path != own}
    return {key: paths[origin] for key, origin in origins.items() if origin in paths}


def _searched_files(environ: Mapping[str, str], folder: Path) -> Iterator[SettingsFile]:
    """The nearest project file (up to the folder that contains .git, or home), then the user's own."""
    home = Path(environ.get("HOME") or Path.home())
    for place in (folder, *folder.parents):
        path = place / SETTINGS_FILE
        is_there = _is_there(path)
        yield SettingsFile(path, is_there)
        if is_there or (place / ".git").exists() or place == home:
            break
    user = user_settings_file(environ)
    yield SettingsFile(user, _is_there(user))


def _is_there(path: Path) -> bool:
    """Whether a settings file exists; one in a folder that cannot be read counts, so that it is reported."""
    try:
        return path.is_file()
    except OSError:
        return True


def user_settings_file(environ: Mapping[str, str]) -> Path:
    """The user's own file, which may not exist."""
    home = Path(environ.get("HOME") or Path.home())
    configured = Path(environ.get("XDG_CONFIG_HOME", ""))
    return (configured if configured.is_absolute() else home / ".config") / "aeon" / SETTINGS_FILE


def _flag_layer(flags: Mapping[str, tuple[str, Json]]) -> SettingsLayer:
    values: JsonObject = {}
    for key, (_, value) in flags.items():
        _put(values, key, value)
    return SettingsLayer("flags", values, {key: spelling for key, (spelling, _) in flags.items()})


def _environment_layer(variables: Mapping[str, str], problems: list[str]) -> SettingsLayer:
    values: JsonObject = {}
    spelling: dict[str, str] = {}
    for name, key in _VARIABLES.items():
        if name in variables:
            _put(values, key, _split(variables[name]) if key in _LISTS else variables[name])
            spelling[key] = name
    if _MODEL_PATH in variables:
        _take_model_path(variables, values, spelling, problems)
    return SettingsLayer("the environment", values, spelling, is_text=True)


def _take_model_path(
    variables: Mapping[str, str], values: JsonObject, spelling: dict[str, str], problems: list[str]
) -> None:
    """Applies AEON_MODEL_PATH: the embedded model with the user's own weights."""
    rivals = [name for name in ("AEON_MODEL_NAME", "AEON_MODEL_PROVIDER") if name in variables]
    if rivals:
        problems.append(f"{_MODEL_PATH} cannot be set together with {' and '.join(rivals)}; unset one of them")
        return
    _put(values, "model.name", variables[_MODEL_PATH])
    _put(values, "model.provider", "embedded")
    spelling |= {"model.name": _MODEL_PATH, "model.provider": _MODEL_PATH}


def _unknown_variables(variables: Mapping[str, str], layers: list[SettingsLayer]) -> list[str]:
    """Unknown variables with a name like Aeon's. A variable that holds an API key may have any name."""
    sections = tuple(f"AEON_{section.upper()}_" for section in Settings.model_fields)
    holders = {_get(layer.values, key) for layer in layers for key in _SECRET_VARIABLES}
    unknown = [name for name in variables if name not in {*_VARIABLES, *_OTHER_VARIABLES, *holders}]
    return [
        f"{name} {unknown_key_problem(name, _VARIABLES, spelled=name)}"
        for name in sorted(unknown)
        if name.startswith(sections) or closest_name(name, _VARIABLES)
    ]


def _file_layer(path: Path, problems: list[str]) -> SettingsLayer:
    import tomllib  # slow to load, and often no file exists

    try:
        data = path.read_bytes()
        if len(data) > _MAX_BYTES:
            raise ValueError(f"has {len(data):,} bytes; a settings file is small")  # noqa: TRY301  # reported below like other errors
        values: JsonObject = tomllib.loads(data.decode("utf-8-sig"))
    except OSError as error:
        problems.append(f"{path} cannot be read: {error.strerror}")
        return SettingsLayer(str(path), {})
    except (ValueError, RecursionError) as error:
        problems.append(f"{path} is not TOML: {error}")
        return SettingsLayer(str(path), {})
    _anchor_paths(values, path.parent)
    return SettingsLayer(str(path), values)


def _anchor_paths(values: JsonObject, folder: Path) -> None:
    """Makes the relative paths of a file relative to the file; paths in the home folder stay."""
    folders = values.get("skills", {}).get("folders") if isinstance(values.get("skills"), dict) else None
    if isinstance(folders, list):
        values["skills"]["folders"] = [_anchored(place, folder) for place in cast(list[Json], folders)]
    for key in _PATHS:
        value = _get(values, key)
        is_file = key != "model.name" or (value is not None and value.endswith(".gguf"))
        if value is not None and value.strip() and value != ":memory:" and value[0] != "~" and is_file:
            _put(values, key, str(folder / value))


def _anchored(place: Json, folder: Path) -> Json:
    return str(folder / place) if isinstance(place, str) and place.strip() and place[0] != "~" else place


def _get(values: JsonObject, key: str) -> str | None:
    """The text under `section.name`, or None without a text."""
    section, _, name = key.partition(".")
    content: Json = values.get(section)
    value: Json = cast(JsonObject, content).get(name) if isinstance(content, dict) else None
    return value if isinstance(value, str) else None


def _put(values: JsonObject, key: str, value: Json) -> None:
    section, _, name = key.partition(".")
    values.setdefault(section, {})[name] = value


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]

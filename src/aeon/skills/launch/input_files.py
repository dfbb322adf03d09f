"""Resolves the user's files that an input names in fields with `"format": "file-path"`.

Scripts read no others.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, cast

from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import ValidationProblem
from aeon.skills.config.setting_schema import item_schemas, property_schemas, subschemas

FILE_PATH = "file-path"


class InputFiles(NamedTuple):
    """The input with absolute paths, the files it names, and problems with them."""

    input: JsonObject
    files: tuple[Path, ...] = ()
    problems: tuple[ValidationProblem, ...] = ()


def resolve_input_files(
    schema: JsonObject | None, input_data: JsonObject, root: Path, allowed: Sequence[Path] = ()
) -> InputFiles:
    """Resolves the files that an input names inside `root` or `allowed`.

    Relative paths start at `root`. Symbolic links are followed before the check. A file that does not exist or cannot
    be read is a problem.
    """
    if schema is None:
        return InputFiles(input_data)
    resolver = _PathResolver(schema, root, tuple(folder.resolve() for folder in (root, *allowed)), [], [])
    resolved = cast(JsonObject, resolver.walk(input_data, [schema], "$"))
    return InputFiles(resolved, tuple(dict.fromkeys(resolver.files)), tuple(resolver.problems))


class _PathResolver(NamedTuple):
    schema: JsonObject
    root: Path
    folders: tuple[Path, ...]
    files: list[Path]
    problems: list[ValidationProblem]

    def walk(self, value: Json, schemas: Sequence[JsonObject], path: str) -> Json:
        if isinstance(value, str):
            return self._file(value, path) if self._is_path(schemas) else value
        if isinstance(value, dict):
            named = property_schemas({"allOf": list(schemas)}, self.schema)
            return {k: self.walk(v, named.get(k, []), f"{path}.{k}") for k, v in cast(JsonObject, value).items()}
        if isinstance(value, list):
            items = item_schemas({"allOf": list(schemas)}, self.schema)
            return [self.walk(v, items, f"{path}[{i}]") for i, v in enumerate(cast(list[Json], value))]
        return value

    def _is_path(self, schemas: Sequence[JsonObject]) -> bool:
        return any(layer.get("format") == FILE_PATH for each in schemas for layer in subschemas(each, self.schema))

    def _file(self, written: str, path: str) -> str:
        try:
            real = (self.root / Path(written).expanduser()).resolve(strict=True)
            self._check(real)
        except (OSError, ValueError, RuntimeError) as error:
            self.problems.append(
                ValidationProblem(path, f"{written[:200]!r} {_error_text(error)}{self._suggestion(written)}")
            )
            return written
        self.files.append(real)
        return str(real)

    def _suggestion(self, written: str) -> str:
        """Suggests a file of that name in the root: planners often invent a folder before the name."""
        name = written.rpartition("/")[2]
        is_there = name not in ("", written) and "\0" not in name and (self.root / name).is_file()
        return f"; did you mean {name!r}?" if is_there else ""

    def _check(self, real: Path) -> None:
        if not any(real.is_relative_to(folder) for folder in self.folders):
            folders = ", ".join(str(folder) for folder in self.folders)
            raise ValueError(f"is outside the folders that this run may read ({folders})")
        if not real.is_file():
            raise ValueError("is not a file")
        if not os.access(real, os.R_OK):
            raise ValueError("cannot be read: permission denied")


def _error_text(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror}"
    if isinstance(error, RuntimeError):
        return f"cannot be read: {error}"
    return "contains a NUL character" if "null" in str(error) else str(error)

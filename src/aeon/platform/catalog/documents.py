"""A readable file of many documents, each a service, a secret, a tool, a template or a process: its form alone."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, json_problems
from aeon.plan.yaml import load_yaml

KINDS = ("ServiceTemplate", "ToolTemplate", "Service", "Secret", "Tool", "Process")
"""In the order in which they are made, so that what is referred to is there."""

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_MOST_CHARACTERS = 5_000_000
_SHOWN = 50


@dataclass(frozen=True, slots=True)
class CatalogDocument:
    """What kind of thing, its name, its fields, and where it stands. Its `repr` shows no field: one may be a secret."""

    kind: str
    name: str
    fields: JsonObject = field(repr=False)
    location: str


class ApplyError(InputError):
    """The file cannot be applied; nothing was changed."""

    next_step = "Correct the file and apply it again."


def read_documents(text: str, environ: Mapping[str, str]) -> list[CatalogDocument]:
    """The documents, in the order in which they are made. `${NAME}` in a Secret's value is taken from `environ`.

    Raises ApplyError with everything wrong, each with its document and line.
    """
    if len(text) > _MOST_CHARACTERS:
        raise ApplyError(f"It has {len(text):,} characters; {_MOST_CHARACTERS:,} are the most.")
    problems: list[str] = []
    found: list[CatalogDocument] = []
    for place, part in _parts(text):
        try:
            found.append(_document(load_yaml(part), place, environ))
        except ValueError as error:
            problems.append(f"{place}: {error}")
    problems += _said_twice(found)
    if not found and not problems:
        problems.append("it holds no document")
    raise_problems(problems)
    return sorted(found, key=lambda document: KINDS.index(document.kind))


def raise_problems(problems: list[str]) -> None:
    """Raise ApplyError when there are any."""
    if problems:
        shown = "\n".join(f"  {problem}" for problem in problems[:_SHOWN])
        more = f"\n  ... and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise ApplyError(f"{len(problems)} problem(s), nothing was changed:\n{shown}{more}\n", problems=list(problems))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Each document's place and text. A separator is a line of its own, as YAML has it."""
    lines: list[str] = []
    start, number = 1, 0
    for at, line in enumerate([*text.splitlines(), "---"], 1):
        if not re.fullmatch(r"---(\s.*)?", line):
            lines.append(line)
            continue
        first = next((at for at, each in enumerate(lines, start) if each.strip() and each.lstrip()[0] != "#"), None)
        if first is not None:
            number += 1
            yield f"document {number} (line {first})", "\n".join(lines)
        lines, start = [line.removeprefix("---")], at


def _document(value: Json, place: str, environ: Mapping[str, str]) -> CatalogDocument:
    if not isinstance(value, dict) or json_problems(value):
        raise ValueError("it is no mapping of JSON values")
    fields = dict(cast(JsonObject, value))
    kind, name = fields.pop("kind", None), fields.get("name")
    if kind not in KINDS:
        raise ValueError(f"its kind is {kind!r}; it must be {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    if not isinstance(name, str) or not name:
        raise ValueError("it has no name")
    if kind == "Secret" and "value" in fields:
        fields["value"] = _filled_in(fields["value"], environ)
    return CatalogDocument(kind, name, fields, place)


def _filled_in(value: Json, environ: Mapping[str, str]) -> Json:
    if isinstance(value, dict):
        return {key: _filled_in(item, environ) for key, item in cast(JsonObject, value).items()}
    if not isinstance(value, str):
        return value
    if missing := [name for name in _VARIABLE.findall(value) if name not in environ]:
        raise ValueError(f"the environment has no {', '.join(missing)}")
    return _VARIABLE.sub(lambda match: environ[match[1]], value)


def _said_twice(documents: list[CatalogDocument]) -> Iterator[str]:
    first: dict[tuple[str, str], str] = {}
    for document in documents:
        before = first.setdefault((document.kind, document.name), document.location)
        if before != document.location:
            yield f"{document.location}: {before} is the {document.kind} {document.name!r} already"

"""Reads a YAML file of documents: of the catalog, of Processes, and of what starts them.

Checks only its form.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self, cast

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.plan.yaml import YamlError, find_unplain, load_yaml

KINDS = ("ServiceTemplate", "ToolTemplate", "Service", "Secret", "Tool", "Process", "Schedule", "Webhook", "Alert")
"""In the order of creation, so that referenced things exist."""

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_MAX_CHARACTERS = 5_000_000
_MAX_SHOWN = 50
NO_DOCUMENT = "it contains no document"
_ANYWHERE = "$.kind"
"""The path of a problem of a whole document, which is shown where its kind is."""


@dataclass(frozen=True, slots=True)
class CatalogDocument:
    """A document's kind, name, fields and location.

    Its `repr` shows no field: a field may be a secret.
    """

    kind: str
    name: str
    fields: JsonObject = field(repr=False)
    location: str


class DocumentError(ValueError):
    """A text is not a document. `problems` are what is wrong, each as its path and a message."""

    def __init__(self, message: str, problems: Sequence[tuple[str, str]]) -> None:
        super().__init__(message)
        self.problems = problems

    @classmethod
    def at(cls, path: str, message: str) -> Self:
        """Returns the error of one field that the message names."""
        return cls(message, [(path, message)])


class ApplyError(InputError):
    """The file cannot be applied; nothing was changed."""

    next_step = "Correct the file and apply it again."


class DocumentFile(NamedTuple):
    """The text of a file of documents, and its name for messages; without a name if it is the only one."""

    text: str
    name: str = ""


class DocumentText(NamedTuple):
    """The text of one document in a file, where it is for messages, and the lines of the file before it."""

    location: str
    text: str
    lines_before: int
    file: str = ""


def read_documents(text: str, environ: Mapping[str, str]) -> list[CatalogDocument]:
    """Returns the documents of one text; see `read_files`."""
    return read_files([DocumentFile(text)], environ)


def read_files(files: Sequence[DocumentFile], environ: Mapping[str, str]) -> list[CatalogDocument]:
    """Returns the documents of all files in the order of creation.

    `${NAME}` in a Secret's value is taken from `environ`. Raises ApplyError with every problem, its document and line.
    """
    problems: list[str] = []
    documents: list[CatalogDocument] = []
    for part in split_files(files):
        try:
            documents.append(read_document(part, environ))
        except YamlError as error:
            problems.append(f"{part.location}: line {part.lines_before + error.line}: {error.reason}")
        except DocumentError as error:
            problems.append(f"{part.location}: {error}")
    problems += [f"{document.location}: {problem}" for document, problem in find_duplicates(documents)]
    if not documents and not problems:
        problems.append(NO_DOCUMENT)
    raise_problems(problems)
    return in_order_of_creation(documents)


def in_order_of_creation(documents: Sequence[CatalogDocument]) -> list[CatalogDocument]:
    """Returns the documents so that what they refer to comes before them."""
    return sorted(documents, key=lambda document: KINDS.index(document.kind))


def raise_problems(problems: list[str]) -> None:
    """Raises ApplyError if there are any problems."""
    if problems:
        shown = "\n".join(f"  {problem}" for problem in problems[:_MAX_SHOWN])
        more = f"\n  ... and {len(problems) - _MAX_SHOWN} more" if len(problems) > _MAX_SHOWN else ""
        raise ApplyError(f"{len(problems)} problem(s), nothing was changed:\n{shown}{more}\n", problems=list(problems))


def split_files(files: Sequence[DocumentFile]) -> list[DocumentText]:
    """Returns each document of all files. Raises ApplyError."""
    return [part for file in files for part in _split(file)]


def _split(file: DocumentFile) -> Iterator[DocumentText]:
    """Yields each document of a file. As in YAML, a separator is a line of its own. Raises ApplyError."""
    text, name = file
    if len(text) > _MAX_CHARACTERS:
        message = f"The file has {len(text):,} characters; at most {_MAX_CHARACTERS:,} are read."
        raise ApplyError(f"{name}: {message}" if name else message)
    lines: list[str] = []
    start, number = 1, 0
    for at, line in enumerate([*text.splitlines(), "---"], 1):
        if not re.fullmatch(r"---(\s.*)?", line):
            lines.append(line)
            continue
        first = next((at for at, each in enumerate(lines, start) if each.strip() and each.lstrip()[0] != "#"), None)
        if first is not None:
            number += 1
            location = f"{f'{name}, ' if name else ''}document {number} (line {first})"
            yield DocumentText(location, "\n".join(lines), start - 1, name)
        lines, start = [line.removeprefix("---")], at


def read_document(part: DocumentText, environ: Mapping[str, str]) -> CatalogDocument:
    """Returns the document of a text. Raises DocumentError if it is none, YamlError if it is not YAML."""
    value = load_yaml(part.text)
    if unplain := find_unplain(value):
        raise DocumentError("; ".join(f"{path}: {message}" for path, message in unplain), unplain)
    if not isinstance(value, dict):
        raise DocumentError.at(_ANYWHERE, "it is not a mapping of JSON values")
    fields = dict(cast(JsonObject, value))
    kind, name = fields.pop("kind", None), fields.get("name")
    if kind not in KINDS:
        raise DocumentError.at("$.kind", f"its kind is {kind!r}; it must be {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    if not isinstance(name, str) or not name:
        raise DocumentError.at(*_unnamed(name))
    if kind == "Secret" and "value" in fields:
        fields["value"] = _expand(fields["value"], environ)
    return CatalogDocument(kind, name, fields, part.location)


def _unnamed(name: Json) -> tuple[str, str]:
    """Returns the problem of a name that is missing or that YAML does not read as a text."""
    if isinstance(name, bool):
        return "$.name", f"YAML reads the name as the truth value {str(name).lower()}: put it in quotes"
    if isinstance(name, int | float):
        return "$.name", f"YAML reads the name as the number {name}: put it in quotes"
    return ("$.name" if name is not None else _ANYWHERE), "it has no name"


def _expand(value: Json, environ: Mapping[str, str]) -> Json:
    if isinstance(value, dict):
        return {key: _expand(item, environ) for key, item in cast(JsonObject, value).items()}
    if not isinstance(value, str):
        return value
    if missing := [name for name in _VARIABLE.findall(value) if name not in environ]:
        raise DocumentError.at("$.value", f"the environment does not define {', '.join(missing)}")
    return _VARIABLE.sub(lambda match: environ[match[1]], value)


def find_duplicates(documents: Sequence[CatalogDocument]) -> Iterator[tuple[CatalogDocument, str]]:
    """Yields each document that an earlier one already defines, and what is wrong with it."""
    first: dict[tuple[str, str], str] = {}
    for document in documents:
        before = first.setdefault((document.kind, document.name), document.location)
        if before != document.location:
            yield document, f"{before} already defines the {document.kind} {document.name!r}"

"""What documents would do, and what is wrong with them: for applying a file, and for checking it."""

from collections.abc import Sequence
from typing import Final, NamedTuple, cast

from aeon.application.default_catalog import NEWEST_TOOL, ensure_default_tool, names_what_ships
from aeon.application.text_faults import path_parts
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.document_kinds import document_kinds
from aeon.bootstrap.platform import Platform
from aeon.platform.catalog.apply import Applier, ApplyStep, DocumentProblem
from aeon.platform.catalog.documents import CatalogDocument

UNKNOWN_TARGET: Final = frozenset({"target_exists", "reference"})
"""The rules that say that something is neither in the file nor in the record."""

_REFERENCES: Final = {"service": "Service", "secret": "Secret", "process": "Process"}
"""The fields by which something names what it uses, and the kind of each."""


class ExaminedDocuments(NamedTuple):
    """A step for each valid document, in order, the problems of the others, and who applies the steps."""

    steps: list[ApplyStep]
    problems: list[DocumentProblem]
    applier: Applier


def examine_documents(platform: Platform, user: str, documents: Sequence[CatalogDocument]) -> ExaminedDocuments:
    """Examine the documents of a file for a user.

    A document of the file that has faults of its own is not also reported as missing. A record that was never set up
    gets what Aeon ships if the documents use it.
    """
    examined = _examine(platform, user, documents)
    if any(each.rule in UNKNOWN_TARGET for each in examined.problems) and names_what_ships(documents):
        ensure_default_tool(platform, NEWEST_TOOL)
        examined = _examine(platform, user, documents)
    faulty = {(each.document.kind, each.document.name) for each in examined.problems}
    own = [each for each in examined.problems if not _follows_from_another(each, faulty)]
    return examined._replace(problems=own or examined.problems)


def _examine(platform: Platform, user: str, documents: Sequence[CatalogDocument]) -> ExaminedDocuments:
    kinds = document_kinds(platform, user, {each.kind for each in documents})
    applier = Applier(platform.catalog, user, kinds)
    return ExaminedDocuments(*applier.examine(documents), applier)


def _follows_from_another(problem: DocumentProblem, faulty: set[tuple[str, str]]) -> bool:
    """Whether what is missing is a document of the file that has faults."""
    fields = problem.document.fields
    if problem.rule == "reference":
        named = [(kind, fields.get(field)) for field, kind in _REFERENCES.items()]
        return any(each in faulty and f"{each[1]!r}" in problem.message for each in named)
    if problem.rule != "target_exists":
        return False
    kind = path_parts(problem.path)[-1]
    return (str(kind).capitalize(), str(_value_at(fields, problem.path))) in faulty


def _value_at(fields: JsonObject, path: str) -> Json:
    value: Json = fields
    for part in path_parts(path):
        value = cast("dict[str | int, Json]", value)[part]
    return value

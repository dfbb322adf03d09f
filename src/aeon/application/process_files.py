"""`ProcessFiles`: the faults of YAML files that describe Processes, and what they call, by line and column."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from aeon.application.default_catalog import load_default_catalog
from aeon.application.examined_documents import UNKNOWN_TARGET, examine_documents
from aeon.application.skill_calls import ELSEWHERE, find_missing_scripts
from aeon.application.text_faults import TextFault, faults_at
from aeon.base.errors import ConfigError
from aeon.bootstrap.platform import Platform, open_platform_in_memory
from aeon.llm.interface import LLMAdapter
from aeon.plan.yaml import YamlError
from aeon.platform.catalog.apply import DocumentProblem
from aeon.platform.catalog.documents import (
    NO_DOCUMENT,
    CatalogDocument,
    DocumentError,
    DocumentFile,
    DocumentText,
    find_duplicates,
    in_order_of_creation,
    read_document,
    split_files,
)
from aeon.platform.catalog.short_calls import with_short_calls
from aeon.platform.processes.checks.warnings import WARNINGS

__all__ = ["DocumentFile", "FileFault", "FileReport", "ProcessFiles", "check_without_record", "open_temporary_platform"]

_USER: Final = "me"
"""The user of a temporary record."""


class FileFault(NamedTuple):
    """A fault of a file; a warning if it may be none where there is a record, or on another machine."""

    fault: TextFault
    is_warning: bool = False
    file: str = ""


class FileReport(NamedTuple):
    """What files describe, as kind and name, and the faults of each file in the order of its lines."""

    things: list[tuple[str, str]]
    faults: list[FileFault]

    @property
    def is_valid(self) -> bool:
        """Whether the file can be applied; warnings do not count."""
        return all(each.is_warning for each in self.faults)


class ProcessFiles:
    """Checks files against what one user sees in a record, which may be a temporary one.

    Changes nothing of a user's; a record that was never set up gets what Aeon ships, if a file uses it.
    """

    def __init__(self, platform: Platform, user: str, *, is_offline: bool = False) -> None:
        """The caller closes `platform`. `is_offline`: what only a record can know is a warning."""
        self._platform = platform
        self._user = user
        self._is_offline = is_offline

    def check(self, text: str) -> FileReport:
        """All faults of a text; see `check_files`."""
        return self.check_files([DocumentFile(text)])

    def check_files(self, files: Sequence[DocumentFile]) -> FileReport:
        """All faults of files, which may refer to each other. Raises ApplyError if one is too large."""
        parts = {part.location: part for part in split_files(files)}
        documents, faults = _read(parts.values())
        filled = {part.file for part in parts.values()}
        empty = [each.name for each in files if each.name not in filled]
        faults += [FileFault(TextFault(1, "", NO_DOCUMENT), file=name) for name in empty]
        faults += [self._fault(each, parts[each.document.location]) for each in self._problems(documents)]
        order = [each.name for each in files]
        faults.sort(key=lambda each: (order.index(each.file), each))
        return FileReport([(each.kind, each.name) for each in documents], faults)

    def _problems(self, documents: Sequence[CatalogDocument]) -> Iterator[DocumentProblem]:
        yield from (DocumentProblem(each, "$.name", "unique", message) for each, message in find_duplicates(documents))
        examined = examine_documents(self._platform, self._user, in_order_of_creation(with_short_calls(documents)))
        yield from examined.problems
        yield from (warning for step in examined.steps for warning in step.warnings)
        yield from find_missing_scripts(self._platform, self._user, documents)

    def _fault(self, problem: DocumentProblem, part: DocumentText) -> FileFault:
        fault = _moved(faults_at(part.text, [(problem.path or problem.field or "$.name", problem.message)])[0], part)
        is_unknown = self._is_offline and problem.rule in UNKNOWN_TARGET
        return FileFault(fault, is_unknown or problem.rule in (ELSEWHERE, *WARNINGS), part.file)


def check_without_record(files: Sequence[DocumentFile], environ: Mapping[str, str], *, is_offline: bool) -> FileReport:
    """All faults of files, where no record exists or none is to be read. Raises ApplyError if one is too large."""
    with open_temporary_platform(environ) as platform:
        return ProcessFiles(platform, _USER, is_offline=is_offline).check_files(files)


@contextmanager
def open_temporary_platform(environ: Mapping[str, str], user: str = _USER) -> Generator[Platform]:
    """Open a platform in memory that has what Aeon ships and nothing else, without a model; close it at the end."""
    with open_platform_in_memory(environ, _no_model, context=1) as platform:
        platform.catalog.add_user(user)
        load_default_catalog(platform)
        yield platform


def _no_model() -> LLMAdapter:
    raise ConfigError("A temporary record has no model.", next_step="Run the Process in a project.")


_ANY_VALUE: Final = "A" * 44
"""A value that is good for a signing secret, too: 33 bytes in base64."""


class _AnyVariable(Mapping[str, str]):
    """An environment in which every variable is set: a check needs no secret."""

    def __getitem__(self, name: str) -> str:
        return _ANY_VALUE

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)


def _read(parts: Iterable[DocumentText]) -> tuple[list[CatalogDocument], list[FileFault]]:
    """The documents of a file, and what is wrong with those that are none."""
    documents: list[CatalogDocument] = []
    faults: list[FileFault] = []
    for part in parts:
        try:
            documents.append(read_document(part, _AnyVariable()))
        except YamlError as error:
            fault = _moved(TextFault(error.line, "", error.reason, error.column), part)
            faults.append(FileFault(fault, file=part.file))
        except DocumentError as error:
            faults += [FileFault(_moved(each, part), file=part.file) for each in faults_at(part.text, error.problems)]
    return documents, faults


def _moved(fault: TextFault, part: DocumentText) -> TextFault:
    """A fault of a document as one of the file."""
    return fault._replace(line=fault.line + part.lines_before)

"""`ProcessService`: the stored Processes of one user: versions, differences, drawings."""

import re
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from aeon.application.argument_types import require_json
from aeon.application.entities import EntityService
from aeon.application.input_fields import InputField, fields_of_process
from aeon.base.errors import InputError
from aeon.base.json import JsonObject
from aeon.bootstrap.platform import Platform
from aeon.platform.errors import NotFoundError
from aeon.platform.id_prefixes import require_prefix
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.diff import DefinitionDifference, diff_definitions, format_differences
from aeon.platform.processes.model import (
    FIELDS_OUTSIDE_DIGEST,
    NewProcess,
    Process,
    ProcessChange,
    ProcessDefinition,
    ProcessPause,
    ProcessVersion,
)

if TYPE_CHECKING:
    from aeon.application.process_files import ProcessFiles
    from aeon.application.process_tests import ProcessTests
    from aeon.application.process_texts import ProcessTexts
    from aeon.platform.processes.checks.problems import DefinitionProblem
    from aeon.platform.runs.loop_counts import LoopCount
    from aeon.platform.runs.machine.state import StepState
    from aeon.platform.runs.preview import StepPreview
    from aeon.platform.runs.service import RunView

    Renderer: TypeAlias = Callable[
        [ProcessDefinition, Mapping[str, StepState] | None, Mapping[str, str], Mapping[str, LoopCount] | None], str
    ]

__all__ = [
    "CURRENT",
    "DefinitionDifference",
    "DefinitionSource",
    "DrawingForm",
    "ProcessComparison",
    "ProcessPause",
    "ProcessService",
    "format_differences",
    "is_digest",
]

DrawingForm: TypeAlias = Literal["svg", "mermaid"]
"""How a drawing is written: as a picture, or as a Mermaid flowchart for Markdown."""

CURRENT: Final = ""
"""The version of a Process that runs now, for `compare`."""

_DIGEST = re.compile(r"[0-9a-f]{4,64}")
_SHOWN = 12
"""Characters of a digest that identify it in text."""


class DefinitionSource(NamedTuple):
    """A text of documents that describe a Process, and its title, such as the name of its file."""

    title: str
    text: str


class ProcessComparison(NamedTuple):
    """The differences between two definitions, each of which has a title."""

    old: str
    new: str
    differences: list[DefinitionDifference]


class _Side(NamedTuple):
    title: str
    definition: ProcessDefinition


class ProcessService(EntityService[Process, NewProcess, ProcessChange]):
    """The Processes that a user owns or sees."""

    def __init__(self, platform: Platform, user: str, environ: Mapping[str, str]) -> None:
        """`environ` gives the values of `${NAME}` in documents. The caller closes `platform`."""
        super().__init__(platform.processes, user, NewProcess, ProcessChange)
        self._platform = platform
        self._processes = platform.processes
        self._environ = environ

    def pause(self, name: str, *, key: str | None = None, expected_version: int | None = None) -> ProcessPause:
        """Pause the user's Process with all of its open runs and what they called, wherever they are executed.

        What runs goes on, and nothing more starts. New runs are accepted and wait; its schedules start nothing. Does
        nothing to a paused Process. Raises NotFoundError, ForbiddenError, ConflictError, VersionError.
        """
        return self._switch(name, MutationRequest(self._user, key, expected_version), paused=True)

    def resume(self, name: str, *, key: str | None = None, expected_version: int | None = None) -> ProcessPause:
        """Let a paused Process go on, with the runs that were paused with it. Raises as `pause` does."""
        return self._switch(name, MutationRequest(self._user, key, expected_version), paused=False)

    def _switch(self, name: str, request: MutationRequest, *, paused: bool) -> ProcessPause:
        from aeon.platform.runs.process_pauses import ProcessPauses

        pauses = ProcessPauses(self._platform.catalog.ledger, self._processes)
        return pauses.switch(self.get(name).id, request, paused=paused)

    def list_versions(self, name: str) -> list[ProcessVersion]:
        """Every definition that a Process had, oldest first; of another user's Process, the current one alone."""
        return self._processes.list_versions(self._user, self.get(name).id)

    def get_version(self, name: str, prefix: str) -> JsonObject:
        """One version of a Process as data. Raises NotFoundError, InputError unless one digest has that prefix."""
        process = self.get(name)
        version = _version(self._processes.list_versions(self._user, process.id), prefix)
        definition = self._processes.get_definition(version.digest).as_dict()
        pinned = {field: value for field, value in definition.items() if field not in FIELDS_OUTSIDE_DIGEST}
        return {"name": process.name, **version._asdict(), **pinned}

    def compare(
        self, name: str, old: str | DefinitionSource | None = None, new: str | DefinitionSource | None = None
    ) -> ProcessComparison:
        """The differences between two versions of a Process, step by step.

        A version is the beginning of its digest, `CURRENT`, or a text that describes the Process. `old` defaults to
        the version before the current one, `new` to the current one. Raises NotFoundError, InputError, ApplyError.
        """
        process = self.get(name)
        versions = self._processes.list_versions(self._user, process.id)
        before = self._side(process, versions, _before(process, versions) if old is None else old)
        after = self._side(process, versions, CURRENT if new is None else new)
        differences = list(diff_definitions(before.definition, after.definition))
        return ProcessComparison(before.title, after.title, differences)

    @cached_property
    def texts(self) -> "ProcessTexts":
        """The Processes as YAML texts: written, checked line by line, and saved."""
        from aeon.application.process_texts import ProcessTexts

        return ProcessTexts(self._platform, self._user)

    @cached_property
    def files(self) -> "ProcessFiles":
        """Checks of YAML files that describe Processes and what they call."""
        from aeon.application.process_files import ProcessFiles

        return ProcessFiles(self._platform, self._user)

    @cached_property
    def tests(self) -> "ProcessTests":
        """Tests of Processes against recorded calls."""
        from aeon.application.process_tests import ProcessTests

        return ProcessTests(self._platform, self._user)

    def find_faults(self, process: Process) -> "list[DefinitionProblem]":
        """What is wrong with the user's own Process as it is now, as what it calls may have changed since it was saved.

        If nothing is, what is probably not meant. Another user's Process is not checked.
        """
        from aeon.platform.processes.checks.definition import check_definition
        from aeon.platform.processes.checks.warnings import find_warnings

        if process.owner_id != self._user:
            return []
        targets = self._processes.target_lookup(self._user)
        targets.prefetch(process.definition)
        wrong = check_definition(process.definition, targets, process_id=process.id)
        return wrong or find_warnings(process.definition, targets, process_id=process.id)

    def input_fields(self, process: Process) -> list[InputField]:
        """The fields of a form for the inputs of a Process, typed as the tools of its steps want them."""

        @cache
        def schema_of(tool: str) -> JsonObject | None:
            try:
                return self._platform.catalog.tools.get(self._user, tool).input_schema
            except NotFoundError:
                return None

        return fields_of_process(process, schema_of)

    def target_names(self, process: Process) -> dict[str, str]:
        """The names by id of what the steps of a Process call, as far as the user may see it."""
        return self._names(process.definition)

    def draw(self, name: str, form: DrawingForm = "svg") -> str:
        """A drawing of a Process: its steps and their dependencies. Raises NotFoundError."""
        definition = self.get(name).definition
        return _renderer(form)(definition, None, self._names(definition), None)

    def draw_run(self, view: "RunView", form: DrawingForm = "svg") -> str:
        """A drawing of the version that a run executes, with the state of each step, and of each loop's items.

        Without states for the run of a loop, whose steps are the items.
        """
        from aeon.bootstrap.runs import platform_runs

        definition, states, counts = view.plan.definition, None, None
        if view.plan.loop is None:
            steps = zip(view.plan.steps, view.state.steps, strict=True)
            states = {step.id: state for step, state in steps}
            counts = platform_runs(self._platform).count_items(view)
        return _renderer(form)(definition, states, self._names(definition), counts)

    def preview(self, name: str, inputs: JsonObject) -> "list[StepPreview]":
        """What a run with these inputs would call, in order, as far as it is known; nothing is started.

        Raises NotFoundError, and RuleError for inputs that do not fit or a disabled Process.
        """
        from aeon.platform.runs.preview import preview_run
        from aeon.platform.runs.run_inputs import runnable_inputs

        require_json(inputs, "inputs")
        process = self.get(name)
        return preview_run(process.definition, runnable_inputs(process, inputs))

    def _names(self, definition: ProcessDefinition) -> dict[str, str]:
        """The names by id of the tools and Processes that the user may see; the others keep their ids."""
        names: dict[str, str] = {}
        for is_tool, id_ in {(step.tool is not None, step.tool or step.process or "") for step in definition.all_steps}:
            repository = self._platform.catalog.tools if is_tool else self._processes
            try:
                names[id_] = repository.get(self._user, id_).name
            except NotFoundError:
                continue
        return names

    def _side(self, process: Process, versions: list[ProcessVersion], which: str | DefinitionSource) -> _Side:
        if isinstance(which, DefinitionSource):
            return _Side(which.title, self._described(process, which))
        digest = process.digest if which == CURRENT else _version(versions, which).digest
        return _Side(digest[:_SHOWN], self._processes.get_definition(digest))

    def _described(self, process: Process, source: DefinitionSource) -> ProcessDefinition:
        from aeon.platform.catalog.documents import read_documents
        from aeon.platform.catalog.short_calls import with_short_calls
        from aeon.platform.processes.documents import ProcessDocuments

        documents = [
            each
            for each in with_short_calls(read_documents(source.text, self._environ))
            if each.kind == "Process" and each.name == process.name
        ]
        if not documents:
            raise InputError(
                f"{source.title} does not describe the Process {process.name!r}.",
                next_step="Name the beginning of a digest, or another file.",
            )
        described = ProcessDocuments(self._platform.catalog, self._processes, self._user)
        return described.parse(documents[0], {}).definition


def _renderer(form: DrawingForm) -> "Renderer":
    if form == "mermaid":
        from aeon.platform.diagrams.mermaid import render_mermaid

        return render_mermaid
    from aeon.platform.diagrams.svg import render_svg

    return render_svg


def is_digest(text: str) -> bool:
    """Whether a text may be the beginning of a version's digest."""
    return _DIGEST.fullmatch(text) is not None


def _version(versions: list[ProcessVersion], prefix: str) -> ProcessVersion:
    """The version with that digest prefix. Raises InputError if there is none, or more than one, and NotFoundError."""
    require_prefix(prefix)
    matching = {each.digest: each for each in versions if each.digest.startswith(prefix)}
    if len(matching) == 1:
        return next(iter(matching.values()))
    known = ", ".join(dict.fromkeys(each.digest[:_SHOWN] for each in versions[-10:]))
    raise InputError(
        f"{len(matching) or 'No'} versions begin with {prefix!r}.",
        next_step=f"Give more digits of one of these: {known}.",
    )


def _before(process: Process, versions: list[ProcessVersion]) -> str:
    if len(versions) == 1:
        raise InputError(
            f"{process.name!r} has only one version.", next_step="Name a file to compare it with, or another version."
        )
    return versions[-2].digest

"""`ProcessTests`: runs the cases of a test file of a Process against recorded calls, or records them."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, cast

from pydantic import Field

from aeon.application.runs import RunService
from aeon.application.text_faults import read_mapping
from aeon.base.errors import AeonError, InputError
from aeon.base.json import Json, JsonObject, readable_json
from aeon.bootstrap.platform import Platform
from aeon.platform.records import Record
from aeon.platform.runs.lease import ConfirmOwnership
from aeon.platform.runs.machine.events import AttemptFailure, StepCompleted, StepFailed, StepTimedOut
from aeon.platform.runs.machine.loops import looping_step
from aeon.platform.runs.machine.state import ENDED_PHASES, RunPhase
from aeon.platform.runs.model import Job, JobResult
from aeon.platform.runs.service import RunView

Recording = dict[str, dict[str, JsonObject]]
"""The recorded calls of each case, by the attempt that made them, such as `fetch:1:fetch[3]:1`."""

_SHOWN: Final = 200
"""Characters of a value in a message."""


class ExpectedFailure(Record):
    """How a run is expected to fail."""

    code: str


class Expectation(Record):
    """What a case expects; what is left out is not compared."""

    output: Json = None
    phase: RunPhase | None = None
    failure: ExpectedFailure | None = None


class ProcessTestCase(Record):
    """One run of the Process: its inputs, what people answer by step, and what is expected of it."""

    name: str = Field(min_length=1)
    inputs: JsonObject = Field(default={})
    answers: JsonObject = Field(default={})
    expect: Expectation = Expectation()


class ProcessTestFile(Record):
    """The cases of one Process."""

    process: str
    cases: list[ProcessTestCase] = Field(min_length=1)


class CaseResult(NamedTuple):
    """What is wrong with a case; nothing if it is as expected."""

    name: str
    faults: list[str]


class ProcessTests:
    """The test files of one user's Processes."""

    def __init__(self, platform: Platform, user: str) -> None:
        """The caller closes `platform`, of which only definitions are read."""
        self._platform = platform
        self._user = user

    def replay(self, test: ProcessTestFile, recording: Recording) -> list[CaseResult]:
        """Run every case in memory with the recorded calls: nothing is called, and waits take no time.

        Raises NotFoundError without the Process.
        """
        from aeon.bootstrap.rehearsal import Rehearsal

        process = self._platform.processes.find(self._user, test.process)
        results: list[CaseResult] = []
        for case in test.cases:
            calls = _RecordedCalls(recording.get(case.name, {}))
            with Rehearsal(self._platform, self._user, calls.answer) as rehearsal:
                try:
                    view = rehearsal.run(process, case.inputs, _answers_of(case))
                    faults = _differences(case.expect, view)
                except AeonError as error:
                    faults = [error.message]
            results.append(CaseResult(case.name, calls.differences or faults))
        return results


def record(test: ProcessTestFile, runs: RunService) -> tuple[Recording, list[CaseResult]]:
    """Run every case really, and return the calls of tools with what they gave."""
    recording: Recording = {}
    results: list[CaseResult] = []
    for case in test.cases:
        run = runs.start(test.process, case.inputs).id
        find_answer = _answers_of(case)
        while (settled := runs.settle(run)).view.state.phase not in ENDED_PHASES:
            for question in settled.questions:
                runs.answer(question.run, question.step, find_answer(looping_step(question.step)))
        recording[case.name] = dict(_calls(runs, settled.view, run))
        results.append(CaseResult(case.name, _differences(case.expect, settled.view)))
    return recording, results


def read_test(text: str) -> ProcessTestFile:
    """Return the test in a YAML text. Raises InvalidTextError, RuleError with every fault, InputError."""
    test = ProcessTestFile.parsed(read_mapping(text))
    names = [case.name for case in test.cases]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(
            f"Two cases have the same name: {', '.join(twice)}.", next_step="Give each case a name of its own."
        )
    return test


def _answers_of(case: ProcessTestCase) -> Callable[[str], Json]:
    def find(step: str) -> Json:
        if step not in case.answers:
            raise InputError(
                f"The step {step!r} asks a person, and the case {case.name!r} has no answer.",
                next_step=f"Add `{step}` to the answers of the case.",
            )
        return case.answers[step]

    return find


def _calls(runs: RunService, view: RunView, root: str) -> Iterator[tuple[str, JsonObject]]:
    """Yield the calls of tools in a run and in all that it called, by attempt."""
    plan = view.plan
    for attempt in runs.trace(view):
        if not attempt.job or plan.is_manual(plan.positions[attempt.step]):
            continue
        if plan.starts_run(attempt.step):
            yield from _calls(runs, runs.view(attempt.job), root)
        elif plan.call_of(attempt.step).kind == "tool":
            result: JsonObject = {"output": attempt.output}
            if attempt.error is not None:
                result = {"error": attempt.error}
            elif attempt.outcome != "completed":
                result = {"timedOut": True}
            yield attempt.job.removeprefix(f"{root}:"), {"inputs": attempt.inputs, **result}


class _RecordedCalls:
    """Answers jobs with recorded results, and notes calls that were not recorded like that. Threads share it."""

    def __init__(self, calls: dict[str, JsonObject]) -> None:
        self.differences: list[str] = []
        self._calls = calls
        self._lock = threading.Lock()

    def answer(self, job: Job, confirm: ConfirmOwnership) -> JobResult:
        """Return the recorded result of a job; a failure if there is none."""
        confirm()
        key = job.id.removeprefix(job.id.split(":", 1)[0] + ":")
        recorded = self._calls.get(key)
        if recorded is None:
            message = f"{key}: no such call of {job.name} is recorded; its inputs are {_text(job.inputs)}"
            return self._differs(job, message, only_first=True)
        if differing := list(_input_differences(job.inputs, recorded["inputs"])):
            return self._differs(job, f"{key}: {job.name} is called with other inputs: {'; '.join(differing)}")
        if "error" in recorded:
            error = AttemptFailure.parsed(recorded["error"])
            return JobResult(event=StepFailed(step=job.step, attempt=job.attempt, error=error))
        if "timedOut" in recorded:
            return JobResult(event=StepTimedOut(step=job.step, attempt=job.attempt))
        return JobResult(event=StepCompleted(step=job.step, attempt=job.attempt, output=recorded["output"]))

    def _differs(self, job: Job, message: str, *, only_first: bool = False) -> JobResult:
        """Fail a job, and note why; with `only_first`, only if nothing differed before."""
        with self._lock:
            if not (only_first and self.differences):
                self.differences.append(message)
        error = AttemptFailure(code="not_recorded", message=message, may_have_happened=False)
        return JobResult(event=StepFailed(step=job.step, attempt=job.attempt, error=error))


def _input_differences(given: JsonObject, recorded: JsonObject) -> Iterator[str]:
    for name in sorted({*given, *recorded}):
        before, now = (_text(each[name]) if name in each else "nothing" for each in (recorded, given))
        if before != now:
            yield f"{name} was {before} and is {now}"


def _differences(expect: Expectation, view: RunView) -> list[str]:
    """What of a run is not as expected; without expectations, it must complete."""
    faults: list[str] = []
    failure = view.run.failure or {}
    phase = expect.phase or ("failed" if expect.failure else "completed")
    if view.state.phase != phase:
        reason = f": {failure['message']}" if failure else ""
        faults.append(f"the run is {view.state.phase}, and {phase} was expected{reason}")
    if "output" in expect.model_fields_set and view.state.output != expect.output:
        faults.append(f"the output is {_text(view.state.output)}, and {_text(expect.output)} was expected")
    if expect.failure is not None and expect.failure.code not in _codes(failure):
        faults.append(f"the failure is {_text(failure.get('code'))}, and {expect.failure.code} was expected")
    return faults


def _codes(failure: JsonObject) -> Sequence[Json]:
    """The code of a failure, and that of its cause."""
    return [failure.get("code"), cast("JsonObject", failure.get("cause") or {}).get("code")]


def _text(value: Json) -> str:
    text = readable_json(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."

"""Reports the outcome of a run, as text for people or as JSON for programs."""

import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aeon.application.requests import RequestResult
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.cli.console import discard_unwritten, print_data, print_message
from aeon.cli.error_reports import as_error_report
from aeon.cli.exit_codes import ExitCode
from aeon.cli.next_steps import advice_of, advice_of_record
from aeon.cli.text import indented_json, printable
from aeon.kernel.marks import untrusted_marks
from aeon.llm.usage import Usage
from aeon.plan.models import StepStatus

_CODES = {"completed": ExitCode.DONE, "failed": ExitCode.FAILED, "ttl_expired": ExitCode.EXPIRED}


@dataclass(slots=True)
class RequestReport:
    """The outcome of a run, for printing. `log` is None if nothing was logged."""

    status: str
    code: int
    answer: str | None = None
    plan: JsonObject | None = None
    results: JsonObject = field(default_factory=dict[str, Any])
    errors: list[JsonObject] = field(default_factory=list[JsonObject])
    repairs: list[JsonObject] = field(default_factory=list[JsonObject])
    marks: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    trusted: bool = True
    error: JsonObject | None = None
    cut_text: str | None = None
    """The beginning of an answer that was cut off, which is no answer."""
    log: Path | None = None
    model: str | None = None
    usage: Usage = field(default_factory=Usage)

    def as_dict(self) -> JsonObject:
        """Return what `--json` prints."""
        report: JsonObject = {
            "status": self.status,
            "answer": self.answer,
            "trusted": self.trusted,
            "marks": self.marks,
            "plan": self.plan,
            "results": self.results,
            "errors": self.errors,
            "repairs": self.repairs,
            "log": None if self.log is None else str(self.log),
            "model": self.model,
            "usage": self.usage.as_dict(),
        }
        if self.error is None:
            return report
        cut: JsonObject = {} if self.cut_text is None else {"cut_text": self.cut_text}
        return {**report, **cut, "error": as_error_report(self.error)}


def report_of_result(result: RequestResult) -> RequestReport:
    """Return the report of a request's result. Only the last step's result is an answer."""
    return RequestReport(
        status=result.status,
        code=_code(result),
        answer=result.answer,
        plan=result.plan,
        results=result.results,
        errors=result.state.errors,
        repairs=[action.as_dict() for action in result.state.supervisor_actions],
        marks=result.marks,
        trusted=result.trusted,
        error=result.error,
        cut_text=_cut_text(result),
        usage=result.usage,
    )


def _cut_text(result: RequestResult) -> str | None:
    """What the model wrote of an answer that was cut off: the user has waited for it."""
    failed = any(step.status is StepStatus.FAILED and step.tool is None for step in result.state.plan.steps)
    last = result.state.llm_outputs[-1] if failed and result.state.llm_outputs else {}
    return str(last["text"]).strip() or None if last.get("finish_reason") == "length" else None


def _code(result: RequestResult) -> ExitCode:
    code = _CODES[result.status]
    return ExitCode.UNTRUSTED if code is ExitCode.DONE and not result.trusted else code


def report_of_error(error: AeonError) -> RequestReport:
    """Return the report of a run that ended with an error."""
    code = ExitCode.USAGE if error.is_wrong_input else ExitCode.FAILED
    record = {**error.as_dict(), "next_step": advice_of(error), "retryable": error.may_pass}
    return RequestReport("failed", code, error=record)


def report_of_interruption(code: ExitCode) -> RequestReport:
    """Return the report of a run that was interrupted."""
    return RequestReport("interrupted", code)


def print_report(outcome: RequestReport, *, as_json: bool, is_quiet: bool = False) -> int:
    """Print the report, data to stdout and the rest to stderr; return the exit code.

    If it `is_quiet`, only errors and warnings about trust are printed besides the data.
    """
    if outcome.error is not None and (is_quiet or outcome.error not in outcome.errors):  # else it was shown at its step
        print_message(str(outcome.error["message"]).rstrip(), "error: ")
    if outcome.status == "completed" and outcome.answer is None:
        print_message("The last step returned no answer.")
    code = outcome.code if _print_data(outcome, as_json=as_json) else ExitCode.FAILED
    for step_id, mark in untrusted_marks(outcome.marks):
        print_message(f"step {step_id!r}: {mark}", "not trusted: ", "  ")
    if outcome.cut_text:
        print_message(outcome.cut_text, "the answer up to there: ")
    if not is_quiet:
        _print_circumstances(outcome)
    _print_next_step(outcome)
    return code


def _print_circumstances(outcome: RequestReport) -> None:
    """Print which model was used, how much of it, and where the log is."""
    if outcome.model is not None:
        print_message(outcome.model)
    if outcome.usage.calls:
        print_message(f"used: {printable(str(outcome.usage))}")
    if outcome.log is not None and outcome.status != "interrupted":
        print_message(f"log: {outcome.log}")


def _print_data(outcome: RequestReport, *, as_json: bool) -> bool:
    """Print the data; False if stdout cannot be written. The caller still prints the path of the log."""
    try:
        if as_json:
            print_data(indented_json(outcome.as_dict()))
        elif outcome.answer is not None:
            print_data(printable(outcome.answer))
    except OSError as error:
        discard_unwritten(sys.stdout)
        where = " It is in the log." if outcome.log is not None else ""
        print_message(f"The answer could not be written to stdout: {error.strerror}.{where}", "error: ")
        return False
    return True


def _print_next_step(outcome: RequestReport) -> None:
    if outcome.status == "interrupted":
        advice = "nothing was done yet; run the command again" if outcome.log is None else _resume(outcome.log)
        print_message(f"interrupted; {advice}")
    elif outcome.status == "ttl_expired" and outcome.log is not None:
        print_message(_resume(outcome.log))
    elif outcome.error is not None and outcome.error.get("next_step"):
        print_message(advice_of_record(str(outcome.error["next_step"])), "next: ")


def _resume(log: Path) -> str:
    return f"continue with: aeon log resume {shlex.quote(str(log))}"

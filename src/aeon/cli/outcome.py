"""How a run came out, as a person reads it and as a program does."""

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aeon.base.errors import AeonError, InputError
from aeon.base.json import Json, JsonObject
from aeon.cli.codes import Code
from aeon.cli.reports import reported
from aeon.cli.say import give_up_stdout, put, say
from aeon.cli.text import clean, pretty
from aeon.kernel.marks import untrusted
from aeon.kernel.state import OrchestrationState

_CODES = {"completed": Code.DONE, "failed": Code.FAILED, "ttl_expired": Code.EXPIRED}


@dataclass(slots=True)
class Outcome:
    """Everything that is told of a run in the end. `log` is None when nothing was logged."""

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
    log: Path | None = None
    model: str | None = None

    def as_dict(self) -> JsonObject:
        """What `--json` prints."""
        whole: JsonObject = {
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
        }
        return whole if self.error is None else {**whole, "error": reported(self.error)}


def of_result(result: JsonObject) -> Outcome:
    """The outcome that an orchestrator returned. Only the last step's result is an answer."""
    state: OrchestrationState = result["final_state"]
    error: Json = result.get("error")
    return Outcome(
        status=result["status"],
        code=_code(result),
        answer=result["answer"],
        plan=result["plan"],
        results=result["results"],
        errors=state.errors,
        repairs=[action.as_dict() for action in state.supervisor_actions],
        marks=result["marks"],
        trusted=result["trusted"],
        error=error,
    )


def _code(result: JsonObject) -> Code:
    code = _CODES[result["status"]]
    return Code.UNTRUSTED if code is Code.DONE and not result["trusted"] else code


def of_error(error: AeonError) -> Outcome:
    """The outcome of a run that an error ended."""
    code = Code.USAGE if isinstance(error, InputError) else Code.FAILED
    record = {**error.as_dict(), "retryable": error.details.get("retryable", error.is_retryable)}
    return Outcome("failed", code, error=record)


def of_interruption(code: Code) -> Outcome:
    """The outcome of a run that was told to stop."""
    return Outcome("interrupted", code)


def tell(outcome: Outcome, *, as_json: bool) -> int:
    """Write the outcome, data to stdout and the rest to stderr; returns the exit code."""
    if outcome.error is not None:
        say(str(outcome.error["message"]).rstrip(), "error: ")
    if outcome.status == "completed" and outcome.answer is None:
        say("The last step gave no answer.")
    code = outcome.code if _is_put(outcome, as_json=as_json) else Code.FAILED
    for step_id, mark in untrusted(outcome.marks):
        say(f"step {step_id!r}: {mark}", "not trusted: ", "  ")
    if outcome.model is not None:
        say(outcome.model)
    if outcome.log is not None and outcome.status != "interrupted":
        say(f"log: {outcome.log}")
    _say_next(outcome)
    return code


def _is_put(outcome: Outcome, *, as_json: bool) -> bool:
    """Write the data. A run whose answer nobody could be given still says where its log is."""
    try:
        if as_json:
            put(pretty(outcome.as_dict()))
        elif outcome.answer is not None:
            put(clean(outcome.answer))
    except OSError as error:
        give_up_stdout()
        kept = " It is kept in the log." if outcome.log is not None else ""
        say(f"The answer could not be written to stdout: {error.strerror}.{kept}", "error: ")
        return False
    return True


def _say_next(outcome: Outcome) -> None:
    if outcome.status == "interrupted":
        again = "nothing was done yet; give the command again" if outcome.log is None else _resume(outcome.log)
        say(f"interrupted; {again}")
    elif outcome.status == "ttl_expired" and outcome.log is not None:
        say(_resume(outcome.log))
    elif outcome.error is not None and outcome.error.get("next_step"):
        say(str(outcome.error["next_step"]), "next: ")


def _resume(log: Path) -> str:
    return f"go on with: aeon resume {shlex.quote(str(log))}"

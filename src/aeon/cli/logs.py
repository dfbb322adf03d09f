"""`aeon log show|events|why|verify|replay` of a request: read its log."""

from collections.abc import Iterator
from pathlib import Path

from aeon.base.errors import InputError
from aeon.base.json import JsonObject, canonical_json
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, Reason, print_as, print_reasons
from aeon.cli.text import COLUMNS, compact_json, indented_json, one_line, wrap
from aeon.kernel.marks import is_fallback
from aeon.kernel.replay import replay
from aeon.kernel.state import step_result
from aeon.observability.log import LogHistory, read_log

_MAX_LINES = 6
"""The most lines of one value; `--entry` shows it in full."""


def show_log(path: Path, entry: int | None, *, output: OutputFormat) -> int:
    """Print every entry of a log, or one in full with the plan at that time. Raises LogError, InputError."""
    history = read_log(path)
    if entry is not None:
        return _show_entry(history, entry)
    shown = {"log": str(path), "entries": history.entries, "head": history.last_hash, "torn": history.torn_bytes}
    if print_as(output, shown, key="log"):
        return ExitCode.DONE
    for recorded in history.entries:
        print_data("\n".join(entry_lines(recorded)))
    _print_torn(history)
    return ExitCode.DONE


def print_log_events(path: Path, after: int) -> int:
    """Print the entries of a log after number `after` as lines of JSON. Raises LogError."""
    for entry in read_log(path).entries[after:]:
        print_data(canonical_json(entry))
    return ExitCode.DONE


def explain_log(path: Path, *, output: OutputFormat) -> int:
    """Print why steps of a request failed, why its answer is not trusted, or which steps are left. Raises LogError."""
    history = read_log(path)
    reasons = list(_reasons(history))
    if print_as(output, [{"step": step, "why": why, "message": text} for step, why, text in reasons], key="step"):
        return ExitCode.DONE
    print_reasons((Reason(step, text) for step, _, text in reasons), str(path))
    if not reasons:
        print_message("every step is complete, and nothing is marked")
    return ExitCode.DONE


def _reasons(history: LogHistory) -> Iterator[tuple[str | None, str, str]]:
    """Yield what keeps a request from being complete and trusted: the step, the kind of reason, the text."""
    done: set[str] = set()
    for entry in history.entries:
        outcome: JsonObject = entry.get("outcome") or {}
        step = outcome.get("step", {}).get("step_id")
        done |= {step} if step else set()
        for error in entry["errors"]:
            if error["type"] != "Warning":
                yield step, "failed", str(error["message"])
        for mark in outcome.get("marks", []):
            yield step, "marked", str(mark)
    plan = history.plan_at(len(history.entries))
    for planned in plan.get("steps", []):
        if planned["step_id"] not in done:
            yield planned["step_id"], "open", "was not executed yet; resume the run"


def verify_log(path: Path, *, output: OutputFormat) -> int:
    """Verify that a log is unchanged. Raises LogError with the first line that was changed."""
    history = read_log(path)
    count = len(history.entries)
    shown = {"log": str(path), "entries": count, "head": history.last_hash, "torn": history.torn_bytes}
    if print_as(output, shown, key="log"):
        return ExitCode.DONE
    print_data(f"{len(history.entries)} {_entries(history)}, chain ok\nhead {history.last_hash}")
    _print_torn(history)
    return ExitCode.DONE


def replay_log(path: Path, *, as_json: bool) -> int:
    """Replay a log. Raises LogError with the first entry that differs."""
    history = read_log(path)
    count = replay(history)
    if as_json:
        print_data(indented_json({"log": str(path), "entries": len(history.entries), "reproduced": count}))
    else:
        print_data(f"{count} {_entries(history)} reproduced byte for byte")
    _print_torn(history)
    return ExitCode.DONE


def entry_lines(entry: JsonObject) -> list[str]:
    """Format an entry for people: the step, its input and output, repairs and errors."""
    lines = [one_line(_head(entry), COLUMNS)]
    for call in entry["tool_calls"]:
        lines += _labelled(f"{call['tool_name']} input", compact_json(call["arguments"]))
        outcome = compact_json(call["result"]) if "result" in call else str(call["error"].get("message"))
        lines += _labelled(
            f"{call['tool_name']} result" if "result" in call else f"{call['tool_name']} failed", outcome
        )
    result = step_result(entry)
    if result is not None and not entry["tool_calls"]:
        label = "the model's own words" if is_fallback(entry["outcome"].get("marks", [])) else "the model's answer"
        lines += _labelled(label, str(result.get("text", "")))
    for action in entry["supervisor_actions"]:
        lines += _action_lines(action)
    for mark in entry.get("outcome", {}).get("marks", []):
        lines += _labelled("mark", mark)
    for error in entry["errors"]:
        lines += _labelled("warning" if error["type"] == "Warning" else "error", str(error["message"]))
    return lines


def _head(entry: JsonObject) -> str:
    number = f"{entry['step_number']:>3} "
    resumed = "resumed: " if "resumed" in entry else ""
    outcome = entry.get("outcome")
    if outcome:
        step = outcome["step"]
        return f"{number} {resumed}{step['status']} {step['step_id']} ({outcome['mode']}): {step['description']}"
    run: JsonObject = entry.get("run") or {}
    steps = len(entry["plan_state"].get("steps", []))
    return f"{number} {_origin(entry, run)}, {steps} step(s), ttl {entry['ttl_remaining']}: {run.get('request', '')}"


def _origin(entry: JsonObject, run: JsonObject) -> str:
    """Who made the plan of a run's first entry. A plan by code took no reply of a model (decision 52)."""
    if run.get("policy", {}).get("is_supplied"):
        return "supplied plan"
    if not entry["plan_state"].get("steps"):
        return "no plan could be made"
    return "plan by the model" if entry["llm_output"] else "plan by code"


def _action_lines(action: JsonObject) -> list[str]:
    kind = f"{action['action_type'].replace('_', ' ')}, attempt {action['attempt_number']}"
    if action.get("stages"):
        kind += f", by {', '.join(action['stages'])}"
    lines = _labelled("repair", kind)
    lines += _labelled("  before", compact_json(action["original_output"]))
    if "error" in action:
        return [*lines, *_labelled("  failed", compact_json(action["error"]))]
    return [*lines, *_labelled("  after", compact_json(action["repaired_output"]))]


def _labelled(label: str, text: str) -> list[str]:
    return wrap(text, COLUMNS, f"     {one_line(label, COLUMNS // 2)}: ", " " * 7, most=_MAX_LINES)


def _show_entry(history: LogHistory, number: int) -> int:
    if number > len(history.entries):
        raise InputError(
            f"The log {history.path} has {len(history.entries)} {_entries(history)}; there is no entry {number}.",
            next_step="Choose a smaller number.",
        )
    print_data(indented_json({"entry": history.entries[number - 1], "plan": history.plan_at(number)}))
    return ExitCode.DONE


def _entries(history: LogHistory) -> str:
    return "entry" if len(history.entries) == 1 else "entries"


def _print_torn(history: LogHistory) -> None:
    if history.torn_bytes:
        print_message(
            f"The last line is incomplete ({history.torn_bytes} bytes): the run ended abruptly. Resuming drops it.",
            "note: ",
        )

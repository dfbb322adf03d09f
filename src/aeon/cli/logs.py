"""`aeon log show|verify` and `aeon replay`: reading what a run left."""

from pathlib import Path

from aeon.base.errors import InputError
from aeon.base.json import JsonObject
from aeon.cli.codes import Code
from aeon.cli.say import put, say
from aeon.cli.text import COLUMNS, one_line, pretty, shown, wrapped
from aeon.kernel.marks import is_fallback
from aeon.kernel.replay import replay
from aeon.kernel.restore import result_of
from aeon.observability.history import History, read_log

_MOST = 6
"""Lines that one value takes; `--entry` shows it whole."""


def show_log(path: Path, entry: int | None, *, as_json: bool) -> int:
    """Every entry of a log, or one whole with the plan as it was. Raises LogError, InputError."""
    history = read_log(path)
    if entry is not None:
        return _show_entry(history, entry)
    if as_json:
        put(pretty({"log": str(path), "entries": history.entries, "head": history.head, "torn": history.torn}))
        return Code.DONE
    for recorded in history.entries:
        put("\n".join(entry_lines(recorded)))
    _say_torn(history)
    return Code.DONE


def verify_log(path: Path, *, as_json: bool) -> int:
    """Say whether a log is what was written. Raises LogError with the first line that is not."""
    history = read_log(path)
    if as_json:
        put(pretty({"log": str(path), "entries": len(history.entries), "head": history.head, "torn": history.torn}))
        return Code.DONE
    put(f"{len(history.entries)} {_entries(history)}, chain ok\nhead {history.head}")
    _say_torn(history)
    return Code.DONE


def replay_log(path: Path, *, as_json: bool) -> int:
    """Run a log again. Raises LogError with the first entry that comes out differently."""
    history = read_log(path)
    count = replay(history)
    if as_json:
        put(pretty({"log": str(path), "entries": len(history.entries), "reproduced": count}))
    else:
        put(f"{count} {_entries(history)} reproduced byte for byte")
    _say_torn(history)
    return Code.DONE


def entry_lines(entry: JsonObject) -> list[str]:
    """An entry for people: what was done, what it got and gave, what was repaired, what went wrong."""
    lines = [one_line(_head(entry), COLUMNS)]
    for call in entry["tool_calls"]:
        lines += _labelled(f"{call['tool_name']} got", shown(call["arguments"]))
        outcome = shown(call["result"]) if "result" in call else str(call["error"].get("message"))
        lines += _labelled(f"{call['tool_name']} gave" if "result" in call else f"{call['tool_name']} failed", outcome)
    result = result_of(entry)
    if result is not None and not entry["tool_calls"]:
        label = "the model's own words" if is_fallback(entry["outcome"].get("marks", [])) else "the model gave"
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
    made = (
        "plan by hand"
        if run.get("policy", {}).get("by_hand")
        else "plan by the model"
        if steps
        else "no plan could be made"
    )
    return f"{number} {made}, {steps} step(s), ttl {entry['ttl_remaining']}: {run.get('request', '')}"


def _action_lines(action: JsonObject) -> list[str]:
    kind = f"{action['action_type'].replace('_', ' ')}, attempt {action['attempt_number']}"
    if action.get("stages"):
        kind += f", by {', '.join(action['stages'])}"
    lines = _labelled("repair", kind)
    lines += _labelled("  before", shown(action["original_output"]))
    if "error" in action:
        return [*lines, *_labelled("  failed", shown(action["error"]))]
    return [*lines, *_labelled("  after", shown(action["repaired_output"]))]


def _labelled(label: str, text: str) -> list[str]:
    return wrapped(text, COLUMNS, f"     {one_line(label, COLUMNS // 2)}: ", " " * 7, most=_MOST)


def _show_entry(history: History, number: int) -> int:
    if number > len(history.entries):
        raise InputError(
            f"The log {history.path} has {len(history.entries)} {_entries(history)}, not {number}.",
            next_step="Choose one of them.",
        )
    put(pretty({"entry": history.entries[number - 1], "plan": history.plan_at(number)}))
    return Code.DONE


def _entries(history: History) -> str:
    return "entry" if len(history.entries) == 1 else "entries"


def _say_torn(history: History) -> None:
    if history.torn:
        say(
            f"The last line was cut off ({history.torn} bytes) when the run was ended; a resume drops it.",
            "note: ",
        )

"""The traces of plans of skills, for `aeon log`: shows, explains and replays them."""

from pathlib import Path

from aeon.application.history import trace_title
from aeon.application.skills import replay_result
from aeon.base.json import canonical_json
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.inputs import read_json_file
from aeon.cli.output import OutputFormat, print_as
from aeon.cli.text import COLUMNS, compact_json, indented_json, one_line, printable, wrap

_MAX_STDERR_LINES = 20


def show_trace(path: Path, *, output: OutputFormat) -> int:
    """Print the nodes of a plan with what they returned. Raises InputError if the file is not a trace."""
    result, _, _ = replay_result(read_json_file(path, "The trace"))
    whole = result.as_dict()
    if print_as(output, whole, key="planId"):
        return ExitCode.DONE
    print_data(f"{'completed' if result.success else 'failed'}: {printable(trace_title(whole))}")
    for node in whole["executionTrace"]:
        outcome = node.get("output") if node.get("error") is None else node["error"]["message"]
        print_data(one_line(printable(f"  {node['toolId']} {node['state']}: {compact_json(outcome)}"), COLUMNS))
        if wrote := str(node.get("diagnostics") or "").rstrip():
            print_data("\n".join(wrap(wrote, COLUMNS, "    stderr: ", "      ", most=_MAX_STDERR_LINES)))
    return ExitCode.DONE


def print_trace_events(path: Path, after: int) -> int:
    """Print the nodes of a trace after number `after` as lines of JSON. Raises InputError if it is not a trace."""
    result, _, _ = replay_result(read_json_file(path, "The trace"))
    for node in result.as_dict()["executionTrace"][after:]:
        print_data(canonical_json(node))
    return ExitCode.DONE


def replay_trace(path: Path, *, as_json: bool) -> int:
    """Print the final state that a trace leads to. Raises InputError if the file is not a trace."""
    result, state, is_same = replay_result(read_json_file(path, "The trace"))
    print_data(indented_json({"same": is_same, "finalState": state} if as_json else state))
    if not is_same:
        print_message("The trace does not lead to the final state recorded in it: one of them was changed.", "error: ")
        return ExitCode.FAILED
    print_message(f"the same final state, byte for byte, from {len(result.execution_trace)} nodes")
    return ExitCode.DONE

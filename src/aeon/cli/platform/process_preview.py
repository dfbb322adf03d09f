"""`aeon process run --dry-run`: what a run would call, in order, without starting anything."""

from collections.abc import Iterator, Mapping, Sequence

from aeon.application.run_preview import SECTION_CAPTIONS, StepPreview, describe_action
from aeon.base.json import JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.given_inputs import read_inputs
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable


def preview_process(name: str, inputs: Sequence[str], user: str, *, as_json: bool) -> int:
    """Print each step that a run would execute. Raises NotFoundError, and RuleError for inputs that do not fit."""
    given = read_inputs(inputs)
    with workspace_session(user) as workspace:
        processes = workspace.processes
        process = processes.get(name)
        previews = processes.preview(name, given.fitted(process.inputs))
        names = processes.target_names(process)
    if as_json:
        print_data(indented_json({"dryRun": True, "steps": [_preview_data(each, names) for each in previews]}))
        return ExitCode.DONE
    section = "main"
    for each in previews:
        if each.section != section:
            section = each.section
            print_data(f"{SECTION_CAPTIONS[section]}:")
        for line in _lines(each, names):
            print_data(printable(line))
    print_message("nothing was started")
    return ExitCode.DONE


def _lines(each: StepPreview, names: Mapping[str, str]) -> Iterator[str]:
    step = each.step
    is_manual = step.execution.interaction_mode == "manual"
    details = [describe_action(step, names), *([f"{each.items:,} item(s)"] if each.items is not None else [])]
    yield f"{each.stage}. {step.id}: {', '.join([*details, *(['a person answers'] if is_manual else [])])}"
    if each.condition is not None:
        yield f"     only if {step.execution.condition}: this {each.condition}"
    if step.inputs and each.condition != "does not hold":
        yield f"     inputs {one_line(indented_json(each.inputs), COLUMNS - 12)}"
    if each.unknown:
        yield f"     known later: {', '.join(each.unknown)}"
    if each.problem:
        yield f"     it would fail: {each.problem}"


def _preview_data(each: StepPreview, names: Mapping[str, str]) -> JsonObject:
    """Return a preview under its published keys."""
    return {
        "section": each.section,
        "stage": each.stage,
        "step": each.step.id,
        "action": describe_action(each.step, names),
        "condition": each.condition,
        "inputs": each.inputs,
        "unknown": [*each.unknown],
        "items": each.items,
        "problem": each.problem or None,
    }

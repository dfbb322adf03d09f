"""`aeon up`, `aeon apply` and `aeon tool`: defines items in the record, and calls stored tools."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.listing import ListOptions, print_whether_more
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable

if TYPE_CHECKING:
    from aeon.application.documents import ApplyStep

_SIGNS = {"create": "+", "change": "~", "keep": "="}


def bring_up(user: str, *, as_json: bool) -> int:
    """Open the record and vault, load the defaults, remove stale values, and count what the user owns."""
    with workspace_session(user) as workspace:
        found = workspace.documents.set_up()
    changed = found.defaults_changed
    counts = {"services": found.services, "secrets": found.secrets, "tools": found.tools}
    if as_json:
        print_data(indented_json({"store": found.store, "user": user, "defaultsChanged": changed, **counts}))
    else:
        if changed:
            print_message(f"loaded the default catalog: {changed} change(s); see `aeon tool list`")
        print_data(f"{found.store}: {', '.join(f'{count} {kind}' for kind, count in counts.items())} of {user}")
    return ExitCode.DONE


def apply_file(file: Path, user: str, *, is_dry: bool, as_json: bool) -> int:
    """Check the whole file, apply it, and show what changed. Raises ApplyError with every problem."""
    text = read_text(file)
    with workspace_session(user) as workspace:
        steps = workspace.documents.apply(text, is_dry=is_dry)
    if as_json:
        print_data(indented_json({"dryRun": is_dry, "steps": [_as_data(step) for step in steps]}))
    else:
        for step in steps:
            print_data(_as_line(step))
            for detail in step.differences:
                print_data(f"    {printable(detail)}")
            _warn_of_dependents(step)
        print_message(
            f"{sum(step.action != 'keep' for step in steps)} of {len(steps)} {'would change' if is_dry else 'changed'}"
        )
    return ExitCode.DONE


def _warn_of_dependents(step: "ApplyStep") -> None:
    """Warn about tools and processes of other users that a change breaks (platform 4)."""
    name = printable(step.document.name)
    if step.affects:
        print_message(
            f"{name} is not shared any more; these depend on it and will fail: {', '.join(step.affects)}", "warning: "
        )
    if step.breaks:
        listed = ", ".join(map(printable, step.breaks))
        print_message(f"{name} needs a different input; these do not match it and will fail: {listed}", "warning: ")


def list_stored_tools(user: str, options: ListOptions, *, as_json: bool) -> int:
    """Print a page of the user's own tools by name, then of the shared ones."""
    with workspace_session(user) as workspace:
        page = workspace.tools.list(
            owner=options.owner, prefix=options.prefix, after=options.after, limit=options.limit
        )
    print_whether_more(page)
    if as_json:
        print_data(indented_json([each.as_dict() for each in page.items]))
        return ExitCode.DONE
    for each in page.items:
        owner = "" if each.owner_id == user else f" (of {each.owner_id}, {each.id})"
        print_data(one_line(f"{printable(each.name)} {each.status} {printable(each.description)}{owner}", COLUMNS))
    return ExitCode.DONE


def call_stored_tool(name: str, argument: str, user: str, *, as_json: bool) -> int:
    """Call a tool. Raises RuleError for an invalid input, OperationError if the tool fails."""
    from aeon.cli.inputs import read_json_object

    arguments = read_json_object(argument)
    with workspace_session(user) as workspace:
        tool = workspace.tools.get(name)
        result = workspace.tools.call(tool.id, arguments)
    for warning in result.warnings:
        print_message(warning, "warning: ", "  ")
    if as_json:
        data: JsonObject = {"tool": tool.name, "output": result.output, "milliseconds": result.milliseconds}
        print_data(indented_json({**data, "usage": result.usage.as_dict() if result.usage else None}))
    else:
        print_data(indented_json(result.output))
        if result.usage:
            prompt, completion, model = result.usage
            print_message(f"tokens: {prompt} in, {completion} out{f' by {printable(model)}' if model else ''}")
    return ExitCode.DONE


def read_text(file: Path) -> str:
    """Return the text of a file, or of stdin for `-`. Raises InputError."""
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"{file} cannot be read: {why}.", next_step="Name a YAML file, or - for stdin.") from None


def _as_line(step: "ApplyStep") -> str:
    fields = f": {', '.join(step.fields)}" if step.fields else ""
    return f"{_SIGNS[step.action]} {step.document.kind} {printable(step.document.name)}{fields}"


def _as_data(step: "ApplyStep") -> Json:
    return {
        "verb": step.action,
        "kind": step.document.kind,
        "name": step.document.name,
        "fields": list[Json](step.fields),
        "details": list[Json](step.differences),
    }

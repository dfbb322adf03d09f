"""`aeon up`, `aeon apply` and `aeon tool`: defines items in the record, and calls stored tools."""

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import platform_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable
from aeon.platform.catalog.repository import DEFAULTS_OWNER

if TYPE_CHECKING:
    from aeon.platform.catalog.apply import ApplyStep

_SIGNS = {"create": "+", "change": "~", "keep": "="}
_MAX_LISTED = 1000
_SWEEP_AGE = timedelta(hours=1)
"""Younger values in the vault may belong to a change that has not reached the record yet."""


def bring_up(user: str, *, as_json: bool) -> int:
    """Open the record and vault, load the defaults, remove stale values, and count what the user owns."""
    from aeon.platform.catalog.defaults import load_defaults
    from aeon.platform.processes.documents import ProcessDocuments

    with platform_session(user) as platform:
        catalog = platform.catalog
        processes = ProcessDocuments(catalog, platform.processes, DEFAULTS_OWNER)
        defaults = load_defaults(catalog, {"Process": processes})
        list(platform.health.run(DEFAULTS_OWNER, only_due=True))
        now = datetime.now(UTC)
        catalog.secrets.sweep((now - _SWEEP_AGE).isoformat(timespec="microseconds"))
        platform.metrics.values.prune(now.isoformat(timespec="microseconds"))
        counts = {
            "services": len(catalog.services.list_own(user, limit=_MAX_LISTED)),
            "secrets": len(catalog.secrets.list_own(user, limit=_MAX_LISTED)),
            "tools": len(catalog.tools.list_own(user, limit=_MAX_LISTED)),
        }
        store_name = platform.store.name
    if as_json:
        print_data(indented_json({"store": store_name, "user": user, "defaultsChanged": len(defaults), **counts}))
    else:
        if defaults:
            print_message(f"loaded the default catalog: {len(defaults)} change(s); see `aeon tool list`")
        print_data(f"{store_name}: {', '.join(f'{count} {kind}' for kind, count in counts.items())} of {user}")
    return ExitCode.DONE


def apply_file(file: Path, user: str, *, is_dry: bool, as_json: bool) -> int:
    """Check the whole file, apply it, and show what changed. Raises ApplyError with every problem."""
    from aeon.platform.catalog.apply import Applier
    from aeon.platform.catalog.documents import read_documents
    from aeon.platform.processes.documents import ProcessDocuments

    documents = read_documents(read_text(file), os.environ)
    with platform_session(user) as platform:
        processes = ProcessDocuments(platform.catalog, platform.processes, user)
        applier = Applier(platform.catalog, user, {"Process": processes})
        steps = applier.plan(documents)
        if not is_dry:
            applier.apply(steps)
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


def list_stored_tools(user: str, *, as_json: bool) -> int:
    """Print the user's own tools, then the shared ones."""
    with platform_session(user) as platform:
        own = platform.catalog.tools.list_own(user, limit=_MAX_LISTED)
        shared = platform.catalog.tools.list_shared(user, limit=_MAX_LISTED)
    tools = [*own, *(each for each in shared if each.owner_id != user)]
    if as_json:
        print_data(indented_json([each.as_dict() for each in tools]))
        return ExitCode.DONE
    for each in tools:
        owner = "" if each.owner_id == user else f" (of {each.owner_id}, {each.id})"
        print_data(one_line(f"{printable(each.name)} {each.status} {printable(each.description)}{owner}", COLUMNS))
    return ExitCode.DONE


def call_stored_tool(name: str, argument: str, user: str, *, as_json: bool) -> int:
    """Call a tool. Raises RuleError for an invalid input, OperationError if the tool fails."""
    from aeon.cli.inputs import read_json_object

    arguments = read_json_object(argument)
    with platform_session(user) as platform:
        tool = platform.catalog.tools.find(user, name)
        result = platform.measured_tool_caller.call(user, tool.id, arguments)
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

"""`aeon up`, `aeon apply` and `aeon tool`: what is defined in the record, and running it."""

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.cli.codes import Code
from aeon.cli.platform.opening import opened
from aeon.cli.say import put, say
from aeon.cli.text import COLUMNS, clean, one_line, pretty
from aeon.platform.catalog.shelf import DEFAULTS_OWNER

if TYPE_CHECKING:
    from aeon.platform.catalog.apply import Step

_SIGNS = {"create": "+", "change": "~", "keep": "="}
_MOST_LISTED = 1000
_UNDER_WAY = timedelta(hours=1)
"""What is younger in the vault may belong to a change that has not reached the record yet."""


def bring_up(user: str, *, as_json: bool) -> int:
    """Open everything once, give the record its defaults, tidy the vault, and count what the user has."""
    from aeon.platform.catalog.defaults import load_defaults
    from aeon.platform.processes.documents import ProcessDocuments

    with opened(user) as platform:
        catalog = platform.catalog
        processes = ProcessDocuments(catalog, platform.processes, DEFAULTS_OWNER)
        defaults = load_defaults(catalog, {"Process": processes})
        list(platform.health.run(DEFAULTS_OWNER, only_due=True))
        now = datetime.now(UTC)
        catalog.secrets.sweep((now - _UNDER_WAY).isoformat(timespec="microseconds"))
        platform.metrics.values.prune(now.isoformat(timespec="microseconds"))
        counts = {
            "services": len(catalog.services.page_of_own(user, limit=_MOST_LISTED)),
            "secrets": len(catalog.secrets.page_of_own(user, limit=_MOST_LISTED)),
            "tools": len(catalog.tools.page_of_own(user, limit=_MOST_LISTED)),
        }
        where = platform.store.name
    if as_json:
        put(pretty({"store": where, "user": user, "defaultsChanged": len(defaults), **counts}))
    else:
        if defaults:
            say(f"the default catalog is there: {len(defaults)} change(s); see `aeon tool list`")
        put(f"{where}: {', '.join(f'{count} {kind}' for kind, count in counts.items())} of {user}")
    return Code.DONE


def apply_file(file: Path, user: str, *, is_dry: bool, as_json: bool) -> int:
    """Look at the whole file, show what differs, and make it so. Raises ApplyError with everything wrong."""
    from aeon.platform.catalog.apply import Applier
    from aeon.platform.catalog.documents import read_documents
    from aeon.platform.processes.documents import ProcessDocuments

    documents = read_documents(text_of(file), os.environ)
    with opened(user) as platform:
        processes = ProcessDocuments(platform.catalog, platform.processes, user)
        applier = Applier(platform.catalog, user, {"Process": processes})
        steps = applier.plan(documents)
        if not is_dry:
            applier.carry_out(steps)
    if as_json:
        put(pretty({"dryRun": is_dry, "steps": [_as_data(step) for step in steps]}))
    else:
        for step in steps:
            put(_as_line(step))
            for detail in step.details:
                put(f"    {clean(detail)}")
            _tell_others_loss(step)
        say(f"{sum(step.verb != 'keep' for step in steps)} of {len(steps)} {'would change' if is_dry else 'changed'}")
    return Code.DONE


def _tell_others_loss(step: "Step") -> None:
    """Warn of what a change takes from others (platform 4)."""
    name = clean(step.document.name)
    if step.hurts:
        say(f"{name} is shared no more; these depend on it and will fail: {', '.join(step.hurts)}", "warning: ")
    if step.outgrows:
        listed = ", ".join(map(clean, step.outgrows))
        say(f"{name} asks for something else; these do not fit it and will fail: {listed}", "warning: ")


def list_stored_tools(user: str, *, as_json: bool) -> int:
    """The user's own tools, then what others share."""
    with opened(user) as platform:
        own = platform.catalog.tools.page_of_own(user, limit=_MOST_LISTED)
        shared = platform.catalog.tools.page_of_shared(user, limit=_MOST_LISTED)
    found = [*own, *(each for each in shared if each.owner_id != user)]
    if as_json:
        put(pretty([each.as_dict() for each in found]))
        return Code.DONE
    for each in found:
        whose = "" if each.owner_id == user else f" (of {each.owner_id}, {each.id})"
        put(one_line(f"{clean(each.name)} {each.status} {clean(each.description)}{whose}", COLUMNS))
    return Code.DONE


def call_stored_tool(name: str, argument: str, user: str, *, as_json: bool) -> int:
    """Run a tool. Raises RuleError for an input that does not fit, OperationError when it fails."""
    from aeon.cli.intake import read_object

    given = read_object(argument)
    with opened(user) as platform:
        found = platform.catalog.tools.find(user, name)
        called = platform.measured_caller.call(user, found.id, given)
    for warning in called.warnings:
        say(warning, "warning: ", "  ")
    if as_json:
        told: JsonObject = {"tool": found.name, "output": called.output, "milliseconds": called.milliseconds}
        put(pretty({**told, "usage": called.usage.as_dict() if called.usage else None}))
    else:
        put(pretty(called.output))
        if called.usage:
            asked, answered, model = called.usage
            say(f"tokens: {asked} asked, {answered} answered{f' by {clean(model)}' if model else ''}")
    return Code.DONE


def text_of(file: Path) -> str:
    """What stands in a file of documents, or on stdin for `-`. Raises InputError."""
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
        raise InputError(f"{file} cannot be read: {why}.", next_step="Name a YAML file, or - for stdin.") from None


def _as_line(step: "Step") -> str:
    fields = f": {', '.join(step.fields)}" if step.fields else ""
    return f"{_SIGNS[step.verb]} {step.document.kind} {clean(step.document.name)}{fields}"


def _as_data(step: "Step") -> Json:
    return {
        "verb": step.verb,
        "kind": step.document.kind,
        "name": step.document.name,
        "fields": list[Json](step.fields),
        "details": list[Json](step.details),
    }

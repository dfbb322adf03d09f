"""`aeon tool import`: makes tools of an OpenAPI document, and says what could not become a tool."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from aeon.application.openapi import ApplyStep, OpenApiImport, SecretNeed
from aeon.application.tools import OpenApiOptions, ToolService
from aeon.cli.confirmation import confirm
from aeon.cli.console import print_command, print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.catalog import SIGNS, read_text
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import indented_json, printable

_MAX_NAMED = 5
_MANY_TOOLS = 100


class ImportCommand(NamedTuple):
    """The arguments of `aeon tool import`."""

    source: str
    name: str | None
    server: str | None
    only: Sequence[str]
    tags: Sequence[str]
    secret: str | None
    pages: int | None
    allow_private: bool
    allow_insecure: bool

    @property
    def is_address(self) -> bool:
        """Whether the document is on the web."""
        return self.source.startswith(("http://", "https://"))

    def options(self) -> OpenApiOptions:
        """How the document is imported."""
        return {
            "address": self.source if self.is_address else None,
            "name": self.name,
            "server": self.server,
            "only": self.only,
            "tags": self.tags,
            "secret": self.secret,
            "pages": self.pages,
            "allow_private": self.allow_private,
            "allow_insecure": self.allow_insecure,
        }


def import_document(given: ImportCommand, user: str, *, is_dry: bool, is_confirmed: bool, as_json: bool) -> int:
    """Show what a document makes and changes, ask if existing things change, and do it.

    Raises OpenApiError with every fault of the document, ApplyError, InputError.
    """
    with workspace_session(user) as workspace:
        tools = workspace.tools
        text = _read(tools, given)
        done = tools.import_openapi(text, is_dry=True, **given.options())
        if not is_dry:
            if done.changed and not is_confirmed:
                _confirm_changes(done)
            done = tools.import_openapi(text, **given.options())
    if as_json:
        print_data(indented_json({"dryRun": is_dry, **done.as_dict()}))
    else:
        _print_import(done, given, is_dry=is_dry)
    return ExitCode.DONE


def _read(tools: ToolService, given: ImportCommand) -> str:
    """The text of the document. Raises InputError."""
    if given.is_address:
        return tools.read_openapi(given.source, allow_private=given.allow_private)
    return read_text(Path(given.source))


def _confirm_changes(planned: OpenApiImport) -> None:
    """Show what would change of what exists, and ask. Raises InputError for a no, and where nobody can be asked."""
    for step in planned.steps:
        if step.action == "change":
            print_message(_line(step))
    changed = planned.changed
    more = f" and {len(changed) - _MAX_NAMED} more" if len(changed) > _MAX_NAMED else ""
    loss = f"This changes what exists: {', '.join(map(printable, changed[:_MAX_NAMED]))}{more}."
    confirm(loss, is_confirmed=False)


def _line(step: ApplyStep) -> str:
    fields = f": {', '.join(step.fields)}" if step.fields else ""
    return f"{SIGNS[step.action]} {step.document.kind} {printable(step.document.name)}{fields}"


def _print_import(done: OpenApiImport, given: ImportCommand, *, is_dry: bool) -> None:
    for step in done.steps:
        print_data(_line(step))
    print_message(f"requests go to {', '.join(map(printable, done.endpoints))}")
    for each in done.skipped:
        print_message(printable(str(each)), "no tool: ")
    for note in done.notes:
        print_message(printable(note), "note: ")
    for name in done.vanished:
        print_message(f"the document does not have {printable(name)} any more; if you do not need it, delete it:")
        print_command(f"aeon tool delete {shlex.quote(name)}")
    changed = sum(step.action != "keep" for step in done.steps)
    print_message(f"{changed} of {len(done.steps)} {'would change' if is_dry else 'changed'}")
    if len(done.steps) > _MANY_TOOLS:
        print_message(f"{len(done.steps) - 1} tools are many for one plan; choose with --only or --tag", "warning: ")
    for need in done.needs:
        _print_need(need, done.service, given)


def _print_need(need: SecretNeed, service: str, given: ImportCommand) -> None:
    """Say which tools need which secret, and the commands that make it and give it to them."""
    named = ", ".join(map(printable, need.tools[:_MAX_NAMED]))
    more = f" and {len(need.tools) - _MAX_NAMED} more" if len(need.tools) > _MAX_NAMED else ""
    print_message(
        f"{named}{more}: a secret of the type {' or '.join(need.types)} is missing, which goes "
        f"{printable(need.place)}. Create it and import again:"
    )
    print_command(f"aeon secret set {shlex.quote(service)} --type {need.types[0]}")
    print_command(_again(given, service))


def _again(given: ImportCommand, secret: str) -> str:
    """The same command with that secret."""
    values = [("--name", given.name), ("--server", given.server), ("--pages", given.pages)]
    repeated = [("--only", each) for each in given.only] + [("--tag", each) for each in given.tags]
    flags = [("--allow-private", given.allow_private), ("--allow-insecure", given.allow_insecure)]
    parts = ["aeon", "tool", "import", given.source]
    parts += [part for name, value in [*values, *repeated] if value is not None for part in (name, str(value))]
    parts += [name for name, is_set in flags if is_set]
    return printable(shlex.join([*parts, "--secret", secret, "--yes"]))

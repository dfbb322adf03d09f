"""The tools that need no record: built-in ones, and the scripts of skills."""

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, redirect_stdout

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.suggestions import closest_name
from aeon.bootstrap.app import App
from aeon.cli.session import app_session, load_cli_settings
from aeon.platform.errors import NotFoundError
from aeon.tools.invocation import ToolInvoker
from aeon.tools.registry import RegisteredTool
from aeon.validation.schema import argument_problems


def registered_tools() -> list[JsonObject]:
    """Every tool as prompts show it, with its source."""
    with _app() as app:
        built_in = app.registry.list_all()
        app.register_skills("", app.skills.tool_names())
        exported = app.registry.export_tools_for_llm()
    return [{**each, "source": "built-in" if each["name"] in built_in else "skill"} for each in exported]


def registered_tool(name: str, others: Sequence[str]) -> JsonObject:
    """A tool as prompts show it. Raises NotFoundError, with the nearest name, also of `others`."""
    with _app() as app:
        return _registered(app, name, others).exported


def call_registered_tool(name: str, arguments: JsonObject, others: Sequence[str]) -> Json:
    """Call a tool. Raises NotFoundError, InputError for arguments that do not fit, ToolError if it fails."""
    with _app(canonical_json(arguments)) as app:
        registered = _registered(app, name, others)
        if problems := argument_problems(arguments, registered.input):
            listed = "\n".join(f"  {problem}" for problem in problems[:20])
            raise InputError(
                f"The arguments do not fit {name!r}:\n{listed}",
                next_step=f"See `aeon tool show {name}`.",
                problems=[str(problem) for problem in problems],
            )
        caller = ToolInvoker()
        try:
            with redirect_stdout(sys.stderr):
                return caller.invoke(registered, arguments)
        finally:
            caller.close()


@contextmanager
def _app(own_words: str = "") -> Generator[App]:
    """The app with every tool that a request might use; pages of the hosts in `own_words` may be fetched."""
    with app_session(load_cli_settings()) as app:
        app.allow_files(app.folder)
        app.allow_pages(own_words)
        yield app


def _registered(app: App, name: str, others: Sequence[str]) -> RegisteredTool:
    """Return a registered tool, or a skill's script by its tool name. Raises NotFoundError."""
    registry = app.registry
    app.register_skills("", [name])
    registered = registry.lookup(name)
    if registered is None:
        known = [*registry.list_all(), *app.skills.tool_names(), *others]
        near = closest_name(name, known)
        suggestion = f" Did you mean {near!r}?" if near else ""
        raise NotFoundError(f"There is no tool {name!r}.{suggestion}", next_step="See `aeon tool list`.")
    return registered

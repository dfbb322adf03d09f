"""`aeon tools`: lists, shows and calls the registered tools."""

import sys
from contextlib import redirect_stdout

from aeon.base.errors import InputError
from aeon.base.suggestions import closest_name
from aeon.bootstrap.app import App
from aeon.cli.console import print_data
from aeon.cli.exit_codes import ExitCode
from aeon.cli.inputs import read_json_object
from aeon.cli.session import app_session, load_cli_settings
from aeon.cli.text import COLUMNS, indented_json, one_line, printable, wrap
from aeon.tools.invocation import ToolInvoker
from aeon.tools.registry import RegisteredTool
from aeon.validation.schema import argument_problems


def list_tools(*, as_json: bool) -> int:
    """Print every tool: as lines of name and description, or as JSON."""
    with app_session(load_cli_settings()) as app:
        app.allow_files(app.folder)
        app.allow_pages("")
        exported = app.registry.export_tools_for_llm()
    if as_json:
        print_data(indented_json(exported))
        return ExitCode.DONE
    width = max((len(printable(tool["name"])) for tool in exported), default=0)
    for tool in exported:
        print_data(f"{printable(tool['name']):<{width}}  {one_line(tool['description'], max(20, COLUMNS - width - 2))}")
    return ExitCode.DONE


def show_tool(name: str, *, as_json: bool) -> int:
    """Print one tool with everything that a prompt shows of it. Raises InputError for an unknown name."""
    with app_session(load_cli_settings()) as app:
        app.allow_files(app.folder)
        app.allow_pages("")
        exported = _registered(app, name).exported
    if as_json:
        print_data(indented_json(exported))
        return ExitCode.DONE
    print_data("\n".join(wrap(f"{exported['name']}: {exported['description']}", COLUMNS)))
    for field in ("input_schema", "output_schema", "example"):
        if field in exported:
            print_data(f"\n{field}:\n{indented_json(exported[field])}")
    return ExitCode.DONE


def call_tool(name: str, argument: str, *, as_json: bool) -> int:
    """Call a tool. Raises InputError for invalid arguments, ToolError if the tool fails."""
    arguments = read_json_object(argument)
    with app_session(load_cli_settings()) as app:
        app.allow_files(app.folder)
        app.allow_pages(argument)
        registered = _registered(app, name)
        problems = argument_problems(arguments, registered.input)
        if problems:
            listed = "\n".join(f"  {problem}" for problem in problems[:20])
            raise InputError(
                f"The arguments do not fit {name!r}:\n{listed}",
                next_step=f"See `aeon tools show {name}`.",
                problems=[str(problem) for problem in problems],
            )
        caller = ToolInvoker()
        try:
            with redirect_stdout(sys.stderr):
                result = caller.invoke(registered, arguments)
        finally:
            caller.close()
    print_data(indented_json({"tool": name, "arguments": arguments, "result": result} if as_json else result))
    return ExitCode.DONE


def _registered(app: App, name: str) -> RegisteredTool:
    """Return a registered tool, or a skill's script by its tool name. Raises InputError for an unknown name."""
    registry = app.registry
    app.register_skills("", [name])
    registered = registry.lookup(name)
    if registered is None:
        near = closest_name(name, [*registry.list_all(), *app.skills.tool_names()])
        suggestion = f" Did you mean {near!r}?" if near else ""
        raise InputError(
            f"There is no tool {name!r}.{suggestion}", next_step=f"Registered are {', '.join(registry.list_all())}."
        )
    return registered
